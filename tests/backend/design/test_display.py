"""Both kinds of text pass one normalisation: it takes surface marks away, and nothing else."""

import csv
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.design.display import RECIPE, UnknownStep, normalise

DEV = Path(__file__).resolve().parents[3] / ".." / "shared/data/poemetric_human_poems_dev.csv"

# What the steps look for, so that chance meets it often.
MARKS = (
    "\n\r\t \u00a0\u2009\u200b\u3000\u2028\x0b\x0c\x85\x1c\ufeff\u00ad"
    "-‐‑‒–—―“”‘’\"'`´…...0 1aéé\u0301#*_>[]:"
)
TEXTS = st.text(st.sampled_from(MARKS) | st.characters(), max_size=40) | st.text(
    st.sampled_from(MARKS), max_size=12
)
# Steps that take words away, if they are a machine's scaffolding.
CUTS = {
    "no marks of a code block or quotation block",
    "no title line above the poem",
    "no headings that only count stanzas",
    "no signature below the poem",
}
CHARACTERS = [name for name in RECIPE if name not in CUTS]
WORDS = st.text(st.sampled_from("abcXYZ"), min_size=1, max_size=4)
# Lines of an indent and words with one to four spaces between them.
LINES = st.tuples(
    st.integers(0, 8),
    st.lists(st.tuples(WORDS, st.integers(1, 4)), min_size=1, max_size=4),
)
STANZAS = st.lists(
    st.tuples(st.lists(LINES, min_size=1, max_size=4), st.integers(1, 4)), min_size=1, max_size=4
)


def set_line(line: tuple[int, list[tuple[str, int]]]) -> str:
    indent, words = line
    return (" " * indent + "".join(word + " " * gap for word, gap in words)).rstrip()


def letters(text: str) -> str:
    # The apostrophe that Unicode counts as a letter is one of the marks.
    return "".join(filter(str.isalpha, unicodedata.normalize("NFD", text.replace("ʼ", "'"))))


HEADED = st.lists(
    st.sampled_from(
        ["# A", "**A**", "Title: A", "A", "", "Stanza 1:", "[Chorus]", "**Verse 2**", "```", "a b,",
         "- by A. B", "— an AI", "***", "> a", "_a_", "II", "《甲》", "第一节"]
    ),
    max_size=8,
).map("\n".join)  # fmt: skip


@given(TEXTS | HEADED, st.sampled_from(["", "A", "a b"]))
def test_normalising_twice_changes_nothing_more(text, title):
    once = normalise(text, title=title)
    assert normalise(once, title=title) == once


@given(TEXTS | HEADED)
def test_no_letter_is_lost_or_added_by_steps_that_set_characters_alike(text):
    assert letters(normalise(text, steps=CHARACTERS)) == letters(text)


@given(HEADED)
def test_a_text_that_says_anything_is_never_emptied(text):
    assert bool(letters(normalise(text))) == bool(letters(text))


POEM = "The tide came in,\nthe tide went out.\n\nNobody saw\nwhere it had been."


@pytest.mark.parametrize(
    "written",
    [
        f"# The Tide\n\n{POEM}",
        f"## The Tide\n{POEM}",
        f"**The Tide**\n\n{POEM}",
        f"__The Tide__  \n\n{POEM}",
        f"Title: The Tide\n\n{POEM}",
        f"**Title:** The Tide\n{POEM}",
        f"**Title**: The Tide\n{POEM}",
        f"《The Tide》\n{POEM}",
        f"```\n{POEM}\n```",
        f"```text\n# The Tide\n{POEM}\n```",
        "\n".join(f"> {line}".rstrip() for line in POEM.split("\n")),
        "Stanza 1:\n" + POEM.replace("\n\n", "\nStanza 2:\n"),
        "**Stanza 1:**\n\n" + POEM.replace("\n\n", "\n\n**Stanza 2:**\n\n"),
        "[Verse 1]\n" + POEM.replace("\n\n", "\n\n[Chorus]\n"),
        "第一节：\n" + POEM.replace("\n\n", "\n\n第二节：\n"),
        f"{POEM}\n\n— by A. N. Other",
        f"{POEM}\n\n(Written by a language model)",
        f"{POEM}\n\n*~ an AI*",
        POEM.replace("tide", "*tide*"),
        POEM.replace("Nobody", "**Nobody**"),
        POEM.replace("where it had been", "_where it had been_"),
    ],
)
def test_scaffolding_round_a_poem_is_not_shown(written):
    assert normalise(written) == POEM


@pytest.mark.parametrize("first", ["The Tide", "THE TIDE", '"The Tide."', "  The Tide"])
def test_a_first_line_that_says_the_title_again_is_not_shown(first):
    assert normalise(f"{first}\n\n{POEM}", title="The Tide") == POEM


@pytest.mark.parametrize(
    "text",
    [
        "The tide\n\ncame in,\n\nand out.",  # a poem of single lines, called by its first
        "The tide\ncame in,\nand out.",
        "Another tide\n\ncame in\nand out.",
        "The tide",
    ],
)
def test_a_first_line_of_verse_stays_though_the_poem_is_called_by_it(text):
    assert normalise(text, title="The tide") == text


def test_an_unmarked_first_line_stays_where_no_title_is_known():
    assert normalise(f"The Tide\n\n{POEM}") == f"The Tide\n\n{POEM}"


def test_a_step_can_be_left_out():
    without = [name for name in RECIPE if name != "no title line above the poem"]
    assert normalise("Title: The Tide\n“Sea”", steps=without) == 'Title: The Tide\n"Sea"'
    assert normalise("Title: The Tide\n“Sea”", steps=[]) == "Title: The Tide\n“Sea”"


def test_steps_go_in_the_order_of_the_recipe_however_they_are_named():
    assert normalise("a \r\n\r\n\r\nb", steps=list(RECIPE)[::-1]) == "a\n\nb"


def test_a_step_that_there_is_not_is_refused_by_name():
    with pytest.raises(UnknownStep, match="no vowels"):
        normalise("a", steps=["no vowels"])


@given(STANZAS)
def test_lines_relative_indents_and_inner_spaces_stay(stanzas):
    written = "\n".join(
        "\n".join(set_line(line) for line in lines) + "\n" * blank for lines, blank in stanzas
    )
    least = min(indent for lines, _ in stanzas for indent, _ in lines)
    wanted = "\n\n".join(
        "\n".join(set_line(line)[least:] for line in lines) for lines, _ in stanzas
    )
    assert normalise(written) == wanted


@given(st.lists(st.text(st.sampled_from("ab -–—…'  "), max_size=12), max_size=6))
def test_no_line_of_verse_is_lost_or_broken(lines):
    kept = [line for line in normalise("\n".join(lines)).split("\n") if line]
    assert len(kept) == sum(bool(line.strip()) for line in lines)


@pytest.mark.parametrize("indent", [1, 2, 3, 8])
@pytest.mark.parametrize("dash", ["—", "–", "--", "- ", "— ", "\u2015"])
def test_an_indent_before_a_dash_stays(indent, dash):
    shown = normalise(f"He said\n{' ' * indent}{dash}Hello")
    assert shown == f"He said\n{' ' * indent}—Hello"


def test_a_gap_wider_than_a_printers_stays_beside_a_dash():
    assert normalise("love  -  and   — loss") == "love  —  and   —loss"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It’s “mine” ‘now’", "It's \"mine\" 'now'"),
        ("wait… now", "wait... now"),
        ("wait . . . now", "wait ... now"),
        ("love — and loss", "love—and loss"),
        ("love -- and loss", "love—and loss"),
        ("love--and loss", "love—and loss"),
        ("love – and loss", "love—and loss"),
        ("love–and loss", "love—and loss"),
        ("love - and loss", "love—and loss"),
        ("love ― and loss", "love—and loss"),
        ("love –\nand loss", "love—\nand loss"),
        ("love -\nand loss", "love—\nand loss"),
        ("love --\nand loss", "love —\nand loss"),
        ("- Hello\n- Hi", "— Hello\n— Hi"),
        ("well\u2011known", "well-known"),
        ("caf\u0065\u0301", "café"),
        ("no\u00a0break\u2009thin", "no break thin"),
        ("zero\u200bwidth\ufeff\u00ad", "zerowidth"),
        ("\u202dturned\u202c\u2066", "turned"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("one  \ntwo\t\n", "one\ntwo"),
        ("\n\none\n\n\n\ntwo\n \n", "one\n\ntwo"),
        ("    one\n      two", "one\n  two"),
        ("\tone\n\t\ttwo", "one\n    two"),
        ("\u3000\u3000床前\n\u3000\u3000疑是", "床前\n疑是"),
        ("床前\n\u3000疑是", "床前\n  疑是"),
    ],
)
def test_texts_that_differ_in_surface_marks_come_out_alike(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    "text",
    [
        "well-known, sea-\nborne",
        "1914–1918",
        "床前明月光，\n疑是地上霜。",
        "one\n\n  two   three\n      four",
        "Mr. B. and Dr. D.",
        "x * y * z\n\n* * *",
        "{brief} %s <b>&amp;</b>",
        "I\n\none,\n\nII\n\ntwo",
        "Canto II\n\none",
        "one\n\nEnvoi\n\ntwo",
        "Chorus\n\none",
        "Verse\nby verse",
        "Couplet upon couplet:\none",
        "one\n\nBy Avon's side",
        "one\n\n—Amen",
        "one\n—by Candlelight\ntwo",
        "#4, the tide",
        "*****\n\n____\n\n*\n\none*\n\n*a note",
        "snake_case_word 2*3*4",
        "> one\ntwo",
        "",
    ],
)
def test_what_a_poet_chose_stays(text):
    assert normalise(text) == text


def test_every_step_is_named_for_whoever_reads_the_study():
    assert all(len(name) > 10 for name in RECIPE)


def test_all_poems_of_the_development_data_keep_every_word_and_line():
    if not DEV.exists():
        pytest.skip("the human poems' development data are not beside this checkout")
    csv.field_size_limit(sys.maxsize)
    with DEV.open(encoding="utf-8", newline="") as file:
        texts = [row["content"] for row in csv.DictReader(file)]
    assert len(texts) == 77
    for text in texts:
        shown = normalise(text)
        assert letters(shown) == letters(text)
        before = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
        after = [line for line in shown.split("\n") if line]
        assert [letters(line) for line in after] == [letters(line) for line in before]
        assert normalise(shown) == shown
