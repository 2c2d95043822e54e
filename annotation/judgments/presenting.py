"""What a judge is shown of an assignment: a listed set of fields, for page and API alike."""

from dataclasses import dataclass, field
from typing import Any

from annotation.judgments.models import Draft
from annotation.studies.models import Assignment, Judge

WORDS_A_MINUTE = 60  # slow, attentive reading of verse
SECONDS_A_QUESTION = 12


@dataclass(frozen=True)
class Progress:
    """How far a judge is: answered, given, and whether something waits."""

    answered: int
    given: int

    @property
    def waiting(self) -> int:
        return self.given - self.answered


@dataclass(frozen=True)
class Asked:
    """One question as a page sets it: with the answer so far and what is wrong with it."""

    shown: dict[str, Any]
    answer: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Page:
    """One assignment as its page sets it."""

    assignment: Assignment
    questions: list[Asked]
    version: int
    progress: Progress
    problems: dict[str, str] = field(default_factory=dict)


def progress(judge: Judge) -> Progress:
    """Return how far the judge is, not counting items that were given back."""
    mine = Assignment.objects.of(judge)
    answered, waiting = mine.answered().count(), mine.waiting().count()
    return Progress(answered, answered + waiting)


def present(assignment: Assignment) -> dict[str, Any]:
    """Return the only fields of an assignment that leave the server for its judge."""
    draft = Draft.objects.filter(assignment=assignment).first()
    item, study = assignment.item, assignment.judge.study
    return {
        "token": assignment.token,
        "position": assignment.position,
        "of": progress(assignment.judge).given,
        "language": item.language,
        "title": item.title,
        "brief": item.brief if study.instrument.shows_brief else "",
        "text": item.text,
        "questions": study.instrument.shown(),
        "draft": {
            "answers": draft.answers if draft else {},
            "version": draft.version if draft else 0,
        },
    }


def page(
    assignment: Assignment,
    *,
    typed: dict[str, str] | None = None,
    problems: dict[str, str] | None = None,
) -> Page:
    """Return the page of an assignment: with its draft, or with what was `typed` and refused."""
    draft = Draft.objects.filter(assignment=assignment).first()
    answers = typed if typed is not None else draft.answers if draft else {}
    wrong = problems or {}
    return Page(
        assignment,
        [
            Asked(shown, str(answers.get(str(shown["key"]), "")), wrong.get(str(shown["key"]), ""))
            for shown in assignment.judge.study.instrument.shown()
        ],
        draft.version if draft else 0,
        progress(assignment.judge),
        wrong,
    )


def minutes(judge: Judge) -> int:
    """Return about how many minutes the judge's unanswered items will take."""
    waiting = Assignment.objects.of(judge).waiting().select_related("item")
    words = sum(len(f"{one.item.brief} {one.item.text}".split()) for one in waiting)
    questions = len(judge.study.instrument.questions) * len(waiting)
    return round(words / WORDS_A_MINUTE + questions * SECONDS_A_QUESTION / 60)
