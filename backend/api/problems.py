"""The one shape of what the staff API says when something is wrong."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.forms import BaseForm
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError

WHOLE = "non_field_errors"  # what is wrong with the whole, and no field of it
REFUSED = "Something that was sent cannot be taken; errors and rows say what."

Errors = dict[str, list[str]]
Path = tuple[str | int, ...]  # names of fields, and places in lists from 0
Rows = list[dict[str, Any]]
Told = Callable[[Mapping[str, Any]], dict[str, Any]]
RowProblem = tuple[int | None, str, str, str]  # its number from 1, field, reason, remedy


class Conflict(APIException):
    """What is asked does not go with how things are; the message says what to do."""

    status_code = 409


class TooLarge(APIException):
    """The body is larger than the site takes."""

    status_code = 413
    default_detail = "The body is larger than this site takes; send it in parts."


class RowProblemSerializer(serializers.Serializer[Any]):
    """What is wrong with one row of a list that was sent."""

    list = serializers.CharField(help_text="The field that holds the list.")
    row = serializers.IntegerField(help_text="From 1; 0: the whole list.")
    field = serializers.CharField(
        allow_blank=True, help_text="The path within the row. Empty: the whole row."
    )
    reason = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class ProblemSerializer(serializers.Serializer[Any]):
    """What is wrong: in a sentence, by field, and by row where a list was sent."""

    detail = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]  # a field, no attribute
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Path of a field, places in lists from 0, as in groups.0.name -> what is wrong.",
    )
    rows = RowProblemSerializer(many=True, required=False)


def body(detail: str, errors: Mapping[str, Sequence[str]] | None = None, rows: Any = ()) -> Any:
    """Return the body of an answer that refuses something."""
    said: dict[str, Any] = {"detail": detail}
    if errors:
        said["errors"] = {name: list(texts) for name, texts in errors.items()}
    if rows:
        said["rows"] = list(rows)
    return said


def of_rows(detail: str, name: str, found: Iterable[RowProblem]) -> Any:
    """Return the body that refuses rows of the list of this name: by row, and by field."""
    errors: Errors = {}
    rows: Rows = []
    for number, field, reason, remedy in found:
        path = [name, *([str(number - 1)] if number else []), *filter(None, [field])]
        errors.setdefault(".".join(path), []).append(reason)
        rows.append(_row(name, number or 0, field, reason, remedy))
    return body(detail, errors, rows)


def of_exception(error: APIException) -> Any:
    """Return the body for an error of the framework: of validation, with each field named."""
    if not isinstance(error, ValidationError):
        return body(str(error.detail))
    errors: Errors = {}
    rows: Rows = []
    for path, reason in _reasons(error.detail, ()):
        errors.setdefault(".".join(map(str, path)) or WHOLE, []).append(reason)
        rows.extend(_in_list(path, reason))
    return body(REFUSED, errors, rows)


def refuse(form: BaseForm, told: Told | None = None) -> None:
    """Check a form; `told` takes what is wrong with its fields to the names that were sent.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If it is not valid, with each field named.
    """
    if not form.is_valid():
        said = {
            WHOLE if name == "__all__" else name: [str(text) for text in texts]
            for name, texts in form.errors.items()
        }
        raise ValidationError(told(said) if told else said)


def _row(name: str, number: int, field: str, reason: str, remedy: str = "") -> dict[str, Any]:
    return {"list": name, "row": number, "field": field, "reason": reason, "remedy": remedy}


def _reasons(detail: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield each sentence of what the framework nests, and the path to what it is about."""
    match detail:
        case Mapping():
            for name, inner in detail.items():
                yield from _reasons(inner, path if name == WHOLE else (*path, name))
        case [*parts]:
            for place, inner in enumerate(parts):
                # A list holds sentences about its own path, or what is wrong part by part.
                parted = isinstance(inner, Mapping | list)
                yield from _reasons(inner, (*path, place) if parted else path)
        case _:
            yield path, str(detail)


def _in_list(path: Path, reason: str) -> Rows:
    """Return the row of what is wrong within a list, if it is within one."""
    for place, name in enumerate(path):
        if isinstance(name, int):
            before, within = (
                ".".join(map(str, part)) for part in (path[:place], path[place + 1 :])
            )  # fmt: skip
            return [_row(before, name + 1, within, reason)]
    return []
