"""Every form of answer that is taken, every one that is refused, and the reason for a blank."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import load, published, published_all
from annotation.instruments.probability import Probability
from annotation.instruments.questions import (
    COMMENT_LIMIT,
    SKIPPED,
    Answer,
    Comment,
    InvalidAnswer,
    Likert,
    Point,
    Question,
)

SURVEY = load(published("poemetric-survey"))
INSTRUMENTS = [load(data) for data in published_all().values()]
FIVE = tuple(Point(code, f"label {code}") for code in range(1, 6))
LIKERT = Likert("q", 1, "Good?", True, points=FIVE)
WITH_NA = Likert("q", 1, "Images?", True, points=FIVE, na=Point(0, "N/A"))
CHANCE = Probability("p", 1, "Human?", True, "no", "yes")
COMMENT = Comment("c", 1, "Why?", False)


def answer_to(question: Question, typed: object) -> Answer:
    """Return what `question` reads where nothing but its answer was sent."""
    return question.read({question.key: typed})


HUGE = pytest.param(10**5000, id="10**5000")  # too long for Python to write out
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("typed", [4, "4", " 4 ", "4\n", "04"])
def test_a_point_is_read(typed):
    assert answer_to(LIKERT, typed) == Answer(number=4)


@pytest.mark.parametrize(
    "typed",
    [0, 6, -1, 45, "6", "0", "4.0", "4,", "four", "4 - Agree", "４", "٤", "²", 3.5, "+4", "4e0",
     True, False, [4], {"4": 4}, HUGE, "9" * 99, float("nan"), b"4"],
)  # fmt: skip
def test_what_is_no_point_is_refused(typed):
    with pytest.raises(InvalidAnswer, match=r"^Choose a point from 1 to 5\.$"):
        answer_to(LIKERT, typed)


@pytest.mark.parametrize("typed", [None, "", "  ", "\n\t", "\u3000"])
def test_a_blank_is_refused_where_an_answer_is_required_and_skipped_where_not(typed):
    optional = Likert("q", 1, "Good?", False, points=FIVE)
    for question in (LIKERT, CHANCE, Comment("c", 1, "Why?", True)):
        with pytest.raises(InvalidAnswer):
            answer_to(question, typed)
    assert answer_to(optional, typed) == answer_to(COMMENT, typed) == SKIPPED


@pytest.mark.parametrize("typed", [0, "0", " 0 "])
def test_not_applicable_is_no_point_and_keeps_its_code(typed):
    assert answer_to(WITH_NA, typed) == Answer(number=0, blank="na")


def test_the_refusal_offers_not_applicable_where_it_is_offered():
    with pytest.raises(InvalidAnswer, match="from 1 to 5, or N/A"):
        answer_to(WITH_NA, 6)


@pytest.mark.parametrize(
    ("typed", "thousandths"),
    [
        (0, 0), (1, 1000), (0.0, 0), (1.0, 1000), (0.5, 500), (0.35, 350), (0.001, 1),
        ("0", 0), ("1", 1000), (".5", 500), ("0.350", 350), ("0,35", 350), (",5", 500),
        ("1.0", 1000), ("1.", 1000), ("0.", 0), ("1.0000", 1000), ("0.3500000", 350),
        (" 0.35\n", 350), ("0.999", 999), ("0.0", 0), ("0.29", 290),
    ],
)  # fmt: skip
def test_a_probability_is_kept_in_thousandths(typed, thousandths):
    assert answer_to(CHANCE, typed) == Answer(number=thousandths)


@pytest.mark.parametrize(
    "typed",
    ["35%", "1e-1", "1.001", "10", "100", "1000", "00", "2", "-0.1", "+0.5", "-0", "0.3.5",
     "0,3,5", ".", ",", "1/2", "half", "nan", "NaN", "inf", "Infinity", "0.٣", ".５", "0 .5",
     "0x1", 2, -1, 10, 100, 1.5, -0.0, 1e-9, float("nan"), float("inf"), HUGE,
     True, False, [0.5], {"p": 0.5}, b"0.5"],
)  # fmt: skip
def test_what_is_no_probability_is_refused(typed):
    with pytest.raises(InvalidAnswer, match=r"^Write a probability from 0\.0 to 1\.0"):
        answer_to(CHANCE, typed)


@pytest.mark.parametrize("typed", ["0.3333", 0.1 + 0.2, "0,1234"])
def test_a_probability_too_fine_is_refused_with_that_reason(typed):
    with pytest.raises(InvalidAnswer, match="At most three decimals"):
        answer_to(CHANCE, typed)


def test_a_comment_is_kept_without_the_space_around_it():
    assert answer_to(COMMENT, "  one\n  two \n") == Answer(text="one\n  two")
    assert answer_to(COMMENT, "x" * COMMENT_LIMIT) == Answer(text="x" * COMMENT_LIMIT)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("x" * (COMMENT_LIMIT + 1), "in characters: 5001. The limit: 5000"),
        ("a\x00b", "NUL"),
        ("half a pair \ud83d", "half a pair"),
        (7, "in words"), (True, "in words"), (["why"], "in words"), ({}, "in words"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_as_a_comment_is_refused(typed, reason):
    with pytest.raises(InvalidAnswer, match=reason):
        answer_to(COMMENT, typed)


def survey(**changes: object) -> dict[str, object]:
    return {q.key: 4 for q in SURVEY.questions if q.required} | changes


def test_a_full_survey_is_read_with_its_comments_skipped():
    read = SURVEY.read(survey(imagery=0, quality_comment="Because."))
    assert len(read) == 13
    assert read["imagery"] == Answer(number=0, blank="na")
    assert read["quality_comment"] == Answer(text="Because.")
    assert read["literary_devices_comment"] == SKIPPED


def test_all_problems_are_named_at_once():
    answers = survey(form=6, theme="", quality=None, quality_comment=3, author="Keats")
    with pytest.raises(InvalidAnswers) as refused:
        SURVEY.read(answers)
    assert set(refused.value.problems) == {
        "form", "theme", "quality", "quality_comment", "author",
    }  # fmt: skip
    assert str(refused.value.problems["author"]) == "There is no such question."
    assert all(key in str(refused.value) for key in refused.value.problems)


def test_nothing_at_all_is_refused_ten_times():
    with pytest.raises(InvalidAnswers) as refused:
        SURVEY.read({})
    assert len(refused.value.problems) == 10


def outcome(read: Callable[[Any], object], value: object) -> object:
    """Return what is read, or how it is refused."""
    try:
        return read(value)
    except (InvalidAnswer, InvalidAnswers) as refused:
        return refused


@given(JSON)
def test_any_value_is_read_or_refused_with_a_reason(value):
    for instrument in INSTRUMENTS:
        for question in instrument.questions:
            match outcome(partial(answer_to, question), value):
                case Answer() as read:
                    assert read.number is not None or read.text or read.blank
                case refused:
                    assert isinstance(refused, InvalidAnswer)
                    assert str(refused)


@given(st.dictionaries(st.sampled_from([q.key for q in SURVEY.questions]) | st.text(), JSON))
def test_any_answers_are_read_or_refused_by_name(answers):
    match outcome(SURVEY.read, answers):
        case dict() as read:
            assert set(read) == {question.key for question in SURVEY.questions}
        case refused:
            assert isinstance(refused, InvalidAnswers)
            assert refused.problems


@given(
    codes=st.lists(st.integers(-999, 9999), min_size=3, max_size=11, unique=True),
    chosen=st.data(),
)
def test_every_point_of_every_scale_reads_as_itself_in_every_form(codes, chosen):
    na, *points = codes
    points = sorted(points)
    scale = Likert(
        "q", 1, "Q", True, points=tuple(Point(code, "l") for code in points), na=Point(na, "none")
    )
    code = chosen.draw(st.sampled_from(codes))
    wanted = Answer(number=code, blank="na" if code == na else "")
    forms = (code, str(code), f" {code}\n", json.loads(json.dumps(code)))
    assert {answer_to(scale, form) for form in forms} == {wanted}


@given(st.integers(0, 1000))
def test_every_thousandth_reads_as_itself_in_every_form(thousandths):
    written = f"{thousandths / 1000:.3f}"
    forms = (written, written.replace(".", ","), float(written), json.loads(written))
    assert {answer_to(CHANCE, form).number for form in forms} == {thousandths}
