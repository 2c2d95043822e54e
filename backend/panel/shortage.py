"""Places that nobody on the panel can fill, and how many experts more it takes at the least."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.studies.conflicts import declared
from annotation.studies.models import Assignment, Background, Invitation, Item, Judge, Study


@dataclass(frozen=True)
class Shortage:
    """How many free places stay free with the present experts.

    Attributes
    ----------
    places : int
    experts : int
        How many more it takes at the least, if these may judge everything.
    """

    places: int = 0
    experts: int = 0


@dataclass
class Unit:
    """Items of which one expert may have one only: an item alone, or all on one brief.

    Attributes
    ----------
    free : counter of int
        Places by group; 0 is no group.
    codes : dict of int to list of set of str
        Conflicts of the items, by group.
    """

    free: Counter[int] = field(default_factory=Counter)
    codes: dict[int, list[set[str]]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Expert:
    """What keeps an expert from an item: their group, and the conflicts they declared."""

    group: int = 0
    avoided: frozenset[str] = frozenset()


def at_work(study: Study, now: datetime) -> QuerySet[Judge]:
    """Return the experts who take part and have a link that works."""
    usable = Invitation.objects.usable(now).filter(judge=OuterRef("pk"))
    return Judge.objects.at_work().filter(Exists(usable), study=study)


def shortage(study: Study, now: datetime) -> Shortage:
    """Return what the present experts cannot fill, if each answered all that they may have.

    What waits for an expert counts as filled. Nobody is given an item twice, one of a conflict,
    one of another group, or, where the study never gives two on one brief, a second on it.
    """
    by_twin = study.twins == Study.Twins.NEVER
    units: dict[object, Unit] = defaultdict(Unit)
    for pk, twin, group, places, taken, codes in Item.objects.wanting(study).values_list(
        "pk", "twin", "group_id", "places", "places_taken", "conflicts"
    ):
        unit = units[twin if by_twin else pk]
        unit.free[group or 0] += places - taken
        unit.codes[group or 0].append(set(codes))
    experts = _experts(study, now)
    had = _had(list(experts), by_twin=by_twin)
    return missing(units, experts, had)


def missing(
    units: Mapping[object, Unit],
    experts: Mapping[int, Expert],
    had: Mapping[object, set[int]],
) -> Shortage:
    """Return what these experts cannot fill; `had` are those who had something of a unit."""
    short = [_short(unit, experts, had.get(key, set())) for key, unit in units.items()]
    return Shortage(sum(short), max(short, default=0))


def _short(unit: Unit, experts: Mapping[int, Expert], had: set[int]) -> int:
    """Return how many places of one unit stay free.

    Whoever is in a group fills its places alone, so they come first; whoever is in none fills
    what is left, of any group.
    """
    fit = Counter(
        one.group for key, one in experts.items() if key not in had and _may_have(one, unit)
    )
    left = sum(max(0, free - (fit[group] if group else 0)) for group, free in unit.free.items())
    return max(0, left - fit[0])


def _may_have(expert: Expert, unit: Unit) -> bool:
    if not expert.avoided:
        return True
    groups = [expert.group] if expert.group else list(unit.codes)
    return any(
        expert.avoided.isdisjoint(codes) for group in groups for codes in unit.codes.get(group, [])
    )


def _experts(study: Study, now: datetime) -> dict[int, Expert]:
    told = dict(
        Background.objects.filter(judge__study=study)
        .exclude(conflicts="")
        .values_list("judge_id", "conflicts")
    )
    return {
        pk: Expert(group or 0, frozenset(declared(study.conflict_salt, told.get(pk, ""))))
        for pk, group in at_work(study, now).values_list("pk", "group_id")
    }


def _had(experts: list[int], *, by_twin: bool) -> dict[object, set[int]]:
    """Return who has, or has answered, something of each unit."""
    given_back = Q(answered_at=None, given_back_at__isnull=False)
    rows = Assignment.objects.filter(judge__in=experts, purpose=Assignment.Purpose.MAIN)
    had: dict[object, set[int]] = defaultdict(set)
    for unit, judge in rows.exclude(given_back).values_list(
        "item__twin" if by_twin else "item_id", "judge_id"
    ):
        had[unit].add(judge)
    return had
