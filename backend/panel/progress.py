"""How far each judge of a panel is, without a word of authorship or results."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q
from django.utils import timezone

from annotation.studies.models import Judge, Study
from backend.panel.models import Letter


@dataclass(frozen=True)
class Seat:
    """One judge's progress. `state` is one of the words in `STATES`."""

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

    @property
    def waiting(self) -> int:
        return self.given - self.answered - self.given_back

    @property
    def badge(self) -> str:
        return STATES[self.state]

    @property
    def has_link(self) -> bool:
        """Whether a link is there that nobody has stopped."""
        return self.expires_at is not None

    @property
    def link_works(self) -> bool:
        return self.expires_at is not None and self.expires_at > timezone.now()

    @property
    def writable(self) -> bool:
        return bool(self.email) and self.state not in ("left", "paused")


# What is shown of a state -> the class of its badge.
STATES = {
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
    rows: list[dict[str, Any]] = [
        dict(row)
        for row in study.judges.filter(kind=kind)
        .order_by("pk")
        .values(
            "pk", "code", "name", "email", "language", "kind", "paused_at", "left_at",
            given=_count("assignments"),
            answered=_count("assignments", assignments__answered_at__isnull=False),
            # A late answer was given back and is answered all the same.
            given_back=_count(
                "assignments",
                assignments__given_back_at__isnull=False,
                assignments__answered_at=None,
            ),
            last_answer=Max("assignments__answered_at"),
            opened=_count("invitations", invitations__first_used_at__isnull=False),
            agreed=_count("consents"),
            # Of the links that nobody has stopped.
            expires_at=Max("invitations__expires_at", filter=Q(invitations__revoked_at=None)),
        )
    ]  # fmt: skip
    last = _last_letters(study)
    return [
        Seat(
            **{name: row[name] for name in SHOWN},
            state=_state(row, now),
            last_letter=last.get(row["pk"]),
        )
        for row in rows
    ]


SHOWN = (
    "code", "name", "email", "language", "given", "answered", "given_back", "last_answer",
    "expires_at",
)  # fmt: skip


def _state(row: dict[str, Any], now: datetime) -> str:
    """Return what is most worth knowing of a judge."""
    holds = (
        ("language model", row["kind"] == Judge.Kind.MACHINE),
        ("left", row["left_at"]),
        ("paused", row["paused_at"]),
        ("link stopped", not row["expires_at"]),
        ("link expired", row["expires_at"] and row["expires_at"] <= now),
        ("agreed", row["agreed"]),
        ("link opened", row["opened"]),
        ("invited", True),
    )
    return next(state for state, holding in holds if holding)


def _last_letters(study: Study) -> dict[int, Letter]:
    letters = Letter.objects.filter(judge__study=study).order_by("pk")
    return {letter.judge_id: letter for letter in letters}


def _count(what: str, **only: bool | None) -> Count:
    return Count(what, filter=Q(**only) if only else None, distinct=True)
