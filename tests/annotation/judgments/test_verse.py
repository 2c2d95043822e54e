"""Verse is set as it was written, with numbers that an edition would print."""

from django.template.loader import render_to_string

from annotation.judgments.templatetags.verse import stanzas

TWO_STANZAS = "One\n  two\nthree\n\n\n\tfour\nfive\nsix"


def _lines(text: str) -> list[tuple[int, str, int]]:
    return [(one.indent, one.text, one.number) for stanza in stanzas(text) for one in stanza]


def test_lines_are_numbered_over_the_whole_poem_and_blank_lines_are_not_counted() -> None:
    assert _lines(TWO_STANZAS) == [
        (0, "One", 1),
        (2, "two", 2),
        (0, "three", 3),
        (4, "four", 4),
        (0, "five", 5),
        (0, "six", 6),
    ]


def test_stanzas_are_split_where_a_blank_line_stands() -> None:
    assert [len(stanza) for stanza in stanzas(TWO_STANZAS)] == [3, 3]


def test_every_fifth_line_and_no_other_has_a_printed_number() -> None:
    poem = "\n".join("line" for _ in range(11))

    assert [one.number for stanza in stanzas(poem) for one in stanza if one.fifth] == [5, 10]


def test_an_ideographic_space_indents_by_two() -> None:
    assert _lines("\u3000\u3000\u79cb") == [(4, "\u79cb", 1)]


def test_a_poem_of_nothing_but_blank_lines_has_no_stanza() -> None:
    assert stanzas("\n \n") == []


def test_a_page_carries_the_number_of_each_line_outside_its_text() -> None:
    page = render_to_string("judgments/_poem.html", {"text": TWO_STANZAS, "language": "en"})

    assert 'class="line in-4" data-line="4">four</span>' in page
    assert 'class="line fifth" data-line="5">five</span>' in page
    assert page.count("fifth") == 1
