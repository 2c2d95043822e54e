"""Reads a file of poems: its columns, its rows and where each starts, every character kept."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from backend.corpus.problems import Flaw, ImportRefused, Problem
from backend.corpus.workbook import Broken, sheet_rows

# Offered by name; any other text encoding that Python knows is taken as well.
ENCODINGS = ("utf-8", "utf-16", "windows-1252", "latin-1", "gb18030", "big5")
DELIMITERS = ",;\t"
KINDS = "CSV (.csv or .tsv), JSON Lines (.jsonl) or an Excel workbook (.xlsx)"

# A poem may be longer than the module's 131,072 characters. The limit holds for the whole process;
# it is only ever raised, here and once, so that no other reader of CSV can come to harm.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))

Cell = str | Flaw


@dataclass(frozen=True)
class Row:
    """One row: the line on which it starts, and its cells by column."""

    line: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Table:
    """What a file holds. `problems` names the rows that could not be read."""

    header: Sequence[str]
    rows: Sequence[Row]
    problems: Sequence[Problem]


def read_table(content: bytes, *, file_name: str, encoding: str) -> Table:
    """Read a file by the ending of its name. Rows in which nothing is written are no rows.

    Raises
    ------
    ImportRefused
        If it cannot be read at all: not of its kind, not in this encoding, or empty.
    """
    if not content:
        raise _refused(None, "The file is empty", "Choose a file with a header and poems")
    match PurePath(file_name).suffix.lower():
        case ".csv" | ".tsv":
            table = _tabular(_csv_rows(_decoded(content, encoding)))
        case ".jsonl" | ".ndjson":
            table = _json_lines(_decoded(content, encoding))
        case ".xlsx":
            table = _workbook(content)
        case ending:
            reason = f"Files that end in {ending!r} are not known" if ending else "It has no ending"
            raise _refused(None, reason, f"Save it as {KINDS}")
    if not table.rows and not table.problems:
        raise _refused(None, "The file holds no poems", "Write one poem in each row")
    return table


def _refused(line: int | None, reason: str, remedy: str, *, column: str = "") -> ImportRefused:
    return ImportRefused([Problem(line, column, reason, remedy)])


def _decoded(content: bytes, encoding: str) -> str:
    others = f"Name the encoding the file was saved in, one of: {', '.join(ENCODINGS)}"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, "ignore")
        byte = content[error.start]
        reason = f"Byte 0x{byte:02X}, number {error.start + 1} of the file, is not {encoding}"
        raise _refused(_line_after(before), reason, others) from error
    except (LookupError, UnicodeError) as error:
        raise _refused(None, f"There is no text encoding {encoding!r}", others) from error
    before, found, _ = text.partition("\0")
    if found:
        reason = "The line holds a NUL character, which no text has"
        raise _refused(_line_after(before), reason, f"Delete it. {others}, if there are many")
    return text.removeprefix("\ufeff")


def _line_after(text: str) -> int:
    """Return the number of the line that follows `text`, as an editor counts lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1


def _csv_rows(text: str) -> Iterator[tuple[int, Sequence[Cell]]]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    while True:
        start = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise _misquoted(start, rows.line_num, error) from error
        if any(cell.strip() for cell in cells):
            yield start, cells


def _delimiter(text: str) -> str:
    """Return what parts the header's cells; a comma unless it has more of another."""
    header = text.lstrip().partition("\n")[0]
    return max(DELIMITERS, key=header.count)


def _misquoted(start: int, line: int, error: csv.Error) -> ImportRefused:
    double = 'write a quotation mark inside a quoted cell twice ("")'
    if "unexpected end" in str(error):
        reason = "A quotation mark opens in this row and is never closed"
        return _refused(start, reason, f"Close it, and {double}")
    reason = "Something follows the quotation mark that closes a cell"
    if line > start:
        reason = f"{reason}, in the row that starts on line {start}"
    return _refused(line, reason, double.capitalize())


def _tabular(rows: Iterator[tuple[int, Sequence[Cell]]]) -> Table:
    line, names = next(rows, (1, ()))
    if not names:
        raise _refused(None, "The file is blank", "Choose a file with a header and poems")
    header = _header(line, names)
    read, problems = [], []
    for line, cells in rows:
        counted = f"The row has {len(cells)} cells and the header {len(header)}"
        if len(cells) > len(header):
            remedy = "Put a cell that holds a comma or a line break between quotation marks"
            problems.append(Problem(line, f"{len(header) + 1}", counted, remedy))
        elif len(cells) < len(header):
            remedy = "Write every cell, an empty one too, or close a quotation mark above"
            problems.append(Problem(line, header[len(cells)], counted, remedy))
        else:
            read.append(Row(line, dict(zip(header, cells, strict=True))))
    return Table(header, read, problems)


def _header(line: int, names: Sequence[Cell]) -> list[str]:
    header: list[str] = []
    for place, cell in enumerate(names, start=1):
        name = cell.strip() if isinstance(cell, str) else ""
        if name in header:
            reason = "The header names this column twice"
            raise _refused(line, reason, "Rename one of the two", column=name)
        header.append(name or f"(column {place})")
    return header


def _json_lines(text: str) -> Table:
    rows, problems = [], []
    # Not splitlines(): U+2028 and its like may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(Row(number, _json_object(line)))
        except json.JSONDecodeError as error:
            reason = f"The line is no JSON: {error.msg}, at character {error.pos + 1}"
            remedy = "Write one whole JSON object on each line, line breaks in a text as \\n"
            problems.append(Problem(number, "", reason, remedy))
        except (_NoRow, RecursionError) as error:
            remedy = 'Write it as {"title": "...", "content": "..."}'
            problems.append(Problem(number, "", str(error), remedy))
    header = dict.fromkeys(name for row in rows for name in row.cells)
    return Table(list(header), rows, problems)


class _NoRow(ValueError):
    """The JSON is fine, but no row of a table."""


def _json_object(line: str) -> dict[str, Cell]:
    # Numbers stay as they are written: a year 1818, an edition 1.10.
    row = json.loads(
        line, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_named_once
    )
    if not isinstance(row, dict):
        raise _NoRow("The line is JSON, but no object with names and values")
    return {name: _json_cell(value) for name, value in row.items()}


def _named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _NoRow(f"The object names {twice!r} twice")
    if any(not name.isprintable() for name in names):
        raise _NoRow("The object has a name with characters that cannot be printed")
    return dict(pairs)


def _json_cell(value: object) -> Cell:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    kind = {bool: "true or false", list: "a list", dict: "an object"}[type(value)]
    return Flaw(f"The value is {kind}, not text", "Write it as text between quotation marks")


def _workbook(content: bytes) -> Table:
    try:
        return _tabular(sheet_rows(content))
    except Broken as error:
        remedy = "Open it in a spreadsheet program and save it again as .xlsx, without a password"
        raise _refused(None, f"This is no Excel workbook: {error}", remedy) from error
