"""How far a study is, as a message may tell it: two numbers."""

from dataclasses import dataclass

from django.db.models import Sum

from annotation.judgments.models import Judgment
from annotation.studies.models import Assignment, Item, Study


@dataclass(frozen=True)
class Progress:
    """How many of a study's places have their judgment."""

    answered: int
    places: int

    @property
    def complete(self) -> bool:
        return 0 < self.places <= self.answered


def progress_of(study: Study) -> Progress:
    """Count the places of a study's items, and those that were answered in time."""
    places = Item.objects.judged().filter(study=study).aggregate(sum=Sum("places"))["sum"]
    holding = Assignment.objects.filter(item__study=study).holding().answered()
    answered = Judgment.objects.filter(assignment__in=holding.order_by(), extra=False).count()
    return Progress(answered, places or 0)
