"""The assignment ledger: who is given which item, and what is given back."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.studies.conflicts import declared
from annotation.studies.consenting import NoBackground, NoConsent, agreed, lacks_background
from annotation.studies.dealing import Candidate, choose, side
from annotation.studies.links import NotOpen
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
def give_back_waiting(judge: Judge) -> int:
    """Give the judge's unanswered items back, and their places. Return how many."""
    _hold(judge.study_id)
    now = timezone.now()
    given_back = 0
    # In one order everywhere, so that two at once cannot wait for each other.
    for assignment in Assignment.objects.of(judge).waiting().order_by("item_id"):
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
    """
    if not Study.objects.open().filter(pk=judge.study_id).update(deals=F("deals") + 1):
        raise NotOpen
    study = Study.objects.get(pk=judge.study_id)
    _refuse_unready(judge)
    mine = Assignment.objects.of(judge)
    if mine.waiting().exists():
        return 0
    seen_twins = mine.values_list("item__twin", flat=True)
    chosen = choose(
        _candidates(judge, study),
        study.batch_size,
        seen_twins=seen_twins,
        rng=Random(f"{study.seed}/{study.deals}"),  # noqa: S311  (a stored seed, not a secret)
    )
    # In the order in which `give_back_waiting` gives places back.
    keys = sorted(one.key for one in chosen)
    free = {key for key in keys if Item.objects.take_place(key, of=study.judges_per_item)}
    return _give(judge, [one.key for one in chosen if one.key in free], counts=True)


def more_to_give(judge: Judge) -> bool:
    """Whether an item is left that this judge may judge, has not had, and that wants another."""
    return bool(_candidates(judge, judge.study))


@transaction.atomic
def give_all(judge: Judge) -> int:
    """Give a language model every item of its study, outside the K places of the experts."""
    _hold(judge.study_id)
    given = Assignment.objects.of(judge).values("item_id")
    rest = Item.objects.filter(study=judge.study).exclude(pk__in=given).order_by("pk")
    keys = list(rest.values_list("pk", flat=True))
    Random(f"{judge.study.seed}/{judge.name}").shuffle(keys)  # noqa: S311
    return _give(judge, keys, counts=False)


def _hold(study: int) -> None:
    """Let nobody else deal or leave within the study until this transaction ends."""
    Study.objects.filter(pk=study).update(deals=F("deals"))


def _refuse_unready(judge: Judge) -> None:
    if not Judge.objects.filter(pk=judge.pk, paused_at=None, left_at=None).exists():
        raise NotTakingPart
    if agreed(judge) is None:
        raise NoConsent
    if lacks_background(judge):
        raise NoBackground


def _candidates(judge: Judge, study: Study) -> list[Candidate]:
    given = Assignment.objects.of(judge).values("item_id")
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
    Assignment.objects.bulk_create(
        Assignment(
            judge=judge,
            item_id=item,
            position=place,
            batch=batch + 1,
            counts=counts,
            flipped=item in flipped,
        )
        for place, item in enumerate(items, start=position + 1)
    )
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
