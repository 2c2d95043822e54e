"""Changes to an open study: more judges for an item, a judge withdrawn, restored or replaced."""

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies import cells
from annotation.studies.links import Link, NotOpen, invite
from annotation.studies.models import Assignment, Group, Item, Judge, Study
from annotation.studies.services import give_back_waiting, revoke


class TooFew(ValueError):
    """K can only be raised: what was promised to an item is not taken from it."""


@transaction.atomic
def raise_places(study: Study, judges_per_item: int, group: Group | None = None) -> int:
    """Let each item of the study, or of one group, have more judges. Return how many items.

    Raises
    ------
    NotOpen
        If the study is closed.
    TooFew
        If it is not more than before.
    """
    Study.objects.hold(study.pk)
    # Somebody may have raised it, or closed the study, since these were read.
    study.refresh_from_db(fields=["state", "judges_per_item"])
    if study.state == Study.State.CLOSED:
        raise NotOpen
    if group:
        group.refresh_from_db(fields=["judges_per_item"])
    before = group.judges_per_item if group else study.judges_per_item
    if judges_per_item <= before:
        raise TooFew(f"There are {before} judges for each item already; name more than that.")
    items = Item.objects.judged().filter(study=study, places__lt=judges_per_item)
    if group is None:
        # Groups have a K of their own.
        raised = items.filter(group=None).update(places=judges_per_item)
        Study.objects.filter(pk=study.pk).update(judges_per_item=judges_per_item)
        study.judges_per_item = judges_per_item
    else:
        raised = items.filter(group=group).update(places=judges_per_item)
        Group.objects.filter(pk=group.pk).update(judges_per_item=judges_per_item)
        group.judges_per_item = judges_per_item
    return raised


@transaction.atomic
def withdraw(judge: Judge, reason: str, *, by: str = "") -> int:
    """Take an expert's answers out of the analysis and end their part. Nothing is deleted.

    Their places, answered or not, go to others; their links stop. Return how many places.
    """
    Study.objects.hold(judge.study_id)
    now = timezone.now()
    Judge.objects.hold(judge.pk)
    given_back = give_back_waiting(judge)
    answered = Assignment.objects.of(judge).answered().filter(withdrawn_at=None)
    mine = list(answered.select_related("item"))
    released = cells.release(one for one in mine if one.given_back_at is None)
    answered.update(withdrawn_at=now)
    Judge.objects.filter(pk=judge.pk).update(withdrawn_at=now, withdrawn_reason=reason)
    judge.withdrawn_at, judge.withdrawn_reason = now, reason
    revoke(judge)
    record(
        Kind.JUDGE_WITHDRAWN, study=judge.study.slug, actor=by, reason=reason, judgments=len(mine)
    )
    return given_back + released


@transaction.atomic
def restore(judge: Judge, *, by: str = "") -> int:
    """Undo a withdrawal. Return how many answers came back into the analysis.

    An answer whose place was taken by another meanwhile stays out of it, as an extra one. The
    expert needs a new link to go on.
    """
    Study.objects.hold(judge.study_id)
    if (
        not Judge.objects.filter(pk=judge.pk)
        .exclude(withdrawn_at=None)
        .update(withdrawn_at=None, withdrawn_reason="")
    ):
        return 0
    judge.withdrawn_at, judge.withdrawn_reason = None, ""
    mine = Assignment.objects.of(judge).exclude(withdrawn_at=None).select_related("item")
    back = 0
    # In one order everywhere, so that two at once cannot wait for each other.
    for one in mine.order_by("item_id"):
        held = one.counts and one.given_back_at is None
        found = held and Item.objects.take_place(one.item_id)
        if found and one.slot is not None:
            cells.fill(judge.study_id, [cells.place_of(one)])
        lost = timezone.now() if held and not found else one.given_back_at
        Assignment.objects.filter(pk=one.pk).update(withdrawn_at=None, given_back_at=lost)
        back += found
    record(Kind.JUDGE_RESTORED, study=judge.study.slug, actor=by, judgments=back)
    return back


@transaction.atomic
def replace(judge: Judge, *, name: str, email: str = "", language: str = "") -> Link:
    """End an expert's part and invite somebody in their place. Return the new link.

    Answers of the first are kept and count. What they left unanswered is what the second is
    given first; they judge the same group.

    Raises
    ------
    annotation.studies.links.AlreadyInvited
        If the address is on the panel already.
    annotation.studies.links.NotOpen
        If the study is closed.
    """
    Study.objects.hold(judge.study_id)
    judge.study.refresh_from_db(fields=["state"])
    link = invite(
        judge.study, name=name, email=email, language=language, group=judge.group, replaces=judge
    )
    now = timezone.now()
    # The judge before what was given to them, as everywhere.
    Judge.objects.filter(pk=judge.pk, left_at=None).update(left_at=now)
    judge.left_at = judge.left_at or now
    revoke(judge)
    return link
