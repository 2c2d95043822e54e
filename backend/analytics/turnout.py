"""Who answered what: the ledger and the machine judges' replies, as plain rows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from annotation.judgments.models import Judgment
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.analytics.excluding import (
    ATTENTION,
    LATE,
    REPEAT,
    WITHDRAWN,
    LeftOut,
)
from backend.design.attention import tests
from backend.judging.models import Hearing, Reply
from backend.panel.attentiveness import lines_of_verse

# How a machine judge's reply is marked that did not carry the answers.
UNREADABLE = "unreadable"
READ = ""
INTERRUPTED = "interrupted"

MAIN = Assignment.Purpose.MAIN
_KINDS = {Assignment.Purpose.REPEAT: REPEAT, Assignment.Purpose.ATTENTION: ATTENTION}


@dataclass(frozen=True)
class Given:
    """One assignment and what became of it.

    Attributes
    ----------
    judge, item : int
    judgment : int or None
        None if it was never answered.
    purpose : str
        One of `Assignment.Purpose`.
    given_back, withdrawn : bool
    because : tuple of str
        Why its judgment is in no result; empty where it is in them.
    milliseconds : int or None
    submitted_at : datetime or None
    """

    judge: int
    item: int
    judgment: int | None
    purpose: str
    given_back: bool
    withdrawn: bool
    because: tuple[str, ...]
    milliseconds: int | None
    submitted_at: datetime | None = None

    @property
    def judged(self) -> bool:
        return self.judgment is not None

    @property
    def counted(self) -> bool:
        """Whether its judgment is in the analysis."""
        return self.judged and not self.because

    @property
    def waiting(self) -> bool:
        return not (self.judged or self.given_back or self.withdrawn)


@dataclass(frozen=True)
class Turnout:
    """Everything that was given to judges, and how machine judges replied.

    Attributes
    ----------
    given : tuple of Given
    failed : counter of judge
        Tests of attention that were answered otherwise than an attentive reader would.
    tested : counter of judge
        Tests of attention that were answered in time.
    lines : mapping of int to int
        By item, its lines of verse; those of a pair's two texts together.
    hearings : counter of (judge, status)
    replies : counter of (judge, kind); the kind is `READ`, `UNREADABLE`, or why none came.
    experts_deleted, judgments_deleted : int
        All that is left of experts who had everything deleted.
    """

    given: tuple[Given, ...]
    failed: Counter[int]
    hearings: Counter[tuple[int, str]]
    replies: Counter[tuple[int, str]]
    experts_deleted: int
    judgments_deleted: int
    tested: Counter[int] = field(default_factory=Counter)
    lines: Mapping[int, int] = field(default_factory=dict)


def turnout(study: Study, left_out: LeftOut) -> Turnout:
    """Return what became of every assignment of the study."""
    hearings = Hearing.objects.filter(machine__judge__study=study).order_by()
    replies = Reply.objects.filter(hearing__machine__judge__study=study).order_by()
    given = _given(study, left_out)
    any_test = any(one.purpose == Assignment.Purpose.ATTENTION for one in given)
    tested = tests(study) if any_test else {}
    return Turnout(
        given,
        Counter({judge: found.failed for judge, found in tested.items() if found.failed}),
        Counter(hearings.values_list("machine__judge_id", "status")),
        Counter(
            (judge, outcome(kind, ended=ended is not None))
            for judge, kind, ended in replies.values_list(
                "hearing__machine__judge_id", "error_kind", "ended_at"
            )
        ),
        study.experts_deleted,
        study.judgments_deleted,
        Counter({judge: found.answered for judge, found in tested.items()}),
        lines_of_verse(study),
    )


def for_experts(study: Study) -> dict[int, int]:
    """Return K of each item that experts are to judge: not of groups that only machines read."""
    items = Item.objects.judged().filter(study=study).order_by("pk")
    groups = set(Judge.objects.filter(study=study).experts().values_list("group_id", flat=True))
    return {
        key: places
        for key, group, places in items.values_list("pk", "group_id", "places")
        # Whoever is in no group is given items of all.
        if None in groups or group in groups
    }


def _given(study: Study, left_out: LeftOut) -> tuple[Given, ...]:
    counted = set(Judgment.objects.counted(study).values_list("pk", flat=True))
    rows = Assignment.objects.filter(judge__study=study).order_by("pk")
    fields = (
        "judge_id", "item_id", "judgment__pk", "purpose", "given_back_at", "withdrawn_at",
        "judgment__milliseconds", "judgment__submitted_at",
    )  # fmt: skip
    return tuple(
        Given(
            judge,
            item,
            judgment,
            purpose,
            back is not None,
            withdrawn is not None,
            ()
            if judgment is None
            else left_out.because(judgment)
            if judgment in counted
            else _because(purpose, withdrawn=withdrawn is not None),
            milliseconds,
            submitted_at,
        )
        for judge, item, judgment, purpose, back, withdrawn, milliseconds, submitted_at in (
            rows.values_list(*fields)
        )
    )


def _because(purpose: str, *, withdrawn: bool) -> tuple[str, ...]:
    """Return why a judgment is out of the analysis before any rule of the design."""
    kind = _KINDS.get(Assignment.Purpose(purpose))
    found = [kind] if kind else []
    if withdrawn:
        found.append(WITHDRAWN)
    return tuple(found) or (LATE,)


def outcome(error_kind: str, *, ended: bool) -> str:
    """Return `READ`, `UNREADABLE`, or why no reply came."""
    # A worker that was killed in the middle of a call left neither an error nor an end.
    return error_kind or (READ if ended else INTERRUPTED)
