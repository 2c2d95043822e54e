"""How far a study is, without a word of authorship or results."""

from dataclasses import dataclass

from django.db.models import Count, F, Max, Min, Q

from annotation.studies.models import Item, Study
from backend.design.models import Placement


@dataclass(frozen=True)
class Seats:
    """Who is on a panel, in numbers."""

    experts: int
    machines: int


@dataclass(frozen=True)
class Totals:
    """A study's progress: places are the sum of the items' K."""

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
        # Somebody else may have the place by now: that of an expert who was taken out for a while.
        assignments__given_back_at=None,
        assignments__withdrawn_at=None,
        # An extra answer fills no place.
        assignments__judgment__extra=False,
    )
    items = Item.objects.judged().filter(study=study)
    rows = items.annotate(done=Count("assignments", filter=counted)).values_list("places", "done")
    places, done, full = 0, 0, 0
    for wanted, answered in rows:
        places, done, full = places + wanted, done + answered, full + (answered >= wanted)
    return Totals(len(rows), places, done, full)


def wanted(study: Study) -> tuple[int, int]:
    """Return how few and how many judges an item is to have: groups have a number of their own."""
    found = study.items.judged().aggregate(fewest=Min("places"), most=Max("places"))
    if found["fewest"] is None:  # a draft that lost its items
        return study.judges_per_item, study.judges_per_item
    return found["fewest"], found["most"]


def unanswered(study: Study) -> int:
    """Return how many human poems have no machine poem on the same brief, if there are machines."""
    placed = Placement.objects.filter(item__study=study)
    machine = placed.filter(generation__isnull=False)
    if not machine.exists():
        return 0
    answered = machine.filter(generation__brief__poem__isnull=False)
    human = placed.filter(poem__isnull=False)
    return human.exclude(poem_id__in=answered.values("generation__brief__poem_id")).count()


def unseen_flags(study: Study) -> int:
    """Return how many of its machine poems were flagged when they came, and not looked at since."""
    placed = Placement.objects.filter(item__study=study, generation__looked_at=None)
    return placed.filter(generation__isnull=False).exclude(generation__flags=[]).count()


def corrected_since(study: Study) -> int:
    """Return how many of its machine poems were corrected after the draft was built."""
    placed = Placement.objects.filter(item__study=study)
    later = placed.filter(generation__corrections__at__gt=F("item__study__created_at"))
    return later.distinct().count()
