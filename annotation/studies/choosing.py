"""Which items a judge is given next: the set is arranged, then filled from the stored items."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

from django.db.models import QuerySet

from annotation.prepared import execute
from annotation.studies import cells
from annotation.studies.cells import Key, Reserved
from annotation.studies.dealing import Candidate, arrange, in_turn, last, pick
from annotation.studies.history import History
from annotation.studies.models import Item, Judge, Study

# Candidates looked at for one slot: enough to choose between forms, few enough to cost the same
# in a study of any size.
WINDOW = 24
Window = tuple[list[Candidate], bool]

# By hand, since the ORM takes longer to write these down than databases to answer.
_LOOK = (
    "SELECT id, twin, form, places_taken, conflicts, stratum, group_id FROM studies_item"
    " WHERE study_id = %s AND stratum = %s AND group_id {} AND NOT attention"
    " AND places_taken < places ORDER BY places_taken, id LIMIT %s"
)


@dataclass(frozen=True)
class Chosen:
    """An item to give, and the cell that it fills."""

    item: int
    place: Reserved


@dataclass(frozen=True)
class Next:
    """What is to be given, to whom who had what, and whether a set begins with it."""

    items: list[Chosen]
    known: History
    begins: bool


def some_left(judge: Judge, study: Study, known: History) -> bool:
    """Whether an item is left that this judge may judge, has not had, and that wants another."""
    return _Choice(judge, study, Random(0), known).some_left()  # noqa: S311  (nothing is drawn)


def choose(judge: Judge, study: Study, known: History, *, rng: Random, alone: bool) -> Next:
    """Return what the judge is to be given now: a whole set, or the next item of one.

    Items that they gave back come first. Where items are drawn, the arrangement of the set is
    kept in the judge's row, and its cells count as filled at once, so that judges who begin at
    the same moment get different rows. The caller holds the study (`alone`); or in the middle of a
    row, the judge.

    Raises
    ------
    NotAlone
        If cells have to change, and the study is not held.
    """
    choice = _Choice(judge, study, rng, known, alone=alone)
    if study.dealing == Study.Dealing.BATCH:
        items = choice.again(study.batch_size)
        items += choice.fill(choice.arranged(taken=len(items)))[0]
        return Next(items, choice.known, begins=True)
    begins = not judge.row
    return Next(choice.draw(cells.reserved(judge)), choice.known, begins=begins)


class NotAlone(Exception):
    """Cells have to change, which only whoever holds the study may do.

    They are changed several at a time, in no one order, so two at once could wait for each other.
    """


@dataclass
class _Choice:
    """One judge's next items, while the study is held."""

    judge: Judge
    study: Study
    rng: Random
    known: History
    alone: bool = False
    dry: set[tuple[Key, bool]] = field(default_factory=set)
    windows: dict[Key, Window] = field(default_factory=dict)

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
        # In the order of the index of items that want judges, so that the first is found at once.
        found = items.order_by("study_id", "stratum", "places_taken", "pk")
        if not self.known.avoided:
            return bool(found.values_list("pk")[:1])
        free = found.values_list("conflicts", flat=True).iterator(chunk_size=WINDOW)
        return any(self.known.avoided.isdisjoint(conflicts) for conflicts in free)

    def draw(self, row: list[Reserved]) -> list[Chosen]:
        """Return the next item of a set, and keep the rest of its row; begin one if none is."""
        drawn = self.again(1, row)
        places = row[len(drawn) :] if row else self.arranged(taken=len(drawn))
        if not drawn:
            drawn, places = self.fill(places, at_most=1)
        self.judge.row = [list(place) for place in places]
        Judge.objects.keep_row(self.judge.pk, self.judge.row)
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
        self.table.fill(places)
        return places

    def again(self, at_most: int, row: Sequence[Reserved] = ()) -> list[Chosen]:
        """Return items that were given back and that still find a place, and fill their cells.

        They stand at the first slots of a set, or at that of the first place of a `row`, which is
        let go. They come in the order that they had, but for those that would be too near to a
        text of their stratum, now that others took some of them.
        """
        if not self.known.again:
            return []
        free = self._given_back()
        keys = [Key(group or 0, stratum) for *_, stratum, group in free]
        order = in_turn(keys, before=self.known.strata, apart=self.study.apart)
        if row:
            near = self._near(row[1:])
            order.sort(key=lambda number: keys[number] in near)
        first = row[0].slot if row else 0
        found: list[Chosen] = []
        for slot, number in enumerate(order[:at_most], start=first):
            item, twin, form, *_ = free[number]
            self.known.note(item, keys[number], twin, form)
            found.append(Chosen(item, Reserved(*keys[number], slot)))
        if found:
            self._move([*row[:1]], [one.place for one in found])
        return found

    def _given_back(self) -> list[tuple[Any, ...]]:
        """Return the rows of items that were given back and may be given again, in their order."""
        still = {row[0]: row for row in _rows(self.wanted.filter(pk__in=self.known.again))}
        twins, free = Counter(self.known.twins), []
        for row in (still[item] for item in self.known.again if item in still):
            _, twin, _, _, conflicts, *_ = row
            never = self.study.twins == Study.Twins.NEVER and twins[twin]
            if not never and self.known.avoided.isdisjoint(conflicts):
                twins[twin] += 1
                free.append(row)
        return free

    def _near(self, coming: Sequence[Reserved]) -> set[Key]:
        """Return the strata of what was given just now, and of the first places that come next."""
        return {
            *last(self.known.strata, self.study.apart - 1),
            *(place.key for place in coming[: self.study.apart - 1]),
        }

    def _move(self, gone: list[Reserved], come: list[Reserved]) -> None:
        if sorted(gone) == sorted(come):
            return
        if not self.alone:
            raise NotAlone
        cells.move(self.study.pk, gone, come)

    def fill(
        self, places: list[Reserved], at_most: int | None = None
    ) -> tuple[list[Chosen], list[Reserved]]:
        """Fill places with items, in order. Return these, and the places that are left.

        A stratum that has nothing for this judge gives its place to another; where none has, the
        place is let go.
        """
        found: list[Chosen] = []
        left = list(places)
        self.windows = self._look({place.key for place in left[:at_most]})
        while left and len(found) != at_most:
            one = self._at(left.pop(0), left)
            if one is not None:
                found.append(one)
        tried = places[: len(places) - len(left)]
        self._move(tried, [one.place for one in found])
        return found, left

    def _at(self, place: Reserved, coming: Sequence[Reserved]) -> Chosen | None:
        """Return what is given at a place: of a brief that the judge has not seen, if there is one.

        Before a second text on a brief comes a first one of another stratum.
        """
        for unseen in (True, False):
            for key in self._in_turn(place, coming):
                best = self._best(key, unseen=unseen)
                if best is not None:
                    self.known.note(best.key, key, best.twin, best.form)
                    return Chosen(best.key, Reserved(*key, place.slot))
        return None

    def _in_turn(self, place: Reserved, coming: Sequence[Reserved]) -> Iterator[Key]:
        """Yield the stratum of a place, then the others: first who is most behind at its slot.

        Those that stand too near, before it or in what is arranged after it, come last.
        """
        yield place.key
        near = self._near(coming)
        sizes, filled = self.table.sizes, self.table.filled
        whole = sum(sizes.values())
        at_slot = sum(filled.get((key, place.slot), 0) for key in sizes)
        yield from sorted(
            sizes,
            key=lambda key: (
                key in near,
                filled.get((key, place.slot), 0) - at_slot * sizes[key] / whole,
                self.rng.random(),
            ),
        )

    def _best(self, key: Key, *, unseen: bool) -> Candidate | None:
        """Return the best item of one stratum for this judge; only of a new brief, if `unseen`."""
        never = not unseen and self.study.twins == Study.Twins.NEVER
        if never or (key, unseen) in self.dry:
            return None
        if key not in self.windows:
            self.windows |= self._look({key})
        window, is_all = self.windows[key]
        window = [one for one in window if self._may(one, unseen=unseen)]
        if not window and not is_all:
            items = self.wanted.filter(stratum=key.stratum, group=key.group or None)
            if unseen:
                items = items.exclude(twin__in=self.seen)
            window = list(islice(self._fair(items), WINDOW))
        if not window:
            self.dry.add((key, unseen))
        near = frozenset(last(self.known.order, self.study.apart - 1))
        return pick(window, twins=self.known.twins, forms=self.known.forms, near=near, rng=self.rng)

    def _may(self, one: Candidate, *, unseen: bool) -> bool:
        return one.key not in self.known.had and not (unseen and self.known.twins[one.twin])

    def _look(self, keys: set[Key]) -> dict[Key, Window]:
        """Return the items of these strata that fewest judges have, in one query for them all.

        As many of each as make sure that some are left when those that the judge had, and their
        twins, are taken away; and whether these are all.
        """
        at_most = WINDOW + 2 * len(self.known.had)
        each: list[str] = []
        params: list[int | str | None] = []
        for key in sorted(keys):
            group = "= %s" if key.group else "IS NULL"
            each.append(f"SELECT * FROM ({_LOOK.format(group)}) AS found")  # noqa: S608
            params += [self.study.pk, key.stratum, *([key.group] if key.group else []), at_most]
        if not each:
            return {}
        _, rows = execute(" UNION ALL ".join(each), params)
        found: dict[Key, list[Candidate]] = {key: [] for key in keys}
        seen = Counter(Key(group or 0, stratum) for *_, stratum, group in rows)
        for pk, twin, form, taken, conflicts, stratum, group in rows:
            # Compared here, since databases differ in what they can ask of a list.
            if not self.known.avoided or self.known.avoided.isdisjoint(json.loads(conflicts)):
                one = Candidate(pk, stratum, twin, taken, form)
                found[Key(group or 0, stratum)].append(one)
        return {key: (window, seen[key] < at_most) for key, window in found.items()}

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
