"""What staff fill in to make a token."""

from typing import Any

from django import forms

from backend.accounts.models import User
from backend.api.scopes import allowed


class TokenForm(forms.Form):
    """A token to make."""

    name = forms.CharField(
        max_length=80, help_text="What will use it, for instance: nightly export."
    )
    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="It may",
        error_messages={"required": "Choose at least one thing that it may do."},
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=3650,
        required=False,
        initial=90,
        label="Days it works",
        help_text="Empty: until you revoke it.",
    )

    def __init__(self, *args: Any, user: User, **options: Any) -> None:
        super().__init__(*args, **options)
        scopes = self.fields["scopes"]
        assert isinstance(scopes, forms.MultipleChoiceField)  # noqa: S101
        scopes.choices = [(scope.value, f"{scope.value}: {scope.label}") for scope in allowed(user)]
