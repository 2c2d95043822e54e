"""Every rule for a definition of one's own: what breaks it is refused, with its place."""

import json
from copy import deepcopy
from typing import Any

import pytest

from annotation.instruments.loading import InvalidInstrument, load, load_text, published

TOP = "known: format, key, version, language, title"
CHANCE = {"key": "p", "kind": "probability", "text": "Q", "low_label": "no", "high_label": "yes"}
LONG = "x" * 20_001


def gated(**changes: object) -> dict[str, Any]:
    """Return the instrument with a gate and a lock, with some top-level values changed."""
    return deepcopy(published("recognised-probability")) | changes


def asking(*questions: object) -> dict[str, Any]:
    return gated(questions=list(questions))


def changed(index: int, **changes: object) -> dict[str, Any]:
    """Return the gated instrument with one question changed."""
    data = gated()
    data["questions"][index] |= changes
    return data


def pair(**changes: object) -> dict[str, Any]:
    return published("pair-choice") | changes


def refused(data: object) -> list[str]:
    with pytest.raises(InvalidInstrument) as wrong:
        load(data)
    assert str(wrong.value) == "\n".join(wrong.value.problems)
    return wrong.value.problems


CASES = [
    # The top level.
    ([], "top level: must be an object with key"),
    (None, "top level: must be an object with key"),
    ("{}", "top level: must be an object with key"),
    (gated(pionts=1), f"pionts: not a key of an instrument; {TOP}"),
    (gated(**{"a\ud800": 1}), "'a\\ud800': not a key of an instrument"),
    (gated(format=2), "format: must be 1"),
    (gated(format="1"), "format: must be 1"),
    (gated(format=True), "format: must be 1"),
    (gated(format=1.0), "format: must be 1"),
    (gated(format=None), "format: must be 1"),
    (gated(key="My survey"), "key: write it in a-z"),
    (gated(key="x" * 60), "key: has 60 characters; the limit is 59"),
    (gated(language="English (British)"), "language: has 17 characters; the limit is 10"),
    (gated(language="en_GB"), "language: write its code"),
    (gated(title="x" * 121), "title: has 121 characters; the limit is 120"),
    (gated(title=" \n"), "title: must not be empty"),
    (gated(source="a\x00"), "source: holds a character that is no text"),
    (gated(instructions="half \ud83d"), "instructions: holds a character that is no text"),
    (gated(judge_prompt=LONG), "judge_prompt: has 20001 characters; the limit is 20000"),
    (gated(judge_prompt=["{the_poem}"]), "judge_prompt: must be a text"),
    (gated(questions=[{}] * 101), "questions: there are 101; the limit is 100"),
    # What every question has.
    (changed(1, pionts=1), "questions[1].pionts: not a key of a likert question; known: key, kind"),
    (changed(1, levels=[]), "questions[1].levels: not a key of a likert question"),
    (changed(4, na=[0, "N/A"]), "questions[4].na: not a key of a probability question"),
    (asking({"key": "a", "kind": "altered", "text": "Q", "labels": ["n", "y"], "points": []}),
     "questions[0].points: not a key of an altered question; known: key, kind"),
    (changed(0, required=False), "questions[0].required: recognition is a gate"),
    (changed(1, key="Quality"), "questions[1].key: write it in a-z, 0-9 and _"),
    (changed(1, key="1st"), "questions[1].key: write it in a-z, 0-9 and _"),
    (changed(1, key="p.first"), "questions[1].key: write it in a-z, 0-9 and _"),
    (changed(1, key="quality\n"), "questions[1].key: write it in a-z, 0-9 and _"),
    (changed(1, key="x" * 60), "questions[1].key: has 60 characters; the limit is 59"),
    (changed(1, key="recognition"), "questions[1].key: 'recognition' is used twice"),
    (changed(1, text="x" * 2001), "questions[1].text: has 2001 characters; the limit is 2000"),
    (changed(1, kind=["likert"]), "questions[1].kind: ['likert'] is none of likert, probability"),
    (changed(1, required=None), "questions[1].required: must be true or false"),
    (changed(1, about="authors"), "questions[1].about: must be quality or authorship"),
    (changed(1, about=1), "questions[1].about: must be quality or authorship"),
    (changed(1, locks_above="yes"), "questions[1].locks_above: must be true or false"),
    (changed(0, locks_above=True), "questions[0].locks_above: there is nothing above"),
    # Scales.
    (changed(1, points=[[0, "0"]] * 102), "questions[1].points: a scale has at most 101 points"),
    (changed(1, points=[[1, ""], [2, "b"]]), "questions[1].points[0]: a label must not be empty"),
    (changed(1, points=[[1, "a"], [10**9, "b"]]), "questions[1].points[1]: a code has"),
    (changed(1, points=[[1, "a"], [2, "x" * 201]]), "questions[1].points[1]: has 201 characters"),
    (changed(1, na=[0, " "]), "questions[1].na: a label must not be empty"),
    (changed(1, examples=["a", ""]), "questions[1].examples[1]: a label must not be empty"),
    # A probability.
    (changed(4, low_label=3), "questions[4].low_label: must be a text"),
    (changed(4, high_label="x" * 201), "questions[4].high_label: has 201 characters"),
    (changed(4, cannot_tell=True), "questions[4].cannot_tell: must be a text"),
    # The gate.
    (changed(0, levels=None), "questions[0].levels: a scale has at least two"),
    (changed(0, levels=[[1, "a"], [2, "b"]]), "questions[0].levels[0]: the codes rise from 0"),
    (changed(0, levels=[[0, "a"], [0, "b"]]), "questions[0].levels: codes must rise"),
    (changed(0, levels=[[0, "a"], "b"]), "questions[0].levels[1]: a point is [code, label]"),
    (changed(0, named_label=""), "questions[0].named_label: must not be empty"),
    (changed(0, named_label=None), "questions[0].named_label: a text is missing"),
    (asking(CHANCE, gated()["questions"][0]), "questions[1].kind: recognition is a gate and comes"),
    (asking(gated()["questions"][0], gated()["questions"][0] | {"key": "again"}),
     "questions[1].kind: recognition is a gate and comes first"),
    # Two labels.
    (pair(questions=[{"key": "a", "kind": "altered", "text": "Q"}]),
     "questions[0].labels: must be two texts"),
    (pair(questions=[{"key": "a", "kind": "forced_choice", "text": "Q", "labels": ["A"]}]),
     "questions[0].labels: must be two texts"),
    (pair(questions=[{"key": "a", "kind": "forced_choice", "text": "Q", "labels": [1, 2]}]),
     "questions[0].labels: must be two texts"),
    (pair(questions=[{"key": "a", "kind": "forced_choice", "text": "Q", "labels": ["A", "A"]}]),
     "questions[0].labels: the two labels must differ"),
    (pair(questions=[{"key": "a", "kind": "forced_choice", "text": "Q", "labels": ["A", ""]}]),
     "questions[0].labels[1]: a label must not be empty"),
    # The judge prompt.
    (pair(judge_prompt="{text_a} {questions}"), "judge_prompt: {text_b} is missing"),
    (pair(judge_prompt="{text_b} {questions}"), "judge_prompt: {text_a} is missing"),
    (pair(judge_prompt="{text_a} {text_b}"), "judge_prompt: {questions} is missing"),
    (pair(judge_prompt="{text_a} {text_b} {questions} {the_poem}"),
     "judge_prompt: {the_poem} has no place here; write {text_a} and {text_b}"),
    (gated(judge_prompt="{the_poem} {questions} {text_a}"),
     "judge_prompt: {text_a} has no place here; write {the_poem}"),
    (gated(judge_prompt=""), "judge_prompt: {the_poem} is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "said"), CASES, ids=[said for _, said in CASES])
def test_a_broken_definition_is_refused_with_its_place(data, said):
    assert refused(data)[0].startswith(said)


@pytest.mark.parametrize(("data", "said"), CASES, ids=[said for _, said in CASES])
def test_the_refusal_can_be_stored_and_shown(data, said):
    problems = "\n".join(refused(data))
    assert problems.encode()
    assert "\x00" not in problems


def test_all_problems_are_named_at_once_in_the_order_of_the_data():
    data = gated(title="", questions=[
        {"key": "Q", "kind": "likert", "text": "", "points": [[1, "a"]], "pionts": []},
        "why",
        {"kind": "essay"},
        {**CHANCE, "high_label": None},
    ], extra=1)  # fmt: skip
    assert [problem.split(": ")[0] for problem in refused(data)] == [
        "title", "questions[0].key", "questions[0].text", "questions[0].points",
        "questions[0].pionts", "questions[1]", "questions[2].kind", "questions[3].high_label",
        "extra",
    ]  # fmt: skip


def test_a_kind_that_is_misspelt_brings_no_other_problem_with_it():
    data = pair()
    data["questions"][0]["kind"] = "forced-choice"
    assert [problem.split(": ")[0] for problem in refused(data)] == ["questions[0].kind"]


QUALITY = {"key": "good", "kind": "comment", "text": "Q", "about": "quality"}
WHO = {**CHANCE, "about": "authorship"}
WHY = {"key": "why", "kind": "comment", "text": "Why?"}


@pytest.mark.parametrize("late", [CHANCE, {**CHANCE, "about": "quality"}, QUALITY])
def test_a_question_about_quality_after_one_about_authorship_is_refused(late):
    questions = [{**QUALITY, "key": "a"}, {**WHO, "key": "b"}, {**WHY, "key": "c"}, late]
    assert refused(asking(*questions)) == [
        "questions[3].about: a question about quality comes after one about authorship "
        "(questions[1]); ask authorship last"
    ]


def test_a_comment_is_about_what_the_question_before_it_is_about():
    last = {**WHY, "key": "d", "about": "authorship"}
    first = (WHY, {**QUALITY, "key": "a"}, {**WHY, "key": "b"})
    loaded = load(asking(*first, WHO, {**WHY, "key": "c"}, last))
    assert [question.about for question in loaded.questions] == [
        "quality", "quality", "quality", "authorship", "authorship", "authorship",
    ]  # fmt: skip


def test_the_only_format_may_be_named():
    assert load(gated(format=1)) == load(gated())


def test_labels_of_the_two_texts_are_neutral_unless_given():
    [question] = load(
        pair(questions=[{"key": "a", "kind": "forced_choice", "text": "Q"}])
    ).questions
    assert [point.label for point in question.offered] == ["Text A", "Text B"]


@pytest.mark.parametrize("label", ["", "  ", None])
def test_an_empty_label_offers_no_cannot_tell(label):
    assert load(changed(4, cannot_tell=label)).questions[4].cannot_tell == ""


FILE = json.dumps(gated(), ensure_ascii=False, indent=2)


def refused_text(text: str) -> list[str]:
    with pytest.raises(InvalidInstrument) as wrong:
        load_text(text)
    return wrong.value.problems


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: this is no JSON"),
        ("no", "line 1, column 1: this is no JSON"),
        ('{"key": "a"\n "title": "b"}', "line 2, column 2: this is no JSON"),
        ('{"key": "a",\n  "title": "b",\n}', "line 3, column 1: this is no JSON"),
        ('{"key": "a"} {}', "line 1, column 14: this is no JSON"),
        ("[" * 100_000, "top level: the objects are nested too deeply"),
        ('{"format": NaN}', "top level: a number cannot be read: NaN"),
        ('{"format": -Infinity}', "top level: a number cannot be read: -Infinity"),
        ('{"format": ' + "1" * 5000 + "}", "top level: a number cannot be read"),
        ("[]", "top level: must be an object"),
        ('{"key": "a", "key": "b"}', "key: stands twice in one object"),
        ('{"questions": [{"a": 1}, {"a": 1, "b": {"c": 1, "c": 2}}]}',
         "questions[1].b.c: stands twice in one object"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_instrument_is_refused_with_its_place(text, said):
    assert refused_text(text)[0].startswith(said)


def test_a_name_that_stands_twice_is_refused_in_an_instrument_that_is_otherwise_right():
    text = FILE.replace('"title":', '"title": "Other", "title":', 1)
    assert refused_text(text) == ["title: stands twice in one object"]


@pytest.mark.parametrize("before", ["", "\ufeff", "\n  "])
def test_the_text_of_a_shipped_file_is_read_as_the_file_is(before):
    assert load_text(before + FILE) == load(gated())
