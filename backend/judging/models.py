"""Machine judges: which language model judges, what it was asked, what it replied."""

from django.db import models

from annotation.studies.models import Assignment, Judge
from backend.generation.models import LanguageModel
from backend.generation.work import Work, WorkQuerySet


class MachineJudge(models.Model):
    """A language model on a study's panel."""

    judge = models.OneToOneField(Judge, models.PROTECT, related_name="machine")
    model = models.ForeignKey(LanguageModel, models.PROTECT)
    temperature = models.FloatField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.judge)


class Hearing(Work):
    """One assignment put to a machine judge: asked, perhaps asked again, and answered or not."""

    machine = models.ForeignKey(MachineJudge, models.PROTECT, related_name="hearings")
    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="hearing")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = WorkQuerySet["Hearing"].as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"hearing of {self.assignment}"


class Reply(models.Model):
    """One reply of a machine judge, kept as it came. An unreadable one is never a rating."""

    hearing = models.ForeignKey(Hearing, models.PROTECT, related_name="replies")
    request = models.JSONField()
    response = models.TextField(blank=True, help_text="The body as it came.")
    text = models.TextField(blank=True)
    error_kind = models.CharField(max_length=24, blank=True)
    error = models.TextField(blank=True)
    repairs = models.JSONField(default=list)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "replies"

    def __str__(self) -> str:
        return f"reply {self.pk}"
