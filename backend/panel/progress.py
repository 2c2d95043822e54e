"""How far each judge of a panel is, without a word of authorship or results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from annotation.studies.giving import repeats_owed
from annotation.studies.models import Assignment, Consent, Invitation, Judge, Study
from backend.panel.models import Letter

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
OUT = ("left", "paused", "withdrawn")


@dataclass(frozen=True)
class Seat:
    """One judge's progress. `state` is one of the words in `STATES`.

    Counts are of all that was given, hidden repeats and attention items among it, as the expert
    sees it. `idle_since` is when the silence began of somebody who has something to do: it waits
    for them, or is to be asked again by now.
    """

    code: str
    name: str
    email: str
    language: str
    state: str
    given: int
    answered: int
    given_back: int
    last_answer: datetime | None
    expires_at: datetime | None
    last_letter: Letter | None
    group: str = ""
    late: int = 0
    this_week: int = 0
    invited_at: datetime | None = None
    opened_at: datetime | None = None
    last_seen: datetime | None = None
    owed: bool = False
    idle_since: datetime | None = None
    lease_ends_at: datetime | None = None
    withdrawn_reason: str = ""

    @property
    def waiting(self) -> int:
        return self.given - self.answered - self.given_back

    @property
    def badge(self) -> str:
        return STATES[self.state]

    @property
    def takes_part(self) -> bool:
        return self.state not in OUT

    @property
    def has_link(self) -> bool:
        """Whether a link is there that nobody has stopped."""
        return self.expires_at is not None

    @property
    def link_works(self) -> bool:
        return self.expires_at is not None and self.expires_at > timezone.now()

    @property
    def writable(self) -> bool:
        return bool(self.email) and self.takes_part

    @property
    def remindable(self) -> bool:
        """Whether there is something to remind them of, and a way to."""
        return (
            self.writable
            and self.link_works
            and bool(self.waiting or not self.answered or self.owed)
        )

    @property
    def written_at(self) -> datetime | None:
        return self.last_letter.written_at if self.last_letter else None

    @property
    def just_written_to(self) -> bool:
        """Whether a letter went to them within a day."""
        return self.written_at is not None and timezone.now() - self.written_at < DAY


# What is shown of a state -> the class of its badge.
STATES = {
    "withdrawn": "failed",
    "left": "failed",
    "paused": "queued",
    "link stopped": "failed",
    "link expired": "failed",
    "agreed": "done",
    "link opened": "running",
    "invited": "queued",
    "language model": "",
}


def seats(study: Study, kind: Judge.Kind) -> list[Seat]:
    """Return the progress of every expert, or of every language model, in order of arrival."""
    now = timezone.now()
    judges = study.judges.filter(kind=kind).order_by("pk").select_related("group")
    given, linked = _given(study, kind, now), _linked(study)
    agreed = set(Consent.objects.filter(judge__study=study).values_list("judge", flat=True))
    last = _last_letters(study)
    owed = repeats_owed(study, now) if kind == Judge.Kind.EXPERT else {}
    found = []
    for judge in judges:
        work, link = given.get(judge.pk, NO_WORK), linked.get(judge.pk, NO_LINK)
        leased_since = _idle_since(judge, work["leased_since"])
        found.append(
            Seat(
                code=judge.code,
                name=judge.name,
                email=judge.email,
                language=judge.language,
                state=_state(judge, link, now, agreed=judge.pk in agreed),
                last_letter=last.get(judge.pk),
                group=judge.group.name if judge.group else "",
                last_seen=_latest((judge.active_at, work["last_answer"], link["opened_at"])),
                owed=judge.pk in owed,
                idle_since=_idle_since(judge, work["waits_since"] or owed.get(judge.pk)),
                lease_ends_at=leased_since and leased_since + timedelta(hours=study.lease_hours),
                withdrawn_reason=judge.withdrawn_reason,
                **{name: work[name] for name in WORK},
                **link,
            )
        )
    return found


WORK = ("given", "answered", "given_back", "last_answer", "late", "this_week")
NO_WORK: dict[str, Any] = {
    "given": 0, "answered": 0, "given_back": 0, "last_answer": None, "late": 0, "this_week": 0,
    "waits_since": None, "leased_since": None,
}  # fmt: skip
NO_LINK: dict[str, Any] = {"expires_at": None, "opened_at": None, "invited_at": None}


def _given(study: Study, kind: Judge.Kind, now: datetime) -> dict[int, dict[str, Any]]:
    """Return what became of all that each judge was given."""
    answered = Q(answered_at__isnull=False)
    waits = Q(answered_at=None, given_back_at=None)
    rows = (
        Assignment.objects.filter(judge__study=study, judge__kind=kind)
        .order_by()
        .values("judge")
        .annotate(
            given=Count("pk"),
            answered=Count("pk", filter=answered),
            # A late answer was given back and is answered all the same.
            given_back=Count("pk", filter=Q(given_back_at__isnull=False, answered_at=None)),
            last_answer=Max("answered_at"),
            late=Count("pk", filter=Q(judgment__extra=True)),
            this_week=Count("pk", filter=answered & Q(answered_at__gt=now - WEEK)),
            waits_since=Max("given_at", filter=waits),
            # What holds no place goes back to nobody.
            leased_since=Max("given_at", filter=waits & Q(counts=True)),
        )
    )
    return {row["judge"]: dict(row) for row in rows}


def _linked(study: Study) -> dict[int, dict[str, Any]]:
    rows: Iterable[Mapping[str, Any]] = (
        Invitation.objects.filter(judge__study=study)
        .order_by()
        .values("judge")
        .annotate(
            # Of the links that nobody has stopped.
            expires_at=Max("expires_at", filter=Q(revoked_at=None)),
            opened_at=Min("first_used_at"),
            invited_at=Min("created_at"),
        )
    )
    return {row["judge"]: {name: row[name] for name in NO_LINK} for row in rows}


def _idle_since(judge: Judge, waits_since: datetime | None) -> datetime | None:
    """Return since when there is no sign of life; of a lease, as `leases` has it."""
    return _latest((waits_since, judge.active_at)) if waits_since else None


def _latest(times: Iterable[datetime | None]) -> datetime | None:
    return max((time for time in times if time), default=None)


def _state(judge: Judge, link: dict[str, Any], now: datetime, *, agreed: bool) -> str:
    """Return what is most worth knowing of a judge."""
    expires_at = link["expires_at"]
    holds = (
        ("language model", judge.kind == Judge.Kind.MACHINE),
        ("withdrawn", judge.withdrawn_at),
        ("left", judge.left_at),
        ("paused", judge.paused_at),
        ("link stopped", not expires_at),
        ("link expired", expires_at and expires_at <= now),
        ("agreed", agreed),
        ("link opened", link["opened_at"]),
        ("invited", True),
    )
    return next(state for state, holding in holds if holding)


def _last_letters(study: Study) -> dict[int, Letter]:
    letters = Letter.objects.filter(judge__study=study).order_by()
    last = letters.values("judge").annotate(last=Max("pk")).values("last")
    return {letter.judge_id: letter for letter in Letter.objects.filter(pk__in=last)}
