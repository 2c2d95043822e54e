"""The form by which a researcher looks at an open study's results."""

from django import forms


class LookForm(forms.Form):
    """Why somebody looks, and how many looks there were when the form was shown."""

    reason = forms.CharField(required=False)
    seen = forms.IntegerField(min_value=0, required=False)

    def asked(self) -> tuple[str, int]:
        """Return both; what cannot be read counts as empty, and as having seen no look."""
        self.full_clean()
        return self.cleaned_data.get("reason", ""), self.cleaned_data.get("seen") or 0
