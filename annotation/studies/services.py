"""The assignment ledger: who is given which item, and what is given back."""

from collections import Counter
from collections.abc import Collection, Sequence
from random import Random

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.studies.conflicts import declared
from annotation.studies.consenting import (
    NoBackground,
    NoConsent,
    agreed,
    lacks_background,
    record_background,
)
from annotation.studies.dealing import Candidate, choose, side
from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Assignment, Background, Item, Judge, Study

__all__ = [
    "NoBackground",
    "NoConsent",
    "NotOpen",
    "NotTakingPart",
    "deal",
    "give_all",
    "give_back_waiting",
    "more_to_give",
    "revoke",
]


class NotTakingPart(Exception):
    """The judge has paused or stopped."""


@transaction.atomic
def revoke(judge: Judge) -> int:
    """Stop the judge's links and give unanswered items back. Return how many were given back."""
    given_back = give_back_waiting(judge)
    judge.invitations.standing().update(revoked_at=timezone.now())
    return given_back


@transaction.atomic
def give_back_waiting(judge: Judge, *, only: Collection[int] | None = None) -> int:
    """Give the judge's unanswered items, or `only` these, back with their places.

    Return how many. What was begun with them is kept; if the judge comes back and a place is
    still free, they are given the same items again.
    """
    Study.objects.hold(judge.study_id)
    now = timezone.now()
    given_back = 0
    waiting = Assignment.objects.of(judge).waiting()
    if only is not None:
        waiting = waiting.filter(item__in=only)
    # In one order everywhere, so that two at once cannot wait for each other.
    for assignment in waiting.order_by("item_id"):
        if Assignment.objects.give_back(assignment, now):
            given_back += 1
            if assignment.counts:
                Item.objects.filter(pk=assignment.item_id).update(
                    places_taken=F("places_taken") - 1
                )
    return given_back


@transaction.atomic
def deal(judge: Judge) -> int:
    """Give the judge the next batch, unless one is unfinished. Return how many items were given.

    Each item has K places. The guarded update of the study serialises dealing within it (on
    SQLite as on PostgreSQL), and the guarded update of the item is what keeps K exact.

    Raises
    ------
    NoBackground
        If the study asks for the judge's background and has none.
    NoConsent
        If the judge has not agreed to the newest text.
    NotOpen
        If the study is not open.
    NotTakingPart
        If the judge has paused or stopped.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    if not Study.objects.open().filter(pk=judge.study_id).update(deals=F("deals") + 1):
        raise NotOpen
    study = Study.objects.get(pk=judge.study_id)
    _refuse_unready(judge)
    mine = Assignment.objects.of(judge)
    if mine.waiting().exists():
        return 0
    chosen = _choose(judge, study)
    # In the order in which `give_back_waiting` gives places back.
    keys = sorted(one.key for one in chosen)
    free = {key for key in keys if Item.objects.take_place(key, of=study.judges_per_item)}
    return _give(judge, [one.key for one in chosen if one.key in free], counts=True)


def more_to_give(judge: Judge) -> bool:
    """Whether an item is left that this judge may judge, has not had, and that wants another."""
    return bool(_candidates(judge, judge.study))


@transaction.atomic
def tell_background(
    judge: Judge,
    *,
    practice: Sequence[str],
    years: str,
    languages: Sequence[str],
    conflicts: str,
) -> Background:
    """Keep what an expert says of themselves, and take poems away that a conflict is now with.

    Raises
    ------
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    # The study before the judge, as everywhere, so that two at once cannot wait for each other.
    Study.objects.hold(judge.study_id)
    background = record_background(
        judge, practice=practice, years=years, languages=languages, conflicts=conflicts
    )
    avoided = declared(judge.study.conflict_salt, conflicts)
    if avoided:
        waiting = Assignment.objects.of(judge).waiting().values_list("item_id", "item__conflicts")
        hit = [item for item, codes in waiting if not avoided.isdisjoint(codes)]
        give_back_waiting(judge, only=hit)
    return background


@transaction.atomic
def give_all(judge: Judge) -> int:
    """Give a language model every item of its study, outside the K places of the experts."""
    Study.objects.hold(judge.study_id)
    given = Assignment.objects.of(judge).values("item_id")
    rest = Item.objects.filter(study=judge.study).exclude(pk__in=given).order_by("pk")
    keys = list(rest.values_list("pk", flat=True))
    Random(f"{judge.study.seed}/{judge.name}").shuffle(keys)  # noqa: S311
    return _give(judge, keys, counts=False)


def _refuse_unready(judge: Judge) -> None:
    standing = Judge.objects.filter(pk=judge.pk).values_list("paused_at", "left_at").first()
    if standing is None:
        raise StaleLink
    if any(standing):
        raise NotTakingPart
    if agreed(judge) is None:
        raise NoConsent
    if lacks_background(judge):
        raise NoBackground


def _choose(judge: Judge, study: Study) -> list[Candidate]:
    """Return the judge's next batch: first what they had given back and may have again."""
    mine = Assignment.objects.of(judge)
    candidates = _candidates(judge, study)
    had = set(mine.values_list("item_id", flat=True))
    rng = Random(f"{study.seed}/{study.deals}")  # noqa: S311  (a stored seed, not a secret)
    again = [one for one in candidates if one.key in had]
    chosen = choose(again, study.batch_size, seen_twins=[], rng=rng)
    seen_twins = mine.exclude(item__in=[one.key for one in again])
    return chosen + choose(
        [one for one in candidates if one.key not in had],
        study.batch_size - len(chosen),
        seen_twins=[*seen_twins.values_list("item__twin", flat=True), *(c.twin for c in chosen)],
        rng=rng,
    )


def _candidates(judge: Judge, study: Study) -> list[Candidate]:
    """Return the items that the judge may have: wanted, not had, and free of conflicts."""
    mine = Assignment.objects.of(judge)
    given = mine.exclude(answered_at=None, given_back_at__isnull=False).values("item_id")
    background = Background.objects.filter(judge=judge).first()
    avoided = declared(study.conflict_salt, background.conflicts) if background else set()
    rows = (
        Item.objects.wanting(study)
        .exclude(pk__in=given)
        .values_list("pk", "stratum", "twin", "places_taken", "conflicts")
    )
    # Compared here, since databases differ in what they can ask of a list.
    return [Candidate(*row[:4]) for row in rows if avoided.isdisjoint(row[4])]


def _give(judge: Judge, items: Sequence[int], *, counts: bool) -> int:
    last = Assignment.objects.of(judge).aggregate(position=Max("position"), batch=Max("batch"))
    position, batch = last["position"] or 0, last["batch"] or 0
    flipped = _flipped(judge, items)
    had = {one.item_id: one for one in Assignment.objects.of(judge).filter(item__in=items)}
    new = []
    for place, item in enumerate(items, start=position + 1):
        if item in had:  # given back and given again, with what was begun and on the same side
            Assignment.objects.give_again(had[item], position=place, batch=batch + 1)
        else:
            new.append(
                Assignment(
                    judge=judge,
                    item_id=item,
                    position=place,
                    batch=batch + 1,
                    counts=counts,
                    flipped=item in flipped,
                )
            )
    Assignment.objects.bulk_create(new)
    return len(items)


def _flipped(judge: Judge, items: Sequence[int]) -> set[int]:
    """Return the items of two texts whose second stands first for this judge.

    Of an item's standing assignments, those of experts and those of language models each, half
    are flipped, or one more or fewer.
    """
    pairs = Item.objects.filter(pk__in=items).exclude(second="").values_list("pk", flat=True)
    standing = Assignment.objects.filter(
        item__in=pairs, judge__kind=judge.kind, given_back_at=None
    ).values_list("item_id", "flipped")
    so_far = Counter(standing)
    seed = judge.study.seed
    return {
        pair
        for pair in pairs
        if side(seed, pair, plain=so_far[pair, False], flipped=so_far[pair, True])
    }
