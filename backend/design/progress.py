"""How far a study is, without a word of authorship or results."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.studies.models import Item, Study
from backend.design.models import Placement


@dataclass(frozen=True)
class Seats:
    """Who is on a panel, in numbers."""

    experts: int
    machines: int


@dataclass(frozen=True)
class Totals:
    """A study's progress: places are items times K."""

    items: int
    places: int
    answered: int
    full_items: int

    @property
    def share(self) -> float:
        return self.answered / self.places if self.places else 0.0


def seats(study: Study) -> Seats:
    """Return how many experts and how many language models are on the panel."""
    experts = study.judges.experts().count()
    return Seats(experts, study.judges.count() - experts)


def totals(study: Study) -> Totals:
    """Return how many of the study's places are answered, and how many items are complete."""
    counted = Q(
        assignments__counts=True,
        # An extra answer fills no place.
        assignments__judgment__extra=False,
    )
    items = Item.objects.filter(study=study).annotate(done=Count("assignments", filter=counted))
    done = list(items.values_list("done", flat=True))
    full = sum(1 for each in done if each >= study.judges_per_item)
    return Totals(len(done), len(done) * study.judges_per_item, sum(done), full)


def unanswered(study: Study) -> int:
    """Return how many human poems have no machine poem on the same brief, if there are machines."""
    placed = Placement.objects.filter(item__study=study)
    machine = placed.filter(generation__isnull=False)
    if not machine.exists():
        return 0
    answered = machine.filter(generation__brief__poem__isnull=False)
    human = placed.filter(poem__isnull=False)
    return human.exclude(poem_id__in=answered.values("generation__brief__poem_id")).count()
