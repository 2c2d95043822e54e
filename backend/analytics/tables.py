"""Tables of results as data: unrounded, with units, methods and the reasons of what is missing."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from backend.corpus.spreadsheets import Value
from backend.statistics.estimate import Estimate

Style = Literal["text", "count", "number", "p", "rank", "seconds"]
NOT_DEFINED = "not defined"


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    key, label : str
        Its name in a file and on a page.
    style : {"text", "count", "number", "p", "rank", "seconds"}
    decimals : int
        How many a page shows of a number.
    unit : str
        Empty for texts and where the label says it.
    under : str
        Heading that it shares with its neighbours: a page sets them in one cell, this or the
        first of them large.
    blank : str
        What a page shows where a figure is not defined.
    shown : bool
        Whether a page has it; a file has every column.
    """

    key: str
    label: str
    style: Style = "text"
    decimals: int = 2
    unit: str = ""
    under: str = ""
    blank: str = NOT_DEFINED
    shown: bool = True


@dataclass(frozen=True)
class Cell:
    """One value, or why there is none."""

    value: Value
    reason: str = ""


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes
    ----------
    key : str
        Its name in addresses and as a file.
    caption, explanation, method : str
        What it shows, how to read it, how it was computed.
    notes : tuple of str
        Cautions about some of its figures.
    aside : bool
        It is looked up rather than read: a page folds it away until it is asked for.
    basis : str
        What one unit is, and how many judgments, poems, titles and judges it rests on.
    """

    key: str
    caption: str
    explanation: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    method: str = ""
    notes: tuple[str, ...] = ()
    aside: bool = False
    basis: str = ""

    @property
    def header(self) -> list[str]:
        """Column names of the file, the last of which tells why cells are empty."""
        return [*(column.key for column in self.columns), "not_defined"]

    def records(self) -> Iterator[list[Value]]:
        """Yield the rows of the file: unrounded."""
        for row in self.rows:
            reasons = [
                f"{column.key}: {cell.reason}"
                for column, cell in zip(self.columns, row, strict=True)
                if cell.reason
            ]
            yield [*(cell.value for cell in row), "; ".join(reasons)]


def figure(estimate: Estimate, *, per: float = 1) -> Cell:
    """Return an estimate's value, divided by `per`, or the reason why there is none."""
    return number(estimate.value, estimate.reason, per=per)


def bounds(estimate: Estimate, *, per: float = 1) -> tuple[Cell, Cell]:
    """Return the bounds of an estimate's interval, by `per`, or the reason why there is none."""
    low, high = (number(bound, estimate.reason, per=per) for bound in (estimate.low, estimate.high))
    return low, high


def number(value: float, reason: str, *, per: float = 1) -> Cell:
    """Return a number, divided by `per`, or the `reason` why it is ``nan``."""
    return Cell(None, reason) if math.isnan(value) else Cell(value / per)


def count(counts: Mapping[str, int], name: str) -> Cell:
    """Return one of an estimate's counts."""
    return Cell(counts.get(name, 0))


def gather(notes: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """Return each caution once, with the rows that it is about unless it is about all.

    Parameters
    ----------
    notes : sequence of (row label, cautions)
    """
    rows: dict[str, list[str]] = {}
    for label, cautions in notes:
        for caution in cautions:
            rows.setdefault(caution, []).append(label)
    return tuple(
        caution if len(labels) == len(notes) else f"{', '.join(labels)}: {caution}"
        for caution, labels in rows.items()
    )
