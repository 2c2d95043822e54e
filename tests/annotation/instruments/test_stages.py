"""Questions that lock what is above begin a stage, and each stage is read by itself."""

from typing import Any

import pytest

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import load, published
from annotation.instruments.questions import SKIPPED, Answer

GATED = load(published("recognised-probability"))
FIRST = {"recognition": "1", "overall_quality": "4", "emotional_resonance": "0"}
LAST = {"probability_human": "0.9", "probability_human.first": "0.5"}


def locked(*above: int) -> Any:
    """Return the stages, by question number, of five questions of which some lock what is above."""
    asked = [
        {"key": f"q{number}", "kind": "comment", "text": "Why?", "locks_above": number in above}
        for number in range(1, 6)
    ]
    loaded = load({**published("poemetric-survey"), "questions": asked})
    return [[question.number for question in stage] for stage in loaded.stages]


@pytest.mark.parametrize(
    ("above", "stages"),
    [
        ((), [[1, 2, 3, 4, 5]]),
        ((4,), [[1, 2, 3], [4, 5]]),
        ((2, 5), [[1], [2, 3, 4], [5]]),
        ((2, 3, 4, 5), [[1], [2], [3], [4], [5]]),
    ],
)
def test_a_stage_begins_with_each_question_that_locks_what_is_above(above, stages):
    assert locked(*above) == stages


def test_a_stage_is_read_without_the_others():
    read = GATED.read_stage(0, FIRST)
    assert read == {
        "recognition": Answer(number=1),
        "overall_quality": Answer(number=4),
        "emotional_resonance": Answer(number=0, blank="na"),
        "quality_comment": SKIPPED,
    }
    assert GATED.read_stage(1, LAST) == {
        "probability_human": Answer(number=900, first=500),
        "authorship_comment": SKIPPED,
    }


def test_answers_to_another_stage_are_neither_read_nor_refused():
    wrong = {"probability_human": "certainly", "probability_human.moves": "x"}
    assert GATED.read_stage(0, {**FIRST, **wrong}) == GATED.read_stage(0, FIRST)


def test_a_stage_names_its_own_problems_and_every_unknown_name():
    given = {
        "recognition": "0", "overall_quality": "9", "author": "Blake", "recognition.name": "x",
    }  # fmt: skip
    with pytest.raises(InvalidAnswers) as refused:
        GATED.read_stage(0, given)
    assert set(refused.value.problems) == {
        "overall_quality", "emotional_resonance", "author", "recognition.name",
    }  # fmt: skip


def test_there_is_no_stage_after_the_last():
    with pytest.raises(IndexError):
        GATED.read_stage(2, {**FIRST, **LAST})


def test_all_stages_together_are_the_whole():
    whole = GATED.read({**FIRST, **LAST})
    assert whole == GATED.read_stage(0, FIRST) | GATED.read_stage(1, LAST)


def test_the_names_that_may_come_are_those_the_questions_read():
    assert GATED.field_names == {
        "recognition", "recognition.named", "overall_quality", "emotional_resonance",
        "quality_comment", "probability_human", "probability_human.first",
        "probability_human.moves", "probability_human.touched", "authorship_comment",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "texts"), [("recognised-probability", 1), ("pair-choice", 2), ("altered-text", 1)]
)
def test_two_texts_are_told_by_the_questions(key, texts):
    assert load(published(key)).texts == texts


def test_nothing_is_missed_behind_a_gate_that_nobody_has_passed():
    with pytest.raises(InvalidAnswers) as refused:
        GATED.read_stage(0, {})
    assert set(refused.value.problems) == {"recognition"}
    with pytest.raises(InvalidAnswers) as refused:
        GATED.read_stage(0, {"recognition": "0"})
    assert set(refused.value.problems) == {"overall_quality", "emotional_resonance"}
