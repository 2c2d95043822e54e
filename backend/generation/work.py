"""Rows that are work: claimed by a guarded update, leased, finished by whoever holds the lease.

The row is the queue. A message may be lost, doubled or late; a worker may be killed. The claim
lets one worker in, the lease token keeps a late twin from writing, and what was killed is due
again when its lease has run out.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Generic, Self, TypeVar

from django.db import InterfaceError, OperationalError, connection, models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.crypto import get_random_string

# Longer than the work may take, so that none that is still going on is claimed again; no longer
# than need be, for so long a dead worker's work waits. Who asks a language model says how long.
LEASE = timedelta(minutes=5)
ATTEMPTS = 4
FIRST_PAUSE = timedelta(seconds=10)
# A message not acted on for so long is taken for lost and sent again; a double does no harm.
FORGOTTEN = timedelta(minutes=5)
# Messages under way at once. A queue longer than can be worked off before its messages are taken
# for lost would otherwise grow by its own length every time.
MESSAGES = 400

LONGEST_PAUSE = 2.0  # seconds between two tries to reach the database

Row = TypeVar("Row", bound="Work")
Result = TypeVar("Result")


def let_go_of_database() -> None:
    """Give this thread's connection back before a slow call, so that others can have it."""
    if not connection.in_atomic_block:
        connection.close()


def outlasting(write: Callable[[], Result], *, seconds: float) -> Result:
    """Do what may be done twice, again and again while the database is away, for so long.

    Raises
    ------
    django.db.OperationalError, django.db.InterfaceError
        If it is away for longer; or at once within a transaction, which is lost.
    """
    give_up, pause = time.monotonic() + seconds, 0.05
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() + pause > give_up:
                raise
            # What a restart broke is broken for each connection of the pool in turn.
            connection.close()
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)


class WorkQuerySet(models.QuerySet[Row], Generic[Row]):
    """The vocabulary of work."""

    def due(self, now: datetime) -> Self:
        """Work that could be claimed now: queued and not waiting, or left by a dead worker."""
        queued = Q(status="queued") & (Q(not_before=None) | Q(not_before__lte=now))
        left = Q(status="running", leased_until__lt=now, attempts__lt=ATTEMPTS)
        return self.filter(queued | left)

    def unfinished(self) -> Self:
        return self.filter(status__in=("queued", "running"))

    def to_nudge(self, now: datetime) -> list[int]:
        """Return the due rows that no message tells of, or none that was not lost; mark them told.

        At most so many that no more than `MESSAGES` are under way.
        """
        self.give_up_lost(now)
        told = self.filter(status="queued", nudged_at__gte=now - FORGOTTEN).count()
        quiet = self.due(now).filter(Q(nudged_at=None) | Q(nudged_at__lt=now - FORGOTTEN))
        room = max(0, MESSAGES - told)
        keys = list(quiet.order_by("pk").values_list("pk", flat=True)[:room])
        self.filter(pk__in=keys).update(nudged_at=now)
        return keys

    def forget_messages(self) -> int:
        """Note that no message tells of any row: those over memory end with their process."""
        return self.filter(status="queued").update(nudged_at=None)

    def give_up_lost(self, now: datetime, **fields: Any) -> int:
        """Let fail what took its worker with it every time. Return how many."""
        lost = self.filter(status="running", leased_until__lt=now, attempts__gte=ATTEMPTS)
        return lost.update(
            status="failed",
            lease="",
            leased_until=None,
            error_kind="lost",
            error=f"The worker was lost {ATTEMPTS} times in the middle of this; see its log.",
            **fields,
        )

    def claim(self, pk: int, *, lasting: timedelta = LEASE, **as_read: Any) -> str:
        """Take one due row for this worker. Return its lease token, or "" if it cannot.

        `as_read` names what was read of the row before: if any of it is another now, it cannot.
        """
        now = timezone.now()
        lease = get_random_string(24)
        taken = (
            self.filter(pk=pk, **as_read)
            .due(now)
            .update(
                status="running",
                lease=lease,
                leased_until=now + lasting,
                attempts=F("attempts") + 1,
                not_before=None,
            )
        )
        return lease if taken else ""

    def finish(self, pk: int, lease: str, **fields: Any) -> bool:
        """Write the outcome if this worker still holds the lease. False if another took over."""
        held = self.filter(pk=pk, status="running", lease=lease)
        return bool(held.update(**{"lease": "", "leased_until": None, **fields}))

    def pause(self, pk: int, lease: str, *, attempts: int, error_kind: str, error: str) -> bool:
        """Queue it again for later, or let it fail if it was tried often enough."""
        if attempts >= ATTEMPTS:
            return self.finish(pk, lease, status="failed", error_kind=error_kind, error=error)
        return self.finish(
            pk,
            lease,
            status="queued",
            not_before=timezone.now() + FIRST_PAUSE * 3 ** (attempts - 1),
            nudged_at=None,
            error_kind=error_kind,
            error=error,
        )

    def put_back(
        self, pk: int, lease: str, *, until: datetime | None = None, **fields: Any
    ) -> bool:
        """Queue it again as if it had not been claimed: nothing was tried, or it is not to blame.

        A row of which no more is asked than to wait would else fail for being polite.
        """
        return self.finish(
            pk,
            lease,
            status="queued",
            attempts=F("attempts") - 1,
            not_before=until,
            nudged_at=None,
            **fields,
        )

    def requeue_failed(self, **fields: Any) -> int:
        """Queue every failed row afresh. Return how many."""
        return self.filter(status="failed").update(
            status="queued", attempts=0, not_before=None, nudged_at=None, error_kind="", error="",
            **fields,
        )  # fmt: skip


class Work(models.Model):
    """A row that is claimed, done and kept."""

    class Status(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    nudged_at = models.DateTimeField(null=True, blank=True)
    lease = models.CharField(max_length=24, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    error_kind = models.CharField(max_length=24, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        abstract = True
