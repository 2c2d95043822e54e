"""Whom to remind: those with something left to do, after a silence or before they lose it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Aggregate, Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.judgments.models import Draft
from annotation.studies.giving import repeats_owed
from annotation.studies.models import Assignment, Invitation, Judge, Study
from backend.accounts.models import User
from backend.panel.models import Letter, PanelRules
from backend.panel.services import write

A_DAY = timedelta(days=1)
WITHIN_A_DAY = "A letter went to them within a day."
WAITING = "A reminder to them is waiting already."
SIGNS_OF_LIFE = ("linked", "opened", "given", "answered", "drafted", "active_at")


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
        How many they had; those that could not be sent are none, nor those before a lease ended.
    lease_ends_at : datetime or None
        When what waits for them goes back to the others; None if nothing waits.
    """

    since: datetime
    written_at: datetime
    expires_at: datetime
    reminders: int
    lease_ends_at: datetime | None = None


@dataclass(frozen=True)
class Reminded:
    """How many reminders were queued, and who was left out, with the reason."""

    queued: int
    left_out: Sequence[tuple[Judge, str]]

    @property
    def just_written_to(self) -> int:
        return sum(why == WITHIN_A_DAY for _, why in self.left_out)


def is_due(silence: Silence, rules: PanelRules, now: datetime) -> bool:
    """Whether the rules want a reminder of a silence now, or that the link is about to expire."""
    if rules.remind_after_days is None or silence.reminders >= rules.reminders_at_most:
        return False
    if silence.expires_at <= now:
        return False
    pause = timedelta(days=rules.remind_after_days)
    if now - silence.written_at < pause:
        return False
    notice = timedelta(days=rules.remind_before_expiry_days)
    return now - silence.since >= pause or silence.expires_at - now <= notice


def is_losing_poems(silence: Silence, rules: PanelRules, now: datetime) -> bool:
    """Whether the lease ends within the notice, and no letter has gone out since that began.

    The rules of silence do not keep this one back, nor does it count among their reminders: that of
    a week's silence may have gone out days before, and the next would come when the poems are gone.
    """
    if silence.lease_ends_at is None or not rules.remind_before_lease_days:
        return False
    if silence.expires_at <= now:
        return False
    notice_begins = silence.lease_ends_at - timedelta(days=rules.remind_before_lease_days)
    return notice_begins <= now < silence.lease_ends_at and silence.written_at < notice_begins


def with_something_left(study: Study, now: datetime) -> list[Judge]:
    """Return the experts who can be reminded.

    Poems wait for them or are to be asked again by now, or they answered none yet.
    """
    usable = Invitation.objects.usable(now).filter(judge=OuterRef("pk"))
    waiting = Assignment.objects.waiting().filter(judge=OuterRef("pk"))
    answered = Assignment.objects.answered().filter(judge=OuterRef("pk"))
    return list(
        Judge.objects.at_work()
        .filter(Exists(usable), study=study)
        .filter(Exists(waiting) | ~Exists(answered) | Q(pk__in=repeats_owed(study, now)))
        .exclude(email="")
        .select_related("study")
    )


def just_written_to(judges: Iterable[Judge], now: datetime) -> set[int]:
    """Return the keys of those to whom a letter went within a day, or is on its way."""
    day_ago = now - A_DAY
    letters = Letter.objects.filter(judge__in=[judge.pk for judge in judges])
    recent = letters.exclude(status=Letter.Status.FAILED).filter(
        Q(asked_at__gt=day_ago) | Q(sent_at__gt=day_ago)
    )
    return set(recent.values_list("judge", flat=True))


@transaction.atomic
def remind(judges: Sequence[Judge], *, by: User, again: bool = False) -> Reminded:
    """Queue a reminder to each of these experts, but for those written to within a day.

    Those, too, are reminded `again` if that is meant; nobody has two reminders waiting.
    """
    # Two who ask at once must not both find that nobody was written to.
    Study.objects.hold(*{judge.study_id for judge in judges})
    recent = set() if again else just_written_to(judges, timezone.now())
    waiting = set(
        Letter.objects.unfinished()
        .filter(judge__in=judges, kind=Letter.Kind.REMINDER)
        .values_list("judge", flat=True)
    )
    left_out = [
        (judge, WITHIN_A_DAY if judge.pk in recent else WAITING)
        for judge in judges
        if judge.pk in recent | waiting
    ]
    wanted = [judge for judge in judges if judge.pk not in recent | waiting]
    return Reminded(write(wanted, Letter.Kind.REMINDER, by=by), left_out)


def queue_reminders(now: datetime) -> int:
    """Queue the reminders that are due in all studies. Return how many."""
    if not settings.SENDS_MAIL:
        return 0
    PanelRules.objects.add_missing()
    queued = 0
    for key, study in PanelRules.objects.to_check(now).values_list("pk", "study"):
        with transaction.atomic():
            # Until the letters are queued nobody is deleted, loses the link or is written to.
            Study.objects.hold(study)
            # Two sweeps at once must not write twice.
            if PanelRules.objects.take(key, now):
                queued += _remind(PanelRules.objects.select_related("study").get(pk=key), now)
    return queued


@transaction.atomic
def keep_rules(rules: PanelRules) -> None:
    """Keep the rules that somebody set for a study, and have them looked at anew."""
    # A sweep may have given the study the usual ones since these were begun.
    rules.pk = PanelRules.objects.get_or_create(study=rules.study)[0].pk
    rules.checked_at = None
    rules.save(force_update=True)


def _remind(rules: PanelRules, now: datetime) -> int:
    study = rules.study
    left = with_something_left(study, now)
    silences = _silences([judge.pk for judge in left], timedelta(hours=study.lease_hours))
    losing = [judge for judge in left if is_losing_poems(silences[judge.pk], rules, now)]
    told = {judge.pk for judge in losing}
    silent = [judge for judge in left if is_due(silences[judge.pk], rules, now)]
    return write(losing, Letter.Kind.REMINDER, by=None, before_lease_ends=True) + write(
        [judge for judge in silent if judge.pk not in told], Letter.Kind.REMINDER, by=None
    )


def _silences(judges: list[int], lease: timedelta) -> dict[int, Silence]:
    """Return what the rules ask of these experts, all of whom have a link that works."""
    standing, letters = Invitation.objects.standing(), Letter.objects.all()
    reminders = letters.filter(kind=Letter.Kind.REMINDER, before_lease_ends=False)
    reminders = reminders.exclude(status=Letter.Status.FAILED)
    # Subqueries, since joins of all these would make rows as many as the product of their numbers.
    held = Assignment.objects.waiting().filter(counts=True)
    rows: Iterable[Mapping[str, Any]] = Judge.objects.filter(pk__in=judges).values(
        "pk",
        "active_at",
        linked=_last(Invitation.objects.all(), "created_at"),
        expires=_last(standing, "expires_at"),
        opened=_last(Invitation.objects.all(), "first_used_at"),
        given=_last(Assignment.objects.all(), "given_at"),
        answered=_last(Assignment.objects.all(), "answered_at"),
        waits=_last(held, "given_at"),
        drafted=_last(Draft.objects.all(), "saved_at", judge="assignment__judge"),
        asked=_last(letters, "asked_at"),
        sent=_last(letters, "sent_at"),
        reminders=Coalesce(_each(reminders, Count("pk")), 0),
    )
    return {
        row["pk"]: Silence(
            _latest(*(row[name] for name in SIGNS_OF_LIFE)),
            _latest(row["linked"], row["asked"], row["sent"]),
            row["expires"],
            row["reminders"],
            _latest(row["waits"], row["active_at"]) + lease if row["waits"] else None,
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
