"""The one shape of what the staff API says when something is wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.forms import BaseForm
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError

WHOLE = "non_field_errors"  # what is wrong with the whole, and no field of it
REFUSED = "Something that was sent cannot be taken; errors and rows say what."

Errors = dict[str, list[str]]
Rows = list[dict[str, Any]]


class Conflict(APIException):
    """What is asked does not go with how things are; the message says what to do."""

    status_code = 409


class TooLarge(APIException):
    """The body is larger than the site takes."""

    status_code = 413
    default_detail = "The body is larger than this site takes; send it in parts."


class RowProblemSerializer(serializers.Serializer[Any]):
    """What is wrong with one row of a list that was sent."""

    row = serializers.IntegerField(help_text="From 1; 0: the whole list.")
    field = serializers.CharField(allow_blank=True, help_text="Empty: the whole row.")
    reason = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)


class ProblemSerializer(serializers.Serializer[Any]):
    """What is wrong: in a sentence, by field, and by row where a list was sent."""

    detail = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]  # a field, no attribute
        child=serializers.ListField(child=serializers.CharField()), required=False
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


def row(number: int | None, field: str, reason: str, remedy: str = "") -> dict[str, Any]:
    """Return what is wrong with one row."""
    return {"row": number or 0, "field": field, "reason": reason, "remedy": remedy}


def of_exception(error: APIException) -> Any:
    """Return the body for an error of the framework: of validation, with each field named."""
    if not isinstance(error, ValidationError):
        return body(str(error.detail))
    errors: Errors = {}
    rows: Rows = []
    _gather(error.detail, "", errors, rows)
    return body(REFUSED, errors, rows)


def refuse(form: BaseForm) -> None:
    """Check a form.

    Raises
    ------
    rest_framework.exceptions.ValidationError
        If it is not valid, with each field named.
    """
    if not form.is_valid():
        raise ValidationError(
            {
                WHOLE if name == "__all__" else name: [str(text) for text in texts]
                for name, texts in form.errors.items()
            }
        )


def _gather(detail: Any, path: str, errors: Errors, rows: Rows) -> None:
    """Sort what the framework nests into what is wrong by field and by row."""
    match detail:
        case Mapping():
            for name, inner in detail.items():
                if isinstance(name, int):
                    _gather_row(name + 1, inner, path, errors, rows)
                else:
                    _gather(inner, f"{path}.{name}" if path else str(name), errors, rows)
        case [*texts]:
            errors.setdefault(path or WHOLE, []).extend(str(text) for text in texts)
        case _:
            errors.setdefault(path or WHOLE, []).append(str(detail))


def _gather_row(number: int, inner: Any, path: str, errors: Errors, rows: Rows) -> None:
    """Add what is wrong with one part of a list: by its fields, if it has any."""
    if isinstance(inner, Mapping):
        for field, texts in inner.items():
            rows.extend(row(number, str(field), str(text)) for text in texts)
    else:
        errors.setdefault(path, []).extend(f"Number {number}: {text}" for text in inner)
