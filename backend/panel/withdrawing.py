"""Experts are taken out of the analysis and brought back, as long as the key is sealed.

After an interim look it stays possible, since an expert may ask for it; but whoever does it may
know the results. So it is told for ever after how many looks each was taken out or brought back.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.activity.models import Entry
from annotation.activity.services import Kind, keyed
from annotation.studies import amending
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.design.models import Design, InterimLook


class Unsealed(ValueError):
    """The key of the study is unsealed, so whose answers count is settled."""


@dataclass(frozen=True)
class Change:
    """An expert taken out of the analysis, or brought back into it.

    Attributes
    ----------
    code : str
        The expert's random code; empty once they are deleted, as nothing tells then who it was.
    restored : bool
        Whether they were brought back.
    at : datetime
    after_looks : int
        How many interim looks at results there had been.
    """

    code: str
    restored: bool
    at: datetime
    after_looks: int


@transaction.atomic
def withdraw(judge: Judge, reason: str, *, by: User) -> int:
    """Take an expert's answers out of the analysis and end their part. Return how many places.

    Raises
    ------
    Unsealed
        If the study's key is unsealed: to leave somebody out would be to choose the results.
    annotation.studies.links.Withdrawn
        If they are withdrawn already.
    """
    _refuse_once_unsealed(judge)
    return amending.withdraw(judge, reason, by=by.username)


@transaction.atomic
def restore(judge: Judge, *, by: User) -> int:
    """Bring an expert's answers back. Return how many of them count again.

    Raises
    ------
    Unsealed
        If the study's key is unsealed.
    """
    _refuse_once_unsealed(judge)
    return amending.restore(judge, by=by.username)


def is_settled(study: Study) -> bool:
    """Whether the key is unsealed, so that nobody is withdrawn or brought back any more."""
    return Design.objects.filter(study=study).exclude(unblinded_at=None).exists()


def looks_so_far(study: Study) -> int:
    """Return how often results were looked at before the study was closed."""
    return InterimLook.objects.filter(design__study=study).count()


def changes(study: Study) -> list[Change]:
    """Return who was taken out of the analysis or brought back, in the order in which it was done.

    Who is out now, and since when, stands with the expert; what was undone since, in the log.
    """
    looks = sorted(InterimLook.objects.filter(design__study=study).values_list("at", flat=True))
    experts = list(study.judges.experts().order_by("pk"))
    out = [(one.code, False, one.withdrawn_at) for one in experts if one.withdrawn_at]
    found = sorted([*_undone(study, experts), *out], key=lambda one: one[2])
    return [
        Change(code, restored, at, after_looks=bisect_right(looks, at))
        for code, restored, at in found
    ]


def _undone(study: Study, experts: list[Judge]) -> list[tuple[str, bool, datetime]]:
    """Return what the log tells, except how whoever is out now came to be so."""
    kinds = (Kind.JUDGE_WITHDRAWN, Kind.JUDGE_RESTORED)
    entries = list(Entry.objects.of_study(study.slug).filter(kind__in=kinds).order_by("pk"))
    by_subject = {keyed(one.log_key, f"judge {one.pk}"): one for one in experts}
    last = {entry.subject: entry.pk for entry in entries if entry.kind == Kind.JUDGE_WITHDRAWN}
    standing = {last.get(subject) for subject, one in by_subject.items() if one.withdrawn_at}
    return [
        (
            by_subject[entry.subject].code if entry.subject in by_subject else "",
            entry.kind == Kind.JUDGE_RESTORED,
            entry.at,
        )
        for entry in entries
        if entry.pk not in standing
    ]


def _refuse_once_unsealed(judge: Judge) -> None:
    # Whoever unseals holds the study, too: one of the two comes first.
    Study.objects.hold(judge.study_id)
    if is_settled(judge.study):
        raise Unsealed(
            "The key of this study is unsealed: whose answers are analysed changes no more."
        )
