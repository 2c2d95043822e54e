"""What experts are told when all is over: who wrote what they judged, and how well they told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.instruments.choices import ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert, Question
from backend.analytics.authorship import about_authorship, is_scored
from backend.analytics.frames import TEXT_A, Placed
from backend.analytics.reports.scores.means import THOUSANDTHS
from backend.statistics.detection import auc_interval
from backend.statistics.estimate import Estimate
from backend.statistics.proportions import wilson

BINS = 5
NO_LEANING = THOUSANDTHS // 2
NEUTRAL = ("A", "B")


@dataclass(frozen=True)
class Reply:
    """A judge's answer to one question, as it stands: its code, or why it has none."""

    number: int | None
    blank: str


@dataclass(frozen=True)
class Judged:
    """One item as its judge saw it, where it stood in their order, and what they answered.

    Attributes
    ----------
    position : int
    placed : Placed
    openings : tuple of str
        The first line of each text, in the order in which they were stored.
    language : str
        Of the texts.
    flipped : bool
        The second text was shown first.
    replies : mapping of str to Reply
        By question key.
    """

    position: int
    placed: Placed
    openings: tuple[str, ...]
    language: str
    flipped: bool
    replies: Mapping[str, Reply]


@dataclass(frozen=True)
class Origin:
    """A text that was judged: how it begins and who wrote it.

    `label` is A or B where there were two, in the order in which they were shown; `poet` is empty
    if a language model wrote it, and where a human's name is not known.
    """

    label: str
    opening: str
    poet: str
    model: str


@dataclass(frozen=True)
class Told:
    """One item of the debrief: its texts, and what the judge said, by question number."""

    position: int
    title: str
    language: str
    origins: tuple[Origin, ...]
    said: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Bin:
    """Poems that were given about the same probability of being human, and how many were.

    `low` and `high` are the ends of the bin.
    """

    low: float
    high: float
    n: int
    n_human: int


@dataclass(frozen=True)
class Accuracy:
    """How well one question's answers told human texts from machine texts.

    Attributes
    ----------
    number : int
    text : str
        The question.
    kind : str
    n : int
        Answers that name a point, a probability or a text.
    n_blank : int
        Others: skipped, not applicable, cannot tell.
    n_even : int
        Probabilities of exactly one half, which are neither right nor wrong.
    auc : Estimate or None
        None where a question has no ranking.
    right : Estimate or None
        Share of right answers; None where a question has no middle to lean from.
    bins : tuple of Bin
        Empty but for probabilities.
    """

    number: int
    text: str
    kind: str
    n: int
    n_blank: int
    n_even: int
    auc: Estimate | None
    right: Estimate | None
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Debrief:
    """Everything one expert judged, with its origin, and how well they told, by question."""

    told: tuple[Told, ...]
    accuracies: tuple[Accuracy, ...]


def debrief(questions: Sequence[Question], judged: Sequence[Judged]) -> Debrief:
    """Return what one expert is told of these items."""
    paired = any(one.placed.pair for one in judged)
    asked = [
        question
        for question in about_authorship(questions)
        # Of two texts, an answer on one scale is about neither.
        if isinstance(question, ForcedChoice) == paired
    ]
    return Debrief(
        tuple(_told(one, asked) for one in judged),
        tuple(_accuracy(question, judged) for question in asked),
    )


def _told(one: Judged, asked: Sequence[Question]) -> Told:
    said = tuple(
        (question.number, _said(question, one.replies[question.key]))
        for question in asked
        if question.key in one.replies
    )
    return Told(one.position, one.placed.title, one.language, tuple(_origins(one)), said)


def _origins(one: Judged) -> Iterator[Origin]:
    placed = one.placed
    if not placed.pair:
        yield Origin("", one.openings[0], placed.poet, placed.model)
        return
    human_first = placed.human_stood_first(flipped=one.flipped)
    shown = one.openings[::-1] if one.flipped else one.openings
    for label, opening in zip(NEUTRAL, shown, strict=True):
        by_human = (label == NEUTRAL[0]) == human_first
        yield Origin(
            label, opening, placed.poet if by_human else "", "" if by_human else placed.model
        )


def _said(question: Question, reply: Reply) -> str:
    """Return an answer as the judge gave it; empty if there is none."""
    if isinstance(question, Probability):
        if reply.number is None:
            return question.cannot_tell if reply.blank == "cannot_tell" else ""
        return f"{reply.number / THOUSANDTHS:g}"
    offered = question.offered if isinstance(question, Likert | ForcedChoice) else ()
    return next((point.label for point in offered if point.code == reply.number), "")


def _accuracy(question: Question, judged: Sequence[Judged]) -> Accuracy:
    answers = [
        (one, reply.number)
        for one in judged
        if (reply := one.replies.get(question.key)) and reply.number is not None and not reply.blank
    ]
    sure = [
        right for one, number in answers if (right := _is_right(question, one, number)) is not None
    ]
    probable = isinstance(question, Probability)
    n_asked = sum(question.key in one.replies for one in judged)
    return Accuracy(
        number=question.number,
        text=question.text,
        kind=question.kind,
        n=len(answers),
        n_blank=n_asked - len(answers),
        n_even=sum(number == NO_LEANING for _, number in answers) if probable else 0,
        auc=_auc(answers) if is_scored(question) else None,
        right=None
        if isinstance(question, Likert)
        else wilson(sum(sure), len(sure), level="judgment"),
        bins=tuple(_bins(answers)) if probable else (),
    )


Answers = Sequence[tuple[Judged, int]]


def _is_right(question: Question, one: Judged, number: int) -> bool | None:
    """Return whether an answer leans to the truth; None if it leans to no side."""
    if isinstance(question, ForcedChoice):
        return (number == TEXT_A) == one.placed.human_stood_first(flipped=one.flipped)
    if number == NO_LEANING:
        return None
    return (number > NO_LEANING) == (not one.placed.model)


def _auc(answers: Answers) -> Estimate:
    human = [(one, number) for one, number in answers if not one.placed.model]
    machine = [(one, number) for one, number in answers if one.placed.model]
    return auc_interval(
        [number for _, number in human],
        [number for _, number in machine],
        np.array([_title(one) for one, _ in human], np.intp),
        np.array([_title(one) for one, _ in machine], np.intp),
        level="judgment",
    )


def _title(one: Judged) -> int:
    """Return the title's code; a poem on a brief of no human poem is a title of its own."""
    key = one.placed.title_key
    return -one.placed.key if key is None else key


def _bins(answers: Answers) -> Iterator[Bin]:
    width = THOUSANDTHS // BINS
    for place in range(BINS):
        inside = [
            one for one, number in answers if min(number // width, BINS - 1) == place
        ]  # the last bin has both its ends
        if inside:
            n_human = sum(not one.placed.model for one in inside)
            yield Bin(place / BINS, (place + 1) / BINS, len(inside), n_human)
