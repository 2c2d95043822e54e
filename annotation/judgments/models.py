"""What judges answer: drafts while they read, judgments and ratings once they submit."""

from django.db import models
from django.db.models import Q

from annotation.studies.models import Assignment


class Draft(models.Model):
    """Answers to one assignment that are not submitted yet, as they were typed."""

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="draft")
    answers = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    saved_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft of {self.assignment}"


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def counted(self) -> "JudgmentQuerySet":
        """Judgments that enter the analysis: not those that arrived after their place was gone."""
        return self.filter(extra=False)


class Judgment(models.Model):
    """One judge's submitted answers to one item, written once."""

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="judgment")
    extra = models.BooleanField(
        default=False, help_text="It arrived after its place was given back or the study closed."
    )
    milliseconds = models.PositiveBigIntegerField(
        null=True, help_text="Time in view; empty where it was not measured."
    )
    submitted_at = models.DateTimeField(auto_now_add=True)

    objects = JudgmentQuerySet.as_manager()

    def __str__(self) -> str:
        return f"judgment of {self.assignment}"


class Rating(models.Model):
    """One answer within a judgment."""

    class Blank(models.TextChoices):
        NA = "na", "not applicable"
        SKIPPED = "skipped", "skipped"

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="ratings")
    question = models.CharField(max_length=60)
    number = models.IntegerField(null=True)
    text = models.TextField(blank=True)
    blank = models.CharField(max_length=12, choices=Blank, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="question_once", fields=["judgment", "question"]),
            models.CheckConstraint(
                name="rating_says_something_or_why_not",
                condition=Q(number__isnull=False) | ~Q(text="") | ~Q(blank=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.judgment}"
