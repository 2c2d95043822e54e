"""Turning chosen items into assignments: positions, sides, hidden repeats, tests of attention."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from random import Random

from django.db.models import Max
from django.utils import timezone

from annotation.prepared import insert
from annotation.studies.choosing import Chosen, Next
from annotation.studies.dealing import side
from annotation.studies.models import Assignment, AssignmentQuerySet, Item, Judge, Study

Purpose = Assignment.Purpose
# Among so many items, at most one is asked again.
AMONG = 4


@dataclass(frozen=True)
class Test:
    """An item that is given outside the study itself, and before which of the chosen ones."""

    item: int
    purpose: Assignment.Purpose
    before: int


def tests(judge: Judge, study: Study, chosen: Sequence[Chosen], *, rng: Random) -> list[Test]:
    """Return the hidden repeats and attention items to mix into what was chosen.

    A repeat is an item that the judge answered at least `study.repeat_after_days` ago. There is
    at most one among `AMONG` items, so that they are spread over the sets; where nothing new is
    left, those that are due make a last set. An attention item never comes alone: it would stand
    out.
    """
    if not (study.repeats or study.attention_every):
        return []
    mine = _had(judge)
    had = Counter(mine.values_list("purpose", flat=True))
    planned: list[Test] = []
    if study.repeats > had[Purpose.REPEAT]:
        due = _to_repeat(judge, study)[: study.repeats - had[Purpose.REPEAT]]
        planned += [Test(item, Purpose.REPEAT, at) for item, at in _spread(judge, due, chosen, rng)]
    if study.attention_every and chosen:
        so_far = had[Purpose.MAIN] + len(chosen)
        wanted = so_far // study.attention_every - had[Purpose.ATTENTION]
        fresh = list(
            Item.objects.filter(study=study, attention=True)
            .exclude(pk__in=mine.values("item_id"))
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        rng.shuffle(fresh)
        # Never first, so that a set begins as it would without.
        planned += [
            Test(item, Purpose.ATTENTION, rng.randrange(len(chosen)) + 1)
            for item in fresh[: max(0, wanted)]
        ]
    return planned


def repeats_due(judge: Judge, study: Study) -> bool:
    """Whether an item is to be asked again now."""
    if not study.repeats:
        return False
    so_far = _had(judge).filter(purpose=Purpose.REPEAT).count()
    return so_far < study.repeats and bool(_to_repeat(judge, study))


def give(judge: Judge, chosen: Next, mixed: Sequence[Test]) -> int:
    """Make assignments of chosen items, in order, with the tests among them. Return how many."""
    if not (chosen.items or mixed):
        return 0
    known = chosen.known
    batch = known.batch + (chosen.begins or not known.batch)
    keys = [one.item for one in chosen.items]
    flipped = _flipped(judge, keys)
    again = [key for key in keys if key in known.again]
    had = {}
    if again:
        had = {one.item_id: one for one in Assignment.objects.of(judge).filter(item__in=again)}
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
        if one.item in had:  # given back and given again, with what was begun, on the same side
            Assignment.objects.give_again(
                had[one.item], position=position, batch=batch, slot=one.place.slot
            )
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
    """Return what the judge has or answered; what was given back unanswered may be given again."""
    return Assignment.objects.of(judge).exclude(answered_at=None, given_back_at__isnull=False)


def _to_repeat(judge: Judge, study: Study) -> list[int]:
    """Return the items that the judge answered long enough ago, the longest first."""
    long_ago = timezone.now() - timedelta(days=study.repeat_after_days)
    mine = _had(judge)
    return list(
        mine.filter(purpose=Purpose.MAIN, answered_at__lte=long_ago)
        .exclude(item__in=mine.filter(purpose=Purpose.REPEAT).values("item_id"))
        .order_by("answered_at", "pk")
        .values_list("item_id", flat=True)[: study.repeats]
    )


def _spread(
    judge: Judge, due: list[int], chosen: Sequence[Chosen], rng: Random
) -> Iterator[tuple[int, int]]:
    """Yield which of the items that are due come before which of the chosen ones.

    Never before the first, so that a set begins as it would without.
    """
    if not chosen:
        yield from ((item, 0) for item in due)
    elif judge.study.dealing == Study.Dealing.DRAW:
        # Anywhere among so many: after each of those still to be drawn with the same chance, unless
        # one of these had its repeat, or the one just before them.
        still_to_draw = len(judge.row) % AMONG
        drawn = AMONG - 1 - still_to_draw
        if due and _since_repeat(judge) >= max(1, drawn) and not rng.randrange(still_to_draw + 1):
            yield due[0], len(chosen)
    else:
        some = due[: max(1, len(chosen) // AMONG)]
        edges = [len(chosen) * part // len(some) for part in range(len(some) + 1)] if some else []
        for item, (start, end) in zip(some, pairwise(edges), strict=True):
            yield item, rng.randrange(start, end) + 1


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
        flipped = not before.values_list("flipped", flat=True)[0]
    return [
        Assignment(
            judge=judge, item_id=test.item, position=position, batch=batch, counts=False,
            purpose=test.purpose, flipped=flipped,
        )
    ]  # fmt: skip


def _flipped(judge: Judge, items: Sequence[int]) -> set[int]:
    """Return the items of two texts whose second stands first for this judge.

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
        flips = side(seed, pair, plain=plain, flipped=turned, balance=balance)
        balance += 1 if flips else -1
        if flips:
            found.add(pair)
    return found
