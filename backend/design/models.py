"""The researcher's side of a study: how it was built, and the sealed key."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

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
    """The sealed key: which poem an item is. Read only by this package until unblinding."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="placement")
    poem = models.ForeignKey(Poem, models.PROTECT, null=True, blank=True)
    generation = models.ForeignKey(Generation, models.PROTECT, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="placement_is_human_or_machine",
                condition=Q(poem__isnull=False, generation__isnull=True)
                | Q(poem__isnull=True, generation__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"placement of {self.item}"
