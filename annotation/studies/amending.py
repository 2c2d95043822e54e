"""Changes to an open study: more judges for an item, a judge withdrawn, restored, replaced."""

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies import cells
from annotation.studies.links import Link, NotOpen, StaleLink, Withdrawn, invite
from annotation.studies.models import Assignment, Group, Item, Judge, Study
from annotation.studies.services import give_back_waiting, take_back


class TooFew(ValueError):
    """K can only be raised: what was promised to an item is not taken from it."""


class NothingToRaise(ValueError):
    """No item is among those whose K is to be raised; the message says which these are."""


class AlreadyGiven(ValueError):
    """The expert was given items, so what these were chosen by stays as it is."""


class AlreadyReplaced(ValueError):
    """Somebody is in the expert's place already; the message says who."""


@transaction.atomic
def raise_places(study: Study, judges_per_item: int, group: Group | None = None) -> int:
    """Let each item of the study, or of one group, have more judges. Return how many items.

    Raises
    ------
    NotOpen
        If the study is closed.
    TooFew
        If it is not more than before.
    NothingToRaise
        If no item would have more judges: those of groups have a K of their own.
    """
    Study.objects.hold(study.pk)
    # Somebody may have raised it, or closed the study, since these were read.
    study.refresh_from_db(fields=["state", "judges_per_item"])
    if study.state == Study.State.CLOSED:
        raise NotOpen
    if group:
        group.refresh_from_db(fields=["judges_per_item"])
    before = group.judges_per_item if group else study.judges_per_item
    items = Item.objects.judged().filter(study=study, group=group)
    if judges_per_item <= before and items.exists():
        raise TooFew(f"There are {before} judges for each item already; name more than that.")
    raised = items.filter(places__lt=judges_per_item).update(places=judges_per_item)
    if not raised:
        raise NothingToRaise(_why_nothing(study, group))
    if group is None:
        Study.objects.filter(pk=study.pk).update(judges_per_item=judges_per_item)
        study.judges_per_item = judges_per_item
    else:
        Group.objects.filter(pk=group.pk).update(judges_per_item=judges_per_item)
        group.judges_per_item = judges_per_item
    return raised


def _why_nothing(study: Study, group: Group | None) -> str:
    names = ", ".join(study.groups.order_by("pk").values_list("name", flat=True))
    if group is None and names:
        return f"Every item is in a group with a number of its own; name one of: {names}."
    return f"No item of {f'the group {group.name}' if group else 'the study'} can have more judges."


@transaction.atomic
def withdraw(judge: Judge, reason: str, *, by: str = "") -> int:
    """Take an expert's answers out of the analysis and end their part. Nothing is deleted.

    Their places, answered or not, go to others; their links stop. Return how many places. Should
    the expert ask for their answers to be deleted, these go like any others. The reason stands
    with the expert; in the log, only what proves it.

    Raises
    ------
    annotation.studies.links.StaleLink
        If the expert was deleted meanwhile.
    annotation.studies.links.Withdrawn
        If they are withdrawn already: they stay so since then, and for the reason given then.
    """
    now = timezone.now()
    _hold(judge)
    if judge.withdrawn_at is not None:
        raise Withdrawn(f"{judge} is withdrawn already, for the reason that was given then.")
    # What is on its way to be answered waits, and then finds them withdrawn.
    Assignment.objects.of(judge).hold()
    answered = Assignment.objects.of(judge).answered().filter(withdrawn_at=None)
    mine = list(answered.select_related("item"))
    released = [one for one in mine if one.counts and one.given_back_at is None]
    given_back = take_back(judge, also=released)
    answered.update(withdrawn_at=now)
    Judge.objects.filter(pk=judge.pk).update(withdrawn_at=now, withdrawn_reason=reason)
    judge.withdrawn_at, judge.withdrawn_reason = now, reason
    judge.invitations.standing().update(revoked_at=now)
    record(
        Kind.JUDGE_WITHDRAWN, study=judge.study.slug, actor=by, key=judge.log_key,
        about=f"judge {judge.pk}", content=reason, judgments=len(mine),
    )  # fmt: skip
    return len(given_back) + len(released)


@transaction.atomic
def restore(judge: Judge, *, by: str = "") -> int:
    """Undo a withdrawal. Return how many answers came back into the analysis.

    An answer whose place was taken by another meanwhile stays out of it, as an extra one. The
    expert needs a new link to go on.

    Raises
    ------
    annotation.studies.links.StaleLink
        If the expert was deleted meanwhile.
    """
    _hold(judge)
    if judge.withdrawn_at is None:
        return 0
    Judge.objects.filter(pk=judge.pk).update(withdrawn_at=None, withdrawn_reason="")
    judge.withdrawn_at, judge.withdrawn_reason = None, ""
    Assignment.objects.of(judge).hold()
    mine = Assignment.objects.of(judge).exclude(withdrawn_at=None).select_related("item")
    held = [one for one in mine.order_by("item_id") if one.counts and one.given_back_at is None]
    cells.hold(judge.study_id, [cells.place_of(one) for one in held])
    back = [one for one in held if Item.objects.take_place(one.item_id)]
    cells.fill(judge.study_id, [cells.place_of(one) for one in back if one.slot is not None])
    lost = mine.filter(pk__in={one.pk for one in held} - {one.pk for one in back})
    # Extra ones are out of it in any case.
    in_time = sorted(lost.filter(judgment__extra=False).values_list("pk", flat=True))
    lost.update(given_back_at=timezone.now())
    mine.update(withdrawn_at=None)
    record(
        Kind.JUDGE_RESTORED, study=judge.study.slug, actor=by, key=judge.log_key,
        about=f"judge {judge.pk}", content=in_time or None, judgments=len(back),
    )  # fmt: skip
    return len(back)


@transaction.atomic
def assign_group(judge: Judge, group: Group | None, *, by: str = "") -> None:
    """Let an expert judge the items of another group; without one, those of all.

    Raises
    ------
    AlreadyGiven
        If they were given items before: these may be of another group.
    annotation.studies.links.StaleLink
        If the expert was deleted meanwhile.
    """
    _hold(judge)
    if judge.row or Assignment.objects.of(judge).exists():
        raise AlreadyGiven(f"{judge} was given poems already, so their group stays as it is.")
    Judge.objects.filter(pk=judge.pk).update(group=group)
    judge.group = group
    record(
        Kind.JUDGE_GROUPED, study=judge.study.slug, actor=by, key=judge.log_key,
        about=f"judge {judge.pk}", content=group.pk if group else 0,
    )  # fmt: skip


@transaction.atomic
def replace(judge: Judge, *, name: str, email: str = "", language: str = "", by: str = "") -> Link:
    """End an expert's part and invite somebody in their place. Return the new link.

    Answers of the first are kept and count; what they still send is kept as extra. What they left
    unanswered is what the second is given first; they judge the same group.

    Raises
    ------
    AlreadyReplaced
        If somebody is in their place already.
    annotation.studies.links.AlreadyInvited
        If the address is on the panel already.
    annotation.studies.links.NotOpen
        If the study is closed.
    annotation.studies.links.StaleLink
        If the expert was deleted meanwhile.
    """
    _hold(judge)
    if successor := judge.replaced_by.first():
        raise AlreadyReplaced(
            f"{successor} is in the place of {judge} already; replace {successor}."
        )
    link = invite(
        judge.study, name=name, email=email, language=language, group=judge.group,
        replaces=judge, by=by,
    )  # fmt: skip
    now = timezone.now()
    Judge.objects.filter(pk=judge.pk, left_at=None).update(left_at=now)
    judge.left_at = judge.left_at or now
    give_back_waiting(judge)
    # Nothing new comes by their link, but what they are in the middle of can still be sent, and the
    # way out stays open.
    judge.invitations.usable(now).update(expires_at=now)
    record(
        Kind.JUDGE_REPLACED, study=judge.study.slug, actor=by, key=judge.log_key,
        about=f"judge {judge.pk}",
    )  # fmt: skip
    return link


def _hold(judge: Judge) -> None:
    """Hold the study, then the judge, and read anew what others may have changed before that.

    Raises
    ------
    annotation.studies.links.StaleLink
        If the judge was deleted meanwhile.
    """
    Study.objects.hold(judge.study_id)
    Judge.objects.hold(judge.pk)
    try:
        judge.refresh_from_db(fields=["group", "row", "left_at", "withdrawn_at"])
    except Judge.DoesNotExist as gone:
        raise StaleLink from gone
