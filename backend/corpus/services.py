"""Imports files of poems: whole or not at all, and each poem once."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from backend.accounts.models import User
from backend.corpus import columns as known_columns
from backend.corpus import lines
from backend.corpus.models import Collection, ImportedFile, PendingImport, Poem
from backend.corpus.problems import Flaw, ImportRefused, Problem
from backend.corpus.readers import Row, Table, read_table
from backend.poetics.overlap import FOLDING

AT_ONCE = 500  # poems in one INSERT
PENDING_FOR = timedelta(hours=24)

SAMPLE = Path(__file__).parent / "sample"
SAMPLE_COLLECTIONS = {
    "english.jsonl": "Sample: English verse",
    "classical_chinese.jsonl": "Sample: classical Chinese verse",
}
# Poems that language models know by heart. They are there to be found in replies, with no theme to
# write a brief from, and no part of the sample.
WELL_KNOWN = "well_known.jsonl"
WELL_KNOWN_COLLECTION = "Well-known poems"


@dataclass(frozen=True)
class Report:
    """What came of an import.

    Attributes
    ----------
    collection : Collection
        Where the poems are now.
    added, known : int
        Poems that are new there, and rows whose poem was there already.
    ignored_columns : tuple of str
        Columns of the file that feed no field.
    file : ImportedFile
        The record that is kept of the import.
    """

    collection: Collection
    added: int
    known: int
    ignored_columns: tuple[str, ...]
    file: ImportedFile

    def __str__(self) -> str:
        poems = "1 poem" if self.added == 1 else f"{self.added} poems"
        said = f"{poems} added to “{self.collection}”, {self.known} known already."
        if self.ignored_columns:
            said += f" Columns not used: {', '.join(self.ignored_columns)}."
        return said


def import_poems(
    content: bytes,
    *,
    file_name: str,
    collection: str,
    columns: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    language: str = "",
    user: User | None = None,
) -> Report:
    """Import a file of poems into the collection of that name, made if it is new.

    Parameters
    ----------
    content, file_name : bytes, str
        The file; the ending of its name says how to read it.
    columns : mapping of str to str, optional
        Field of a poem -> the column that feeds it, where the column's name is not a known one.
    encoding : str
        Of a text file. A byte order mark is no part of the text.
    language : str
        Of poems whose row names none; if empty, it is guessed for each poem.

    Raises
    ------
    ColumnsMissing
        If no column feeds the title or the text.
    ImportRefused
        If anything else is wrong, with every place; the database is then untouched.
    """
    name = collection.strip()
    if problems := _misasked(content, name, language):
        raise ImportRefused(problems)
    table = read_table(content, file_name=file_name, encoding=encoding)
    if not table.rows:
        raise ImportRefused(table.problems)
    feeds = known_columns.match(table.header, columns or {})
    poems = _poems(table, feeds, language)
    with transaction.atomic():
        shelf, added = _keep(poems, name)
        file = ImportedFile.objects.create(
            collection=shelf,
            name=file_name[-200:],
            sha256=hashlib.sha256(content).hexdigest(),
            added=added,
            known=len(poems) - added,
            imported_by=user,
        )
    ignored = tuple(column for column in table.header if column not in feeds.values())
    return Report(shelf, added, len(poems) - added, ignored, file)


@transaction.atomic
def load_sample() -> list[Report]:
    """Import the poems that are shipped with Blindverse into collections of their own."""
    return [
        import_poems((SAMPLE / name).read_bytes(), file_name=name, collection=collection)
        for name, collection in SAMPLE_COLLECTIONS.items()
    ]


def load_well_known() -> Report:
    """Import poems that language models are known to recite, so that recitations are found."""
    return import_poems(
        (SAMPLE / WELL_KNOWN).read_bytes(),
        file_name=WELL_KNOWN,
        collection=WELL_KNOWN_COLLECTION,
    )


def keep_upload(
    content: bytes, *, file_name: str, collection: str, encoding: str, language: str, user: User
) -> PendingImport:
    """Keep a file until its user has said which column is which, at most a day."""
    PendingImport.objects.filter(created_at__lt=timezone.now() - PENDING_FOR).delete()
    return PendingImport.objects.create(
        content=content,
        file_name=file_name,
        collection=collection,
        encoding=encoding,
        language=language,
        user=user,
    )


def header_of(pending: PendingImport) -> list[str]:
    """Return the columns of a file that is kept."""
    table = read_table(
        bytes(pending.content), file_name=pending.file_name, encoding=pending.encoding
    )
    return list(table.header)


@transaction.atomic
def import_kept(pending: PendingImport, columns: Mapping[str, str]) -> Report:
    """Import a file that was kept, and keep it no longer.

    Raises
    ------
    ImportRefused
        As `import_poems` does; the file is then still kept.
    """
    report = import_poems(
        bytes(pending.content),
        file_name=pending.file_name,
        collection=pending.collection,
        columns=columns,
        encoding=pending.encoding,
        language=pending.language,
        user=pending.user,
    )
    pending.delete()
    return report


def fingerprint(title: str, author: str, text: str) -> str:
    """Return the SHA-256 by which a poem is known again."""
    # As JSON, so that no part can run into the next.
    return hashlib.sha256(json.dumps([title, author, text]).encode()).hexdigest()


def _misasked(content: bytes, name: str, language: str) -> list[Problem]:
    problems = []
    if not name:
        problems.append(Problem(None, "", "The collection has no name", "Name it"))
    longest = Collection._meta.get_field("name").max_length or 0
    if len(name) > longest:
        reason = f"The collection's name is longer than {longest} characters"
        problems.append(Problem(None, "", reason, "Shorten it"))
    if language and (flaw := known_columns.language_flaw(language)):
        problems.append(Problem(None, "", flaw.reason, flaw.remedy))
    if len(content) > settings.CORPUS_FILE_LIMIT:
        limit = settings.CORPUS_FILE_LIMIT // 2**20
        reason = f"The file is larger than {limit} MiB"
        problems.append(Problem(None, "", reason, "Split it into several files"))
    return problems


def _poems(table: Table, feeds: Mapping[str, str], language: str) -> list[Poem]:
    poems, problems = [], list(table.problems)
    for row in table.rows:
        fields, flaws = _fields(row, feeds)
        if flaws:
            problems += flaws
        else:
            poems.append(_poem(fields, language))
    if problems:
        raise ImportRefused(sorted(problems, key=lambda problem: problem.line or 0))
    return poems


def _fields(row: Row, feeds: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    fields, problems = {}, []
    for field, column in feeds.items():
        cell = row.cells.get(column, "")
        flaw = cell if isinstance(cell, Flaw) else known_columns.flaw(field, cell)
        if flaw is not None:
            problems.append(Problem(row.line, column, flaw.reason, flaw.remedy))
        elif isinstance(cell, str):
            fields[field] = cell
    return fields, problems


def _poem(fields: Mapping[str, str], language: str) -> Poem:
    poem = Poem(**fields)
    named = fields.get("language", "").strip()
    poem.language = named or language or known_columns.guessed_language(poem.text)
    poem.fingerprint = fingerprint(poem.title, poem.author, poem.text)
    return poem


def _keep(poems: list[Poem], name: str) -> tuple[Collection, int]:
    Collection.objects.get_or_create(name=name)
    # Locked, so that of two imports at once the second sees what the first added and counts right.
    collection = Collection.objects.select_for_update().get(name=name)
    there = set(collection.poems.values_list("fingerprint", flat=True))
    new: dict[str, Poem] = {}
    for poem in poems:
        if poem.fingerprint not in there:
            poem.collection, poem.folding = collection, FOLDING
            new.setdefault(poem.fingerprint, poem)
    lines.index(Poem.objects.bulk_create(new.values(), batch_size=AT_ONCE))
    return collection, len(new)
