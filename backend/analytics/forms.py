"""The form by which a researcher looks at an open study's results."""

from django import forms


class LookForm(forms.Form):
    """Why somebody looks, and how many looks there were when the form was shown."""

    # The service refuses a look without a reason, in words of its own.
    reason = forms.CharField(
        label="Why do you look now?",
        required=False,
        widget=forms.TextInput({"required": True, "maxlength": 500, "autocomplete": "off"}),
    )
    seen = forms.IntegerField(min_value=0, required=False, widget=forms.HiddenInput)

    def asked(self) -> tuple[str, int]:
        """Return both; what cannot be read counts as empty, and as having seen no look."""
        self.full_clean()
        return self.cleaned_data.get("reason", ""), self.cleaned_data.get("seen") or 0
