"""Forms, rhyme patterns, lengths and themes are found in what a brief says."""

import pytest

from backend.generation.builtin.brief import (
    is_chinese,
    read_chinese,
    read_english,
    rhyme_pattern,
)


def scheme(brief: str) -> str:
    """The rhymes of the lines to be written, renamed in the order in which they come."""
    names: dict[str, str] = {}
    stanzas = read_english(brief).stanzas
    return " ".join(
        "".join(names.setdefault(slot.rhyme, chr(65 + len(names))) for slot in stanza)
        for stanza in stanzas
    )


@pytest.mark.parametrize(
    ("brief", "pattern"),
    [
        ("Rhyme pattern: ABCB\nTheme: A lost love", "ABCB"),
        ("a sonnet rhyming ABBAABBA CDDCEE about the moon", "ABBAABBA CDDCEE"),
        ("Rhyme: AA BCBCDEDEFGFG.", "AA BCBCDEDEFGFG"),
        ("use the scheme (AABBA).", "AABBA"),
        ("A BALLAD ABOUT A BAD CAB", ""),
        ("Write a poem about the sea.", ""),
    ],
)
def test_a_rhyme_pattern_is_told_from_words(brief: str, pattern: str) -> None:
    assert rhyme_pattern(brief) == pattern


@pytest.mark.parametrize(
    ("brief", "expected"),
    [
        ("Form: Sonnet", "ABABCDCDEFEFGG"),
        ("Form: Sonnet\nRhyme pattern: ABBAABBA CDCDCD", "ABBAABBA CDCDCD"),
        ("Form: Sonnet\nRhyme pattern: ABBACDDCEFFEGHHG", "ABBACDDCEFFEGHHG"),
        ("Form: Sonnet\nRhyme pattern: ABAB", "ABABCDCDEFEFGG"),
        ("Form: Limerick", "AABBA"),
        ("Form: Limerick\nRhyme pattern: AABA", "AABA"),
        ("Form: Ballad\nRhyme pattern: ABAB", "ABAB CDCD EFEF GHGH IJIJ"),
        ("A ballad of three stanzas, ABCB", "ABCB DEFE GHIH"),
        ("a poem of 8 lines in AABB", "AABB CCDD"),
        ("a four-line poem", "ABCB"),
        ("a haiku", "ABC"),
        ("Form: Villanelle\nRhyme pattern: ABAB", "ABA ABA ABA ABA ABA ABAA"),
    ],
)
def test_a_brief_becomes_lines_that_rhyme_as_it_says(brief: str, expected: str) -> None:
    assert scheme(brief) == expected


def test_metre_sets_the_length_of_lines_and_forms_have_their_own() -> None:
    assert {s.syllables for s in read_english("a sonnet").stanzas[0]} == {10}
    assert {s.syllables for s in read_english("a sonnet, tetrameter").stanzas[0]} == {8}
    assert [s.syllables for s in read_english("a limerick").stanzas[0]] == [8, 8, 5, 5, 8]


def test_the_theme_is_what_the_brief_names_or_else_its_own_words() -> None:
    named = "Write a poem according to the following instructions.\nForm: Ballad\nTheme: the sea"
    assert read_english(named).theme == {"sea"}
    assert read_english("Please write a sonnet about winter stars").theme == {"winter", "stars"}


@pytest.mark.parametrize(
    ("brief", "title", "lines", "characters"),
    [
        ("请你写一首题为《春望》的古诗。", "春望", 0, 0),
        ("寫一首題為《登高》的七言律詩", "登高", 8, 7),
        ("写一首题为《静夜思》的五言绝句", "静夜思", 4, 5),
        ("写一首五律", "", 8, 5),
        ("题为《七言》的古诗", "七言", 0, 0),
    ],
)
def test_a_chinese_brief_gives_its_title_and_shape(
    brief: str, title: str, lines: int, characters: int
) -> None:
    asked = read_chinese(brief)
    assert (asked.title, asked.lines, asked.characters) == (title, lines, characters)


def test_the_language_of_a_brief_is_told_by_its_script() -> None:
    assert is_chinese("写一首题为《Spring》的古诗")
    assert not is_chinese("Write a classical poem titled 春望 (Spring View)")
