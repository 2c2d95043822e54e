"""Both kinds of text pass one normalisation: it takes surface marks away, and nothing else."""

import csv
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.design.display import RECIPE, normalise

DEV = Path(__file__).resolve().parents[3] / ".." / "shared/data/poemetric_human_poems_dev.csv"

# What the steps look for, so that chance meets it often.
MARKS = (
    "\n\r\t \u00a0\u2009\u200b\u3000\u2028\x0b\x0c\x85\x1c\ufeff\u00ad"
    "-‐‑‒–—―“”‘’\"'`´…...0 1aéé\u0301"
)
TEXTS = st.text(st.sampled_from(MARKS) | st.characters(), max_size=40) | st.text(
    st.sampled_from(MARKS), max_size=12
)
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


@given(TEXTS)
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(text)
    assert normalise(once) == once


@given(TEXTS)
def test_no_letter_is_lost_or_added(text):
    assert letters(normalise(text)) == letters(text)


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
