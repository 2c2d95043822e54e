"""Works through a run in this process, its threads claiming rows as any worker does."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime

from django.db import connection
from django.db.models import Min
from django.utils import timezone

from backend.generation import services
from backend.generation.models import Run
from backend.generation.presenting import Counts, progress

LONGEST_SLEEP = 2.0  # seconds; another worker may finish what this one waits for
SAY_EVERY = 2.0  # seconds


def work_through(run: Run, *, threads: int, say: Callable[[str], None]) -> Counts:
    """Write what is left of a run, pauses waited out, and return how far it is then.

    Interrupted, it lets the calls under way end; what was not begun stays queued.
    """
    rows = run.generations.all()
    teller = _Teller(run, say)
    while rows.unfinished().exists():
        now = timezone.now()
        rows.give_up_lost(now)
        due = list(rows.due(now).order_by("pk").values_list("pk", flat=True))
        if due:
            _write_all(due, threads, teller)
        else:
            teller.wait(rows.unfinished().aggregate(Min("not_before"))["not_before__min"])
    return progress(run).overall


def _write_all(keys: list[int], threads: int, teller: "_Teller") -> None:
    with ThreadPoolExecutor(threads) as pool:
        try:
            for written in as_completed([pool.submit(_write, key) for key in keys]):
                written.result()
                teller.tell()
        finally:
            pool.shutdown(cancel_futures=True)


def _write(generation_id: int) -> None:
    try:
        services.write_poem(generation_id)
    finally:
        connection.close()  # this thread's own


class _Teller:
    """Says how far a run is, not more often than one can read."""

    def __init__(self, run: Run, say: Callable[[str], None]) -> None:
        self._run = run
        self._say = say
        self._said_at = 0.0
        self._waits_until: datetime | None = None

    def tell(self) -> None:
        if time.monotonic() >= self._said_at + SAY_EVERY:
            self._said_at = time.monotonic()
            counts = progress(self._run).overall
            self._say(f"{counts.done} of {counts.total} written, {counts.failed} failed")

    def wait(self, until: datetime | None) -> None:
        """Wait for a pause to end, or, when there is none, for another worker."""
        if until and until != self._waits_until:
            waiting = progress(self._run).overall.waiting
            self._say(f"{waiting} to be asked again from {until:%H:%M:%S} UTC")
            self._waits_until = until
        left = (until - timezone.now()).total_seconds() if until else LONGEST_SLEEP
        time.sleep(min(max(left, 0.05), LONGEST_SLEEP))
