"""The assignment ledger: who is given which item, and what is given back."""

from collections.abc import Collection, Sequence
from datetime import datetime
from random import Random

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies import cells
from annotation.studies.choosing import NotAlone, choose, some_left
from annotation.studies.conflicts import declared
from annotation.studies.consenting import (
    NoBackground,
    NoConsent,
    record_background,
)
from annotation.studies.giving import give, give_outside, repeats_begin, repeats_due, tests
from annotation.studies.history import History, history
from annotation.studies.links import NotOpen, StaleLink
from annotation.studies.models import Assignment, Background, Item, Judge, Study
from annotation.studies.presence import renew
from annotation.studies.standing import standing

__all__ = [
    "NoBackground",
    "NoConsent",
    "NotOpen",
    "NotTakingPart",
    "PlacesGone",
    "deal",
    "give_all",
    "give_back_waiting",
    "go_on",
    "more_later",
    "more_to_give",
    "revoke",
]


class NotTakingPart(Exception):
    """The judge has paused or stopped."""


class PlacesGone(Exception):
    """What was free, or so, a moment ago is not; nothing is given, and trying again may help."""


TRIES = 20

# What stands between a judge and the next poem -> what dealing says.
REFUSED: dict[str, type[Exception]] = {
    "gone": StaleLink,
    "left": NotTakingPart,
    "paused": NotTakingPart,
    "consent": NoConsent,
    "background": NoBackground,
}


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
    return len(take_back(judge, only=only, why=why))


def take_back(
    judge: Judge,
    *,
    only: Collection[int] | None = None,
    why: Kind = Kind.LEASE_RETURNED,
    also: Collection[Assignment] = (),
) -> list[Assignment]:
    """Give the judge's unanswered items, or `only` these, back. Return their assignments.

    `also` are answered ones whose places go back in the same breath.
    """
    # In one order everywhere, so that two at once cannot wait for each other: the study, the
    # judge, what was given to them, cells, items.
    Study.objects.hold(judge.study_id)
    Judge.objects.hold(judge.pk)
    now = timezone.now()
    waiting = Assignment.objects.of(judge).waiting().select_related("item")
    if only is not None:
        waiting = waiting.filter(item__in=only)
    given_back = [
        one for one in waiting.order_by("item_id") if Assignment.objects.give_back(one, now)
    ]
    if only is None:
        cells.release_row(judge)
    cells.release([*given_back, *also])
    if given_back:
        record(
            why, study=judge.study.slug, key=judge.log_key, about=f"judge {judge.pk}",
            items=len(given_back),
        )  # fmt: skip
    return given_back


def deal(judge: Judge) -> int:
    """Give the judge what comes next, unless something waits. Return how many items were given.

    That is a set, or where items are drawn, one item. Each item has K places: the guarded update
    of the item, with its check constraint, keeps K exact. A set is arranged while the study is
    held by a guarded update (on SQLite as on PostgreSQL); what is drawn of it after that needs
    only its judge held.

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
    PlacesGone
        If, time and again, others took the places, or changed what the judge may have, a moment
        before.
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile, or their links were stopped.
    """
    study = judge.study
    mid_set = study.dealing == Study.Dealing.DRAW and bool(judge.row)
    alone = not mid_set
    before = judge.row, study.cells_ready
    for _ in range(TRIES):
        try:
            return _deal(judge, mid_set=mid_set, alone=alone)
        except NotAlone:
            alone = True
        except PlacesGone:
            pass
        # Nothing of it was stored, so nothing of it is so.
        judge.row, study.cells_ready = before
    raise PlacesGone


@transaction.atomic
def _deal(judge: Judge, *, mid_set: bool, alone: bool) -> int:
    study = judge.study
    if not alone:
        Judge.objects.hold(judge.pk)
    # Before it is asked what waits: whatever another tab is given from here on shows when the judge
    # is held, since their last position is then another.
    known = history(judge, study)
    now = standing(judge)
    if not now.ready:
        raise REFUSED.get(now.state, NotOpen)
    judge.row, judge.group_id = now.row, now.group
    if now.next_token or (mid_set and not judge.row):
        return 0
    _hold(judge, known, alone=alone)
    if alone:
        cells.prepare(study)
    rng = Random(f"{study.seed}/{study.deals}/{judge.pk}/{len(judge.row)}")  # noqa: S311  (stored)
    chosen = choose(judge, study, known, rng=rng, alone=alone)
    if Item.objects.take_places([one.item for one in chosen.items]) != len(chosen.items):
        raise PlacesGone
    given = give(judge, chosen, tests(judge, study, chosen, rng=rng))
    renew(judge)
    if given:
        record(
            Kind.LEASE_GIVEN, study=study.slug, key=judge.log_key, about=f"judge {judge.pk}",
            items=given,
        )  # fmt: skip
    return given


def _hold(judge: Judge, known: History, *, alone: bool) -> None:
    """Hold all that a deal rests on, as far as the caller does not, if it still is as read before.

    What can be read before is: everybody else waits as long as the study is held.

    Raises
    ------
    PlacesGone
        If it is not.
    annotation.studies.links.StaleLink
        If the judge's links were stopped meanwhile.
    """
    if alone:
        _hold_study(judge)
        _hold_judge(judge, known)
    # What they gave back can be given again, unless it was answered, or is just being begun.
    if known.left and Assignment.objects.of(judge).left().hold() != known.left:
        raise PlacesGone


def _hold_study(judge: Judge) -> None:
    counted = Study.objects.count_deal(judge.study_id)
    if counted is None:
        raise NotOpen
    judge.study.deals, judge.study.cells_ready = counted


def _hold_judge(judge: Judge, known: History) -> None:
    # Another tab may be in the middle of the row.
    read = judge.row, judge.group_id, known.told, known.position
    if Judge.objects.hold_to_deal(judge.pk) != read:
        raise PlacesGone
    links = list(judge.invitations.values_list("revoked_at", flat=True))
    if links and all(links):
        raise StaleLink


def go_on(judge: Judge) -> int:
    """Where items are drawn one at a time, draw the next of a set that is begun.

    Return how many were given: none between two sets, nor to whom nothing may be given now.
    """
    if not judge.row or judge.study.dealing != Study.Dealing.DRAW:
        return 0
    try:
        return deal(judge)
    except (NoBackground, NoConsent, NotOpen, NotTakingPart, PlacesGone):
        return 0


def more_to_give(judge: Judge) -> bool:
    """Whether an item is left that this judge may judge, and has not had or is to be asked again.

    It wants another judge, or is a hidden repeat.
    """
    if judge.row:
        return True
    study = judge.study
    known = history(judge, study)
    return some_left(judge, study, known) or repeats_due(judge, study, known)


def more_later(judge: Judge) -> datetime | None:
    """Return from when on there is more for a judge who has all that there is now.

    None if nothing is to come.
    """
    study = judge.study
    return repeats_begin(judge, study, history(judge, study)) if study.repeats else None


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
    items = give_outside(judge, keys)
    if items:
        # Nobody invites a language model: by this alone the log tells it from an expert.
        record(
            Kind.LEASE_GIVEN, study=judge.study.slug, key=judge.log_key, about=f"judge {judge.pk}",
            items=items, machine=True,
        )  # fmt: skip
    return items
