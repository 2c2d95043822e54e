"""Leases: items wait for an expert as long as the expert does something now and then."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from annotation.activity.services import Kind
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.presence import renew
from annotation.studies.services import give_back_waiting

__all__ = ["ending", "ends_at", "expire", "renew"]


def ends_at(judge: Judge) -> datetime | None:
    """Return when the judge's unanswered items go back to the others; None if none waits."""
    waiting = Assignment.objects.of(judge).waiting().filter(counts=True)
    given_at: datetime | None = waiting.aggregate(last=Max("given_at"))["last"]
    if given_at is None:
        return None
    # An item that was given by hand, with nothing done since.
    active_at = max(given_at, judge.active_at or given_at)
    return active_at + timedelta(hours=judge.study.lease_hours)


def ending(study: Study, now: datetime, within: timedelta) -> list[Judge]:
    """Return the experts whose lease ends by then, those whose lease is over among them."""
    since = now + within - timedelta(hours=study.lease_hours)
    return list(_idle_since(study, since).filter(Exists(_waiting())))


def expire(now: datetime) -> int:
    """Give back what waits for experts whose lease is over, in all open studies.

    So is the rest of a set that they were drawing. Return how many items. An answer to one of
    them is still taken, as extra.
    """
    given_back = 0
    for study in Study.objects.open().order_by("pk"):
        idle = _idle_since(study, now - timedelta(hours=study.lease_hours))
        for judge in idle.filter(Exists(_waiting()) | ~Q(row=[])):
            with transaction.atomic():
                Study.objects.hold(study.pk)
                # Whoever does something at this moment keeps what they have.
                same = Judge.objects.filter(pk=judge.pk, active_at=judge.active_at)
                if judge.active_at is None:
                    same = Judge.objects.filter(pk=judge.pk, active_at=None)
                if same.update(active_at=F("active_at")):
                    given_back += give_back_waiting(judge, why=Kind.LEASE_EXPIRED)
    return given_back


def _waiting() -> QuerySet[Assignment]:
    return Assignment.objects.waiting().filter(judge=OuterRef("pk"), counts=True)


def _idle_since(study: Study, moment: datetime) -> QuerySet[Judge]:
    """Experts who were given items, and did nothing since then."""
    return (
        Judge.objects.experts()
        .filter(study=study)
        .filter(Q(active_at=None) | Q(active_at__lte=moment))
        .annotate(last_given=Max("assignments__given_at"))
        .filter(last_given__lte=moment)
        .select_related("study")
        .order_by("pk")
    )
