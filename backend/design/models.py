"""The researcher's side of a study: how it was built, and the sealed key."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from annotation.studies.models import Item, Study
from backend.corpus.models import Collection, Poem
from backend.generation.models import Generation, LanguageModel, Run


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
    unblinded_at = models.DateTimeField(null=True, blank=True)
    unblinded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

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
