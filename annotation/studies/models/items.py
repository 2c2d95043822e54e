"""What is judged, blinded, and how evenly it has been given out."""

from collections.abc import Collection

from django.db import models
from django.db.models import F, Q

from annotation.prepared import execute
from annotation.studies.models.studies import Group, Study


class ItemQuerySet(models.QuerySet["Item"]):
    def judged(self) -> "ItemQuerySet":
        """Items that the study is about: not those that test attention."""
        return self.filter(attention=False)

    def wanting(self, study: Study) -> "ItemQuerySet":
        """Items of this study that have fewer judges than they should."""
        return self.judged().filter(study=study, places_taken__lt=F("places"))

    def take_place(self, key: int) -> bool:
        """Take one of an item's places. False if they are all taken."""
        free = self.filter(pk=key, places_taken__lt=F("places"))
        return bool(free.update(places_taken=F("places_taken") + 1))

    def take_places(self, keys: Collection[int]) -> int:
        """Take one place of each of these items. Return of how many one was free."""
        if not keys:
            return 0
        marks = ", ".join(["%s"] * len(keys))
        touched, _ = execute(
            "UPDATE studies_item SET places_taken = places_taken + 1"  # noqa: S608  (no values)
            f" WHERE id IN ({marks}) AND places_taken < places",
            list(keys),
        )
        return touched


class Item(models.Model):
    """What is judged: a poem, or two to choose between, and nothing of their origin."""

    # Both indexes below begin with it.
    study = models.ForeignKey(Study, models.PROTECT, related_name="items", db_index=False)
    text = models.TextField()
    second = models.TextField(blank=True, help_text="The other text, where two are compared.")
    title = models.CharField(max_length=300, blank=True)
    brief = models.TextField(blank=True)
    language = models.CharField(max_length=10, default="en")
    group = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="items")
    stratum = models.CharField(max_length=24, help_text="Opaque: spread evenly over a batch.")
    twin = models.CharField(max_length=24, help_text="Opaque: kept apart for one judge.")
    form = models.CharField(max_length=24, blank=True, help_text="Opaque: spread evenly, too.")
    conflicts = models.JSONField(
        default=list, help_text="Opaque: codes of names that a judge may declare a conflict with."
    )
    attention = models.BooleanField(
        default=False, help_text="It tests attention, and takes no part in the study."
    )
    places = models.PositiveSmallIntegerField(help_text="K: how many judges it is to have.")
    places_taken = models.PositiveSmallIntegerField(default=0)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="no_more_judges_than_places", condition=Q(places_taken__lte=F("places"))
            ),
        ]
        indexes = [
            models.Index(fields=["study", "id"], name="items_of_a_study"),
            # What a deal looks for: in one stratum, the item that has the fewest judges.
            models.Index(
                fields=["study", "stratum", "places_taken", "id"],
                name="items_that_want_judges",
                condition=Q(places_taken__lt=F("places"), attention=False),
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.pk}"


class Cell(models.Model):
    """How often texts of one stratum were given out at one place of a set.

    Kept so that dealing costs the same in a study of a thousand items and of a hundred thousand.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="cells")
    group = models.ForeignKey(Group, models.PROTECT, null=True, blank=True, related_name="cells")
    stratum = models.CharField(max_length=24)
    slot = models.PositiveSmallIntegerField(help_text="Place within a set, from 0.")
    items = models.PositiveIntegerField(help_text="Of the stratum and group, to weigh it by.")
    given = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["study", "group", "stratum", "slot"]
        constraints = [
            models.UniqueConstraint(name="cell_once", fields=["study", "group", "stratum", "slot"]),
            # To databases, two empty groups differ.
            models.UniqueConstraint(
                name="cell_once_without_group",
                fields=["study", "stratum", "slot"],
                condition=Q(group=None),
            ),
        ]

    def __str__(self) -> str:
        return f"cell {self.stratum}/{self.slot} of {self.study}"
