"""Whom to remind: experts with something left to do, after a silence or before a link expires."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q

from annotation.studies.models import Assignment, Invitation, Judge, Study
from backend.panel.models import Letter, PanelRules
from backend.panel.services import write


@dataclass(frozen=True)
class Silence:
    """What the rules ask of an expert who has something left to do.

    Attributes
    ----------
    since : datetime
        Their last answer, draft, batch or opening of the link; or when the link was made.
    written_at : datetime
        When they were last written to, or given a link.
    expires_at : datetime
        When the link expires.
    reminders : int
        How many they had.
    """

    since: datetime
    written_at: datetime
    expires_at: datetime
    reminders: int


def is_due(silence: Silence, rules: PanelRules, now: datetime) -> bool:
    """Whether the rules want a reminder now."""
    if rules.remind_after_days is None or silence.reminders >= rules.reminders_at_most:
        return False
    pause = timedelta(days=rules.remind_after_days)
    if silence.expires_at <= now or now - silence.written_at < pause:
        return False
    notice = timedelta(days=rules.remind_before_expiry_days)
    return now - silence.since >= pause or silence.expires_at - now <= notice


def with_something_left(study: Study, now: datetime) -> list[Judge]:
    """Return the experts who can be reminded: unanswered poems, or a link never opened."""
    usable = Invitation.objects.usable(now).filter(judge=OuterRef("pk"))
    opened = Invitation.objects.filter(judge=OuterRef("pk"), first_used_at__isnull=False)
    waiting = Assignment.objects.waiting().filter(judge=OuterRef("pk"))
    begun = Assignment.objects.filter(judge=OuterRef("pk"))
    return list(
        Judge.objects.at_work()
        .filter(Exists(usable), study=study)
        .filter(Exists(waiting) | (~Exists(opened) & ~Exists(begun)))
        .exclude(email="")
        .select_related("study")
    )


def due(study: Study, rules: PanelRules, now: datetime) -> list[Judge]:
    """Return the experts whom the rules want reminded now."""
    left = with_something_left(study, now)
    silences = _silences([judge.pk for judge in left], now)
    return [judge for judge in left if is_due(silences[judge.pk], rules, now)]


def queue_reminders(now: datetime) -> int:
    """Queue the reminders that are due in all studies. Return how many."""
    if not settings.SENDS_MAIL:
        return 0
    queued = 0
    for rules in PanelRules.objects.to_check(now).select_related("study"):
        with transaction.atomic():
            # Two sweeps at once must not write twice.
            if PanelRules.objects.take(rules.pk, now):
                queued += write(due(rules.study, rules, now), Letter.Kind.REMINDER, by=None)
    return queued


def _silences(judges: list[int], now: datetime) -> dict[int, Silence]:
    """Return what the rules ask of these experts, all of whom have a link that works."""
    rows = Judge.objects.filter(pk__in=judges).values(
        "pk",
        linked=Max("invitations__created_at"),
        expires=Max("invitations__expires_at", filter=Q(invitations__revoked_at=None)),
        opened=Max("invitations__first_used_at"),
        given=Max("assignments__given_at"),
        answered=Max("assignments__answered_at"),
        drafted=Max("assignments__draft__saved_at"),
        asked=Max("letters__asked_at"),
        sent=Max("letters__sent_at"),
        reminders=Count("letters", filter=Q(letters__kind="reminder"), distinct=True),
    )
    return {
        row["pk"]: Silence(
            _latest(*(row[name] for name in ("linked", "opened", "given", "answered", "drafted"))),
            _latest(row["linked"], row["asked"], row["sent"]),
            row["expires"],
            row["reminders"],
        )
        for row in rows
    }


def _latest(*times: datetime | None) -> datetime:
    return max(time for time in times if time)
