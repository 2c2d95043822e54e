"""What is wrong with a file of poems: each place, the reason and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN = 50  # more would hide the first, which is the one to mend first


@dataclass(frozen=True)
class Flaw:
    """Why a cell cannot be taken, and what to do about it."""

    reason: str
    remedy: str


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file, and where.

    Attributes
    ----------
    line : int or None
        Line of the file (row of a workbook's sheet), from 1; None if the whole file is meant.
    column : str
        The column's name; empty if the whole row is meant.
    reason, remedy : str
        What is the case, and what to do about it.
    """

    line: int | None
    column: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else "the file"
        place = f"{line}, column {self.column}" if self.column else line
        return f"{place}: {self.reason} ({self.remedy})"


class ImportRefused(Exception):
    """The file has problems, so nothing of it was imported."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.summary)

    @property
    def summary(self) -> str:
        """One sentence: that nothing was imported, and how many problems there are."""
        total = len(self.problems)
        counted = "1 problem" if total == 1 else f"{total} problems"
        return f"Nothing was imported: {counted}."

    @property
    def shown(self) -> list[Problem]:
        """The first problems, as many as help."""
        return self.problems[:SHOWN]

    @property
    def unshown(self) -> int:
        """How many problems there are beyond those shown."""
        return len(self.problems) - len(self.shown)


class ColumnsMissing(ImportRefused):
    """No column of the file feeds a field that every poem must have."""

    def __init__(self, problems: Sequence[Problem], header: Sequence[str]) -> None:
        self.header = list(header)
        super().__init__(problems)
