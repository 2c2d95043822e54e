"""What researchers fill in about where language models are asked."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import QueryDict

from backend.generation import providers
from backend.generation.forms.secrets import REASON, looks_like_key
from backend.generation.models import Provider

# In the field beside which a key is at hand, anything that is no variable's name may be one.
KEY_ITSELF = re.compile(
    r"(sk|pk|gsk|xai|hf|AIza|AKIA|ghp)[-_A-Z0-9].*[a-z0-9]|(?=[^\d]*\d)[A-Za-z0-9+/=-]{20,}"
)
# What the clients add by themselves, and people copy with the address.
ENDINGS = ("/chat/completions", "/messages", "/models")
MOST_AT_ONCE, MOST_A_MINUTE = 1000, 2_000_000_000


class LimitsForm(forms.Form):
    """What may be asked at once and within a minute. A key typed anywhere is not kept or shown."""

    parallel = forms.IntegerField(
        label="Calls at once, at most",
        min_value=1,
        max_value=MOST_AT_ONCE,
        required=False,
        help_text="How many are made is found out by itself, from what is refused: up to this, or "
        "up to 16 if this is empty.",
    )
    requests_a_minute = forms.IntegerField(
        label="Calls a minute, at most",
        min_value=1,
        max_value=MOST_A_MINUTE,
        required=False,
        help_text="As the provider’s own page of limits says. Empty: no limit is known.",
    )
    tokens_a_minute = forms.IntegerField(
        label="Tokens a minute, at most",
        min_value=1,
        max_value=MOST_A_MINUTE,
        required=False,
        help_text="Of prompts and answers together. Empty: no limit is known.",
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        for name in self.fields:
            if looks_like_key(str(self.data.get(name) or "")):
                self.forget(name)
                if name not in self.errors:
                    self.add_error(name, REASON)
        return given

    def forget(self, name: str) -> None:
        """Leave out of the page what was typed into this field."""
        self.data = {**dict(self.data.items()), name: ""}


class ProviderForm(LimitsForm):
    """A provider: an address, the format spoken there, the name of a key, and limits for all."""

    name = forms.CharField(max_length=120, help_text="As you call it, for instance OpenAI.")
    wire = forms.ChoiceField(
        label="Format",
        choices=Provider.Wire.choices,
        help_text="Most speak OpenAI’s: vLLM, Ollama, llama.cpp, DeepSeek, Mistral, Together, "
        "OpenRouter and others. The other two need an optional package each.",
    )
    base_url = forms.CharField(
        label="Base URL",
        max_length=300,
        help_text="For instance https://api.openai.com/v1, https://api.anthropic.com or "
        "https://generativelanguage.googleapis.com. Requests go there from the workers’ network.",
    )
    key_variable = forms.CharField(
        label="Environment variable with its key",
        max_length=80,
        required=False,
        help_text="The variable’s name, for instance OPENAI_API_KEY, never the key itself; it ends "
        "in _KEY or _TOKEN. Set it where the workers and this page run. Leave it empty if no key "
        "is asked for.",
    )

    field_order = ("name", "wire", "base_url", "key_variable")

    def __init__(
        self, posted: QueryDict | None = None, *, provider: Provider | None = None
    ) -> None:
        self._provider = provider or Provider()
        now = {name: getattr(self._provider, name) for name in self.base_fields}
        super().__init__(posted, initial=now)
        if provider and provider.language_models.filter(generations__status="done").exists():
            # What stands under a model's name was written by one model.
            for name in ("wire", "base_url"):
                self.fields[name].disabled = True
                self.fields[name].help_text = (
                    "Fixed, for a model of it has written poems. Add another provider for another "
                    "address."
                )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Provider.objects.filter(name=name).exclude(pk=self._provider.pk).exists():
            raise ValidationError(_taken(name))
        return name

    def clean_base_url(self) -> str:
        # Here, not above: what makes the calls reads the address, and takes long to import.
        from httpx2 import URL, InvalidURL

        url: str = self.cleaned_data["base_url"].rstrip("/")
        try:
            parts = URL(url)
            whole = parts.scheme in ("http", "https") and parts.host and parts.port != 0
        except InvalidURL:
            whole = False
        if not whole or any(character.isspace() for character in url):
            raise ValidationError("Write a whole address, such as https://api.openai.com/v1.")
        if parts.userinfo or parts.query or parts.fragment:
            # Not even back to the page that it was typed on.
            self.forget("base_url")
            raise ValidationError(
                "Leave out user name, password and anything after a question mark: addresses are "
                "stored and shown. A key belongs into an environment variable."
            )
        for ending in ENDINGS:
            url = url.removesuffix(ending)
        if refused := providers.explain_address(url):
            raise ValidationError(refused)
        return url

    def clean_key_variable(self) -> str:
        name: str = self.cleaned_data["key_variable"]
        if not name or providers.may_hold_key(name):
            return name
        if KEY_ITSELF.match(name) or looks_like_key(name):
            self.forget("key_variable")
            raise ValidationError(
                "That looks like a key itself, so it was not kept. Write the name of the "
                "environment variable that holds it, and take the key for known to others."
            )
        raise ValidationError(
            f"Give the key a variable of such a name that {providers.WHICH_NAMES}."
        )

    def save(self) -> Provider | None:
        """Keep the provider as filled in.

        None, and the form says so, if another took its name at this very moment.
        """
        for name, value in self.cleaned_data.items():
            setattr(self._provider, name, value)
        try:
            with transaction.atomic():
                self._provider.save()
        except IntegrityError:
            self.add_error("name", _taken(self._provider.name))
            return None
        return self._provider


def _taken(name: str) -> str:
    return f"There is a provider named “{name}” already; choose another name."
