"""Which item is whose, and what became of it."""

from datetime import datetime

from django.db import connection, models
from django.db.models import Q, Subquery
from django.utils import timezone

from annotation.prepared import execute
from annotation.studies.models.items import Item
from annotation.studies.models.people import Judge
from annotation.studies.models.studies import token


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, judge: Judge) -> "AssignmentQuerySet":
        """Assignments of this judge. Pages and API start here, never from ``all()``."""
        return self.filter(judge=judge)

    def waiting(self) -> "AssignmentQuerySet":
        """Assignments neither answered nor given back."""
        return self.filter(answered_at=None, given_back_at=None)

    def left(self) -> "AssignmentQuerySet":
        """Assignments that were given back unanswered."""
        return self.filter(answered_at=None).exclude(given_back_at=None)

    def hold(self) -> set[int]:
        """Let nobody else answer these, or begin to, until the transaction ends. Return their keys.

        The caller holds their judge. SQLite has one writer at a time, and needs no lock.
        """
        held = self.order_by("pk").select_for_update(no_key=True)
        return set(held.values_list("pk", flat=True))

    def answered(self) -> "AssignmentQuerySet":
        return self.exclude(answered_at=None)

    def analysed(self) -> "AssignmentQuerySet":
        """Assignments whose answers results are made of: no repeat, no test, not withdrawn."""
        return self.filter(purpose=Assignment.Purpose.MAIN, withdrawn_at=None)

    def holding(self) -> "AssignmentQuerySet":
        """Assignments that hold one of an item's places."""
        return self.filter(counts=True, given_back_at=None, withdrawn_at=None)

    def in_order(self) -> "AssignmentQuerySet":
        return self.order_by("position")

    def give_back(self, assignment: "Assignment", now: datetime) -> bool:
        """Give one back unanswered. False if it was answered or given back before."""
        return bool(self.waiting().filter(pk=assignment.pk).update(given_back_at=now))

    def give_again(
        self, assignment: "Assignment", *, position: int, batch: int, slot: int, flipped: bool
    ) -> None:
        """Give one that was given back to its judge again, in a new place of their order.

        On another side it has another token: what a page says that shows the old one would be read
        the wrong way round.
        """
        same = assignment.flipped == flipped
        self.filter(pk=assignment.pk).update(
            given_back_at=None, given_at=timezone.now(), position=position, batch=batch, slot=slot,
            flipped=flipped, token=assignment.token if same else token(),
        )  # fmt: skip

    def answer(self, assignment: "Assignment", now: datetime) -> bool:
        """Mark one as answered. False if it was answered or given back before."""
        touched, _ = execute(
            "UPDATE studies_assignment SET answered_at = %s"
            " WHERE id = %s AND answered_at IS NULL AND given_back_at IS NULL",
            [connection.ops.adapt_datetimefield_value(now), assignment.pk],
        )
        return bool(touched)

    def answer_late(self, assignment: "Assignment", now: datetime) -> None:
        """Mark one as answered whose place was given back before."""
        # Of a judge who was withdrawn while it was on its way, it is out of the analysis, too.
        withdrawn_at = Judge.objects.filter(pk=assignment.judge_id).values("withdrawn_at")
        self.filter(pk=assignment.pk, answered_at=None).update(
            answered_at=now, withdrawn_at=Subquery(withdrawn_at)
        )


class Assignment(models.Model):
    """One item given to one judge. Its token is all the address that the judge ever sees."""

    class Purpose(models.TextChoices):
        MAIN = "main", "the study itself"
        REPEAT = "repeat", "a hidden repeat"
        ATTENTION = "attention", "a test of attention"

    judge = models.ForeignKey(Judge, models.PROTECT, related_name="assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    token = models.CharField(max_length=32, unique=True, default=token)
    position = models.PositiveIntegerField()
    batch = models.PositiveIntegerField()
    purpose = models.CharField(max_length=9, choices=Purpose, default=Purpose.MAIN)
    slot = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Place within its set, from 0, as the ledger counts it."
    )
    counts = models.BooleanField(default=True, help_text="Whether it takes one of K places.")
    flipped = models.BooleanField(default=False, help_text="The second text stands first, as A.")
    given_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    given_back_at = models.DateTimeField(null=True, blank=True)

    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Its answer is kept, but out of the analysis."
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["judge", "position"]
        constraints = [
            models.UniqueConstraint(
                name="item_once_per_judge",
                fields=["judge", "item"],
                condition=~Q(purpose="repeat"),
            ),
            models.UniqueConstraint(
                name="repeated_once_per_judge",
                fields=["judge", "item"],
                condition=Q(purpose="repeat"),
            ),
            models.CheckConstraint(
                name="only_the_study_itself_counts", condition=Q(purpose="main") | Q(counts=False)
            ),
            models.UniqueConstraint(name="position_once_per_judge", fields=["judge", "position"]),
        ]
        indexes = [
            models.Index(
                fields=["judge", "position"],
                name="assignments_waiting",
                condition=Q(answered_at=None, given_back_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"assignment {self.position} of {self.judge}"
