"""Turning chosen items into assignments: positions, sides, hidden repeats, tests of attention."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, Min, OuterRef
from django.utils import timezone

from annotation.prepared import insert
from annotation.studies.cells import Key, reserved
from annotation.studies.choosing import WINDOW, Next
from annotation.studies.conflicts import declared
from annotation.studies.dealing import last, side
from annotation.studies.history import History
from annotation.studies.models import Assignment, AssignmentQuerySet, Background, Item, Judge, Study

Purpose = Assignment.Purpose
# Among so many items, at most one is asked again.
AMONG = 4
EMPTY: Mapping[int, bool] = {}


@dataclass(frozen=True)
class Test:
    """An item that is given outside the study itself, and before which of the chosen ones."""

    item: int
    purpose: Assignment.Purpose
    before: int


class Due(NamedTuple):
    """An item that may be mixed in, and what must not stand too near to it."""

    item: int
    key: Key
    twin: str


def tests(judge: Judge, study: Study, chosen: Next, *, rng: Random) -> list[Test]:
    """Return the hidden repeats and attention items to mix into what was chosen.

    A repeat is an item that the judge answered at least `study.repeat_after_days` ago. There is
    at most one among `AMONG` items, so that they are spread over the sets; where nothing new is
    left, those that are due make a last set. An attention item never comes alone: it would stand
    out. All keep the study's distance from texts of their stratum where that can be.
    """
    if not (study.repeats or study.attention_every):
        return []
    mine = _had(judge)
    had = Counter(mine.values_list("purpose", flat=True))
    line, number = _Line(judge, chosen, study.apart, rng), len(chosen.items)
    if study.repeats > had[Purpose.REPEAT]:
        due = _to_repeat(judge, study, chosen.known)
        line.repeat(due, at_most=study.repeats - had[Purpose.REPEAT])
    if study.attention_every and number:
        so_far = had[Purpose.MAIN] + number
        wanted = so_far // study.attention_every - had[Purpose.ATTENTION]
        fresh = [
            Due(pk, Key(group or 0, stratum), twin)
            for pk, group, stratum, twin in Item.objects.filter(study=study, attention=True)
            .exclude(pk__in=mine.values("item_id"))
            .order_by("pk")
            .values_list("pk", "group_id", "stratum", "twin")
        ]
        rng.shuffle(fresh)
        for _ in range(min(wanted, len(fresh))):
            # Never first, so that a set begins as it would without.
            line.mix(fresh, Purpose.ATTENTION, range(1, number + 1))
    return line.mixed


def repeats_due(judge: Judge, study: Study, known: History) -> bool:
    """Whether an item is to be asked again now."""
    begin = repeats_begin(judge, study, known)
    return begin is not None and begin <= timezone.now()


def repeats_begin(judge: Judge, study: Study, known: History) -> datetime | None:
    """Return from when on an item is to be asked again; None if none is."""
    if not study.repeats or _had(judge).filter(purpose=Purpose.REPEAT).count() >= study.repeats:
        return None
    answered = _unrepeated(judge).values_list("answered_at", "item__conflicts")
    rows = answered if known.avoided else answered[:1]
    first = (at for at, conflicts in rows if at and known.avoided.isdisjoint(conflicts))
    since = next(first, None)
    return since and since + timedelta(days=study.repeat_after_days)


def repeats_owed(study: Study, now: datetime) -> dict[int, datetime]:
    """Return the experts who are to be asked something again by now, by key, and since when.

    In few queries, however many they are. Whether anything waits for them is not looked at.
    """
    if not study.repeats:
        return {}
    given = _standing(Assignment.objects.filter(judge__study=study, judge__kind=Judge.Kind.EXPERT))
    repeats = given.filter(purpose=Purpose.REPEAT).order_by()
    enough = repeats.values("judge").annotate(n=Count("pk")).filter(n__gte=study.repeats)
    so_far = repeats.filter(judge=OuterRef("judge"), item=OuterRef("item"))
    wait = timedelta(days=study.repeat_after_days)
    due = given.filter(~Exists(so_far), purpose=Purpose.MAIN, answered_at__lte=now - wait)
    due = due.exclude(judge__in=enough.values("judge")).order_by()
    first = dict(due.values_list("judge").annotate(first=Min("answered_at")))
    first |= _without_conflict(study, due, first)
    return {judge: answered_at + wait for judge, answered_at in first.items() if answered_at}


def _without_conflict(
    study: Study, due: AssignmentQuerySet, judges: Collection[int]
) -> dict[int, datetime | None]:
    """Return, of those who declared a conflict, the first of what is due that is none."""
    told = Background.objects.filter(judge__study=study, judge__in=judges).exclude(conflicts="")
    avoided = {
        judge: declared(study.conflict_salt, conflicts)
        for judge, conflicts in told.values_list("judge", "conflicts")
    }
    if not avoided:
        return {}
    # Compared here, since databases differ in what they can ask of a list.
    rows = due.filter(judge__in=avoided).order_by("-answered_at")
    first = {
        judge: answered_at
        for judge, answered_at, conflicts in rows.values_list(
            "judge", "answered_at", "item__conflicts"
        )
        if avoided[judge].isdisjoint(conflicts)
    }
    return {judge: first.get(judge) for judge in avoided}


def give(judge: Judge, chosen: Next, mixed: Sequence[Test]) -> int:
    """Make assignments of chosen items, in order, with the tests among them. Return how many.

    What was given back and is given again keeps what was begun with it, and then its side; else
    its side is chosen anew, since others may have been given it meanwhile. The caller holds it.
    """
    if not (chosen.items or mixed):
        return 0
    known = chosen.known
    batch = known.batch + (chosen.begins or not known.batch)
    keys = [one.item for one in chosen.items]
    again = [key for key in keys if key in known.again]
    had: dict[int, Any] = {}
    if again:
        mine = Assignment.objects.of(judge).filter(item__in=again).annotate(begun=F("draft__pk"))
        had = {one.item_id: one for one in mine}
    kept = {item: one.flipped for item, one in had.items() if one.begun is not None}
    flipped = _flipped(judge, keys, kept)
    new: list[Assignment] = []
    position = known.position
    for place, one in enumerate([*chosen.items, None]):
        for test in mixed:
            if test.before == place:
                position += 1
                new += _test(judge, test, position, batch)
        if one is None:
            break
        position += 1
        if one.item in had:
            Assignment.objects.give_again(
                had[one.item], position=position, batch=batch, slot=one.place.slot,
                flipped=one.item in flipped,
            )  # fmt: skip
        else:
            new.append(
                Assignment(
                    judge=judge, item_id=one.item, position=position, batch=batch,
                    slot=one.place.slot, flipped=one.item in flipped,
                )
            )  # fmt: skip
    insert(new)
    return len(keys) + len(mixed)


def give_outside(judge: Judge, items: Sequence[int]) -> int:
    """Give a language model these items, outside all places. Return how many."""
    flipped = _flipped(judge, items)
    last = Assignment.objects.of(judge).aggregate(position=Max("position"), batch=Max("batch"))
    Assignment.objects.bulk_create(
        Assignment(
            judge=judge, item_id=item, position=position, batch=(last["batch"] or 0) + 1,
            counts=False, flipped=item in flipped,
        )
        for position, item in enumerate(items, start=(last["position"] or 0) + 1)
    )  # fmt: skip
    return len(items)


def _had(judge: Judge) -> AssignmentQuerySet:
    return _standing(Assignment.objects.of(judge))


def _standing(some: AssignmentQuerySet) -> AssignmentQuerySet:
    """Leave out what was given back unanswered, which may be given again."""
    return some.exclude(answered_at=None, given_back_at__isnull=False)


def _unrepeated(judge: Judge) -> AssignmentQuerySet:
    """Return what the judge answered once, the longest ago first."""
    mine = _had(judge)
    return (
        mine.filter(purpose=Purpose.MAIN, answered_at__isnull=False)
        .exclude(item__in=mine.filter(purpose=Purpose.REPEAT).values("item_id"))
        .order_by("answered_at", "pk")
    )


def _to_repeat(judge: Judge, study: Study, known: History) -> list[Due]:
    """Return items that the judge answered long enough ago, the longest first.

    Not those of a conflict that was declared since.
    """
    long_ago = timezone.now() - timedelta(days=study.repeat_after_days)
    answered = (
        _unrepeated(judge)
        .filter(answered_at__lte=long_ago)
        .values_list("item_id", "item__group_id", "item__stratum", "item__twin", "item__conflicts")
    )
    # Of a conflict everything may be, and else so many are enough to choose among.
    rows = answered if known.avoided else answered[: study.repeats + WINDOW]
    # Compared here, since databases differ in what they can ask of a list.
    return [
        Due(item, Key(group or 0, stratum), twin)
        for item, group, stratum, twin, conflicts in rows
        if known.avoided.isdisjoint(conflicts)
    ]


@dataclass
class _Line:
    """What a judge is given, in order, while tests are mixed into it."""

    judge: Judge
    chosen: Next
    apart: int
    rng: Random
    mixed: list[Test] = field(default_factory=list)
    # Texts with their ranks: text n has 2n + 1, what is mixed in before it 2n, what was before -1.
    ranked: list[tuple[int, Key, str]] = field(init=False)

    def __post_init__(self) -> None:
        known, number = self.chosen.known, len(self.chosen.items)
        line = list(zip(known.strata, known.order, strict=True))
        start = len(line) - number
        # Which texts are still to be drawn, nobody knows yet; of which strata, the row does.
        coming = [*line[start:], *((place.key, "") for place in reserved(self.judge))]
        self.ranked = [(-1, *text) for text in last(line[:start], self.apart - 1)]
        self.ranked += [(2 * n + 1, *text) for n, text in enumerate(coming)]

    def repeat(self, due: list[Due], *, at_most: int) -> None:
        """Mix in what is to be asked again.

        Never before the first, so that a set begins as it would without.
        """
        number = len(self.chosen.items)
        at_most = min(at_most, len(due))
        if not number:
            for _ in range(at_most):
                self.mix(due, Purpose.REPEAT, [0])
        elif self.judge.study.dealing == Study.Dealing.DRAW:
            self._repeat_or_not(due[:] if at_most else [])
        elif at_most := min(at_most, max(1, number // AMONG)):
            edges = [number * part // at_most for part in range(at_most + 1)]
            for start, end in pairwise(edges):
                self.mix(due, Purpose.REPEAT, range(start + 1, end + 1))

    def _repeat_or_not(self, due: list[Due]) -> None:
        # Anywhere among so many: after each of those still to be drawn with the same chance, unless
        # one of these had its repeat, or the one just before them.
        still_to_draw = len(self.judge.row) % AMONG
        if not due or _since_repeat(self.judge) < max(1, AMONG - 1 - still_to_draw):
            return
        here = len(self.chosen.items)
        places = range(here, here + still_to_draw + 1)
        fitting = [place for place in places if self._fitting(due, place)] or [*places]
        if here in fitting and not self.rng.randrange(len(fitting)):
            self.mix(due, Purpose.REPEAT, [here])

    def mix(self, due: list[Due], purpose: Assignment.Purpose, places: Sequence[int]) -> None:
        """Take one of what is due, and put it before one of the texts.

        As far from its stratum and brief as the study says, if that can be.
        """
        fitting = [(place, one) for place in places if (one := self._fitting(due, place))]
        place, one = self.rng.choice(fitting) if fitting else (self.rng.choice(places), due[0])
        due.remove(one)
        self.mixed.append(Test(one.item, purpose, place))
        self.ranked.insert(self._rank(place), (2 * place, one.key, one.twin))

    def _fitting(self, due: Sequence[Due], place: int) -> Due | None:
        """Return the first that nothing of its stratum or brief would stand too near to."""
        at, far = self._rank(place), self.apart - 1
        near = [*self.ranked[max(0, at - far) : at], *self.ranked[at : at + far]]
        keys, twins = {key for _, key, _ in near}, {twin for *_, twin in near if twin}
        return next((one for one in due if one.key not in keys and one.twin not in twins), None)

    def _rank(self, place: int) -> int:
        """Return where in the line something goes that is mixed in before a text."""
        return bisect_right(self.ranked, 2 * place, key=lambda text: text[0])


def _since_repeat(judge: Judge) -> int:
    """Return how many items the judge was given since the last one that was asked again."""
    last = _had(judge).filter(purpose=Purpose.REPEAT).aggregate(last=Max("position"))["last"]
    since = Assignment.objects.of(judge).filter(purpose=Purpose.MAIN, position__gt=last or 0)
    return since.count()


def _test(judge: Judge, test: Test, position: int, batch: int) -> list[Assignment]:
    """Return the assignment to make; none where one that was given back is given again."""
    now = timezone.now()
    again = Assignment.objects.of(judge).filter(item=test.item, purpose=test.purpose)
    if again.update(given_back_at=None, given_at=now, position=position, batch=batch):
        return []
    flipped = False
    if test.purpose == Purpose.REPEAT:
        before = Assignment.objects.of(judge).filter(item=test.item, purpose=Purpose.MAIN)
        side, second = before.values_list("flipped", "item__second")[0]
        flipped = bool(second) and not side
    return [
        Assignment(
            judge=judge, item_id=test.item, position=position, batch=batch, counts=False,
            purpose=test.purpose, flipped=flipped,
        )
    ]  # fmt: skip


def _flipped(judge: Judge, items: Sequence[int], kept: Mapping[int, bool] = EMPTY) -> set[int]:
    """Return the items of two texts whose second stands first for this judge; `kept` stay so.

    Of an item's standing assignments, those of experts and those of language models each, half
    are flipped, or one more or fewer; where an item leaves the choice, so are half of a judge's.
    """
    if judge.study.instrument.texts == 1:
        return set()
    pairs = Item.objects.filter(pk__in=items).exclude(second="").values_list("pk", flat=True)
    ordered = list(pairs.order_by("pk"))
    if not ordered:
        return set()
    standing = Assignment.objects.analysed().filter(
        item__in=ordered, judge__kind=judge.kind, given_back_at=None
    )
    so_far = Counter(standing.values_list("item_id", "flipped"))
    own = Assignment.objects.of(judge).filter(given_back_at=None).exclude(item__second="")
    balance = sum(1 if flipped else -1 for flipped in own.values_list("flipped", flat=True))
    seed, found = judge.study.seed, set()
    for pair in ordered:
        plain, turned = so_far[pair, False], so_far[pair, True]
        flips = kept.get(pair)
        if flips is None:
            flips = side(seed, pair, plain=plain, flipped=turned, balance=balance)
        balance += 1 if flips else -1
        if flips:
            found.add(pair)
    return found
