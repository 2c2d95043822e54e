"""Turning chosen items into assignments: positions, sides, hidden repeats, tests of attention."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from django.db.models import Max
from django.utils import timezone

from annotation.prepared import insert
from annotation.studies.choosing import Chosen, Next
from annotation.studies.dealing import side
from annotation.studies.models import Assignment, Item, Judge, Study

Purpose = Assignment.Purpose


@dataclass(frozen=True)
class Test:
    """An item that is given outside the study itself, and before which of the chosen ones."""

    item: int
    purpose: Assignment.Purpose
    before: int


def tests(judge: Judge, study: Study, chosen: Sequence[Chosen], *, rng: Random) -> list[Test]:
    """Return the hidden repeats and attention items to mix into what was chosen.

    A repeat is an item that the judge answered at least `study.repeat_after_days` ago. Nothing is
    mixed in where nothing was chosen: a test alone would stand out.
    """
    if not chosen or not (study.repeats or study.attention_every):
        return []
    # What was given back unanswered may be given again, tests as well.
    mine = Assignment.objects.of(judge).exclude(answered_at=None, given_back_at__isnull=False)
    had = Counter(mine.values_list("purpose", flat=True))
    planned: list[tuple[int, Assignment.Purpose]] = []
    if study.repeats > had[Purpose.REPEAT]:
        planned += [(item, Purpose.REPEAT) for item in _to_repeat(judge, study)[:1]]
    if study.attention_every:
        due = (had[Purpose.MAIN] + len(chosen)) // study.attention_every - had[Purpose.ATTENTION]
        fresh = list(
            Item.objects.filter(study=study, attention=True)
            .exclude(pk__in=mine.values("item_id"))
            .order_by("pk")
            .values_list("pk", flat=True)
        )
        rng.shuffle(fresh)
        planned += [(item, Purpose.ATTENTION) for item in fresh[: max(0, due)]]
    # Never first, so that a set begins as it would without.
    return [Test(item, purpose, rng.randrange(len(chosen)) + 1) for item, purpose in planned]


def give(judge: Judge, chosen: Next, mixed: Sequence[Test]) -> int:
    """Make assignments of chosen items, in order, with the tests among them. Return how many."""
    if not chosen.items:
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


def _to_repeat(judge: Judge, study: Study) -> list[int]:
    """Return the items that the judge answered long enough ago, the longest first."""
    long_ago = timezone.now() - timedelta(days=study.repeat_after_days)
    mine = Assignment.objects.of(judge).exclude(answered_at=None, given_back_at__isnull=False)
    return list(
        mine.filter(purpose=Purpose.MAIN, answered_at__lte=long_ago)
        .exclude(item__in=mine.filter(purpose=Purpose.REPEAT).values("item_id"))
        .order_by("answered_at", "pk")
        .values_list("item_id", flat=True)[:20]
    )


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
    standing = Assignment.objects.filter(
        item__in=ordered, judge__kind=judge.kind, purpose=Purpose.MAIN, given_back_at=None
    ).values_list("item_id", "flipped")
    so_far = Counter(standing)
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
