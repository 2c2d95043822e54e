"""A study's public face, its groups, and the words that its judges agree to."""

import secrets
from datetime import datetime

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import load
from annotation.prepared import execute


def token() -> str:
    """Return an identifier that tells nothing: 128 random bits, safe in an address."""
    return secrets.token_urlsafe(16)


FROZEN_AT_MOST = 64
_frozen: dict[tuple[int, str, datetime], Instrument] = {}


class StudyQuerySet(models.QuerySet["Study"]):
    def open(self) -> "StudyQuerySet":
        return self.filter(state=Study.State.OPEN)

    def count_deal(self, key: int) -> tuple[int, bool] | None:
        """Hold an open study until the transaction ends.

        Return the number of this deal, and whether the study has its cells by now; None if it is
        not open.
        """
        _, rows = execute(
            "UPDATE studies_study SET deals = deals + 1"
            " WHERE id = %s AND state = 'open' RETURNING deals, cells_ready",
            [key],
        )
        return (int(rows[0][0]), bool(rows[0][1])) if rows else None

    def hold(self, *keys: int) -> None:
        """Let nobody else hold these until the transaction ends: whoever changes them does.

        So nobody deals, edits, is invited, leaves or closes meanwhile. An update, since SQLite
        knows no lock of a row.
        """
        self.filter(pk__in=keys).update(deals=F("deals"))


class Study(models.Model):
    """A panel of judges answering one instrument about a set of blinded items."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    class Dealing(models.TextChoices):
        BATCH = "batch", "a batch at a time"
        DRAW = "draw", "one at a time, those with the fewest judges first"

    class Twins(models.TextChoices):
        """Whether one expert may be given two texts on one brief."""

        NEVER = "never", "never"
        LAST = "last", "only when nothing else is left"

    class Late(models.TextChoices):
        OUT = "out", "kept, not analysed"
        IN = "in", "analysed if they came before the study closed"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120, help_text="Judges see this.")
    language = models.CharField(max_length=10, default="en")
    instrument_data = models.JSONField()
    contact = models.CharField(max_length=200, help_text="Whom a judge can write to.")
    promise = models.CharField(
        max_length=300, blank=True, help_text="What an expert promises with the consent."
    )
    honorarium = models.CharField(
        max_length=200, blank=True, help_text="What experts are paid, in words."
    )
    asks_background = models.BooleanField(default=True)
    debriefs = models.BooleanField(
        default=False, help_text="Once unsealed, experts see who wrote what they judged."
    )
    judges_per_item = models.PositiveSmallIntegerField(help_text="Where a group has none.")
    batch_size = models.PositiveSmallIntegerField()
    dealing = models.CharField(max_length=5, choices=Dealing, default=Dealing.BATCH)
    # As studies were dealt that were built before there was a choice.
    twins = models.CharField(max_length=5, choices=Twins, default=Twins.LAST)
    apart = models.PositiveSmallIntegerField(
        default=1, help_text="Positions from one text by an author, or on a brief, to the next."
    )
    lease_hours = models.PositiveIntegerField(
        default=14 * 24, help_text="How long items wait for an expert who does nothing."
    )
    late = models.CharField(max_length=3, choices=Late, default=Late.OUT)
    repeats = models.PositiveSmallIntegerField(
        default=0, help_text="Hidden repeats for each expert."
    )
    repeat_after_days = models.PositiveSmallIntegerField(default=7)
    attention_every = models.PositiveSmallIntegerField(
        default=0, help_text="An attention item after so many others; 0: none."
    )
    seed = models.BigIntegerField()
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    fingerprint = models.CharField(max_length=64, blank=True)
    deals = models.PositiveIntegerField(default=0)
    cells_ready = models.BooleanField(default=False, help_text="The ledger has its cells.")
    conflict_salt = models.CharField(max_length=32, default=token)
    # All that is left of experts who withdrew and had their answers deleted.
    experts_deleted = models.PositiveIntegerField(default=0)
    judgments_deleted = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    debrief_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(
                name="study_asks_for_someone",
                condition=Q(judges_per_item__gte=1, batch_size__gte=1, lease_hours__gte=1),
            ),
            models.CheckConstraint(
                name="study_is_fingerprinted_once_open",
                condition=Q(state="draft", fingerprint="") | ~Q(state="draft") & ~Q(fingerprint=""),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def lease_days(self) -> int:
        """For how many whole days items wait for an expert who does nothing, at least one."""
        return max(1, self.lease_hours // 24)

    @cached_property
    def instrument(self) -> Instrument:
        if not self.fingerprint:
            return load(self.instrument_data)
        # Once fingerprinted it does not change: not even its data need be read again.
        key = self.pk, self.fingerprint, self.created_at
        if key not in _frozen:
            while len(_frozen) >= FROZEN_AT_MOST:
                _frozen.pop(next(iter(_frozen)), None)
            _frozen[key] = load(self.instrument_data)
        return _frozen[key]


class Group(models.Model):
    """Items that a panel of their own judges, with a K of their own."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="groups")
    name = models.CharField(max_length=60, help_text="Judges never see it.")
    judges_per_item = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="group_once_a_study", fields=["study", "name"]),
            models.CheckConstraint(
                name="group_asks_for_someone", condition=Q(judges_per_item__gte=1)
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ConsentWordingQuerySet(models.QuerySet["ConsentWording"]):
    def latest_of(self, study: Study) -> "ConsentWordingQuerySet":
        """The newest version, in each of its languages."""
        newest = self.filter(study=study).order_by("-version").values("version")[:1]
        return self.filter(study=study, version=newest)


class ConsentWording(models.Model):
    """What taking part means: one version of a study's text in one language."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="consent_wordings")
    version = models.PositiveSmallIntegerField()
    language = models.CharField(max_length=10)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ConsentWordingQuerySet.as_manager()

    class Meta:
        ordering = ["-version", "language"]
        constraints = [
            models.UniqueConstraint(
                name="consent_wording_once", fields=["study", "version", "language"]
            ),
        ]

    def __str__(self) -> str:
        return f"consent {self.version} ({self.language}) of {self.study}"
