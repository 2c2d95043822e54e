"""Experts who asked for their link by e-mail are sent it, whether they paused, left or neither."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.studies.models import Invitation, Judge, Study
from backend.panel.models import Letter
from backend.panel.services import write

# Anybody who knows an address can ask for its link, and shall not fill its mailbox.
AT_MOST_EVERY = timedelta(hours=1)


def queue_wanted(now: datetime) -> int:
    """Queue a letter to each expert who asked for their link and has had none since.

    A link that was stopped or has expired is not renewed: then there is nothing to send. Return how
    many letters were queued.
    """
    if not settings.SENDS_MAIL:
        return 0
    queued = 0
    for study in sorted(set(_waiting_for_link(now).values_list("study", flat=True))):
        with transaction.atomic():
            Study.objects.hold(study)  # two sweeps at once must not write twice
            wanted = _waiting_for_link(now).filter(study=study)
            queued += write(wanted, Letter.Kind.INVITATION, by=None)
    return queued


def _waiting_for_link(now: datetime) -> QuerySet[Judge]:
    hour_ago, wanted_at = now - AT_MOST_EVERY, OuterRef("link_wanted_at")
    answering = (
        Q(status__in=(Letter.Status.QUEUED, Letter.Status.RUNNING))
        | Q(asked_at__gte=wanted_at)
        | Q(sent_at__gte=wanted_at)
        | Q(asked_at__gt=hour_ago)
        | Q(sent_at__gt=hour_ago)
    )
    invitations = Letter.objects.filter(judge=OuterRef("pk"), kind=Letter.Kind.INVITATION)
    usable = Invitation.objects.usable(now).filter(judge=OuterRef("pk"))
    return (
        Judge.objects.experts()
        .filter(Exists(usable), ~Exists(invitations.filter(answering)))
        .filter(link_wanted_at__isnull=False)
        .exclude(email="")
    )
