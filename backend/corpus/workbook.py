"""The rows of an Excel workbook's first sheet, as text."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl import load_workbook

from backend.corpus.problems import Flaw

UNPACKED_LIMIT = 2**29  # bytes; a workbook is a zip file, and a small one can hold a huge one
LAST_ROW = 2**20  # of any sheet, by the file format

# What the libraries below are seen to raise for a damaged file.
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, ParseError, EOFError, OSError),
    *(ValueError, KeyError, IndexError, AttributeError, TypeError, RuntimeError),
)


class Broken(Exception):
    """The bytes are no workbook that can be read."""


def sheet_rows(content: bytes) -> Iterator[tuple[int, Sequence[str | Flaw]]]:
    """Yield number and cells of each row of the first sheet in which something is written.

    Rows are as wide as the first of them, and wider where more is written.

    Raises
    ------
    Broken
        If the bytes are no workbook.
    """
    width = 0
    try:
        for number, row in enumerate(_rows(content), start=1):
            if number > LAST_ROW:
                raise Broken(f"it has more than {LAST_ROW} rows")
            cells = [_text(cell) for cell in row]
            while cells and cells[-1] == "":
                cells.pop()
            if any(isinstance(cell, Flaw) or cell.strip() for cell in cells):
                width = width or len(cells)
                yield number, cells + [""] * (width - len(cells))
    except DAMAGE as error:
        raise Broken(str(error).strip("'\"") or "it is damaged") from error


def _rows(content: bytes) -> Iterator[Sequence[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(part.file_size for part in packed.infolist()) > UNPACKED_LIMIT:
            raise Broken(f"it unpacks to more than {UNPACKED_LIMIT // 2**20} MiB")
    book = load_workbook(io.BytesIO(content), read_only=True)
    if not book.worksheets:
        raise Broken("it has no sheet")
    sheet = book.worksheets[0]
    # What a sheet says of its own size is often wrong, and would cut rows off.
    sheet.reset_dimensions()
    yield from sheet.iter_rows()


def _text(cell: Any) -> str | Flaw:
    match cell.data_type, cell.value:
        case _, None:
            return ""
        case "f", _:
            return Flaw("The cell holds a formula", "Replace it by its value")
        case "s", str(text):
            # The file format writes a carriage return so, and openpyxl leaves it.
            return text.replace("_x000D_", "\r")
        case "n", int() | float() as value:
            return str(value)
    kind = {"b": "true or false", "d": "a date", "e": "an error"}.get(cell.data_type, "no text")
    return Flaw(f"The cell holds {kind}", "Format the cell as text and write it anew")
