"""The researcher's side of a study: how it was built, and the sealed key."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotation.studies.models import Item, Study
from backend.corpus.models import Collection, Poem
from backend.generation.models import Generation, LanguageModel, Run

WIDEST_MARGIN = 0.25  # AUC: halfway from chance to certainty


def salt() -> str:
    return secrets.token_hex(16)


class Design(models.Model):
    """How a study's items were chosen, and whether its key is unsealed."""

    study = models.OneToOneField(Study, models.PROTECT, related_name="design")
    collection = models.ForeignKey(Collection, models.PROTECT, null=True, blank=True)
    runs = models.ManyToManyField(Run, blank=True)
    models_chosen = models.ManyToManyField(LanguageModel, blank=True)
    shows_titles = models.BooleanField(default=False)
    recipe = models.JSONField(default=list, help_text="The display normalisation, step by step.")
    key_salt = models.CharField(max_length=32, default=salt)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    exclusions = models.JSONField(
        default=dict, help_text="Which judgments results leave out, by rules fixed at opening."
    )
    analysis_plan = models.TextField(blank=True, help_text="What is to be tested, in words.")
    margin = models.FloatField(
        null=True,
        blank=True,
        help_text="Within what distance of 0.5 an AUC is as good as chance; none: no AUC is.",
    )
    interim_looks = models.BooleanField(
        default=False, help_text="Whether results may be looked at before the study closes."
    )
    unsealing_needs = models.PositiveSmallIntegerField(
        default=1, help_text="How many people have to ask for the key: one, or two."
    )
    pilot_of = models.ForeignKey(
        Study,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="pilots",
        help_text="The draft that this study tries out; its data are never joined with that one's.",
    )
    surface_limit = models.FloatField(
        default=0.6,
        help_text="AUC above which telling human from machine without reading is too easy.",
    )
    surface_reason = models.CharField(
        max_length=500, blank=True, help_text="Why the study is opened above that limit."
    )
    previewed_at = models.DateTimeField(
        null=True, blank=True, help_text="When somebody first looked at what judges will see."
    )
    unblinded_at = models.DateTimeField(null=True, blank=True)
    unblinded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="margin_is_above_0_and_at_most_a_quarter",
                condition=Q(margin=None) | Q(margin__gt=0, margin__lte=WIDEST_MARGIN),
            ),
        ]

    def __str__(self) -> str:
        return f"design of {self.study}"


class Placement(models.Model):
    """The sealed key: which poem an item is, or which two it compares.

    Read only by this package until unblinding.
    """

    item = models.OneToOneField(Item, models.PROTECT, related_name="placement")
    poem = models.ForeignKey(Poem, models.PROTECT, null=True, blank=True)
    generation = models.ForeignKey(Generation, models.PROTECT, null=True, blank=True)
    human_second = models.BooleanField(
        default=False, help_text="Of two texts compared, the item's second is the human one."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="placement_is_human_machine_or_both",
                condition=Q(poem__isnull=False, generation__isnull=True, human_second=False)
                | Q(poem__isnull=True, generation__isnull=False, human_second=False)
                | Q(poem__isnull=False, generation__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"placement of {self.item}"


class AttentionCheck(models.Model):
    """What an attentive judge answers to an item that tests attention."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="attention_check")
    expected = models.JSONField(help_text="Answers by question key.")

    def __str__(self) -> str:
        return f"attention check {self.item_id}"


class DesignVersion(models.Model):
    """What a study was fixed to: at its opening, and again at each later change."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="versions")
    number = models.PositiveSmallIntegerField()
    fingerprint = models.CharField(max_length=64)
    content = models.JSONField(help_text="What the fingerprint is of; texts and key as digests.")
    reason = models.CharField(max_length=500, blank=True, help_text="Of a change.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(name="design_version_once", fields=["study", "number"]),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.study}"


class Unsealing(models.Model):
    """Somebody's word that the key be unsealed."""

    design = models.ForeignKey(Design, models.PROTECT, related_name="unsealings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="unsealing_asked_once", fields=["design", "by"]),
        ]

    def __str__(self) -> str:
        return f"{self.by} for {self.design}"


class InterimLook(models.Model):
    """Somebody's look at results before the study was closed. They are counted."""

    design = models.ForeignKey(Design, models.PROTECT, related_name="looks")
    number = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500)
    judgments = models.PositiveIntegerField(help_text="That were in at that moment.")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["design", "number"]
        constraints = [
            models.UniqueConstraint(name="look_numbered_once", fields=["design", "number"]),
        ]

    def __str__(self) -> str:
        return f"look {self.number} at {self.design}"


class SurfaceCheck(models.Model):
    """How well human and machine texts are told apart without reading them."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="surface_checks")
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    auc = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    human = models.PositiveIntegerField()
    machine = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, blank=True, help_text="Why there is no figure.")
    giveaways = models.JSONField(default=list)
    ids = models.JSONField(default=list)
    items_sha256 = models.CharField(max_length=64, help_text="Of the texts it was made of.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"surface check of {self.study}"


class OwnInstrumentQuerySet(models.QuerySet["OwnInstrument"]):
    def newest(self) -> "OwnInstrumentQuerySet":
        """Of each instrument its newest version, in the order of their keys."""
        newer = self.filter(key=OuterRef("key"), version__gt=OuterRef("version"))
        return self.filter(~Exists(newer)).order_by("key")


class OwnInstrument(models.Model):
    """One version of an instrument that coordinators wrote. A study keeps a copy of its data."""

    key = models.SlugField(max_length=59)
    version = models.PositiveIntegerField()
    data = models.JSONField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    objects = OwnInstrumentQuerySet.as_manager()

    class Meta:
        ordering = ["key", "-version"]
        constraints = [
            models.UniqueConstraint(name="instrument_version_once", fields=["key", "version"]),
        ]

    def __str__(self) -> str:
        return f"{self.key}, version {self.version}"
