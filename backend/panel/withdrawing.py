"""Experts are taken out of the analysis and brought back, while nobody knows who wrote what."""

from django.db import transaction

from annotation.studies import amending
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.design.models import Design


class Unsealed(ValueError):
    """The key of the study is unsealed, so whose answers count is settled."""


@transaction.atomic
def withdraw(judge: Judge, reason: str, *, by: User) -> int:
    """Take an expert's answers out of the analysis and end their part. Return how many places.

    Raises
    ------
    Unsealed
        If the study's key is unsealed: to leave somebody out would be to choose the results.
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


def _refuse_once_unsealed(judge: Judge) -> None:
    # Whoever unseals holds the study, too: one of the two comes first.
    Study.objects.hold(judge.study_id)
    if is_settled(judge.study):
        raise Unsealed(
            "The key of this study is unsealed: whose answers are analysed changes no more."
        )
