"""Raising K in an open study: more places, and a new version of the design that says so."""

from django.db import transaction

from annotation.studies import amending, links
from annotation.studies.models import Group, Study
from backend.accounts.models import User
from backend.design import freezing
from backend.design.models import DesignVersion


@transaction.atomic
def raise_places(
    study: Study, judges_per_item: int, *, group: Group | None, reason: str, by: User
) -> DesignVersion:
    """Let each item of the study, or of one group, have more judges. Return the new version.

    Raises
    ------
    annotation.studies.amending.TooFew
        If it is not more than before.
    annotation.studies.amending.NothingToRaise
        If no item would have more judges.
    annotation.studies.links.NotOpen
        If the study is not open.
    """
    if not Study.objects.open().filter(pk=study.pk).exists():
        raise links.NotOpen
    amending.raise_places(study, judges_per_item, group)
    return freezing.amend(study, reason=reason, by=by)
