"""No cell of a CSV runs as a formula, and every text can be had back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.corpus.spreadsheets import AT_ONCE, neutralise, restore, stream

# Texts as they occur, with what a spreadsheet looks at made frequent.
TEXTS = st.text(
    st.one_of(st.sampled_from("=+-@\t\r\n \"',;＝－‘“"), st.characters(exclude_categories=["Cs"])),
    max_size=12,
)


def read_back(pieces: list[str]) -> list[list[str]]:
    return list(csv.reader(io.StringIO("".join(pieces), newline="")))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-a dash that opens a line",
        "@SUM(A1)",
        "\tindented by a tab",
        "\r=1",
        "  =1",
        '"=1"',
        "'=1",
        " \n -1",
        "＝1",
        "－1",
    ],
)
def test_what_looks_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert neutralise(text) == "'" + text
    assert restore("'" + text) == text


@pytest.mark.parametrize(
    "text", ["", "Shall I compare thee", "'Tis", "  indented", "床前明月光", "1=1"]
)
def test_what_does_not_is_left_alone(text: str) -> None:
    assert neutralise(text) == text == restore(text)


@given(TEXTS)
def test_the_documented_rule_restores_every_text(text: str) -> None:
    assert restore(neutralise(text)) == text


@given(TEXTS)
def test_no_written_cell_begins_like_a_formula(text: str) -> None:
    assert neutralise(text)[:1] not in {*"=+-@\t\r＝＋－＠"}
    assert neutralise(text).lstrip(' \n"')[:1] not in {*"=+-@\t\r＝＋－＠"}


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_a_table_read_back_holds_the_same_texts(rows: list[tuple[str, str]]) -> None:
    header, *back = read_back(list(stream(["first", "second"], rows)))
    assert header == ["first", "second"]
    assert [tuple(map(restore, row)) for row in back] == rows


def test_a_long_table_comes_in_few_pieces_and_each_row_as_it_does_alone() -> None:
    rows = [(f"=row {place}", place / 7, None, 'a "b",\r\n') for place in range(2 * AT_ONCE + 3)]
    pieces = list(stream(["a", "b", "c", "d"], iter(rows)))
    alone = [list(stream(["a", "b", "c", "d"], [row]))[1] for row in rows]
    assert "".join(pieces[1:]) == "".join(alone)
    assert len(pieces) == 4


def test_numbers_are_not_touched_and_a_missing_one_is_empty() -> None:
    rows = [(-3, -0.25, None)]
    assert list(stream(["a", "b", "c"], rows)) == ["a,b,c\r\n", "-3,-0.25,\r\n"]
