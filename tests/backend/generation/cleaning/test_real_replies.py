"""Real replies of twelve models: what a reader kept is kept, and nothing else."""

import csv

import pytest

from backend.generation.cleaning import NoPoem, find_poem
from tests.backend.generation.cleaning.answers import by_rules
from tests.backend.generation.cleaning.replies import HUMAN_POEMS, REPLIES, samples, score

needs_replies = pytest.mark.skipif(
    not REPLIES.exists(), reason="the real replies are in ../shared and are not shipped"
)
needs_poems = pytest.mark.skipif(
    not HUMAN_POEMS.exists(), reason="the human poems are in ../shared and are not shipped"
)


@needs_replies
def test_every_model_reaches_its_floor() -> None:
    scores = score(by_rules)
    assert scores[""].replies >= 120
    short = {
        name: (one.precision, one.recall, one.titled / one.replies)
        for name, one in scores.items()
        if one.precision < 0.99 or one.recall < 0.99 or one.titled < 0.9 * one.replies
    }
    assert short == {}


@needs_replies
@pytest.mark.parametrize("held_out", [False, True])
def test_replies_that_no_rule_was_written_to_do_as_well(held_out: bool) -> None:
    one = score(by_rules, lambda sample: sample.held_out is held_out)[""]
    assert one.precision >= 0.998
    assert one.recall >= 0.998
    assert one.exact >= 0.98 * one.replies
    assert one.titled >= 0.98 * one.replies


@needs_replies
def test_what_a_person_should_see_is_flagged() -> None:
    expected = raised = 0
    for sample in samples():
        expected += len(sample.expected.flags)
        raised += len(sample.expected.flags & by_rules(sample.reply).flags)
    assert raised >= 0.9 * expected


@needs_replies
def test_a_poem_that_was_found_is_found_whole_again() -> None:
    for sample in samples():
        try:
            found = find_poem(sample.reply)
        except NoPoem:
            continue
        assert find_poem(found.text).text == found.text


@needs_poems
def test_no_verse_of_human_poems_is_cut() -> None:
    with HUMAN_POEMS.open(newline="", encoding="utf-8") as file:
        poems = [row["content"] for row in csv.DictReader(file)]
    assert len(poems) > 50
    for poem in poems:
        found = find_poem(poem)
        above = {"title", "subtitle"}
        cut = [line for one in found.cuts if one.rule not in above for line in one.lines]
        assert [poem.split("\n")[line] for line in cut if poem.split("\n")[line].strip()] == []
        assert len([one for one in found.cuts if one.rule in above]) <= 2
