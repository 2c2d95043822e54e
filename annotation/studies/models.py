"""A study's public face: what its judges may know, who they are, and which item is whose.

Nothing here tells who wrote an item. Codes that group items (`stratum`, `twin`) are opaque; what
they mean is in the sealed key, which this package cannot import.
"""

import secrets
from datetime import datetime

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.functional import cached_property

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import load


def token() -> str:
    """Return an identifier that tells nothing: 128 random bits, safe in an address."""
    return secrets.token_urlsafe(16)


class StudyQuerySet(models.QuerySet["Study"]):
    def open(self) -> "StudyQuerySet":
        return self.filter(state=Study.State.OPEN)

    def hold(self, *keys: int) -> None:
        """Let nobody else deal, leave, publish or write letters here until the transaction ends.

        An update, since SQLite knows no lock of a row.
        """
        self.filter(pk__in=keys).update(deals=F("deals"))


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
    judges_per_item = models.PositiveSmallIntegerField()
    batch_size = models.PositiveSmallIntegerField()
    seed = models.BigIntegerField()
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    fingerprint = models.CharField(max_length=64, blank=True)
    deals = models.PositiveIntegerField(default=0)
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


class ItemQuerySet(models.QuerySet["Item"]):
    def wanting(self, study: Study) -> "ItemQuerySet":
        """Items of this study that fewer than K judges have or had."""
        return self.filter(study=study, places_taken__lt=study.judges_per_item)

    def take_place(self, key: int, *, of: int) -> bool:
        """Take one of an item's `of` places. False if they are all taken."""
        free = self.filter(pk=key, places_taken__lt=of)
        return bool(free.update(places_taken=F("places_taken") + 1))


class Item(models.Model):
    """What is judged: a poem, or two to choose between, and nothing of their origin."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="items")
    text = models.TextField()
    second = models.TextField(blank=True, help_text="The other text, where two are compared.")
    title = models.CharField(max_length=300, blank=True)
    brief = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    stratum = models.CharField(max_length=24, help_text="Opaque: spread evenly over a batch.")
    twin = models.CharField(max_length=24, help_text="Opaque: kept apart for one judge.")
    conflicts = models.JSONField(
        default=list, help_text="Opaque: codes of names that a judge may declare a conflict with."
    )
    places_taken = models.PositiveSmallIntegerField(default=0)

    objects = ItemQuerySet.as_manager()

    def __str__(self) -> str:
        return f"item {self.pk}"


class OpenLink(models.Model):
    """A link by which experts can put themselves on a panel, up to a quota."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="open_links")
    nonce = models.CharField(max_length=32, default=token)
    token_hash = models.CharField(max_length=64, unique=True)
    label = models.CharField(max_length=80, blank=True)
    quota = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    used = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(name="open_link_within_quota", condition=Q(used__lte=F("quota")))
        ]

    def __str__(self) -> str:
        return self.label or f"open link of {self.study}"


class JudgeQuerySet(models.QuerySet["Judge"]):
    def experts(self) -> "JudgeQuerySet":
        return self.filter(kind=Judge.Kind.EXPERT)

    def at_work(self) -> "JudgeQuerySet":
        """Experts who have neither paused nor left: those who may be written to."""
        return self.experts().filter(paused_at=None, left_at=None)


class Judge(models.Model):
    """Whoever answers a study's instrument: an expert, or a language model."""

    class Kind(models.TextChoices):
        EXPERT = "expert", "expert"
        MACHINE = "machine", "language model"

    class Theme(models.TextChoices):
        SYSTEM = "system", "as the device is set"
        LIGHT = "light", "light"
        SEPIA = "sepia", "sepia"
        DARK = "dark", "dark"

    study = models.ForeignKey(Study, models.PROTECT, related_name="judges")
    kind = models.CharField(max_length=7, choices=Kind, default=Kind.EXPERT)
    name = models.CharField(max_length=120)
    email = models.EmailField(blank=True)
    code = models.CharField(max_length=32, unique=True, default=token)
    joined_by = models.ForeignKey(
        OpenLink, models.PROTECT, null=True, blank=True, related_name="judges"
    )
    language = models.CharField(
        max_length=10, blank=True, help_text="Of the pages; empty: as the browser asks."
    )
    theme = models.CharField(max_length=6, choices=Theme, default=Theme.SYSTEM)
    text_size = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    line_numbers = models.BooleanField(default=False)
    paused_at = models.DateTimeField(null=True, blank=True)
    left_at = models.DateTimeField(
        null=True, blank=True, help_text="Stopped taking part and let the answers be kept."
    )
    link_wanted_at = models.DateTimeField(
        null=True, blank=True, help_text="When they last asked for their link by e-mail."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = JudgeQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                "study",
                Lower("email"),
                name="judge_is_invited_once",
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
    def standing(self) -> "InvitationQuerySet":
        """Links that nobody has stopped, expired ones among them."""
        return self.filter(revoked_at=None)

    def usable(self, now: datetime) -> "InvitationQuerySet":
        return self.standing().filter(expires_at__gt=now)


class Invitation(models.Model):
    """A personal link to one study.

    Its secret is not kept: it is derived from `nonce` with the key of the site, so that it can be
    written into a reminder, while a stolen database opens nothing.
    """

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="invitations")
    nonce = models.CharField(max_length=32, default=token)
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
    """What a judge agreed to, word for word, and when; one for each version agreed to."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="consents")
    wording = models.ForeignKey(ConsentWording, models.PROTECT, related_name="consents")
    version = models.PositiveSmallIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    promise = models.CharField(max_length=300, blank=True, help_text="What was promised with it.")
    fingerprint = models.CharField(max_length=64)
    quotable = models.BooleanField(default=False, help_text="Comments may be quoted.")
    thanked_as = models.CharField(
        max_length=120, blank=True, help_text="Name to thank in print; empty: not to be named."
    )
    agreed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["judge", "version"]
        constraints = [
            models.UniqueConstraint(name="version_agreed_once", fields=["judge", "version"]),
        ]

    def __str__(self) -> str:
        return f"consent of {self.judge}"


class Background(models.Model):
    """What an expert brings along, in coarse options, and whose poems they cannot judge fairly."""

    class Years(models.TextChoices):
        UNDER_3 = "0-2", "up to 2"
        UNDER_6 = "3-5", "3 to 5"
        UNDER_11 = "6-10", "6 to 10"
        UNDER_21 = "11-20", "11 to 20"
        MORE = "21+", "more than 20"

    judge = models.OneToOneField(Judge, models.PROTECT, related_name="background")
    practice = models.JSONField(default=list, help_text="poet, scholar, translator, ...")
    years = models.CharField(max_length=5, choices=Years, blank=True)
    languages = models.JSONField(default=list, help_text="In which they read verse.")
    conflicts = models.TextField(blank=True, help_text="Names, one a line.")
    answered_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"background of {self.judge}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, judge: Judge) -> "AssignmentQuerySet":
        """Assignments of this judge. Pages and API start here, never from ``all()``."""
        return self.filter(judge=judge)

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

    def give_again(self, assignment: "Assignment", *, position: int, batch: int) -> None:
        """Give one that was given back to its judge again, in a new place of their order."""
        self.filter(pk=assignment.pk).update(
            given_back_at=None, given_at=timezone.now(), position=position, batch=batch
        )

    def answer(self, assignment: "Assignment", now: datetime) -> bool:
        """Mark one as answered. False if it was answered or given back before."""
        return bool(self.waiting().filter(pk=assignment.pk).update(answered_at=now))

    def answer_late(self, assignment: "Assignment", now: datetime) -> None:
        """Mark one as answered whose place was given back before."""
        self.filter(pk=assignment.pk, answered_at=None).update(answered_at=now)


class Assignment(models.Model):
    """One item given to one judge. Its token is all the address that the judge ever sees."""

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    token = models.CharField(max_length=32, unique=True, default=token)
    position = models.PositiveIntegerField()
    batch = models.PositiveIntegerField()
    counts = models.BooleanField(default=True, help_text="Whether it takes one of K places.")
    flipped = models.BooleanField(default=False, help_text="The second text stands first, as A.")
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
