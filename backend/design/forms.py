"""Forms of the study builder and the panel."""

import secrets
from typing import Any

from django import forms

from annotation.instruments.instrument import published_all
from backend.corpus.models import Collection
from backend.design.services import Plan
from backend.generation.models import LanguageModel, Run


def _instruments() -> list[tuple[str, str]]:
    return [(key, data["title"]) for key, data in published_all().items()]


def _seed() -> int:
    return secrets.randbelow(10**6)


class PlanForm(forms.Form):
    """What a study is built from."""

    title = forms.CharField(
        max_length=120, help_text="Judges see it: it must not tell where poems come from."
    )
    contact = forms.CharField(max_length=200, help_text="Whom judges can write to.")
    instrument = forms.ChoiceField(
        choices=_instruments, help_text="What judges are asked; the draft shows it."
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
        help_text="Empty: the usual text, which the draft's page shows.",
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
        return Plan(**{**given, "runs": list(given["runs"]), "models": list(given["models"])})


class InviteForm(forms.Form):
    """One expert to put on the panel."""

    name = forms.CharField(max_length=120)
    email = forms.EmailField(
        max_length=254, required=False, help_text="Optional; for your own overview."
    )
