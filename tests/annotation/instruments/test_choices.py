"""The gate, the choice between two texts, and altered or not: what is taken and what is refused."""

import pytest

from annotation.instruments.choices import NAME_LIMIT, Altered, ForcedChoice, Recognition
from annotation.instruments.questions import SKIPPED, Answer, InvalidAnswer, Point

LEVELS = ("I have never seen it", "It seems vaguely familiar", "I know it", "I can name it")
GATE = Recognition(
    "known", 1, "Do you know this poem?", True,
    levels=tuple(Point(code, label) for code, label in enumerate(LEVELS)),
    named_label="Which poem, or whose?",
)  # fmt: skip
PAIR = ForcedChoice("human", 1, "Which of the two?", True)
CHINESE = ForcedChoice("human", 1, "哪一首？", True, labels=("甲", "乙"))
ALTERED = Altered("altered", 1, "Altered?", True, labels=("not altered", "altered"))
COMMON = {"key", "number", "kind", "text", "required"}
HUGE = pytest.param(10**5000, id="10**5000")


@pytest.mark.parametrize(("typed", "level"), [(0, 0), ("1", 1), (" 2 ", 2), ("3", 3)])
def test_a_level_of_recognition_is_read(typed, level):
    assert GATE.read({"known": typed}) == Answer(number=level)


def test_the_last_level_keeps_the_name():
    given = {"known": "3", "known.named": "  Blake, The Sick Rose "}
    assert GATE.read(given) == Answer(number=3, text="Blake, The Sick Rose")


@pytest.mark.parametrize("named", [None, "", "  "])
def test_the_name_may_be_left_out(named):
    assert GATE.read({"known": "3", "known.named": named}) == Answer(number=3)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("named", ["Blake", "x" * 501, "a\x00", 7])
def test_at_other_levels_no_name_is_kept_or_refused(level, named):
    assert GATE.read({"known": level, "known.named": named}) == Answer(number=level)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("x" * (NAME_LIMIT + 1), "in characters: 501. The limit: 500."),
        ("Bla\x00ke", "NUL"), ("half a pair \ud83d", "half a pair"),
        (7, "in words"), (True, "in words"), (["Blake"], "in words"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_kept_is_refused(named, reason):
    with pytest.raises(InvalidAnswer, match=reason):
        GATE.read({"known": 3, "known.named": named})


def test_a_name_of_just_the_limit_is_kept():
    assert GATE.read({"known": 3, "known.named": "x" * 500}).text == "x" * 500


@pytest.mark.parametrize("typed", [None, "", -1, 4, "4", "yes", True, 1.5, [1], HUGE])
def test_what_is_no_level_is_refused(typed):
    with pytest.raises(InvalidAnswer, match=r"^Say whether you know this poem already\.$"):
        GATE.read({"known": typed})


def test_the_gate_shows_its_levels_and_where_the_name_is_asked():
    shown = GATE.shown()
    assert set(shown) == COMMON | {"levels", "named_label", "name_level"}
    assert shown["levels"] == [
        {"code": code, "label": label} for code, label in enumerate(LEVELS)
    ]  # fmt: skip
    assert (shown["name_level"], shown["named_label"]) == (3, "Which poem, or whose?")
    assert GATE.fields == ("known", "known.named")


@pytest.mark.parametrize(("typed", "side"), [("1", 1), (2, 2), (" 2", 2)])
def test_the_first_text_is_1_and_the_second_2(typed, side):
    assert PAIR.read({"human": typed}) == Answer(number=side)


@pytest.mark.parametrize("typed", [None, "", 0, 3, "A", "Text A", True, 1.0, HUGE])
def test_what_is_neither_text_is_refused_with_both_labels(typed):
    with pytest.raises(InvalidAnswer, match=r"^Choose “Text A” or “Text B”\.$"):
        PAIR.read({"human": typed})
    with pytest.raises(InvalidAnswer, match=r"^Choose “甲” or “乙”\.$"):
        CHINESE.read({"human": typed})


@pytest.mark.parametrize(("typed", "altered"), [("0", 0), (1, 1)])
def test_altered_is_1_and_not_altered_0(typed, altered):
    assert ALTERED.read({"altered": typed}) == Answer(number=altered)


@pytest.mark.parametrize("typed", [None, "", 2, -1, "altered", False])
def test_what_is_neither_altered_nor_not_is_refused(typed):
    with pytest.raises(InvalidAnswer, match=r"^Choose “not altered” or “altered”\.$"):
        ALTERED.read({"altered": typed})


@pytest.mark.parametrize(
    ("question", "codes"),
    [(PAIR, {1: "Text A", 2: "Text B"}), (ALTERED, {0: "not altered", 1: "altered"})],
)
def test_both_labels_are_shown_in_the_order_of_their_codes(question, codes):
    assert set(question.shown()) == COMMON | {"points"}
    shown = {point["code"]: point["label"] for point in question.shown()["points"]}
    assert list(shown.items()) == list(codes.items())
    assert {point.code: point.label for point in question.offered} == codes


def test_a_choice_that_is_optional_may_be_skipped():
    assert ForcedChoice("human", 1, "Which?", False).read({}) == SKIPPED
