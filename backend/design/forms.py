"""Forms of the study builder."""

import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import get_language_info

from backend.corpus.models import Collection
from backend.design.instruments import offered
from backend.design.planning import Plan
from backend.generation.models import LanguageModel, Run

TEXT_LIMIT = 200_000  # characters of an instrument


def _instruments() -> list[tuple[str, str]]:
    return [(key, data["title"]) for key, data in offered().items()]


def _seed() -> int:
    return secrets.randbelow(10**6)


class PlanForm(forms.Form):
    """What a study is built from."""

    title = forms.CharField(
        max_length=120, help_text="Judges see it: it must not tell where poems come from."
    )
    contact = forms.CharField(max_length=200, help_text="Whom judges can write to.")
    instrument = forms.ChoiceField(
        choices=_instruments,
        initial="poemetric-survey",
        help_text="What judges are asked; the draft shows it. You can write your own under "
        "Studies, Instruments.",
    )
    collection = forms.ModelChoiceField(
        Collection.objects.all(),
        label="Human poems",
        empty_label="choose a collection",
        help_text="The collection they come from.",
    )
    poems = forms.IntegerField(
        min_value=1,
        required=False,
        label="How many of them",
        help_text="Drawn by the seed. Empty: all.",
    )
    runs = forms.ModelMultipleChoiceField(
        Run.objects.all(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Machine poems from",
        help_text="Poems written to the briefs of the human poems above; where neither briefs nor "
        "titles are shown, to briefs of no poem, too.",
    )
    models = forms.ModelMultipleChoiceField(
        LanguageModel.objects.filter(generations__isnull=False).distinct(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Written by",
        help_text="Of these runs, the poems of these models.",
    )
    judges_per_item = forms.IntegerField(
        min_value=1, max_value=100, initial=2, label="Judges per poem (K)"
    )
    batch_size = forms.IntegerField(
        min_value=1,
        max_value=500,
        initial=10,
        label="Poems in a batch",
        help_text="How many a judge is given at a time.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**63 - 1,
        initial=_seed,
        help_text="Fixes every random choice, so that it can be repeated.",
    )
    shows_titles = forms.BooleanField(
        required=False,
        label="Show titles",
        help_text="The human poem's title, alike over human and machine texts.",
    )
    consent = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        label="Consent text",
        help_text="In the study's language; of a Chinese study, its English text. Empty here and "
        "below: the usual text in English and in Chinese, which the draft's page shows.",
    )
    consent_zh = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "lang": "zh-Hans"}),
        label="Consent text in Simplified Chinese",
        help_text="For experts who read the pages in Chinese; without it they see the text above.",
    )
    promise = forms.CharField(
        required=False,
        max_length=300,
        label="Promise",
        help_text="What each expert promises with the consent. Empty: where a probability is asked "
        "for, as in ProFTAP, to use no other source and no other help; else none.",
    )
    honorarium = forms.CharField(
        required=False,
        max_length=200,
        help_text="What experts are paid, in words, as they see it. Empty: nothing is said of it.",
    )
    asks_background = forms.BooleanField(
        required=False,
        initial=True,
        label="Ask for the background",
        help_text="Practice, years and languages in coarse options, and whose poems an expert "
        "should not judge.",
    )
    debriefs = forms.BooleanField(
        required=False,
        label="Tell experts afterwards",
        help_text="Once the key is unsealed, each expert sees who wrote the poems they judged, and "
        "how often they were right.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if bool(cleaned.get("runs")) != bool(cleaned.get("models")):
            raise forms.ValidationError(
                "Choose both the runs and the models whose poems to take, or neither."
            )
        return cleaned

    def plan(self) -> Plan:
        given = self.cleaned_data
        # A form sends CR LF; the text is stored, hashed and shown with LF.
        texts = {name: given[name].replace("\r\n", "\n") for name in ("consent", "consent_zh")}
        chosen = {"runs": list(given["runs"]), "models": list(given["models"])}
        return Plan(**{**given, **texts, **chosen})


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
