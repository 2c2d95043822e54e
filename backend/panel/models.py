"""Letters to the experts of a panel, and when to remind them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.studies.models import Judge, Study
from backend.generation.work import ATTEMPTS, Work, WorkQuerySet

# Longer than for language models: a server that does not know us yet asks to be tried again
# after a quarter of an hour or so (greylisting).
PAUSES = (timedelta(minutes=1), timedelta(minutes=20), timedelta(hours=4))
CHECK_EVERY = timedelta(minutes=10)


class LetterQuerySet(WorkQuerySet["Letter"]):
    def postpone(self, pk: int, lease: str, *, attempts: int, error: str) -> bool:
        """Queue it again for later, or let it fail if it was tried often enough."""
        outcome = {"error_kind": "connection", "error": error}
        if attempts >= ATTEMPTS:
            return self.finish(pk, lease, status="failed", **outcome)
        later = timezone.now() + PAUSES[attempts - 1]
        return self.finish(
            pk, lease, status="queued", not_before=later, nudged_at=None, **outcome
        )  # fmt: skip


class Letter(Work):
    """A letter to one expert. Its text, with link and address, is written only when it is sent."""

    class Kind(models.TextChoices):
        INVITATION = "invitation", "invitation"
        REMINDER = "reminder", "reminder"
        MESSAGE = "message", "message"

    # Whoever is deleted leaves no letter behind.
    judge = models.ForeignKey(Judge, models.CASCADE, related_name="letters")
    kind = models.CharField(max_length=10, choices=Kind)
    subject = models.CharField(max_length=150, blank=True, help_text="Of a message.")
    body = models.TextField(blank=True, help_text="Of a message.")
    before_lease_ends = models.BooleanField(
        default=False, help_text="A reminder before poems go back; it is none of those at most."
    )
    asked_at = models.DateTimeField(auto_now_add=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = LetterQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="letter_waits_once",
                fields=["judge", "kind"],
                condition=Q(status__in=("queued", "running")) & ~Q(kind="message"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.judge}"

    @property
    def written_at(self) -> datetime | None:
        """When it was sent, or else asked for; None if it could not be sent."""
        if self.status == self.Status.FAILED:
            return None
        return self.sent_at or self.asked_at


class PanelRulesQuerySet(models.QuerySet["PanelRules"]):
    def to_check(self, now: datetime) -> "PanelRulesQuerySet":
        """Rules of open studies that remind and were not looked at for a while."""
        reminds = Q(remind_after_days__isnull=False) | Q(remind_before_lease_days__gt=0)
        active = self.filter(reminds, study__state=Study.State.OPEN)
        return active.filter(Q(checked_at=None) | Q(checked_at__lt=now - CHECK_EVERY))

    def add_missing(self) -> None:
        """Give open studies without rules the usual ones, so that no lease ends unannounced."""
        without = Study.objects.open().filter(panel_rules=None)
        self.bulk_create((PanelRules(study=study) for study in without), ignore_conflicts=True)

    def take(self, pk: int, now: datetime) -> bool:
        """Take a study's rules to look at. False if another sweep was quicker."""
        return bool(self.to_check(now).filter(pk=pk).update(checked_at=now))


class PanelRules(models.Model):
    """When the experts of a study are reminded without anybody asking."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="panel_rules")
    remind_after_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
        help_text="Empty: silence alone is no reason to remind anybody.",
    )
    reminders_at_most = models.PositiveSmallIntegerField(
        default=2,
        validators=[MaxValueValidator(10)],
        help_text="For each expert, those you send yourself among them, but not those before poems "
        "go back.",
    )
    remind_before_expiry_days = models.PositiveSmallIntegerField(
        default=3,
        validators=[MaxValueValidator(60)],
        help_text="Days before a link expires; 0: not for that.",
    )
    remind_before_lease_days = models.PositiveSmallIntegerField(
        default=2,
        validators=[MaxValueValidator(60)],
        help_text="Days before poems go back to the others; 0: not for that.",
    )
    checked_at = models.DateTimeField(null=True, blank=True)

    objects = PanelRulesQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "panel rules"

    def __str__(self) -> str:
        return f"rules of {self.study}"
