"""How far a study is, without a word of authorship or results."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from annotation.studies.models import Item, Study
from backend.design.models import Placement


@dataclass(frozen=True)
class Seat:
    """One judge's progress."""

    code: str
    name: str
    email: str
    kind: str
    given: int
    answered: int
    given_back: int
    last_answer: datetime | None
    opened: int
    agreed: int
    active: int

    @property
    def waiting(self) -> int:
        return self.given - self.answered - self.given_back


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


def panel(study: Study) -> list[Seat]:
    """Return every judge's progress, experts first."""
    rows = study.judges.order_by("kind", "pk").values(
        "code",
        "name",
        "email",
        "kind",
        given=_count("assignments"),
        answered=_count("assignments", assignments__answered_at__isnull=False),
        given_back=_count("assignments", assignments__given_back_at__isnull=False),
        last_answer=Max("assignments__answered_at"),
        opened=_count("invitations", invitations__first_used_at__isnull=False),
        agreed=_count("consent"),
        active=_count("invitations", invitations__revoked_at__isnull=True),
    )
    return [Seat(**row) for row in rows]


def _count(what: str, **only: bool) -> Count:
    return Count(what, filter=Q(**only) if only else None, distinct=True)


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
