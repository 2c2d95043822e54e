"""A broken definition of an instrument is refused, and the refusal says where it is broken."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.instruments.loading import (
    InvalidInstrument,
    load,
    published,
    published_all,
)

DROP = object()
SCALE = [[1, "no"], [2, "yes"]]


def broken(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """Return the survey with one thing in it replaced, or left out."""
    data = deepcopy(published("poemetric-survey"))
    *way, last = path
    place: Any = data
    for step in way:
        place = place[step]
    if value is DROP:
        del place[last]
    else:
        place[last] = value
    return data


CASES = [
    (("key",), DROP, "key: a text is missing"),
    (("key",), "", "key: must not be empty"),
    (("title",), 3, "title: must be a text"),
    (("language",), "", "language: must not be empty"),
    (("instructions",), None, "instructions: a text is missing"),
    (("judge_prompt",), "{questions} {generation_prompt}", "judge_prompt: {the_poem} is missing"),
    (("judge_prompt",), "{the_poem} {generation_prompt}", "judge_prompt: {questions} is missing"),
    (("judge_prompt",), "{the_poem} {questions}", "judge_prompt: {generation_prompt} is missing"),
    (("questions",), DROP, "questions: at least one"),
    (("questions",), [], "questions: at least one"),
    (("questions",), {"1": {}}, "questions: at least one"),
    (("questions", 2), "Good?", "questions[2]: a question is an object"),
    (("questions", 2, "key"), DROP, "questions[2].key: a text is missing"),
    (("questions", 2, "key"), "form", "questions[2].key: 'form' is used twice"),
    (("questions", 2, "text"), "", "questions[2].text: must not be empty"),
    (("questions", 2, "kind"), DROP, "questions[2].kind: None is none of likert"),
    (("questions", 2, "kind"), "Likert", "questions[2].kind: 'Likert' is none of likert"),
    (("questions", 2, "required"), "no", "questions[2].required: must be true or false"),
    (("questions", 2, "required"), 0, "questions[2].required: must be true or false"),
    (("questions", 2, "points"), DROP, "questions[2].points: a scale has at least two"),
    (("questions", 2, "points"), [[1, "no"]], "questions[2].points: a scale has at least two"),
    (("questions", 2, "points"), {"1": "no"}, "questions[2].points: a scale has at least two"),
    (("questions", 2, "points"), [*SCALE, 3], "questions[2].points[2]: a point is [code, label]"),
    (("questions", 2, "points"), [["1", "no"], [2, "y"]], "questions[2].points[0]: a point"),
    (("questions", 2, "points"), [[1, "no"], [2.0, "y"]], "questions[2].points[1]: a point"),
    (("questions", 2, "points"), [[False, "no"], [True, "y"]], "questions[2].points[0]: a point"),
    (("questions", 2, "points"), [[1, None], [2, "y"]], "questions[2].points[0]: a point"),
    (("questions", 2, "points"), SCALE[::-1], "questions[2].points: codes must rise"),
    (("questions", 2, "points"), [[1, "no"], [1, "y"]], "questions[2].points: codes must rise"),
    (("questions", 6, "na"), "N/A", "questions[6].na: a point is [code, label]"),
    (("questions", 6, "na"), [3, "N/A"], "questions[6].na: 3 is the code of a point"),
    (("questions", 7, "examples"), "Simile", "questions[7].examples: must be a list of texts"),
    (("questions", 7, "examples"), 5, "questions[7].examples: must be a list of texts"),
    (("questions", 7, "examples"), [None], "questions[7].examples: must be a list of texts"),
]


@pytest.mark.parametrize(("path", "value", "said"), CASES)
def test_a_broken_definition_is_refused_with_its_place(path, value, said):
    with pytest.raises(InvalidInstrument) as refused:
        load(broken(path, value))
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("end", ["low_label", "high_label"])
def test_a_probability_without_an_end_is_refused_with_its_place(end):
    data = published("proftap-probability")
    del data["questions"][0][end]
    with pytest.raises(InvalidInstrument, match=rf"questions\[0\]\.{end}: a text is missing"):
        load(data)


def test_an_instrument_that_shows_no_brief_needs_no_place_for_it():
    data = broken(("judge_prompt",), "{the_poem} {questions}") | {"brief_heading": ""}
    assert not load(data).shows_brief


@pytest.mark.parametrize("data", published_all().values(), ids=lambda data: data["key"])
def test_loading_changes_nothing_in_the_data_and_is_repeatable(data):
    before = deepcopy(data)
    assert load(data) == load(data)
    assert data == before


def test_a_study_may_change_its_copy_without_changing_what_is_shipped():
    published("poemetric-survey")["questions"].clear()
    assert len(published("poemetric-survey")["questions"]) == 13


VALUES = st.none() | st.booleans() | st.integers(-3, 9) | st.text(max_size=4) | st.just([[1, "a"]])
PLACES = [
    *((name,) for name in published("poemetric-survey")),
    *(("questions", 7, name) for name in ("key", "kind", "text", "points", "examples", "na")),
    ("questions", 7), ("questions", 7, "points", 1), ("questions", 7, "points", 1, 0),
]  # fmt: skip


@given(st.sampled_from(PLACES), VALUES)
def test_any_damage_is_harmless_or_named(path, value):
    data = broken(path, value)
    try:
        loaded = load(data)
    except InvalidInstrument:
        return
    assert loaded.prompt(brief="b", texts=["p"])
    assert loaded.shown()
    assert loaded.schema()
