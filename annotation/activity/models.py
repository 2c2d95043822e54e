"""The activity log: entries that nobody changes, and the chain of hashes that shows it."""

from django.db import models
from django.utils import timezone


class Seal(models.Model):
    """A block of entries, bound by its hash to all blocks before it."""

    number = models.PositiveIntegerField(unique=True)
    previous = models.CharField(max_length=64, help_text="SHA-256 of the seal before it.")
    entries = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, unique=True)
    sealed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"seal {self.number}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def of_study(self, slug: str) -> "EntryQuerySet":
        return self.filter(study=slug)

    def unsealed(self) -> "EntryQuerySet":
        return self.filter(seal=None)


class Entry(models.Model):
    """Something that was done. No name, address, answer or link of an expert stands in it.

    Attributes
    ----------
    kind : str
        One of `annotation.activity.services.Kind`.
    study : str
        Short name of the study; empty where it is about none.
    actor : str
        Username of staff; empty for an expert, a language model or Blindverse itself.
    subject : str
        A keyed digest of what it is about. The key is in the row of the judge: when that is
        deleted, nothing leads from the entry to a person, nor from one entry to another.
    digest : str
        A keyed digest of the content, to compare what is stored with what was stored then.
    details : dict
        Counts, reasons of staff, fingerprints: nothing of an expert.
    """

    kind = models.CharField(max_length=40)
    study = models.CharField(max_length=60, blank=True)
    actor = models.CharField(max_length=150, blank=True)
    subject = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)
    seal = models.ForeignKey(
        Seal, models.PROTECT, null=True, blank=True, related_name="+", editable=False
    )

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "entries"
        indexes = [
            models.Index(fields=["study", "kind"], name="entries_of_a_study"),
            models.Index(fields=["subject"], name="entries_about"),
            models.Index(fields=["id"], name="entries_to_seal", condition=models.Q(seal=None)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M}"
