"""Tables as a page sets them: rounded, several figures to a cell, reasons as footnotes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase

from backend.analytics.tables import Cell, Column, Table

SMALLEST_P = 0.001


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
    reasons = dict.fromkeys(cell.reason for row in table.rows for cell in row if cell.reason)
    marks = dict(zip(reasons, _letters(), strict=False))
    return Page(
        table,
        tuple(_heading(columns) for columns in _together(table.columns)),
        tuple(tuple(_row(table.columns, row, marks)) for row in table.rows),
        tuple((mark, reason) for reason, mark in marks.items()),
    )


def shown(cell: Cell, column: Column) -> str:
    """Return one value as it is read, rounded to what its column shows."""
    value = cell.value
    if value is None:
        return column.blank if cell.reason else ""
    if isinstance(value, str) or column.style in ("text", "count"):
        return str(value)
    if column.style == "p":
        return f"< {SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"
    return _signed(value, column.decimals)


def _signed(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    # Without this, -0.0004 would be read as "-0.000".
    return f"{math.fabs(rounded) if rounded == 0 else rounded:.{decimals}f}".replace("-", "−")


def _letters() -> Iterator[str]:
    yield from ascii_lowercase
    yield from (first + second for first in ascii_lowercase for second in ascii_lowercase)


def _together(columns: tuple[Column, ...]) -> Iterator[list[Column]]:
    for under, group in groupby(columns, key=lambda column: column.under):
        if under:
            yield list(group)
        else:
            yield from ([column] for column in group)


def _heading(columns: list[Column]) -> Heading:
    first = columns[0]
    if not first.under:
        return Heading(first.label, first.unit, first.style != "text")
    return Heading(first.under, first.label, numeric=True)


def _row(
    columns: tuple[Column, ...], row: tuple[Cell, ...], marks: dict[str, str]
) -> Iterator[Shown]:
    cells = iter(row)
    for group in _together(columns):
        first, *rest = [(column, next(cells)) for column in group]
        small = tuple(
            (f"{column.label} {shown(cell, column)}", marks.get(cell.reason, ""))
            for column, cell in rest
        )
        column, cell = first
        mark = marks.get(cell.reason, "")
        yield Shown(shown(cell, column), mark, small, column.style != "text")
