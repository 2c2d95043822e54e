"""Tables as a page sets them: rounded, several figures to a cell, reasons as footnotes.

The two bounds of an interval, which a file keeps apart, stand together.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase

from backend.analytics.tables import NOT_DEFINED, Cell, Column, Table

SMALLEST_P = 0.001
SMALLEST_SECONDS = 0.1
LONG = 10  # seconds, of which fractions say nothing
NO_INTERVAL = "no interval"

# One column, or the two with an interval's bounds.
Columns = tuple[Column] | tuple[Column, Column]


@dataclass(frozen=True)
class Heading:
    """The head of one column of a page's table, and what stands under it in small print."""

    label: str
    small: str
    numeric: bool


@dataclass(frozen=True)
class Shown:
    """One cell of a page's table.

    Attributes
    ----------
    text : str
    mark : str
        Letter of the footnote that tells why it is not defined; empty otherwise.
    small : tuple of (text, mark)
        Further figures that belong to it.
    numeric : bool
    """

    text: str
    mark: str
    small: tuple[tuple[str, str], ...]
    numeric: bool


@dataclass(frozen=True)
class Page:
    """A table as a page sets it."""

    table: Table
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Shown, ...], ...]
    footnotes: tuple[tuple[str, str], ...]


def present(table: Table) -> Page:
    """Return a table rounded for reading."""
    places = [place for place, column in enumerate(table.columns) if column.shown]
    columns = tuple(table.columns[place] for place in places)
    rows = [tuple(row[place] for place in places) for row in table.rows]
    reasons = dict.fromkeys(cell.reason for row in rows for cell in row if cell.reason)
    marks = dict(zip(reasons, _letters(), strict=False))
    return Page(
        table,
        tuple(_heading(group) for group in _together(columns)),
        tuple(tuple(_row(columns, row, marks)) for row in rows),
        tuple((mark, reason) for reason, mark in marks.items()),
    )


def shown(cell: Cell, column: Column) -> str:
    """Return one value as it is read, rounded to what its column shows."""
    value = cell.value
    if value is None:
        return column.blank if cell.reason else ""
    if isinstance(value, str) or column.style == "text":
        return str(value)
    return _STYLES[column.style](value, column.decimals)


def _p(value: float, _decimals: int) -> str:
    return f"< {SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"


def _seconds(value: float, _decimals: int) -> str:
    if 0 < value < SMALLEST_SECONDS:
        return f"< {SMALLEST_SECONDS}"
    return _signed(value, 0 if value >= LONG else 1)


def _signed(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    # Without this, -0.0004 would be read as "-0.000".
    return f"{math.fabs(rounded) if rounded == 0 else rounded:,.{decimals}f}".replace("-", "−")


_STYLES: Mapping[str, Callable[[float, int], str]] = {
    "count": lambda value, _: _signed(value, 0 if value == int(value) else 1),
    "number": _signed,
    "p": _p,
    "rank": lambda value, _: f"{value:g}",
    "seconds": _seconds,
}


def _letters() -> Iterator[str]:
    yield from ascii_lowercase
    yield from (first + second for first in ascii_lowercase for second in ascii_lowercase)


def _together(columns: tuple[Column, ...]) -> Iterator[list[Columns]]:
    """Yield what stands in one cell: columns under one heading, or one; bounds count as one."""
    for under, group in groupby(columns, key=lambda column: column.under):
        found = list(_paired(list(group)))
        if under:
            yield found
        else:
            yield from ([each] for each in found)


def _paired(columns: list[Column]) -> Iterator[Columns]:
    rest = iter(zip(columns, [*columns[1:], None], strict=True))
    for column, after in rest:
        if after is not None and _bounds(column, after):
            yield column, after
            next(rest)
        else:
            yield (column,)


def _bounds(low: Column, high: Column) -> bool:
    """Whether two columns are the bounds of one interval; those of a bin of a scale are none."""
    named = ["high" if part == "low" else part for part in low.key.split("_")]
    return high.key == "_".join(named) != low.key and low.label.endswith("from")


def _percent(low: Column) -> str:
    return low.label.removesuffix("from").strip()


def _heading(columns: list[Columns]) -> Heading:
    first, *interval = columns[0]
    of = f"{_percent(first)} interval" if interval and _percent(first) else ""
    if first.under:
        small = of if interval else first.label
        return Heading(first.under, "" if small == first.under else small, numeric=True)
    return Heading(of or first.label, first.unit, first.style != "text")


def _row(
    columns: tuple[Column, ...], row: tuple[Cell, ...], marks: dict[str, str]
) -> Iterator[Shown]:
    cells = iter(row)
    for group in _together(columns):
        (head, mark, first), *rest = [
            (*_figure(each, [next(cells) for _ in each], marks), each) for each in group
        ]
        small = tuple(
            (_labelled(each, text), mark_of_it) for text, mark_of_it, each in rest if text
        )
        yield Shown(head, mark, small, first[0].style != "text")


def _figure(columns: Columns, cells: list[Cell], marks: dict[str, str]) -> tuple[str, str]:
    """Return a figure, or an interval, as it is read, and the mark of what is not defined."""
    mark = ", ".join(dict.fromkeys(marks[cell.reason] for cell in cells if cell.reason in marks))
    texts = [shown(cell, column) for cell, column in zip(cells, columns, strict=True)]
    if len(columns) == 1:
        return texts[0], mark
    if any(cell.value is not None for cell in cells):
        return " to ".join(texts), mark
    blank = columns[0].blank
    none = NO_INTERVAL if blank == NOT_DEFINED else blank
    return none if mark else "", mark


def _labelled(columns: Columns, text: str) -> str:
    if len(columns) == 1:
        return f"{columns[0].label} {text}"
    return text if text == NO_INTERVAL else f"{_percent(columns[0])} {text}".strip()
