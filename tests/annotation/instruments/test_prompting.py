"""A language model is asked in the very words that experts read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import load, published, published_all

SURVEY = load(published("poemetric-survey"))
INSTRUMENTS = [load(data) for data in published_all().values()]
MARKS = "{generation_prompt} {the_poem} {text_a} {text_b} {questions} {0} {} {{ %s %(a)s \\1 $x"


def prompt_of(instrument: Instrument, *, brief: str, text: str) -> str:
    """Return the prompt about `text`, or about it and the same again where two are shown."""
    return instrument.prompt(brief=brief, texts=[text] * instrument.texts)


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.key)
def test_a_model_is_asked_byte_for_byte_what_experts_are_shown(instrument):
    prompt = prompt_of(instrument, brief="a brief", text="a poem")
    at = 0
    for shown in instrument.shown():
        at = prompt.index(f"{shown['number']}. {shown['text']}", at)
        offered = (shown.get("points"), shown.get("levels"))
        for point in [shown.get("na"), *(one for points in offered for one in points or [])]:
            if point:
                at = prompt.index(f"{point['code']} - {point['label']}", at)
        for words in ("low_label", "high_label", "cannot_tell"):
            assert shown.get(words, "") in prompt
        for example in shown.get("examples", []):
            assert f"- {example}" in prompt


def test_a_whole_question_is_set_as_in_the_paper():
    prompt = SURVEY.prompt(brief="b", texts=["p"])
    assert (
        "8. At least one of the literary devices listed below is used well in the poem.\n"
        "- Simile\n- Metaphor\n- Personification\n- Allusion\n"
        "0 - N/A (No literary devices are used)\n"
        "1 - Strongly disagree\n2 - Disagree\n3 - Neutral\n4 - Agree\n5 - Strongly agree\n"
        "9. Please comment"
    ) in prompt


def test_the_prompt_holds_brief_and_poem_under_their_headings_line_for_line():
    prompt = SURVEY.prompt(brief="Form: sonnet", texts=["one\n\n    two  three"])
    assert "## The prompt\nForm: sonnet\n\n## The poem\none\n\n    two  three\n\n## Qu" in prompt


def test_an_instrument_that_shows_no_brief_puts_none_to_a_model():
    assert "SECRET" not in load(published("proftap-probability")).prompt(
        brief="SECRET", texts=["p"]
    )


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.key)
def test_marks_inside_a_poem_or_brief_stay_as_they_are(instrument):
    plain = prompt_of(instrument, brief="<brief>", text="<poem>")
    marked = prompt_of(instrument, brief=f"B{MARKS}", text=f"P{MARKS}")
    assert marked == plain.replace("<brief>", f"B{MARKS}").replace("<poem>", f"P{MARKS}")


@given(st.text(), st.text())
def test_any_poem_and_brief_stand_in_the_prompt_unchanged(brief, poem):
    head, _, rest = SURVEY.judge_prompt.partition("{generation_prompt}")
    assert SURVEY.prompt(brief=brief, texts=[poem]).startswith(
        head + brief + rest.partition("{the_poem}")[0] + poem
    )


@pytest.mark.parametrize("instrument", INSTRUMENTS, ids=lambda instrument: instrument.key)
def test_the_schema_requires_every_number_and_allows_no_other(instrument):
    schema = instrument.schema()
    numbers = [str(question.number) for question in instrument.questions]
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert list(schema["properties"]) == schema["required"] == numbers


def test_the_schema_allows_exactly_the_whole_numbers_that_are_read():
    properties = SURVEY.schema()["properties"]
    for question in SURVEY.questions:
        if question.kind != "likert":
            continue
        schema = properties[str(question.number)]
        assert schema["type"] == "integer"
        read = set()
        for code in range(-20, 20):
            try:
                read.add(question.read({question.key: code}).number)
            except ValueError:
                continue
        assert read == set(schema["enum"])


def test_numbered_answers_come_under_their_questions_keys():
    assert SURVEY.by_number({"1": 4, "13": "why"}) == {"form": 4, "human_authorship_comment": "why"}


def test_a_number_of_no_question_is_refused_by_name():
    with pytest.raises(ValueError, match="14"):
        SURVEY.by_number({"1": 4, "14": 1})


PAIR = load(published("pair-choice"))


def test_two_texts_stand_in_the_order_in_which_they_are_shown():
    assert PAIR.texts == 2
    prompt = PAIR.prompt(brief="", texts=["first {text_b}", "second"])
    assert "## Text A\nfirst {text_b}\n\n## Text B\nsecond\n\n## Questions" in prompt
    assert "1. Which of the two was written by a human?\n1 - Text A\n2 - Text B\n" in prompt


@pytest.mark.parametrize(
    ("instrument", "texts"),
    [(PAIR, ["one"]), (PAIR, ["one", "two", "three"]), (SURVEY, ["one", "two"]), (SURVEY, [])],
)
def test_a_wrong_number_of_texts_is_refused(instrument, texts):
    with pytest.raises(ValueError):
        instrument.prompt(brief="", texts=texts)


def test_a_model_may_say_that_it_cannot_tell_only_where_experts_may():
    asked = load(published("recognised-probability"))
    schema = asked.schema()["properties"]
    assert schema["5"] == {"anyOf": [{"type": "number"}, {"const": "cannot_tell"}]}
    assert schema["1"] == {"type": "integer", "enum": [0, 1, 2, 3]}
    assert '"cannot_tell" (I cannot tell)' in asked.prompt(brief="", texts=["p"])
    proftap = load(published("proftap-probability"))
    assert proftap.schema()["properties"]["1"] == {"type": "number"}
    assert "cannot" not in proftap.prompt(brief="", texts=["p"])


@pytest.mark.parametrize(
    ("key", "codes"), [("pair-choice", [1, 2]), ("altered-text", [0, 1])]
)  # fmt: skip
def test_a_choice_of_two_is_put_to_a_model_by_its_codes(key, codes):
    assert load(published(key)).schema()["properties"]["1"] == {"type": "integer", "enum": codes}
