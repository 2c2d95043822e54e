import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.poetics.lexis import type_token_ratio, words


def test_words_are_folded_and_keep_their_apostrophes_and_hyphens():
    assert words("O'er the wine-dark Sea,\nthe SEA!") == [
        "o'er", "the", "wine-dark", "sea", "the", "sea",
    ]  # fmt: skip


def test_curly_and_straight_apostrophes_make_one_word():
    assert words("o’er") == words("o'er")


def test_chinese_is_counted_by_character():
    assert words("床前明月光，") == ["床", "前", "明", "月", "光"]


def test_the_ratio_is_types_over_tokens():
    # rose, is, a: 3 types in 10 tokens
    assert type_token_ratio("Rose is a rose is a rose is a rose") == pytest.approx(0.3)
    assert type_token_ratio("Rose is a rose is a rose", first=3) == 1.0


def test_without_words_the_ratio_is_not_defined():
    assert math.isnan(type_token_ratio("... 1912 --"))


@given(st.text())
def test_any_text_has_a_ratio_above_0_and_at_most_1_or_none(text):
    ratio = type_token_ratio(text)
    assert math.isnan(ratio) or 0 < ratio <= 1
