"""Syllables and rhymes are those of the spoken word."""

import pytest

from backend.poetics.pronunciation import rhyme_sound, syllables


@pytest.mark.parametrize(
    ("word", "count"),
    [("the", 1), ("water", 2), ("remember", 3), ("chang'd", 1), ("o'er", 2)],
)
def test_syllables_are_counted_or_guessed(word: str, count: int) -> None:
    assert syllables(word) == count


def test_rhymes_are_heard_not_seen() -> None:
    assert rhyme_sound("moon") == rhyme_sound("tune")
    assert rhyme_sound("love") != rhyme_sound("move")
    assert rhyme_sound("outgrabe") is None
