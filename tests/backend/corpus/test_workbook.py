"""Excel workbooks give the same poems as a text file would."""

import io
import random
import zipfile
from contextlib import suppress
from datetime import date

import pytest
from openpyxl import Workbook

from backend.corpus.problems import ImportRefused
from backend.corpus.readers import Table, read_table


def packed(*rows: tuple[object, ...]) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def read(content: bytes) -> Table:
    return read_table(content, file_name="Poems.XLSX", encoding="utf-8")


def test_text_comes_back_exactly_and_numbers_as_their_text() -> None:
    text = "  Ode\n\n\tto ‘joy’ & <all>\n    end "
    content = packed(("title", "content", "year", "n"), ("=", text, 1818, 1.5))
    (row,) = read(content).rows
    assert row.line == 2
    assert dict(row.cells) == {"title": "=", "content": text, "year": "1818", "n": "1.5"}


def test_empty_cells_are_empty_text_and_empty_rows_are_no_rows() -> None:
    content = packed(("title", "content", "year"), ("A", "a"), (), (None, " "), ("B", None, 1))
    assert [(row.line, dict(row.cells)) for row in read(content).rows] == [
        (2, {"title": "A", "content": "a", "year": ""}),
        (5, {"title": "B", "content": "", "year": "1"}),
    ]


def test_carriage_returns_written_by_excel_are_read() -> None:
    (row,) = read(packed(("title",), ("one_x000D_\ntwo",))).rows
    assert row.cells["title"] == "one\r\ntwo"


def test_a_cell_beyond_the_header_is_named_with_its_row() -> None:
    (problem,) = read(packed(("title", "content"), ("A", "a"), ("B", "b", "c"))).problems
    assert (problem.line, problem.column) == (3, "3")


@pytest.mark.parametrize(
    ("value", "reason"),
    [("=1+1", "a formula"), (True, "true or false"), (date(1818, 5, 1), "a date")],
)
def test_a_cell_that_is_no_text_is_a_flaw_that_says_what_it_is(value: object, reason: str) -> None:
    (row,) = read(packed(("title",), (value,))).rows
    assert reason in row.cells["title"].reason  # type: ignore[union-attr]


def zipped(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


@pytest.mark.parametrize("content", [b"title,content\nA,a\n", zipped(a="b"), packed()[:2000]])
def test_what_is_no_workbook_is_refused(content: bytes) -> None:
    with pytest.raises(ImportRefused) as refusal:
        read(content)
    (problem,) = refusal.value.problems
    assert problem.reason.startswith("This is no Excel workbook: ")


def test_a_workbook_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.corpus.workbook.UNPACKED_LIMIT", 2**20)
    with pytest.raises(ImportRefused) as refusal:
        read(zipped(bomb="0" * (2**20 + 1)))
    assert "unpacks to more than 1 MiB" in refusal.value.problems[0].reason


def test_a_damaged_workbook_is_refused_and_never_an_error() -> None:
    whole = packed(("title", "content"), *[("A", "a")] * 20)
    chance = random.Random(1818)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(ImportRefused):
            read(bytes(damaged))
