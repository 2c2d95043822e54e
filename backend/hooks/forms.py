"""The form of the page of hooks."""

from django import forms

from backend.hooks.models import Event
from backend.hooks.receivers import URL_AT_MOST


class HookForm(forms.Form):
    """Whom to tell, and of what."""

    url = forms.CharField(
        max_length=URL_AT_MOST,
        label="Address",
        widget=forms.URLInput(attrs={"placeholder": "https://host.example/blindverse"}),
        help_text="It has to be reachable from this site; messages are sent to it by POST.",
    )
    events = forms.MultipleChoiceField(
        choices=[(event.value, f"{event.label} ({event.value})") for event in Event],
        widget=forms.CheckboxSelectMultiple,
        label="Tell it when",
        error_messages={"required": "Choose at least one."},
    )
