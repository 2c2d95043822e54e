"""Leases of work under way are short, and renewed by this process while it lives.

So what a killed process held is free within a minute, however long a call may take; and nobody
takes what is still being done.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.db import Error, connection
from django.utils import timezone

from backend.generation.models import Call
from backend.generation.work import Work

# With the sweep, which comes every 15 seconds, this is less than a minute.
LEASE = timedelta(seconds=30)
RENEW_EVERY, TRY_EVERY = 6.0, 1.0  # seconds; the latter while the database is away


@dataclass(frozen=True)
class _Held:
    """A row of work by its lease, or an open call."""

    kind: type[Work] | type[Call]
    pk: int
    lease: str = ""


@contextmanager
def kept(work: Work, lease: str, *, at_most: timedelta) -> Iterator[None]:
    """Renew the lease of this row as long as the block lasts, but no longer than `at_most`."""
    with _keeper.holding(_Held(type(work), work.pk, lease), at_most):
        yield


@contextmanager
def kept_open(call: Call, *, at_most: timedelta) -> Iterator[None]:
    """Let nobody count this call as lost as long as the block lasts, at most so long."""
    with _keeper.holding(_Held(Call, call.pk), at_most):
        yield


class _Keeper:
    """What this process holds, and the thread that renews it."""

    def __init__(self) -> None:
        self._held: dict[_Held, float] = {}
        self._changing = threading.Lock()
        self._some = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def holding(self, held: _Held, at_most: timedelta) -> Iterator[None]:
        with self._changing:
            self._held[held] = time.monotonic() + at_most.total_seconds()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()
        self._some.set()
        try:
            yield
        finally:
            with self._changing:
                del self._held[held]

    def _run(self) -> None:
        while True:
            self._some.wait()
            time.sleep(RENEW_EVERY)
            while not self._renewed():
                time.sleep(TRY_EVERY)

    def _renewed(self) -> bool:
        """Renew all that is held. False if the database is away."""
        now = time.monotonic()
        with self._changing:
            by_kind: dict[type[Work] | type[Call], list[_Held]] = defaultdict(list)
            for held, until in self._held.items():
                if until > now:
                    by_kind[held.kind].append(held)
            if not self._held:
                self._some.clear()
        try:
            for kind, some in by_kind.items():
                _renew(kind, some)
        except Error:
            return False
        finally:
            connection.close()
        return True


def _renew(kind: type[Work] | type[Call], some: list[_Held]) -> None:
    keys = [held.pk for held in some]
    until = timezone.now() + LEASE
    if issubclass(kind, Call):
        Call.objects.filter(pk__in=keys, state=Call.State.OPEN).update(expires_at=until)
        return
    leases = [held.lease for held in some]
    # By the key as well: there is no index of leases.
    running = kind._default_manager.filter(pk__in=keys, lease__in=leases, status="running")
    running.update(leased_until=until)


_keeper = _Keeper()
