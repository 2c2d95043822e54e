"""Which items a judge is given next: the set is arranged, then filled from the stored items."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

from django.db.models import QuerySet

from annotation.studies import cells
from annotation.studies.cells import Key, Reserved
from annotation.studies.conflicts import declared
from annotation.studies.dealing import Candidate, arrange, pick
from annotation.studies.models import Assignment, Background, Item, Judge, Study

# Candidates looked at for one slot: enough to choose between forms, few enough to cost the same
# in a study of any size.
WINDOW = 24


@dataclass(frozen=True)
class Chosen:
    """An item to give, and the cell that it fills."""

    item: int
    place: Reserved


@dataclass
class History:
    """What a judge had, as far as it says what they may have next.

    Attributes
    ----------
    had : set of int
        Items that they have or answered.
    again : list of int
        Items that were given back unanswered, theirs and those of whom they replace: these come
        first, if a place is still free.
    avoided : set of str
        Codes of names that they declared a conflict with.
    twins, forms : counter
        Of what they had.
    strata, order : list
        Strata and twins of what they had, in order.
    """

    had: set[int] = field(default_factory=set)
    again: list[int] = field(default_factory=list)
    avoided: set[str] = field(default_factory=set)
    twins: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    strata: list[Key] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def note(self, item: int, key: Key, twin: str, form: str) -> None:
        """Count an item among those that the judge had."""
        self.had.add(item)
        self.twins[twin] += 1
        self.forms[form] += 1
        self.strata.append(key)
        self.order.append(twin)


def history(judge: Judge, study: Study) -> History:
    """Return what the judge had so far."""
    known = History(avoided=_avoided(judge, study))
    rows = (
        Assignment.objects.of(judge)
        .filter(purpose=Assignment.Purpose.MAIN)
        .order_by("position")
        .values_list(
            "item_id", "answered_at", "given_back_at",
            "item__group_id", "item__stratum", "item__twin", "item__form",
        )
    )  # fmt: skip
    for item, answered, given_back, group, stratum, twin, form in rows:
        if answered is None and given_back is not None:
            known.again.append(item)
        else:
            known.note(item, Key(group or 0, stratum), twin, form)
    if judge.replaces_id is not None:
        left = Assignment.objects.filter(judge=judge.replaces_id, purpose="main", answered_at=None)
        theirs = left.exclude(given_back_at=None).order_by("position")
        mine = {*known.again, *known.had}
        known.again += [key for key in theirs.values_list("item_id", flat=True) if key not in mine]
    return known


def some_left(judge: Judge, study: Study) -> bool:
    """Whether an item is left that this judge may judge, has not had, and that wants another."""
    return _Choice(judge, study, Random(0)).some_left()  # noqa: S311  (nothing is drawn)


def choose(judge: Judge, study: Study, *, rng: Random) -> list[Chosen]:
    """Return what the judge is to be given now: a whole set, or the next item of one.

    Items that they gave back come first. Where items are drawn, the arrangement of the set is
    kept in the judge's row, and its cells count as filled at once, so that judges who begin at
    the same moment get different rows. The caller holds the study.
    """
    choice = _Choice(judge, study, rng)
    if study.dealing == Study.Dealing.BATCH:
        again = choice.again(study.batch_size)
        return [*again, *choice.fill(choice.arranged(taken=len(again)))[0]]
    return choice.draw(cells.reserved(judge))


@dataclass
class _Choice:
    """One judge's next items, while the study is held."""

    judge: Judge
    study: Study
    rng: Random
    dry: set[Key] = field(default_factory=set)

    @cached_property
    def known(self) -> History:
        return history(self.judge, self.study)

    @cached_property
    def table(self) -> cells.Table:
        return cells.table(self.study, group=self.judge.group_id)

    @property
    def wanted(self) -> QuerySet[Item]:
        """Items that want a judge and that this one may have and has not had."""
        items = Item.objects.wanting(self.study)
        if self.judge.group_id is not None:
            items = items.filter(group=self.judge.group_id)
        return items.exclude(pk__in=self.known.had) if self.known.had else items

    @property
    def seen(self) -> list[str]:
        return list(self.known.twins)

    def some_left(self) -> bool:
        items = self.wanted
        if self.study.twins == Study.Twins.NEVER:
            items = items.exclude(twin__in=self.seen)
        return next(self._fair(items, chunk=200), None) is not None

    def draw(self, row: list[Reserved]) -> list[Chosen]:
        """Return the next item of a set, and keep the rest of its row; begin one if none is."""
        drawn = [] if row else self.again(1)
        places = row or self.arranged(taken=len(drawn))
        if not drawn:
            drawn, places = self.fill(places, at_most=1)
        self.judge.row = [list(place) for place in places]
        Judge.objects.filter(pk=self.judge.pk).update(row=self.judge.row)
        return drawn

    def arranged(self, *, taken: int) -> list[Reserved]:
        """Return the places of a set, but for those that items given again have `taken`."""
        slots = range(taken, self.study.batch_size)
        strata = arrange(
            self.table.sizes, self.table.filled, slots,
            before=self.known.strata, apart=self.study.apart, rng=self.rng,
        )  # fmt: skip
        # Without items there are no strata.
        places = [Reserved(*key, slot) for key, slot in zip(strata, slots, strict=False)]
        cells.fill(self.study.pk, places)
        return places

    def again(self, at_most: int) -> list[Chosen]:
        """Return items that were given back and that still find a place, and fill their cells."""
        if not self.known.again:
            return []
        still = {row[0]: row for row in _rows(self.wanted.filter(pk__in=self.known.again))}
        found: list[Chosen] = []
        for item in self.known.again:
            if item not in still or len(found) == at_most:
                continue
            _, twin, form, _, conflicts, stratum, group = still[item]
            never = self.study.twins == Study.Twins.NEVER and self.known.twins[twin]
            if never or not self.known.avoided.isdisjoint(conflicts):
                continue
            key = Key(group or 0, stratum)
            self.known.note(item, key, twin, form)
            found.append(Chosen(item, Reserved(*key, len(found))))
        cells.fill(self.study.pk, [one.place for one in found])
        return found

    def fill(
        self, places: list[Reserved], at_most: int | None = None
    ) -> tuple[list[Chosen], list[Reserved]]:
        """Fill places with items, in order. Return these, and the places that are left.

        A stratum that has nothing for this judge gives its place to another; where none has, the
        place is let go.
        """
        found: list[Chosen] = []
        left = list(places)
        while left and len(found) != at_most:
            place = left.pop(0)
            one = self._at(place)
            if one is None or one.place != place:
                cells.empty(self.study.pk, [place])
                cells.fill(self.study.pk, [one.place] if one else [])
            if one is not None:
                found.append(one)
        return found, left

    def _at(self, place: Reserved) -> Chosen | None:
        for key in self._in_turn(place):
            if key in self.dry:
                continue
            best = self._best(key)
            if best is not None:
                self.known.note(best.key, key, best.twin, best.form)
                return Chosen(best.key, Reserved(*key, place.slot))
            self.dry.add(key)
        return None

    def _in_turn(self, place: Reserved) -> Iterator[Key]:
        """Yield the stratum of a place, then the others: first who is most behind at its slot."""
        yield place.key
        sizes, filled = self.table.sizes, self.table.filled
        whole = sum(sizes.values())
        at_slot = sum(filled.get((key, place.slot), 0) for key in sizes)
        yield from sorted(
            sizes,
            key=lambda key: (
                filled.get((key, place.slot), 0) - at_slot * sizes[key] / whole,
                self.rng.random(),
            ),
        )

    def _best(self, key: Key) -> Candidate | None:
        """Return the best item of one stratum for this judge."""
        items = self.wanted.filter(stratum=key.stratum, group=key.group or None)
        window = list(islice(self._fair(items.exclude(twin__in=self.seen)), WINDOW))
        if self.study.twins == Study.Twins.LAST and self.seen:
            # The item that the fewest judges have comes first even so.
            window += islice(self._fair(items.filter(twin__in=self.seen)), WINDOW)
        apart = self.study.apart
        near = frozenset(self.known.order[1 - apart :] if apart > 1 else ())
        return pick(window, twins=self.known.twins, forms=self.known.forms, near=near, rng=self.rng)

    def _fair(self, items: QuerySet[Item], *, chunk: int = WINDOW) -> Iterator[Candidate]:
        """Yield the items that fewest judges have first, without those of a declared conflict."""
        ordered = items.order_by("places_taken", "pk")
        start = 0
        while rows := list(_rows(ordered[start : start + chunk])):
            for pk, twin, form, taken, conflicts, stratum, _ in rows:
                # Compared here, since databases differ in what they can ask of a list.
                if self.known.avoided.isdisjoint(conflicts):
                    yield Candidate(pk, stratum, twin, taken, form)
            if len(rows) < chunk:
                return
            start += chunk


def _rows(items: QuerySet[Item]) -> "QuerySet[Item, tuple[Any, ...]]":
    return items.values_list(
        "pk", "twin", "form", "places_taken", "conflicts", "stratum", "group_id"
    )


def _avoided(judge: Judge, study: Study) -> set[str]:
    told = Background.objects.filter(judge=judge).values_list("conflicts", flat=True).first()
    return declared(study.conflict_salt, told) if told else set()
