"""Unsealing the key, by as many people as the design asks for, and looks before that."""

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.judgments.models import Judgment
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design.models import Design, InterimLook, Unsealing
from backend.design.states import WrongState as WrongState

LONGEST_REASON = 500
HISTORY_KINDS = (Kind.UNSEALING_ASKED, Kind.STUDY_UNSEALED, Kind.INTERIM_LOOK)


class NoReason(ValueError):
    """Nothing was written down that says why; the message says what to do."""


class NotPlanned(ValueError):
    """The design, as it was fixed at opening, does not allow for this."""


class LookedMeanwhile(WrongState):
    """There was a look that the asker did not know of; the message says which and what to do."""


@transaction.atomic
def ask(study: Study, *, by: User, reason: str = "") -> bool:
    """Ask that the key of a closed study be unsealed. True once it is.

    It is unsealed, once, by whoever is the last of those that the design wants to ask. From then
    on experts see who wrote what they judged, if the study debriefs.

    Raises
    ------
    WrongState
        If the study is not closed: before that, knowing authorship could colour what is answered.
    """
    Study.objects.hold(study.pk)  # two people at one moment ask one after the other
    if Study.objects.get(pk=study.pk).state != Study.State.CLOSED:
        raise WrongState("Close the study first; then its key can be unsealed.")
    design = Design.objects.get(study=study)
    if design.unblinded_at is not None:
        return True
    reason = reason.strip()[:LONGEST_REASON]
    _, is_new = Unsealing.objects.get_or_create(design=design, by=by, defaults={"reason": reason})
    # Who left, or is no researcher any more, would not be given the key today.
    asked = sum(one.by.researches for one in design.unsealings.select_related("by"))
    if is_new:
        record(
            Kind.UNSEALING_ASKED, study=study.slug, actor=by.username, reason=reason,
            asked=asked, needed=design.unsealing_needs,
        )  # fmt: skip
    if asked < design.unsealing_needs:
        return False
    _unseal(design, study, by=by)
    return True


@transaction.atomic
def take_back(study: Study, *, by: User) -> bool:
    """Ask no longer that the key be unsealed. False if this person does not ask, or it is open."""
    Study.objects.hold(study.pk)
    asked = Unsealing.objects.filter(design__study=study, design__unblinded_at=None, by=by)
    if not asked.exists():
        return False
    asked.delete()
    record(Kind.UNSEALING_ASKED, study=study.slug, actor=by.username, taken_back=True)
    return True


@transaction.atomic
def look(study: Study, *, by: User, reason: str, seen: int | None = None) -> InterimLook:
    """Write down that somebody looks at the results of an open study, and return the look.

    `seen` is how many looks there were when this one was decided on, if that is known: what is
    sent a second time then makes no second look.

    Raises
    ------
    NotPlanned
        If the design allows for no interim looks.
    WrongState
        If the study is not open: results of a closed study wait for its key alone.
    LookedMeanwhile
        If there were more looks than `seen` already.
    NoReason
        If no reason is given.
    """
    Study.objects.hold(study.pk)  # so that looks are numbered one after the other
    design = Design.objects.select_related("study").get(study=study)
    if not design.interim_looks:
        raise NotPlanned(
            "The design, as it was fixed at opening, allows for no look at results before the "
            "study is closed."
        )
    if design.study.state != Study.State.OPEN:
        raise WrongState("Only an open study is looked at before it closes.")
    latest = design.looks.select_related("by").last()
    if seen is not None and latest is not None and latest.number > seen:
        raise LookedMeanwhile(
            f"Look {latest.number}, by {latest.by.username}, was recorded already, and its "
            "results were shown with it. No other look was recorded now; to look once more, "
            "which is counted as well, ask again."
        )
    reason = reason.strip()[:LONGEST_REASON]
    if not reason:
        raise NoReason("Say why you look now; the reason stays with the results.")
    judgments = Judgment.objects.counted(design.study).count()
    made = design.looks.create(
        number=design.looks.count() + 1, by=by, reason=reason, judgments=judgments
    )
    record(
        Kind.INTERIM_LOOK, study=study.slug, actor=by.username, number=made.number,
        reason=made.reason, judgments=judgments,
    )  # fmt: skip
    return made


def named(study: Study) -> str:
    """Return who had the key unsealed: all who asked, where it takes more than one."""
    design = Design.objects.filter(study=study).exclude(unblinded_at=None).first()
    if design is None:
        return ""
    asked = [one.by.username for one in design.unsealings.select_related("by")]
    if design.unsealing_needs > 1 and asked:
        return " and ".join(asked)
    return design.unblinded_by.username if design.unblinded_by else ""


def _unseal(design: Design, study: Study, *, by: User) -> None:
    now = timezone.now()
    Design.objects.filter(pk=design.pk).update(unblinded_at=now, unblinded_by=by)
    Study.objects.filter(pk=study.pk, debriefs=True).update(debrief_at=now)
    record(Kind.STUDY_UNSEALED, study=study.slug, actor=by.username, fingerprint=study.fingerprint)
