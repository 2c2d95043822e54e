"""What judges answer: drafts while they read, judgments and ratings once they submit."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.studies.models import Assignment, Study
from annotation.studies.standing import Standing


class Draft(models.Model):
    """Answers to one assignment that are not submitted yet, as they were typed."""

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="draft")
    answers = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    milliseconds = models.PositiveBigIntegerField(default=0, help_text="Time in view so far.")
    fixed = models.JSONField(default=dict, help_text="Answers that can no longer be changed.")
    stages_fixed = models.PositiveSmallIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"draft of {self.assignment}"


class JudgmentQuerySet(models.QuerySet["Judgment"]):
    def counted(self, study: Study) -> "JudgmentQuerySet":
        """Judgments that enter the analysis of this study.

        Not repeats, tests of attention, nor what was withdrawn, of itself or with its judge,
        however late it came; nor, unless the study takes those
        that came while it was open, answers that arrived when their place was gone.
        """
        own = self.filter(
            assignment__judge__study=study,
            assignment__purpose=Assignment.Purpose.MAIN,
            assignment__withdrawn_at=None,
            assignment__judge__withdrawn_at=None,
        )
        return own.in_time(study)

    def in_time(self, study: Study) -> "JudgmentQuerySet":
        """Those of these judgments that the study's rule for late answers lets in."""
        kept = Q(extra=False, assignment__given_back_at=None)
        if study.late == Study.Late.OUT:
            return self.filter(kept)
        # Of an open study, everything came while it was open.
        return self.filter(kept | Q(submitted_at__lte=study.closed_at)) if study.closed_at else self


class Judgment(models.Model):
    """One judge's submitted answers to one item. Later edits add ratings and replace none."""

    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="judgment")
    extra = models.BooleanField(
        default=False, help_text="It arrived after its place was given back or the study closed."
    )
    milliseconds = models.PositiveBigIntegerField(
        null=True, help_text="Time in view; empty where it was not measured."
    )
    submitted_at = models.DateTimeField(default=timezone.now)

    objects = JudgmentQuerySet.as_manager()

    # Where its judge stood when it was submitted, so that nobody need ask again.
    standing: Standing | None = None

    def __str__(self) -> str:
        return f"judgment of {self.assignment}"


class RatingQuerySet(models.QuerySet["Rating"]):
    def standing(self) -> "RatingQuerySet":
        """Ratings as they stand: not those that a later edit superseded."""
        return self.filter(superseded_at=None)


class Rating(models.Model):
    """One answer within a judgment: as first submitted, or as edited later."""

    class Blank(models.TextChoices):
        NA = "na", "not applicable"
        SKIPPED = "skipped", "skipped"
        CANNOT_TELL = "cannot_tell", "cannot tell"

    # The index of the first constraint below begins with it.
    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="ratings", db_index=False)
    question = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField(default=1)
    number = models.IntegerField(null=True)
    text = models.TextField(blank=True)
    blank = models.CharField(max_length=12, choices=Blank, blank=True)
    first = models.IntegerField(null=True, help_text="Where a probability was first placed.")
    moves = models.PositiveIntegerField(null=True, help_text="Changes after the first placement.")
    touched = models.PositiveBigIntegerField(
        null=True, help_text="Milliseconds in view before the first placement."
    )
    written_at = models.DateTimeField(default=timezone.now)
    superseded_at = models.DateTimeField(null=True)

    objects = RatingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="question_once_a_version", fields=["judgment", "question", "version"]
            ),
            models.UniqueConstraint(
                name="one_rating_stands",
                fields=["judgment", "question"],
                condition=Q(superseded_at=None),
            ),
            models.CheckConstraint(
                name="rating_says_something_or_why_not",
                condition=Q(number__isnull=False) | ~Q(text="") | ~Q(blank=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.judgment}"
