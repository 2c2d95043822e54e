"""Reads a list of experts to invite, one a line, and names every line that cannot be taken."""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from backend.panel.letters import one_line

COLUMNS = ("name", "email", "language")
GROUP = "group"  # a column of studies that have groups
NAME_AT_MOST = 120
PEOPLE_AT_MOST = 500
ADDRESS_AT_MOST = 254
Told = TypeVar("Told")


@dataclass(frozen=True)
class Person:
    """Somebody to invite, and the line they stand on."""

    line: int
    name: str
    email: str
    language: str
    group: str = ""


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be taken, why, and what to do. Line 0 is the whole list.

    The field is the column that it is about, empty if it is about the whole line.
    """

    line: int
    reason: str
    remedy: str
    field: str = ""

    def __str__(self) -> str:
        where = f"Line {self.line}: " if self.line else ""
        return f"{where}{self.reason}. {self.remedy}."


class InvalidRoster(ValueError):
    """Some lines cannot be taken, so none is."""

    def __init__(self, problems: Sequence[BadLine]) -> None:
        super().__init__(" ".join(str(problem) for problem in problems))
        self.problems = list(problems)


def read_roster(
    text: str, *, emails: Collection[str], names: Collection[str], groups: Collection[str] = ()
) -> list[Person]:
    """Return the people in a list of name, email, language; `emails` and `names` are taken.

    Where the study has `groups`, the list may have a column of these, too.

    The first line may name the columns, which can then stand in any order. Columns are parted by
    commas, semicolons or tabs. Only the name has to be there.

    Raises
    ------
    InvalidRoster
        If any line cannot be taken, or the list is empty or too long.
    """
    known = (*COLUMNS, GROUP) if groups else COLUMNS
    rows = list(_rows(text))
    if rows and "name" in (header := [cell.casefold() for cell in rows[0][1]]):
        columns: Sequence[str] = _known(header, known)
        rows = rows[1:]
    else:
        columns = known
    if not rows:
        raise InvalidRoster([BadLine(0, "The list is empty", "Write one expert a line")])
    if len(rows) > PEOPLE_AT_MOST:
        raise InvalidRoster(
            [BadLine(0, f"These are {len(rows)} people", f"Send {PEOPLE_AT_MOST} at a time")]
        )
    taken = _Taken(emails, names, unit="line")
    return _all(
        rows, lambda line, cells: taken.add(_person(line, _given(cells, columns), groups))
    )  # fmt: skip


def read_people(
    people: Iterable[Mapping[str, str]],
    *,
    emails: Collection[str],
    names: Collection[str],
    groups: Collection[str] = (),
) -> list[Person]:
    """Return the people of a list whose fields have names; they are counted in rows, from 1.

    Raises
    ------
    InvalidRoster
        If any of them cannot be taken.
    """
    taken = _Taken(emails, names, unit="row")
    told = [{name: one_line(text) for name, text in one.items()} for one in people]
    return _all(enumerate(told, 1), lambda row, one: taken.add(_person(row, one, groups)))


class _Refused(ValueError):
    def __init__(self, field: str, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.field, self.reason, self.remedy = field, reason, remedy


class _Taken:
    """Who is on the panel or stands further up in the list, which is counted in these units."""

    def __init__(self, emails: Collection[str], names: Collection[str], *, unit: str) -> None:
        self._unit = unit
        self._emails = {email.casefold(): "is on the panel already" for email in emails if email}
        self._names = {name.casefold(): "is on the panel already" for name in names}

    def add(self, person: Person) -> Person:
        email, name = person.email.casefold(), person.name.casefold()
        if email in self._emails:
            raise _Refused(
                "email", f"{person.email} {self._emails[email]}", f"Take the {self._unit} out"
            )
        # Without an address, a list sent twice would go unnoticed.
        if not email and name in self._names:
            raise _Refused(
                "name",
                f"{person.name} {self._names[name]}",
                f"Take the {self._unit} out, or add an address or a word that tells the two apart",
            )
        self._names[name] = f"stands on {self._unit} {person.line}, too"
        if email:
            self._emails[email] = f"stands on {self._unit} {person.line}, too"
        return person


def _all(rows: Iterable[tuple[int, Told]], read: Callable[[int, Told], Person]) -> list[Person]:
    people, problems = [], []
    for number, told in rows:
        try:
            people.append(read(number, told))
        except _Refused as refused:
            problems.append(BadLine(number, refused.reason, refused.remedy, refused.field))
    if problems:
        raise InvalidRoster(problems)
    return people


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines on which something is written, with their numbers."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    while True:
        line = rows.line_num + 1
        try:
            cells = [one_line(cell) for cell in next(rows)]
        except StopIteration:
            return
        except csv.Error as error:
            problem = BadLine(line, f"It cannot be read as CSV ({error})", "Write it anew")
            raise InvalidRoster([problem]) from error
        if any(cells):
            yield line, cells


def _known(header: list[str], known: Sequence[str]) -> list[str]:
    strange = [name for name in header if name not in known]
    if strange or len(set(header)) < len(header):
        named = f"The columns are named {', '.join(header)}"
        raise InvalidRoster([BadLine(1, named, f"Name each once: {', '.join(known)}")])
    return header


def _given(cells: list[str], columns: Sequence[str]) -> dict[str, str]:
    if len(cells) > len(columns) and any(cells[len(columns) :]):
        raise _Refused(
            "",
            f"It has {len(cells)} columns",
            f"Write {', '.join(columns)}; put quotation marks around what holds a comma",
        )
    return dict(zip(columns, cells, strict=False))


def _person(number: int, given: Mapping[str, str], groups: Collection[str]) -> Person:
    name = given.get("name", "")
    if not name:
        raise _Refused("name", "The name is missing", "Write one")
    if len(name) > NAME_AT_MOST:
        raise _Refused(
            "name", f"The name has {len(name)} characters", f"Use at most {NAME_AT_MOST}"
        )
    return Person(number, name, _email(given), _language(given), _group(given, groups))


def _email(given: Mapping[str, str]) -> str:
    email = given.get("email", "")
    if email:
        try:
            validate_email(email)
        except ValidationError as error:
            raise _Refused(
                "email", f"{email} is no e-mail address", "Correct it, or leave it empty"
            ) from error
    if len(email) > ADDRESS_AT_MOST:
        raise _Refused("email", "The address is too long", "Correct it, or leave it empty")
    return email


def _language(given: Mapping[str, str]) -> str:
    language = given.get("language", "").casefold()
    known = dict(settings.LANGUAGES)
    if language and language not in known:
        raise _Refused(
            "language",
            f"The language {language} is not known",
            f"Write one of {', '.join(known)}, or leave it empty",
        )
    return language


def _group(given: Mapping[str, str], groups: Collection[str]) -> str:
    named = given.get(GROUP, "")
    by_name = {name.casefold(): name for name in groups}
    if named and named.casefold() not in by_name:
        known = (
            f"Write one of {', '.join(groups)}, or leave it empty" if groups else "Leave it empty"
        )
        raise _Refused(GROUP, f"The study has no group {named}", known)
    return by_name[named.casefold()] if named else ""
