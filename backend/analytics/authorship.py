"""Which questions of an instrument ask who wrote a poem."""

from collections.abc import Sequence
from typing import TypeGuard

from annotation.instruments.choices import ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert, Question

# The published question that asks for authorship on a scale of points.
AUTHORSHIP = "human_authorship"

Scored = Likert | Probability


def is_scored(question: Question) -> TypeGuard[Scored]:
    """Whether answers can be ranked: a higher one holds the poem to be more human."""
    return isinstance(question, Likert | Probability)


def about_authorship(questions: Sequence[Question]) -> tuple[Scored | ForcedChoice, ...]:
    """Return the questions whose answers say who wrote the poem, or which of two a human wrote."""
    told = {question.key for question in questions if question.about == "authorship"}
    # Instruments written before questions said what they are about name none.
    told = told or {question.key for question in questions if _must_be(question)}
    return tuple(
        question
        for question in questions
        if question.key in told and isinstance(question, Likert | Probability | ForcedChoice)
    )


def _must_be(question: Question) -> bool:
    return isinstance(question, Probability) or question.key == AUTHORSHIP
