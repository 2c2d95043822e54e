"""A field of forms in which several rows are chosen."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

LARGEST_KEY = 2**63 - 1


class SeveralField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """Several rows by their keys. One that no database can hold is the key of none."""

    def clean(self, value: Any) -> QuerySet[Any]:
        for key in value if isinstance(value, list | tuple) else ():
            if _is_too_large(str(key)):
                raise ValidationError(
                    self.error_messages["invalid_choice"],
                    code="invalid_choice",
                    params={"value": str(key)[:20]},
                )
        return super().clean(value)


def _is_too_large(key: str) -> bool:
    try:
        return abs(int(key)) > LARGEST_KEY
    except ValueError:  # no number, or one of thousands of digits; the field says so
        return False
