"""What captions say was asked, and of whom."""

from dataclasses import replace

from backend.analytics.reports.telling.answers import tellings
from tests.backend.analytics.reports.made import ALPHA, POINTS, PROBABILITY, made

SAID = {
    (judge, who, "title"): 0.5
    for judge in ("Anna", "gpt-4o")
    for who in ("human", "Alpha")
}  # fmt: skip


def test_one_question_is_named_in_words_alone() -> None:
    frame = made(SAID, machines=["gpt-4o"])
    asked = [one.asked for panel in frame.panels for one in tellings(frame, panel)]
    assert asked == ["probability human, by experts", "probability human, by gpt-4o"]


def test_of_several_questions_the_number_stands_with_the_words() -> None:
    frame = made(SAID, machines=["gpt-4o"])
    frame = replace(frame, questions=(PROBABILITY, replace(POINTS, number=12)))
    found = list(tellings(frame, frame.panels[0]))
    assert [one.asked for one in found] == [
        "probability human (question 1), by experts",
        "human authorship (question 12), by experts",
    ]
    assert [one.suffix for one in found] == ["experts-q1", "experts-q12"]


def test_an_authors_answers_are_found_once_and_are_those_of_the_frame() -> None:
    frame = made(ALPHA)
    (telling,) = tellings(frame, frame.panels[0])
    for code in (0, 1):
        mine = telling.by(code)
        assert mine.sum() == 6
        assert telling.numbers(code).tolist() == frame.number[mine].tolist()
        assert telling.titles(code).tolist() == frame.item_title[frame.item[mine]].tolist()
        assert telling.judges(code).tolist() == frame.judge[mine].tolist()
        assert telling.numbers(code) is telling.numbers(code)


def test_of_some_ratings_alone_the_answers_are_found_anew() -> None:
    frame = made(ALPHA)
    (telling,) = tellings(frame, frame.panels[0])
    assert telling.numbers(1).size == 6
    assert telling.of(frame.judge == 0).numbers(1).tolist() == [600, 700]
