"""Leaving a study: for a while, for good, or as if one had never come."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.judgments.erasing import erase_letters, leave_no_bytes
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.studies import cells
from annotation.studies.models import (
    Assignment,
    Background,
    Consent,
    Invitation,
    Judge,
    Study,
)
from annotation.studies.services import give_back_waiting

SALT = "blindverse.deleted"


@dataclass(frozen=True)
class Receipt:
    """What was deleted, in counts: nothing of the person.

    Attributes
    ----------
    study_title, fingerprint : str
    answers : int
        Poems that had been answered.
    drafts : int
    places : int
        Places that were given back, so that other experts can take them.
    deleted_at : datetime
    """

    study_title: str
    fingerprint: str
    answers: int
    drafts: int
    places: int
    deleted_at: datetime


class Replaced(Exception):
    """Somebody else has the judge's place, so their part has ended for good."""


@transaction.atomic
def pause(judge: Judge) -> None:
    """Give the judge nothing new and let nobody write to them, until they resume."""
    _set(judge, Kind.JUDGE_PAUSED, paused_at=timezone.now())


@transaction.atomic
def resume(judge: Judge) -> None:
    """Let the judge go on after a pause or a stop.

    The next deal gives what they had given back first, where a place is still free.

    Raises
    ------
    Replaced
        If somebody else has their place.
    """
    # Whoever replaces them holds them, too.
    Judge.objects.hold(judge.pk)
    if judge.is_replaced:
        raise Replaced
    _set(judge, Kind.JUDGE_RESUMED, paused_at=None, left_at=None)


@transaction.atomic
def stop(judge: Judge) -> int:
    """End the judge's part and keep their answers. Return how many places were given back.

    The personal link stays: by it they can come back, see their answers, or have them deleted.
    """
    given_back = give_back_waiting(judge)
    _set(judge, Kind.JUDGE_STOPPED, left_at=timezone.now())
    return given_back


@transaction.atomic
def delete(judge: Judge) -> Receipt:
    """Delete an expert with everything they gave, and give all their places back.

    Answers that were withdrawn from the analysis go with the others: that they are kept is the
    study's wish, that they are deleted the expert's, and that comes first. What is left is one more
    in the study's counts of deleted experts and judgments.

    Raises
    ------
    Judge.DoesNotExist
        If they are deleted already.
    OSError
        If a local copy of a letter cannot be deleted; then nothing is.
    ValueError
        If the judge is a language model.
    """
    if judge.kind != Judge.Kind.EXPERT:
        raise ValueError(f"{judge} is a language model; only experts can be deleted.")
    # Nobody deals in this study until the end.
    Study.objects.filter(pk=judge.study_id).update(experts_deleted=F("experts_deleted") + 1)
    # The rows of whoever replaces them are written to, too, once they are gone.
    Judge.objects.hold(judge.pk, *judge.replaced_by.values_list("pk", flat=True))
    # Rows that another tab is just adding to these wait, and then find them gone.
    gone = Judge.objects.select_for_update().get(pk=judge.pk)
    mine = Assignment.objects.of(gone).select_for_update(of=("self",)).order_by("item_id")
    cells.release_row(gone)
    places = cells.release(one for one in mine.select_related("item") if not one.given_back_at)
    drafts, answers = _delete_answers(gone)
    Study.objects.filter(pk=gone.study_id).update(
        judgments_deleted=F("judgments_deleted") + answers
    )
    receipt = Receipt(
        study_title=gone.study.title,
        fingerprint=gone.study.fingerprint,
        answers=answers,
        drafts=drafts,
        places=places,
        deleted_at=timezone.now(),
    )
    record(Kind.EXPERT_DELETED, study=gone.study.slug, judgments=answers)
    _delete_person(gone)
    # Before the commit: a receipt never says more than was done.
    erase_letters(gone.email)
    leave_no_bytes()
    return receipt


def to_token(receipt: Receipt) -> str:
    """Return the receipt as a signed text for an address, so that no row need hold it."""
    told = {**asdict(receipt), "deleted_at": receipt.deleted_at.isoformat()}
    return signing.dumps(told, salt=SALT, compress=True)


def from_token(token: str) -> Receipt:
    """Return the receipt that `to_token` signed.

    Raises
    ------
    django.core.signing.BadSignature
        If it was not signed here.
    """
    told = signing.loads(token, salt=SALT)
    return Receipt(**{**told, "deleted_at": datetime.fromisoformat(told["deleted_at"])})


def _set(judge: Judge, why: Kind, **moments: datetime | None) -> None:
    """Store these moments, and no other: it may have been changed since the judge was read."""
    if Judge.objects.filter(pk=judge.pk).update(**moments):
        record(why, study=judge.study.slug, key=judge.log_key, about=f"judge {judge.pk}")
    for name, moment in moments.items():
        setattr(judge, name, moment)


def _delete_answers(judge: Judge) -> tuple[int, int]:
    """Delete drafts and judgments, and return how many of each."""
    drafts, _ = Draft.objects.filter(assignment__judge=judge).delete()
    # An edit that is under way adds its ratings first.
    list(Judgment.objects.filter(assignment__judge=judge).select_for_update(of=("self",)))
    Rating.objects.filter(judgment__assignment__judge=judge).delete()
    answers, _ = Judgment.objects.filter(assignment__judge=judge).delete()
    return drafts, answers


def _delete_person(judge: Judge) -> None:
    # One by one, since every foreign key protects; other rooms' rows go with the judge.
    Assignment.objects.of(judge).delete()
    for rows in (Consent, Background, Invitation):
        rows.objects.filter(judge=judge).delete()
    judge.delete()
