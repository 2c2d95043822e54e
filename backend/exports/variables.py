"""How a file of a package is described: its columns, their values, and what an empty cell means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from backend.corpus.spreadsheets import Value
from backend.exports.sources import Sources

Rows = Callable[[Sources], Iterator[Sequence[Value]]]

TEXT = "text"
WHOLE = "whole number"
DECIMAL = "decimal number"
YES_NO = "yes or no"
DATE = "date"


@dataclass(frozen=True)
class Variable:
    """One column as the codebook describes it."""

    name: str
    kind: str
    meaning: str
    unit: str = ""
    allowed: str = ""
    empty: str = ""


@dataclass(frozen=True)
class DataFile:
    """A CSV file: what it is, its columns, and where its rows come from."""

    name: str
    meaning: str
    variables: tuple[Variable, ...]
    rows: Rows

    @property
    def header(self) -> list[str]:
        return [variable.name for variable in self.variables]


def yes(fact: bool) -> str:
    """Return how a yes-or-no column writes it."""
    return "yes" if fact else "no"
