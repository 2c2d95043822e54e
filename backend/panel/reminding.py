"""Whom to remind: experts with something left to do, after a silence or before a link expires."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Aggregate, Count, Exists, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.judgments.models import Draft
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
        How many they had; those that could not be sent are none.
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
    """Return the experts who can be reminded: poems wait for them, or they answered none yet."""
    usable = Invitation.objects.usable(now).filter(judge=OuterRef("pk"))
    waiting = Assignment.objects.waiting().filter(judge=OuterRef("pk"))
    answered = Assignment.objects.answered().filter(judge=OuterRef("pk"))
    return list(
        Judge.objects.at_work()
        .filter(Exists(usable), study=study)
        .filter(Exists(waiting) | ~Exists(answered))
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
    standing, letters = Invitation.objects.standing(), Letter.objects.all()
    reminders = letters.filter(kind=Letter.Kind.REMINDER).exclude(status=Letter.Status.FAILED)
    # Subqueries, since joins of all these would make rows as many as the product of their numbers.
    rows = Judge.objects.filter(pk__in=judges).values(
        "pk",
        linked=_last(Invitation.objects.all(), "created_at"),
        expires=_last(standing, "expires_at"),
        opened=_last(Invitation.objects.all(), "first_used_at"),
        given=_last(Assignment.objects.all(), "given_at"),
        answered=_last(Assignment.objects.all(), "answered_at"),
        drafted=_last(Draft.objects.all(), "saved_at", judge="assignment__judge"),
        asked=_last(letters, "asked_at"),
        sent=_last(letters, "sent_at"),
        reminders=Coalesce(_each(reminders, Count("pk")), 0),
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


def _last(rows: QuerySet[Any], when: str, *, judge: str = "judge") -> Subquery:
    return _each(rows, Max(when), judge=judge)


def _each(rows: QuerySet[Any], figure: Aggregate, *, judge: str = "judge") -> Subquery:
    """Return a figure of the rows of the judge that the outer query is at."""
    theirs = rows.filter(**{judge: OuterRef("pk")}).order_by().values(judge)
    return Subquery(theirs.annotate(figure=figure).values("figure"))


def _latest(*times: datetime | None) -> datetime:
    return max(time for time in times if time)
