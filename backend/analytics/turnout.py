"""Who answered what: the ledger and the machine judges' replies, as plain rows."""

from collections import Counter
from dataclasses import dataclass

from annotation.studies.models import Assignment, Study
from backend.judging.models import Hearing, Reply

# How a machine judge's reply is marked that did not carry the answers.
UNREADABLE = "unreadable"
READ = ""
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Given:
    """One assignment and what became of it."""

    judge: int
    item: int
    given_back: bool
    judged: bool
    extra: bool
    milliseconds: int | None

    @property
    def counted(self) -> bool:
        """Whether its judgment is in the analysis."""
        return self.judged and not self.extra

    @property
    def waiting(self) -> bool:
        return not self.judged and not self.given_back


@dataclass(frozen=True)
class Turnout:
    """Everything that was given to judges, and how machine judges replied.

    Attributes
    ----------
    given : tuple of Given
    hearings : counter of (judge, status)
    replies : counter of (judge, kind); the kind is `READ`, `UNREADABLE`, or why none came.
    """

    given: tuple[Given, ...]
    hearings: Counter[tuple[int, str]]
    replies: Counter[tuple[int, str]]


def turnout(study: Study) -> Turnout:
    """Return what became of every assignment of the study."""
    rows = Assignment.objects.filter(judge__study=study).order_by("pk")
    fields = ("judge_id", "item_id", "given_back_at", "judgment__extra", "judgment__milliseconds")
    hearings = Hearing.objects.filter(machine__judge__study=study).order_by()
    replies = Reply.objects.filter(hearing__machine__judge__study=study).order_by()
    return Turnout(
        tuple(
            Given(judge, item, back is not None, extra is not None, bool(extra), milliseconds)
            for judge, item, back, extra, milliseconds in rows.values_list(*fields)
        ),
        Counter(hearings.values_list("machine__judge_id", "status")),
        Counter(
            (judge, outcome(kind, ended=ended is not None))
            for judge, kind, ended in replies.values_list(
                "hearing__machine__judge_id", "error_kind", "ended_at"
            )
        ),
    )


def outcome(error_kind: str, *, ended: bool) -> str:
    """Return `READ`, `UNREADABLE`, or why no reply came."""
    # A worker that was killed in the middle of a call left neither an error nor an end.
    return error_kind or (READ if ended else INTERRUPTED)
