"""Known column names, and the guess of a language."""

import pytest

from backend.corpus.columns import guessed_language, known_feeds


def test_large_letters_in_a_header_do_not_matter() -> None:
    assert known_feeds(["Title", "CONTENT"]) == {"title": "Title", "text": "CONTENT"}


def test_the_published_table_s_name_goes_before_the_plain_one() -> None:
    assert known_feeds(["url", "poem_link-href", "text", "content"]) == {
        "text": "content",
        "url": "poem_link-href",
    }


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Shall I compare thee", "en"),
        ("床前明月光，\n疑是地上霜。", "zh-Hant"),
        ("𠀀𠀁", "zh-Hant"),
        ("Li Bai wrote 靜夜思", "en"),
        ("月が綺麗ですね", "en"),
        ("...", "en"),
    ],
)
def test_a_text_is_taken_for_chinese_if_most_of_its_letters_are_han(
    text: str, language: str
) -> None:
    assert guessed_language(text) == language
