"""What researchers fill in about a language model."""

import json
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import QueryDict

from backend.generation.forms import parameters
from backend.generation.forms.providers import LimitsForm
from backend.generation.models import LanguageModel, Provider

LONGEST_PARAMETERS = 4000
LONGEST_CALL = 3600
NAMES_OF_MAX_TOKENS = ("max_tokens", "max_completion_tokens")
PRICES = ("price_input", "price_output")
EXAMPLE = '{"temperature": 0.9, "top_p": 0.95}'
FIXED = (
    "Fixed, for it has written poems. Add another model for another one, or for other parameters."
)


class LanguageModelForm(LimitsForm):
    """A language model: where it is asked and how, what is known of it, what it costs."""

    name = forms.CharField(
        max_length=120, help_text="How results and exports name it, for instance GPT-4o."
    )
    provider = forms.ModelChoiceField(
        Provider.objects.order_by("name"),
        empty_label="choose one",
        help_text="Where it is asked. Add the provider first, if it is not here.",
    )
    model_id = forms.CharField(
        label="Model at the provider",
        max_length=160,
        help_text="The name the provider knows it by, for instance gpt-4o-2024-08-06. One with a "
        "date stays the same model.",
    )
    parameters = forms.CharField(
        required=False,
        max_length=LONGEST_PARAMETERS,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="A JSON object that is sent with each call as it is; what is not here is not "
        f"sent, so the model’s own default holds. For instance {EXAMPLE}. A run’s own temperature "
        "goes before. Empty: none.",
    )
    max_tokens_name = forms.ChoiceField(
        label="Field for the most tokens",
        choices=[(name, name) for name in NAMES_OF_MAX_TOKENS],
        help_text="Newer models of OpenAI, such as o1, take max_completion_tokens. Anthropic and "
        "Google have a name of their own, whatever stands here.",
    )
    seconds = forms.IntegerField(
        label="Seconds that one call may take",
        min_value=5,
        max_value=LONGEST_CALL,
        help_text="To its last byte. A model that thinks may need several minutes.",
    )
    description = forms.CharField(max_length=300, required=False)
    family = forms.CharField(
        max_length=60, required=False, help_text="For instance GPT, Claude, Qwen."
    )
    size = forms.CharField(max_length=30, required=False, help_text="For instance 70B.")
    weights = forms.ChoiceField(choices=LanguageModel.Weights.choices, required=False)
    thinks = forms.NullBooleanField(
        label="Thinks before it answers", help_text="As its maker or the paper says."
    )
    price_input = forms.DecimalField(
        label="US dollars per million tokens of prompts",
        min_value=0,
        max_digits=12,
        decimal_places=6,
        required=False,
        help_text="Empty: not known, so what calls cost is not known, and a run with it can have "
        "no cap. 0: it costs nothing, as on a machine of yours.",
    )
    price_output = forms.DecimalField(
        label="US dollars per million tokens of answers",
        min_value=0,
        max_digits=12,
        decimal_places=6,
        required=False,
        help_text="Thoughts are billed as answers.",
    )
    priced_on = forms.DateField(
        label="Prices are of",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The day on which the provider’s page said so.",
    )

    field_order = (
        "name", "provider", "model_id", "parameters", "max_tokens_name", "seconds", "description",
        "family", "size", "weights", "thinks", "price_input", "price_output", "priced_on",
    )  # fmt: skip

    def __init__(
        self,
        posted: QueryDict | None = None,
        *,
        model: LanguageModel | None = None,
        name_is_fixed: bool = False,
    ) -> None:
        self._model = model or LanguageModel()
        self._name_is_fixed = name_is_fixed
        now = {name: getattr(self._model, name) for name in self.base_fields}
        now["parameters"] = _written(self._model.parameters)
        now |= {name: _plain(now[name]) for name in PRICES}
        super().__init__(posted, initial=now)
        if self._is_imported:
            for name in ("provider", "model_id"):
                self.fields[name].required = False
        elif model and model.generations.filter(status="done").exists():
            # What stands under a name was written by one model.
            for name in ("provider", "model_id", "parameters"):
                self.fields[name].disabled = True
                self.fields[name].help_text = FIXED
        if name_is_fixed:
            self.fields["name"].widget.attrs["readonly"] = True
            self.fields["name"].help_text = (
                "Fixed, for a study with its poems was opened under this name. Add another model "
                "for another name."
            )

    @property
    def _is_imported(self) -> bool:
        return self._model.reach == LanguageModel.Reach.IMPORTED

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self._name_is_fixed and name != self._model.name:
            raise ValidationError(
                f"A study with poems of “{self._model}” was opened, and its fingerprint binds this "
                "name. Keep it, and add another model for another name."
            )
        if LanguageModel.objects.filter(name=name).exclude(pk=self._model.pk).exists():
            raise ValidationError(_taken(name))
        return name

    def clean_parameters(self) -> dict[str, Any]:
        try:
            return parameters.read(self.cleaned_data["parameters"])
        except parameters.KeyAmongParameters:
            # Not even back to the page that it was typed on.
            self.forget("parameters")
            raise

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        self._check_place(given)
        self._check_prices(given)
        return given

    def save(self) -> LanguageModel | None:
        """Keep the model as filled in.

        None, and the form says so, if another took its name, or its provider was deleted, at this
        very moment.
        """
        for name, value in self.cleaned_data.items():
            setattr(self._model, name, value)
        if self._model.provider or not self._is_imported:
            self._model.reach = LanguageModel.Reach.ENDPOINT
        try:
            with transaction.atomic():
                if self._is_provider_gone():
                    self.add_error("provider", "It was deleted a moment ago; choose another.")
                    return None
                self._model.save()
        except IntegrityError:
            self.add_error("name", _taken(self._model.name))
            return None
        return self._model

    def _is_provider_gone(self) -> bool:
        """Hold the provider, so that nobody deletes it before the model is there."""
        held = Provider.objects.select_for_update(no_key=True)
        wanted = self._model.provider_id
        return wanted is not None and held.filter(pk=wanted).first() is None

    def _check_place(self, given: dict[str, Any]) -> None:
        if not self._is_imported or "provider" not in given or "model_id" not in given:
            return
        if given["provider"] and not given["model_id"]:
            self.add_error("model_id", "Say which model of the provider it is.")
        elif given["model_id"] and not given["provider"]:
            self.add_error("provider", "Say which provider has this model.")

    def _check_prices(self, given: dict[str, Any]) -> None:
        prices = {name: given.get(name) for name in PRICES}
        known = [name for name, price in prices.items() if price is not None]
        missing = [name for name in prices if name not in known and name not in self.errors]
        if known and missing:
            self.add_error(missing[0], "Give both prices, or neither.")
        elif known and not given.get("priced_on") and "priced_on" not in self.errors:
            self.add_error("priced_on", "Say of which day the prices are.")
        elif not known and given.get("priced_on") and not prices.keys() & self.errors.keys():
            self.add_error("price_input", "Give both prices with their day, or no day.")


def _taken(name: str) -> str:
    return f"There is a model named “{name}” already; choose another name."


def _written(given: dict[str, Any]) -> str:
    return json.dumps(given, ensure_ascii=False, indent=2) if given else ""


def _plain(price: Decimal | None) -> str | None:
    """Return a price without the noughts that only the database writes."""
    return None if price is None else f"{price.normalize():f}"
