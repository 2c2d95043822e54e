"""CSV that a spreadsheet cannot mistake for formulas, and from which every cell can be restored."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

Value = str | int | float | None

# What a spreadsheet takes for the start of a formula, in Latin and in full-width signs. Some
# programs strip blanks and quotation marks before they look, so these are passed over.
_FORMULA = re.compile(r"[\s\"'‘’“”]*[=+\-@＝＋－＠\t\r]")

RULE = (
    "A text that a spreadsheet could take for a formula is preceded by an apostrophe ('): a text "
    "whose first character, after any blanks and quotation marks, is = + - @ (also full-width), "
    "a tab or a carriage return. To restore the text, drop a leading apostrophe if what follows "
    "it is such a text. Numbers are never changed."
)


class _Echo:
    """A file that hands back what is written, so that rows can be streamed."""

    def write(self, text: str, /) -> str:
        return text


def neutralise(text: str) -> str:
    """Return `text` so that no spreadsheet runs it."""
    return f"'{text}" if _FORMULA.match(text) else text


def restore(cell: str) -> str:
    """Return the text that `neutralise` was given."""
    # A text that begins with an apostrophe and then looks like a formula was given one more,
    # because quotation marks are passed over: so dropping one is never wrong.
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def stream(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> Iterator[str]:
    """Yield a table as CSV, line by line."""
    # Both characters of the line end are named: the writer quotes only breaks that it knows of.
    writer = csv.writer(_Echo(), lineterminator="\r\n")
    yield writer.writerow(header)
    for row in rows:
        yield writer.writerow([_cell(value) for value in row])


def _cell(value: Value) -> Value:
    return neutralise(value) if isinstance(value, str) else value
