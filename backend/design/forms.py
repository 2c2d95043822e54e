"""Forms about consent texts, instruments, pilots and surfaces; that of the builder is PlanForm."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import get_language_info

from backend.design.plan_form import PlanForm as PlanForm

TEXT_LIMIT = 200_000  # characters of an instrument


class ConsentForm(forms.Form):
    """A new version of a study's consent text, in each of its languages."""

    def __init__(self, texts: Mapping[str, str], data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.languages = list(texts)
        for language, text in texts.items():
            self.fields[f"text-{language}"] = forms.CharField(
                required=False,
                initial=text,
                label=f"Text in {_language_name(language)}",
                widget=forms.Textarea(attrs={"rows": 12, "lang": language}),
            )

    def texts(self) -> dict[str, str]:
        """Return what is typed, by language, with line ends as they are stored."""
        return {
            language: self.cleaned_data[f"text-{language}"].replace("\r\n", "\n")
            for language in self.languages
        }


class PilotForm(forms.Form):
    """How large a pilot is to be."""

    briefs = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=3,
        label="Briefs to try out",
        help_text="Drawn by the seed, with all texts on them.",
    )


class SurfaceForm(forms.Form):
    """From where on telling texts apart by their surface is too easy, and why it may be so."""

    limit = forms.FloatField(
        min_value=0.5,
        max_value=1,
        label="Limit (AUC)",
        help_text="Above it, opening needs a reason.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    reason = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why it may be opened above the limit",
        help_text="It is fixed with the study, and stands in its fingerprint.",
    )


class InstrumentForm(forms.Form):
    """An instrument as a JSON text, typed or uploaded."""

    seen = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput, initial=0)
    text = forms.CharField(
        label="The instrument, in JSON",
        required=False,
        strip=False,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(
            attrs={
                "rows": 24,
                "spellcheck": "false",
                "autocomplete": "off",
                "class": "data",
                "aria-describedby": "text-help",
            }
        ),
    )
    file = forms.FileField(
        required=False,
        label="Or a file",
        help_text="A .json file; it takes the place of the text above.",
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> str | None:
        file = self.cleaned_data["file"]
        if file is None:
            return None
        if file.size > TEXT_LIMIT:
            raise forms.ValidationError(f"The file is larger than {TEXT_LIMIT // 1000} kB.")
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The file is no text in UTF-8.") from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "text" in self.errors or "file" in self.errors:
            return cleaned
        text = cleaned.get("file") or cleaned.get("text", "")
        if not text.strip():
            raise forms.ValidationError("Write the instrument, or choose a file.")
        cleaned["text"] = text.replace("\r\n", "\n")
        return cleaned

    def again(self, **changes: Any) -> "InstrumentForm":
        """Return the form to be shown once more: with the text of the file, if one was chosen."""
        typed = self.cleaned_data.get("text") or self.data.get("text", "")
        seen = self.cleaned_data.get("seen") or 0
        return InstrumentForm(initial={"seen": seen, "text": typed, **changes})


def _language_name(code: str) -> str:
    try:
        return str(get_language_info(code)["name"])
    except KeyError:
        return code
