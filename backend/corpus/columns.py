"""Which column of a file feeds which field of a poem, and what a field takes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from backend.corpus.models import Poem
from backend.corpus.problems import ColumnsMissing, Flaw, ImportRefused, Problem

# Field of a poem -> the column names known for it, the published POEMetric table's first.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "title": ("title",),
    "text": ("content", "text"),
    "author": ("author",),
    "form": ("form",),
    "source": ("source",),
    "edition": ("edition",),
    "url": ("poem_link-href", "url"),
    "year": ("year",),
    "metre": ("meter_pattern", "metre", "meter"),
    "rhyme": ("rhyme_pattern", "rhyme"),
    "theme": ("theme",),
    "imagery": ("imagery",),
    "language": ("language",),
}
REQUIRED = ("title", "text")

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
SURROGATE = re.compile(r"[\ud800-\udfff]")


def known_feeds(header: Sequence[str]) -> dict[str, str]:
    """Return the column that feeds each field by its name, large or small letters alike."""
    names = {name.casefold(): name for name in reversed(header)}
    return {
        field: names[name]
        for field, candidates in KNOWN.items()
        for name in reversed(candidates)  # so that the first of two wins
        if name in names
    }


def match(header: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Return the column that feeds each field: the one chosen, else one whose name is known.

    A field whose chosen column is empty is fed by none.

    Raises
    ------
    ColumnsMissing
        If no column feeds a field that every poem must have.
    ImportRefused
        If `chosen` names a field or a column that does not exist.
    """
    if problems := [*_not_there(header, chosen)]:
        raise ImportRefused(problems)
    feeds = {field: column for field, column in {**known_feeds(header), **chosen}.items() if column}
    if missing := [field for field in REQUIRED if field not in feeds]:
        reason = f"No column feeds it; the file's columns are: {', '.join(header)}"
        remedy = "Say which column does: --column {0}=NAME, or choose it on the import page"
        raise ColumnsMissing(
            [Problem(None, field, reason, remedy.format(field)) for field in missing], header
        )
    return feeds


def _not_there(header: Sequence[str], chosen: Mapping[str, str]) -> list[Problem]:
    problems = []
    for field, column in chosen.items():
        if field not in KNOWN:
            reason, remedy = f"A poem has no field {field!r}", f"Name one of: {', '.join(KNOWN)}"
            problems.append(Problem(None, column, reason, remedy))
        elif column and column not in header:
            remedy = f"Name one of: {', '.join(header)}"
            problems.append(Problem(None, column, "The file has no such column", remedy))
    return problems


def flaw(field: str, text: str) -> Flaw | None:
    """Return why `text` cannot be this field of a poem, or None if it can."""
    if "\0" in text or SURROGATE.search(text):
        return Flaw("It holds a NUL character or half of a character pair", "Delete the character")
    if not text.strip():
        if field in REQUIRED:
            return Flaw(f"The {field} is blank", f"Write the poem's {field} or remove the row")
        return None
    if field == "language":
        return language_flaw(text.strip())
    return _too_long(field, text)


def language_flaw(tag: str) -> Flaw | None:
    """Return why `tag` names no language, or None if it does."""
    if not LANGUAGE_TAG.fullmatch(tag):
        return Flaw(f"{tag!r} is no language tag", "Write a tag such as en or zh-Hant")
    return _too_long("language", tag)


def _too_long(field: str, text: str) -> Flaw | None:
    column: Any = Poem._meta.get_field(field)
    longest: int | None = column.max_length
    if longest is None or len(text) <= longest:
        return None
    return Flaw(
        f"It is {len(text)} characters long, and at most {longest} fit",
        "Shorten it, or let this column feed another field or none",
    )


def guessed_language(text: str) -> str:
    """Return "zh-Hant" if more than half of the letters are Han characters, else "en".

    The rule knows no third language and not simplified characters from traditional: where that
    matters, the file's language column or the import's own language says it.
    """
    letters = sum(character.isalpha() for character in text)
    return "zh-Hant" if len(HAN.findall(text)) * 2 > letters else "en"
