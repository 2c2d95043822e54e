"""Coordinators' own instruments: checked, kept in versions, offered beside the published ones."""

import json
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import InvalidInstrument, load_text, published_all
from backend.accounts.models import User
from backend.design.models import OwnInstrument

RESERVED = {"new"}  # /studies/instruments/new/ is no instrument's address


class KeyTaken(ValueError):
    """The key is another instrument's; the message says what to do."""


class NewerVersion(ValueError):
    """A version was saved that the writer has not seen; the message says which.

    Attributes
    ----------
    version : int
    """

    def __init__(self, version: int, message: str) -> None:
        super().__init__(message)
        self.version = version


def offered() -> dict[str, dict[str, Any]]:
    """Return the data of every instrument a study can be built on: published, then own, by key."""
    own = {one.key: one.data for one in OwnInstrument.objects.newest()}
    shipped = published_all()
    return {**shipped, **{key: data for key, data in own.items() if key not in shipped}}


def data_of(key: str) -> dict[str, Any]:
    """Return the data of a published instrument, or the latest version of an own one.

    Raises
    ------
    LookupError
        If there is none of that key; the message lists those there are.
    """
    found = offered()
    if key not in found:
        raise LookupError(f"There is no instrument {key!r}; there are: {', '.join(found)}.")
    return found[key]


def copied(key: str) -> dict[str, Any]:
    """Return the data of an instrument as the beginning of an own one, under a key that is free.

    Raises
    ------
    LookupError
        If there is none of that key.
    """
    taken = {*offered(), *RESERVED}
    stem = f"my-{key}"[:55]
    free = next(
        name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
        if name not in taken
    )  # fmt: skip
    return {**data_of(key), "key": free, "version": "1"}


def as_text(data: dict[str, Any]) -> str:
    """Return an instrument's data as a coordinator edits them: short lists on one line each."""
    return _written(data) + "\n"


def check(text: str, *, key: str = "") -> Instrument:
    """Return the instrument that the text describes: of this `key`, or a new one.

    Raises
    ------
    InvalidInstrument
        If it describes none; every problem is named with its place.
    KeyTaken
        If its key is not `key`, or that of another instrument where it is to be new.
    """
    instrument = load_text(text)
    if key and instrument.key != key:
        raise KeyTaken(
            f"key: is {instrument.key!r}, but versions saved here are {key!r}. Set it back, or "
            "start a new instrument for another key."
        )
    if not key and (instrument.key in RESERVED or instrument.key in offered()):
        raise KeyTaken(f"key: {instrument.key!r} is taken; choose another.")
    return instrument


def save(text: str, *, key: str = "", seen: int = 0, by: User | None = None) -> OwnInstrument:
    """Store the instrument that the text describes as the next version, or as version 1 of a new.

    `seen` is the latest version that the writer knew. Key and version in the data are set to match.

    Raises
    ------
    InvalidInstrument, KeyTaken
        As `check` does.
    NewerVersion
        If somebody saved a version after `seen`.
    """
    instrument = check(text, key=key)
    data = json.loads(text.removeprefix("\ufeff"))
    last = latest_version(instrument.key)
    if last != seen:
        raise _newer(last)
    data["version"] = str(last + 1)
    try:
        with transaction.atomic():
            return OwnInstrument.objects.create(
                key=instrument.key, version=last + 1, data=data, made_by=by
            )
    except IntegrityError as error:  # two at the same moment
        raise _newer(last + 1) from error


def latest_version(key: str) -> int:
    """Return the number of the newest version, 0 if there is none."""
    return OwnInstrument.objects.filter(key=key).aggregate(last=Max("version"))["last"] or 0


def problems_of(error: InvalidInstrument | KeyTaken) -> list[str]:
    """Return what is wrong, one sentence each."""
    return error.problems if isinstance(error, InvalidInstrument) else [str(error)]


def _newer(last: int) -> NewerVersion:
    return NewerVersion(
        last,
        f"Version {last} was saved meanwhile. Yours is still here: compare the two, then save it "
        f"as version {last + 1}.",
    )


def _written(value: object, depth: int = 0) -> str:
    """Return JSON in which an object or a list of objects is spread over lines, and no other."""
    inner, outer = "  " * (depth + 1), "  " * depth
    match value:
        case dict() if value:
            parts = [
                f"{inner}{json.dumps(name, ensure_ascii=False)}: {_written(each, depth + 1)}"
                for name, each in value.items()
            ]
            return "{\n" + ",\n".join(parts) + f"\n{outer}}}"
        case list() if any(isinstance(each, dict | list) for each in value):
            parts = [inner + _written(each, depth + 1) for each in value]
            return "[\n" + ",\n".join(parts) + f"\n{outer}]"
    return json.dumps(value, ensure_ascii=False)
