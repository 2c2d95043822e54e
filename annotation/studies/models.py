"""A study's public face: what its judges may know, who they are, and which item is whose.

Nothing here tells who wrote an item. Codes that group items (`stratum`, `twin`) are opaque; what
they mean is in the sealed key, which this package cannot import.
"""

import secrets
from collections.abc import Iterable
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from annotation.instruments.instrument import Instrument, load


def token() -> str:
    """Return an identifier that tells nothing: 128 random bits, safe in an address."""
    return secrets.token_urlsafe(16)


class StudyQuerySet(models.QuerySet["Study"]):
    def open(self) -> "StudyQuerySet":
        return self.filter(state=Study.State.OPEN)


class Study(models.Model):
    """A panel of judges answering one instrument about a set of blinded items."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120, help_text="Judges see this.")
    language = models.CharField(max_length=10, default="en")
    instrument_data = models.JSONField()
    consent_text = models.TextField()
    contact = models.CharField(max_length=200, help_text="Whom a judge can write to.")
    judges_per_item = models.PositiveSmallIntegerField()
    batch_size = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    fingerprint = models.CharField(max_length=64, blank=True)
    deals = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                name="study_asks_for_someone",
                condition=Q(judges_per_item__gte=1, batch_size__gte=1),
            ),
            models.CheckConstraint(
                name="study_is_fingerprinted_once_open",
                condition=Q(state="draft", fingerprint="") | ~Q(state="draft") & ~Q(fingerprint=""),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @cached_property
    def instrument(self) -> Instrument:
        return load(self.instrument_data)


class ItemQuerySet(models.QuerySet["Item"]):
    def wanting(self, study: Study) -> "ItemQuerySet":
        """Items of this study that fewer than K judges have or had."""
        return self.filter(study=study, places_taken__lt=study.judges_per_item)

    def take_place(self, key: int, *, of: int) -> bool:
        """Take one of an item's `of` places. False if they are all taken."""
        free = self.filter(pk=key, places_taken__lt=of)
        return bool(free.update(places_taken=F("places_taken") + 1))


class Item(models.Model):
    """One poem as judges see it: text, perhaps its brief and title, and nothing of its origin."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="items")
    text = models.TextField()
    title = models.CharField(max_length=300, blank=True)
    brief = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    stratum = models.CharField(max_length=24, help_text="Opaque: spread evenly over a batch.")
    twin = models.CharField(max_length=24, help_text="Opaque: kept apart for one judge.")
    places_taken = models.PositiveSmallIntegerField(default=0)

    objects = ItemQuerySet.as_manager()

    def __str__(self) -> str:
        return f"item {self.pk}"


class JudgeQuerySet(models.QuerySet["Judge"]):
    def experts(self) -> "JudgeQuerySet":
        return self.filter(kind=Judge.Kind.EXPERT)


class Judge(models.Model):
    """Whoever answers a study's instrument: an expert, or a language model."""

    class Kind(models.TextChoices):
        EXPERT = "expert", "expert"
        MACHINE = "machine", "language model"

    study = models.ForeignKey(Study, models.PROTECT, related_name="judges")
    kind = models.CharField(max_length=7, choices=Kind, default=Kind.EXPERT)
    name = models.CharField(max_length=120)
    email = models.EmailField(blank=True)
    code = models.CharField(max_length=32, unique=True, default=token)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                name="judge_is_invited_once",
                fields=["study", "email"],
                condition=~Q(email=""),
            ),
            models.UniqueConstraint(
                name="machine_judges_once",
                fields=["study", "name"],
                condition=Q(kind="machine"),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def usable(self, now: datetime) -> "InvitationQuerySet":
        return self.filter(revoked_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """A personal link to one study. Only a hash of its secret is kept."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    first_used_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"invitation of {self.judge}"


class Consent(models.Model):
    """What a judge agreed to, word for word, and when."""

    judge = models.OneToOneField(Judge, models.PROTECT, related_name="consent")
    text = models.TextField()
    fingerprint = models.CharField(max_length=64)
    agreed_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"consent of {self.judge}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, judge: Judge) -> "AssignmentQuerySet":
        """Assignments of this judge. Pages and API start here, never from ``all()``."""
        return self.filter(judge=judge)

    def held_by(self, judges: Iterable[int]) -> "AssignmentQuerySet":
        """Assignments of the judges whose links were opened in this browser."""
        return self.filter(judge__in=list(judges)).select_related("judge__study", "item")

    def waiting(self) -> "AssignmentQuerySet":
        """Assignments neither answered nor given back."""
        return self.filter(answered_at=None, given_back_at=None)

    def answered(self) -> "AssignmentQuerySet":
        return self.exclude(answered_at=None)

    def in_order(self) -> "AssignmentQuerySet":
        return self.order_by("position")

    def give_back(self, assignment: "Assignment", now: datetime) -> bool:
        """Give one back unanswered. False if it was answered or given back before."""
        return bool(self.waiting().filter(pk=assignment.pk).update(given_back_at=now))

    def answer(self, assignment: "Assignment", now: datetime) -> bool:
        """Mark one as answered. False if it was answered or given back before."""
        return bool(self.waiting().filter(pk=assignment.pk).update(answered_at=now))


class Assignment(models.Model):
    """One item given to one judge. Its token is all the address that the judge ever sees."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    token = models.CharField(max_length=32, unique=True, default=token)
    position = models.PositiveIntegerField()
    batch = models.PositiveIntegerField()
    counts = models.BooleanField(default=True, help_text="Whether it takes one of K places.")
    given_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    given_back_at = models.DateTimeField(null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["judge", "position"]
        constraints = [
            models.UniqueConstraint(name="item_once_per_judge", fields=["judge", "item"]),
            models.UniqueConstraint(name="position_once_per_judge", fields=["judge", "position"]),
        ]

    def __str__(self) -> str:
        return f"assignment {self.position} of {self.judge}"
