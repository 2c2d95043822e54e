"""The ledger's cells: how often each stratum was given at each slot of a set."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, F, QuerySet

from annotation.prepared import execute
from annotation.studies.models import Assignment, Cell, Item, Judge, Study

BATCH = 1000


class Key(NamedTuple):
    """A stratum within a group of items; 0 stands for no group."""

    group: int
    stratum: str


class Reserved(NamedTuple):
    """A place of a set that is still to be drawn, as a judge's row keeps it."""

    group: int
    stratum: str
    slot: int

    @property
    def key(self) -> Key:
        return Key(self.group, self.stratum)


def prepare(study: Study) -> None:
    """Make the cells of a study that has none yet, and count in what was given before.

    The caller holds the study, and has read since whether it has cells: what others are still to
    draw is in no assignment, so that cells made anew would not count it.
    """
    if study.cells_ready:
        return
    Cell.objects.filter(study=study).delete()
    sizes = Item.objects.judged().filter(study=study).order_by()
    slots = range(study.batch_size)
    Cell.objects.bulk_create(
        (
            Cell(study=study, group_id=group, stratum=stratum, slot=slot, items=items)
            for group, stratum, items in sizes.values_list("group_id", "stratum").annotate(
                items=Count("pk")
            )
            for slot in slots
        ),
        batch_size=BATCH,
    )
    _slot_old(study)
    held = Assignment.objects.holding().filter(item__study=study).order_by()
    for group, stratum, slot, number in held.values_list(
        "item__group_id", "item__stratum", "slot"
    ).annotate(number=Count("pk")):
        _cells(study.pk, Key(group or 0, stratum), slot).update(given=number)
    Study.objects.filter(pk=study.pk).update(cells_ready=True)
    study.cells_ready = True


@dataclass(frozen=True)
class Table:
    """The cells that a judge's sets are arranged by.

    Attributes
    ----------
    sizes : dict of Key to int
        Items of each stratum.
    filled : dict of (Key, slot) to int
        How often each cell was filled.
    rows : dict of Reserved to int
        The row of each cell.
    """

    sizes: dict[Key, int]
    filled: dict[tuple[Key, int], int]
    rows: dict[Reserved, int]

    def fill(self, places: Iterable[Reserved]) -> None:
        """Count one more in each of these cells, no two of which are the same."""
        keys = sorted(self.rows[place] for place in places)
        if keys:
            marks = ", ".join(["%s"] * len(keys))
            execute(f"UPDATE studies_cell SET given = given + 1 WHERE id IN ({marks})", keys)  # noqa: S608


def table(study: Study, *, group: int | None) -> Table:
    """Return the study's cells; with a group, those of its items alone."""
    # By hand, since everybody else waits as long as this takes.
    only = " AND group_id = %s" if group is not None else ""
    _, rows = execute(
        "SELECT id, group_id, stratum, slot, items, given FROM studies_cell"  # noqa: S608
        f" WHERE study_id = %s{only}",
        [study.pk, *([group] if group is not None else [])],
    )
    found = Table({}, {}, {})
    for pk, of_group, stratum, slot, items, given in rows:
        key = Key(of_group or 0, stratum)
        found.sizes[key] = items
        found.filled[key, slot] = given
        found.rows[Reserved(*key, slot)] = pk
    return found


def fill(study: int, places: Iterable[Reserved]) -> None:
    """Count one more in each of these cells."""
    _add(study, places, 1)


def empty(study: int, places: Iterable[Reserved]) -> None:
    """Count one fewer in each of these cells."""
    _add(study, places, -1)


def hold(study: int, places: Iterable[Reserved]) -> None:
    """Let nobody else change these cells until the transaction ends: cells come before items.

    The caller holds the study. SQLite has one writer at a time, and needs no lock.
    """
    keys = _keys(study, places).values()
    list(Cell.objects.filter(pk__in=keys).order_by("pk").select_for_update().values_list("pk"))


def reserved(judge: Judge) -> list[Reserved]:
    """Return what a judge's row still holds."""
    return [Reserved(*place) for place in judge.row]


def move(study: int, gone: Iterable[Reserved], come: Iterable[Reserved]) -> None:
    """Count one fewer in the cells of places that are gone, one more in those that come."""
    change = Counter(come)
    change.subtract(gone)
    changed = {place: number for place, number in change.items() if number}
    keys = _keys(study, changed)
    # In one order everywhere, so that two at once cannot wait for each other.
    for place, key in sorted(keys.items(), key=lambda found: found[1]):
        Cell.objects.filter(pk=key).update(given=F("given") + changed[place])


def release_row(judge: Judge) -> None:
    """Let go of what the judge was still to draw in their set.

    The caller holds the study and the judge.
    """
    row = Judge.objects.filter(pk=judge.pk).values_list("row", flat=True).first()
    if row:
        empty(judge.study_id, [Reserved(*place) for place in row])
        Judge.objects.filter(pk=judge.pk).update(row=[])
    judge.row = []


def release(assignments: Iterable[Assignment]) -> int:
    """Give the places of these assignments back. The caller holds the study. Return how many.

    Only those that hold a place count. Their items have to be loaded.
    """
    holding = sorted(
        (one for one in assignments if one.counts and not one.withdrawn_at),
        # In one order everywhere, so that two at once cannot wait for each other.
        key=lambda one: one.item_id,
    )
    by_study: dict[int, list[Reserved]] = {}
    for one in holding:
        if one.slot is not None:
            by_study.setdefault(one.item.study_id, []).append(place_of(one))
    # Cells before items, as when they are filled.
    for study, places in by_study.items():
        empty(study, places)
    for one in holding:
        Item.objects.filter(pk=one.item_id).update(places_taken=F("places_taken") - 1)
    return len(holding)


def place_of(assignment: Assignment) -> Reserved:
    """Return the cell that an assignment fills."""
    item = assignment.item
    return Reserved(item.group_id or 0, item.stratum, assignment.slot or 0)


def _add(study: int, places: Iterable[Reserved], number: int) -> None:
    times = Counter(places)
    by_times: dict[int, list[Reserved]] = {}
    for place, n in times.items():
        by_times.setdefault(n, []).append(place)
    for n, some in sorted(by_times.items()):
        keys = _keys(study, some)
        Cell.objects.filter(pk__in=keys.values()).update(given=F("given") + n * number)


def _keys(study: int, places: Iterable[Reserved]) -> dict[Reserved, int]:
    wanted = set(places)
    strata = {place.stratum for place in wanted}
    slots = {place.slot for place in wanted}
    rows = Cell.objects.filter(study=study, stratum__in=strata, slot__in=slots).order_by()
    found = {
        Reserved(group or 0, stratum, slot): pk
        for pk, group, stratum, slot in rows.values_list("pk", "group_id", "stratum", "slot")
    }
    return {place: found[place] for place in wanted & found.keys()}


def _cells(study: int, key: Key, slot: int) -> QuerySet[Cell]:
    return Cell.objects.filter(study=study, group=key.group or None, stratum=key.stratum, slot=slot)


def _slot_old(study: Study) -> None:
    """Give assignments that were made before there were cells the slot that they had."""
    old = Assignment.objects.holding().filter(item__study=study, slot=None)
    for judge in old.order_by().values_list("judge_id", flat=True).distinct():
        theirs = list(old.filter(judge=judge).order_by("position"))
        for one in theirs:
            one.slot = (one.position - 1) % study.batch_size
        Assignment.objects.bulk_update(theirs, ["slot"], batch_size=BATCH)
