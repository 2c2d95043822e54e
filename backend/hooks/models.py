"""Whom to tell of what happens in a study, and each message that tells it."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.studies.models import Study
from backend.generation.work import Work, WorkQuerySet

# After each failure but the last, which is final.
PAUSES = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
)
# A receiver that failed so often in a row, and for so long, is not asked any more.
FAILURES = 20
FAILING_FOR = timedelta(days=3)

# What arrived is listed for so long.
KEPT_FOR = timedelta(days=30)

PING = "ping"
STOPPED = "The hook was stopped before this was delivered."


class Event(models.TextChoices):
    """What a hook can tell of."""

    JUDGMENT_SUBMITTED = "judgment.submitted", "a judgment was submitted"
    BATCH_DONE = "batch.done", "a judge finished all they were given"
    STUDY_COMPLETE = "study.complete", "every item has all its judgments"
    STUDY_OPENED = "study.opened", "the study was opened"
    STUDY_CLOSED = "study.closed", "the study was closed"
    STUDY_UNSEALED = "study.unsealed", "the key was unsealed"


class HookQuerySet(models.QuerySet["Hook"]):
    def active(self) -> "HookQuerySet":
        return self.filter(active=True)

    def advance(self, hook: "Hook", to: int) -> bool:
        """Move an active hook's cursor, and hold the hook until the transaction ends.

        False if it was stopped, deleted or moved meanwhile.
        """
        still = self.active().filter(pk=hook.pk, cursor=hook.cursor)
        return bool(still.update(cursor=to))

    def note_success(self, pk: int) -> None:
        self.filter(pk=pk).update(failures=0, failing_since=None)

    def note_failure(self, pk: int, now: datetime) -> bool:
        """Count one more failure in a row. True if there were too many of them for too long."""
        began = Coalesce("failing_since", Value(now), output_field=models.DateTimeField())
        own = self.filter(pk=pk)
        own.update(failures=F("failures") + 1, failing_since=began)
        return own.filter(failures__gte=FAILURES, failing_since__lte=now - FAILING_FOR).exists()


class Hook(models.Model):
    """An address that is told of a study's events.

    Attributes
    ----------
    secret : str
        The key of the signatures, as Standard Webhooks writes it. Shown once, when it is made.
    cursor : int
        Number of the last seal of the activity log whose entries were told of.
    told_from : datetime
        What was done before is not told of.
    failures, failing_since
        How many messages in a row did not arrive, and when the first of them failed.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="hooks")
    url = models.CharField(max_length=500)
    secret = models.CharField(max_length=80)
    events = models.JSONField(default=list)
    active = models.BooleanField(default=True)
    stopped_because = models.CharField(max_length=200, blank=True)
    cursor = models.PositiveIntegerField(default=0)
    told_from = models.DateTimeField(default=timezone.now)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(default=timezone.now)

    objects = HookQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="hook_once_a_study", fields=["study", "url"]),
        ]

    def __str__(self) -> str:
        return f"hook of {self.study} to {self.url}"


class DeliveryQuerySet(WorkQuerySet["Delivery"]):
    def postpone(self, pk: int, lease: str, *, tries: int, **outcome: Any) -> bool:
        """Queue it again for later, or let it fail if it was tried often enough."""
        if tries > len(PAUSES):
            return self.finish(pk, lease, status="failed", tries=tries, **outcome)
        return self.finish(
            pk,
            lease,
            status="queued",
            # Counted by `tries`; what counts attempts is left to count lost workers.
            attempts=0,
            tries=tries,
            not_before=timezone.now() + PAUSES[tries - 1],
            nudged_at=None,
            **outcome,
        )

    def hold_back(self, hook: int, now: datetime) -> int:
        """Let what waits for a receiver that just failed wait too. Return how many there were.

        A receiver that hangs would otherwise keep every worker waiting for it at once.
        """
        later = now + PAUSES[0]
        fresh = Q(not_before=None) | Q(not_before__lt=later)
        waiting = self.filter(fresh, hook=hook, status="queued").exclude(event=PING)
        return waiting.update(not_before=later, nudged_at=None)

    def give_up_waiting(self, hook: int) -> int:
        """Let fail what waits for a hook that was stopped. Return how many."""
        waiting = self.filter(hook=hook, status="queued").exclude(event=PING)
        return waiting.update(status="failed", error_kind="stopped", error=STOPPED)

    def clear_old(self, now: datetime) -> int:
        """Delete what arrived long ago. Return how many messages.

        What tells that a study is complete stays: its row keeps that from being told twice.
        """
        arrived = self.filter(status="done", answered_at__lt=now - KEPT_FOR)
        return arrived.exclude(event=Event.STUDY_COMPLETE).delete()[0]


class Delivery(Work):
    """One message to one receiver. Tried again, it has the same id and says the same.

    Attributes
    ----------
    entry : Entry
        What it tells of; none for a ping.
    answered, places : int
        The study's progress when the message was queued.
    emptied : int
        Of `study.complete`: how often answers had been taken out of the study before.
    tries : int
        How often sending it failed.
    """

    # Standard Webhooks has the receiver tell messages apart by it.
    uid = models.UUIDField(default=uuid4, unique=True, editable=False)
    hook = models.ForeignKey(Hook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=24)
    entry = models.ForeignKey(Entry, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=timezone.now, help_text="When it happened.")
    answered = models.PositiveIntegerField()
    places = models.PositiveIntegerField()
    queued_at = models.DateTimeField(default=timezone.now)
    emptied = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    answered_status = models.PositiveSmallIntegerField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    body_sha256 = models.CharField(max_length=64, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(name="told_once", fields=["hook", "entry", "event"]),
            # Raising K, or taking answers out, makes a complete study incomplete, and then it can
            # be complete anew.
            models.UniqueConstraint(
                name="told_complete_once",
                fields=["hook", "places", "emptied"],
                condition=Q(event="study.complete"),
            ),
        ]
        indexes = [
            models.Index(fields=["hook", "status"], name="deliveries_of_a_hook"),
            models.Index(
                fields=["id"],
                name="deliveries_to_make",
                condition=Q(status__in=("queued", "running")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.hook.url}"
