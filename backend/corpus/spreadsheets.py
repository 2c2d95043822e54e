"""CSV that a spreadsheet cannot mistake for formulas, and from which every cell can be restored."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

AT_ONCE = 1000  # rows in one piece

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


def neutralise(text: str) -> str:
    """Return `text` so that no spreadsheet runs it."""
    # Most texts begin with a letter or a digit, which is sooner seen than matched.
    return f"'{text}" if not text[:1].isalnum() and _FORMULA.match(text) else text


def restore(cell: str) -> str:
    """Return the text that `neutralise` was given."""
    # A text that begins with an apostrophe and then looks like a formula was given one more,
    # because quotation marks are passed over: so dropping one is never wrong.
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def stream(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> Iterator[str]:
    """Yield a table as CSV: the header, then many rows at a time."""
    yield _written([header])
    left = iter(rows)
    while piece := list(islice(left, AT_ONCE)):
        yield _written(
            [neutralise(value) if isinstance(value, str) else value for value in row]
            for row in piece
        )


def _written(rows: Iterable[Sequence[Value]]) -> str:
    piece = io.StringIO()
    # Both characters of the line end are named: the writer quotes only breaks that it knows of.
    csv.writer(piece, lineterminator="\r\n").writerows(rows)
    return piece.getvalue()
