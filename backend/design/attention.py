"""How often each judge answered an item that tests attention as an attentive judge does."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.instruments.choices import ForcedChoice
from annotation.instruments.questions import InvalidAnswer, Question
from annotation.judgments.models import Judgment, JudgmentQuerySet, Rating
from annotation.studies.models import Assignment, Study
from backend.design.models import AttentionCheck

Reading = tuple[int | None, str, str]


@dataclass
class Tests:
    """How many attention items a judge answered, and how many of them wrongly."""

    answered: int = 0
    failed: int = 0


def tests(study: Study) -> dict[int, Tests]:
    """Return this by judge; whoever answered none in time is not in it.

    What is late by the rule of the study counts for nothing, as with all other answers: else an
    answer that comes once the key is unsealed could still change the results.
    """
    questions = {question.key: question for question in study.instrument.questions}
    expected = dict(
        AttentionCheck.objects.filter(item__study=study).values_list("item_id", "expected")
    )
    answered = _in_time(study)
    said = _said(answered)
    found: dict[int, Tests] = defaultdict(Tests)
    for pk, judge, item, flipped in answered.values_list(
        "pk", "assignment__judge_id", "assignment__item_id", "assignment__flipped"
    ):
        found[judge].answered += 1
        found[judge].failed += any(
            said[pk].get(key) != _wanted(questions[key], answer, flipped=flipped)
            for key, answer in expected.get(item, {}).items()
            if key in questions
        )
    return dict(found)


def _in_time(study: Study) -> JudgmentQuerySet:
    return Judgment.objects.filter(
        assignment__judge__study=study, assignment__purpose=Assignment.Purpose.ATTENTION
    ).in_time(study)


def _said(answered: JudgmentQuerySet) -> Mapping[int, dict[str, Reading]]:
    """Return the standing answers of these judgments, by judgment and question."""
    rows = Rating.objects.standing().filter(judgment__in=answered)
    said: dict[int, dict[str, Reading]] = defaultdict(dict)
    for judgment, question, number, text, blank in rows.values_list(
        "judgment_id", "question", "number", "text", "blank"
    ):
        said[judgment][question] = (number, text, blank)
    return said


def _wanted(question: Question, answer: object, *, flipped: bool) -> Reading | None:
    """Return an expected answer as it would be stored; of two texts, by where they stood."""
    try:
        read = question.read({question.key: answer})
    except InvalidAnswer:
        return None
    number = read.number
    if isinstance(question, ForcedChoice) and flipped and number is not None:
        number = 3 - number
    return number, read.text, read.blank
