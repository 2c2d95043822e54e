"""The assignment ledger: who is given which item, and what is given back."""

from collections.abc import Collection, Sequence
from random import Random

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies import cells
from annotation.studies.choosing import choose, some_left
from annotation.studies.conflicts import declared
from annotation.studies.consenting import (
    NoBackground,
    NoConsent,
    agreed,
    lacks_background,
    record_background,
)
from annotation.studies.giving import give, give_outside, tests
from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Assignment, Background, Item, Judge, Study
from annotation.studies.presence import renew

__all__ = [
    "NoBackground",
    "NoConsent",
    "NotOpen",
    "NotTakingPart",
    "deal",
    "give_all",
    "give_back_waiting",
    "go_on",
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
def give_back_waiting(
    judge: Judge, *, only: Collection[int] | None = None, why: Kind = Kind.LEASE_RETURNED
) -> int:
    """Give the judge's unanswered items, or `only` these, back with their places.

    Return how many. What was begun with them is kept; if the judge comes back and a place is
    still free, they are given the same items again.
    """
    Study.objects.hold(judge.study_id)
    now = timezone.now()
    waiting = Assignment.objects.of(judge).waiting().select_related("item")
    if only is None:
        cells.release_row(judge)
    else:
        waiting = waiting.filter(item__in=only)
    given_back = [
        # In one order everywhere, so that two at once cannot wait for each other.
        one
        for one in waiting.order_by("item_id")
        if Assignment.objects.give_back(one, now)
    ]
    cells.release(given_back)
    if given_back:
        record(why, study=judge.study.slug, items=len(given_back))
    return len(given_back)


@transaction.atomic
def deal(judge: Judge) -> int:
    """Give the judge what comes next, unless something waits. Return how many items were given.

    That is a set, or where items are drawn, one item. Each item has K places. The guarded update
    of the study serialises dealing within it (on SQLite as on PostgreSQL), and the guarded update
    of the item, with its check constraint, is what keeps K exact.

    Raises
    ------
    NoBackground
        If the study asks for the judge's background and has none.
    NoConsent
        If the judge has not agreed to the newest text.
    NotOpen
        If the study is not open.
    NotTakingPart
        If the judge has paused or stopped, or was withdrawn.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    if not Study.objects.open().filter(pk=judge.study_id).update(deals=F("deals") + 1):
        raise NotOpen
    study = Study.objects.get(pk=judge.study_id)
    _refuse_unready(judge)
    if Assignment.objects.of(judge).waiting().exists():
        return 0
    cells.prepare(study)
    rng = Random(f"{study.seed}/{study.deals}")  # noqa: S311  (a stored seed, not a secret)
    # In the order in which places are given back.
    chosen = choose(judge, study, rng=rng)
    taken = {
        one.item
        for one in sorted(chosen, key=lambda one: one.item)
        if Item.objects.take_place(one.item)
    }
    cells.empty(study.pk, [one.place for one in chosen if one.item not in taken])
    given = [one for one in chosen if one.item in taken]
    number = give(judge, study, given, tests(judge, study, given, rng=rng))
    renew(judge)
    if number:
        record(Kind.LEASE_GIVEN, study=study.slug, items=number)
    return number


def go_on(judge: Judge) -> int:
    """Where items are drawn one at a time, draw the next of a set that is begun.

    Return how many were given: none between two sets, nor to whom nothing may be given now.
    """
    if not judge.row or judge.study.dealing != Study.Dealing.DRAW:
        return 0
    try:
        return deal(judge)
    except (NoBackground, NoConsent, NotOpen, NotTakingPart):
        return 0


def more_to_give(judge: Judge) -> bool:
    """Whether an item is left that this judge may judge, has not had, and that wants another."""
    return bool(judge.row) or some_left(judge, judge.study)


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
    rest = Item.objects.judged().filter(study=judge.study).exclude(pk__in=given).order_by("pk")
    keys = list(rest.values_list("pk", flat=True))
    Random(f"{judge.study.seed}/{judge.name}").shuffle(keys)  # noqa: S311
    return give_outside(judge, keys)


def _refuse_unready(judge: Judge) -> None:
    standing = (
        Judge.objects.filter(pk=judge.pk)
        .values_list("paused_at", "left_at", "withdrawn_at", "row", "group_id")
        .first()
    )
    if standing is None:
        raise StaleLink
    *out, judge.row, judge.group_id = standing
    if any(out):
        raise NotTakingPart
    if agreed(judge) is None:
        raise NoConsent
    if lacks_background(judge):
        raise NoBackground
