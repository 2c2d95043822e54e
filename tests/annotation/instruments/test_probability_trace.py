"""How a judge came to a probability is kept, and never stands in the way of the answer."""

import pytest

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.loading import load, published
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Answer, InvalidAnswer

CHANCE = Probability("p", 1, "Human?", True, "no", "yes", "I cannot tell")
PLAIN = Probability("p", 1, "Human?", True, "no", "yes")
OPTIONAL = Probability("p", 1, "Human?", False, "no", "yes", "I cannot tell")
HUGE = pytest.param(10**5000, id="10**5000")  # too long for Python to write out


def test_it_reads_its_answer_and_three_names_of_its_trace():
    assert CHANCE.fields == ("p", "p.first", "p.moves", "p.touched")


def test_the_trace_is_kept_beside_the_answer():
    given = {"p": "0.4", "p.first": "0.35", "p.moves": "3", "p.touched": "5120"}
    assert CHANCE.read(given) == Answer(number=400, first=350, moves=3, touched=5120)


@pytest.mark.parametrize("typed", ["cannot_tell", " cannot_tell\n"])
def test_cannot_tell_is_no_number_and_has_a_reason_of_its_own(typed):
    assert CHANCE.read({"p": typed}) == Answer(blank="cannot_tell")


def test_cannot_tell_keeps_where_the_probability_stood_before():
    given = {"p": "cannot_tell", "p.first": 0.5, "p.moves": 1, "p.touched": 900}
    assert CHANCE.read(given) == Answer(blank="cannot_tell", first=500, moves=1, touched=900)


def test_cannot_tell_the_middle_and_untouched_are_three_answers():
    answers = [OPTIONAL.read({"p": typed}) for typed in ("cannot_tell", "0.5", "")]
    assert [(answer.number, answer.blank) for answer in answers] == [
        (None, "cannot_tell"), (500, ""), (None, "skipped"),
    ]  # fmt: skip


def test_cannot_tell_is_refused_where_it_is_not_offered():
    with pytest.raises(InvalidAnswer, match=r"^Write a probability from 0\.0 to 1\.0, for"):
        PLAIN.read({"p": "cannot_tell"})


@pytest.mark.parametrize("typed", ["", "I cannot tell", "cannot tell", "CANNOT_TELL", None])
def test_the_refusal_offers_cannot_tell_by_its_label(typed):
    with pytest.raises(InvalidAnswer, match=r"or choose “I cannot tell”\.$"):
        CHANCE.read({"p": typed})


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("first", "0", 0), ("first", "1", 1000), ("first", "0,35", 350), ("first", 0.35, 350),
        ("moves", 0, 0), ("moves", " 12 ", 12), ("moves", 2**31 - 1, 2**31 - 1),
        ("touched", "0", 0), ("touched", 10**11, 10**11), ("touched", str(10**11), 10**11),
    ],
)  # fmt: skip
def test_a_trace_that_can_be_kept_is_kept(name, given, kept):
    assert getattr(CHANCE.read({"p": "0.4", f"p.{name}": given}), name) == kept


NONE = [None, "", "x", "-1", -1, True, False, 1.5, float("nan"), [1], {"a": 1}, "1e3", "٤", HUGE]


@pytest.mark.parametrize("name", ["first", "moves", "touched"])
@pytest.mark.parametrize("given", [*NONE, 10**11 + 1, str(10**11 + 1), 10**12])
def test_a_trace_that_cannot_be_true_is_left_out_and_refuses_nothing(name, given):
    answer = CHANCE.read({"p": "0.4", f"p.{name}": given})
    assert answer == Answer(number=400)


@pytest.mark.parametrize("given", ["1.2", "0.3333", "cannot_tell", 35])
def test_a_first_placement_that_is_no_probability_is_left_out(given):
    assert CHANCE.read({"p": "0.4", "p.first": given}).first is None


def test_more_moves_than_the_column_holds_are_left_out():
    assert CHANCE.read({"p": "0.4", "p.moves": 2**31}).moves is None


def test_an_instrument_knows_the_names_of_the_trace_and_no_others():
    proftap = load(published("proftap-probability"))
    key = "probability_human"
    given = {key: "0.4", f"{key}.first": "0.2", f"{key}.moves": "1", f"{key}.touched": "80"}
    assert proftap.read(given) == {key: Answer(number=400, first=200, moves=1, touched=80)}
    with pytest.raises(InvalidAnswers) as refused:
        proftap.read({**given, f"{key}.last": "0.3"})
    assert set(refused.value.problems) == {f"{key}.last"}


def test_a_judge_is_shown_the_label_of_cannot_tell_or_none():
    assert CHANCE.shown()["cannot_tell"] == "I cannot tell"
    assert PLAIN.shown()["cannot_tell"] == ""
    assert set(PLAIN.shown()) == {
        "key", "number", "kind", "text", "required", "low_label", "high_label", "cannot_tell",
    }  # fmt: skip
