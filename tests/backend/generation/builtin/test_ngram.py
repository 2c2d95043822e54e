"""The model counts right, its probabilities are probabilities, and it does not recite."""

import math
from collections import Counter

import pytest

from backend.generation.builtin.ngram import (
    CHINESE,
    DISCOUNT,
    EDGE,
    Draw,
    NgramModel,
    OnlyRecitation,
    words,
)

TEXT = "a b c\na b d\n"


def test_words_are_read_without_case_and_punctuation() -> None:
    assert words("“O’er the hill”, said he: 'Tis I!") == [
        "o'er", "the", "hill", "said", "he", "'tis", "i",
    ]  # fmt: skip


def test_a_chinese_line_ends_at_its_punctuation() -> None:
    model = NgramModel.train(["白日依山盡，黃河入海流。"], 2, script=CHINESE)
    assert model.line_ends == {"盡": 1, "流": 1}
    assert model.line_starts == {"白": 1, "黃": 1}


def test_a_probability_is_what_the_formula_gives_by_hand() -> None:
    model = NgramModel.train([TEXT], 2)
    # Read backwards: c b a | d b a |. Before b only a, twice; of 8 tokens 2 are a; 5 kinds.
    uniform = 1 / 6
    alone = (2 - DISCOUNT + DISCOUNT * 5 * uniform) / 8
    assert model.probability("a", [EDGE, "c", "b"]) == pytest.approx(
        (2 - DISCOUNT + DISCOUNT * 1 * alone) / 2
    )


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("context", [[EDGE], [EDGE, "stone"], ["never", "read"], ["the", "on"]])
def test_probabilities_with_one_unknown_token_sum_to_one(
    english: list[str], order: int, context: list[str]
) -> None:
    model = NgramModel.train(english, order)
    known = sum(model.distribution(context).values())
    assert known + model.probability("xylophone", context) == pytest.approx(1)


def test_the_log_probability_of_a_text_is_the_mean_over_its_tokens_and_line_starts() -> None:
    model = NgramModel.train([TEXT], 1)
    uniform = 1 / 6
    one_of_eight = (1 - DISCOUNT + DISCOUNT * 5 * uniform) / 8
    two_of_eight = (2 - DISCOUNT + DISCOUNT * 5 * uniform) / 8
    expected = (math.log(one_of_eight) + math.log(two_of_eight)) / 2
    assert model.logprob("c\n\n") == pytest.approx(expected)


def test_a_text_without_words_has_no_log_probability() -> None:
    assert math.isnan(NgramModel.train([TEXT], 2).logprob(" \n...\n"))


def test_read_verse_is_likelier_than_the_same_words_backwards(english: list[str]) -> None:
    model = NgramModel.train(english, 3)
    line = "The gulls that followed all the day"
    assert model.logprob(line) > model.logprob(" ".join(reversed(line.split())))


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, 2.0])
def test_no_line_stands_in_the_training_texts(
    english: list[str], order: int, temperature: float
) -> None:
    model = NgramModel.train(english, order)
    read = [" ".join(words(line)) for text in english for line in text.splitlines()]
    for seed in range(40):
        written = " ".join(model.write_line(Draw(seed, temperature=temperature)))
        assert written not in read
        if " " in written:
            assert not any(f" {written} " in f" {line} " for line in read)


def test_a_text_that_leaves_nothing_but_recitation_is_said_to() -> None:
    with pytest.raises(OnlyRecitation):
        NgramModel.train(["one"], 2).write_line(Draw(1), enough=lambda tokens: len(tokens) == 1)


def test_the_same_seed_writes_the_same_line_and_seeds_differ(english: list[str]) -> None:
    model = NgramModel.train(english, 2)
    lines = [tuple(model.write_line(Draw(seed))) for seed in range(20)]
    assert lines == [tuple(model.write_line(Draw(seed))) for seed in range(20)]
    assert len(set(lines)) > 10


def test_at_temperature_0_the_seed_does_not_matter(english: list[str]) -> None:
    model = NgramModel.train(english, 3)
    lines = {tuple(model.write_line(Draw(seed, temperature=0))) for seed in range(5)}
    assert len(lines) == 1


def test_a_line_ends_on_the_word_it_is_asked_to_and_has_the_length_it_is_held_to(
    english: list[str],
) -> None:
    model = NgramModel.train(english, 2)
    for seed in range(20):
        line = model.write_line(
            Draw(seed), last="sea", enough=lambda t: len(t) == 6, may_fall_short=False
        )
        assert line[-1] == "sea"
        assert len(line) == 6


def test_draws_follow_their_weights_and_the_temperature() -> None:
    weights = {"a": 3.0, "b": 1.0}
    even, cold = Draw(1), Draw(1, temperature=0.5)
    drawn = Counter(even.choose(weights) for _ in range(4000))
    colder = Counter(cold.choose(weights) for _ in range(4000))
    assert drawn["a"] / 4000 == pytest.approx(3 / 4, abs=0.03)
    assert colder["a"] / 4000 == pytest.approx(9 / 10, abs=0.03)


def test_several_draws_are_different_until_there_are_no_more() -> None:
    several = Draw(5).several({"a": 1.0, "b": 1.0}, 4)
    assert set(several[:2]) == {"a", "b"}
    assert several[2:] == several[:2]


@pytest.mark.parametrize("texts", [[], ["", " \n"]])
def test_nothing_is_learnt_from_no_lines(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="no line"):
        NgramModel.train(texts, 2)


def test_an_order_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        NgramModel.train([TEXT], 0)
