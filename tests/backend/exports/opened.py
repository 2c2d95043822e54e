"""Packages opened and read as their README tells."""

import csv
import io
from zipfile import ZipFile

from annotation.studies.models import Study
from backend.corpus.spreadsheets import restore
from backend.exports.services import export


def packed(study: Study) -> ZipFile:
    file = io.BytesIO()
    export(study, file)
    return ZipFile(file)


def table(package: ZipFile, name: str) -> list[dict[str, str]]:
    """Read a file as its README tells: apostrophes before would-be formulas are dropped."""
    text = package.read(name).decode()
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return [{column: restore(cell) for column, cell in row.items()} for row in rows]
