"""What researchers fill in: a language model, a run, a file of machine poems."""

import os
import re
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import QueryDict

from backend.corpus.models import Collection, Poem
from backend.corpus.readers import ENCODINGS
from backend.generation import services
from backend.generation.briefs import TEMPLATES
from backend.generation.fields import SeveralField
from backend.generation.models import LanguageModel, Run
from backend.generation.rows import KNOWN

VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
# Prefixes that vendors give their keys, or a long run of letters with digits among them.
KEY_ITSELF = re.compile(
    r"(sk|pk|gsk|xai|hf|AIza|AKIA|ghp)[-_A-Z0-9].*[a-z0-9]|(?=[^\d]*\d)[A-Za-z0-9+/=-]{20,}"
)
LONGEST_RUN_NAME = Run._meta.get_field("name").max_length


class LanguageModelForm(forms.Form):
    """A language model behind an OpenAI-compatible endpoint."""

    name = forms.CharField(
        max_length=120, help_text="How results and exports name it, for instance GPT-4o."
    )
    base_url = forms.CharField(
        label="Base URL",
        max_length=300,
        help_text="Of the endpoint, to which /chat/completions is added: https://api.openai.com/v1",
    )
    model_id = forms.CharField(
        label="Model at the endpoint",
        max_length=160,
        help_text="The name the endpoint knows it by, for instance gpt-4o-2024-08-06.",
    )
    key_variable = forms.CharField(
        label="Environment variable with its key",
        max_length=80,
        required=False,
        help_text="The variable's name, for instance OPENAI_API_KEY, never the key itself. Set it "
        "where the worker runs. Leave it empty if the endpoint asks for no key.",
    )
    description = forms.CharField(max_length=300, required=False)

    def __init__(
        self,
        posted: QueryDict | None,
        *,
        model: LanguageModel | None = None,
        name_is_fixed: bool = False,
    ) -> None:
        self._model = model or LanguageModel()
        self._name_is_fixed = name_is_fixed
        now = {name: getattr(self._model, name) for name in self.base_fields}
        super().__init__(posted, initial=now)
        if self._model.base_url and self._model.generations.filter(status="done").exists():
            # What stands under a name was written by one model.
            for name in ("base_url", "model_id"):
                self.fields[name].disabled = True
                self.fields[
                    name
                ].help_text = (
                    "Fixed, for it has written poems. Add another model for another address."
                )
        if name_is_fixed:
            self.fields["name"].widget.attrs["readonly"] = True
            self.fields["name"].help_text = (
                "Fixed, for a study with its poems was opened under this name. Add another model "
                "for another name."
            )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if self._name_is_fixed and name != self._model.name:
            raise ValidationError(
                f"A study with poems of “{self._model}” was opened, and its fingerprint binds this "
                "name. Keep it, and add another model for another name."
            )
        if LanguageModel.objects.filter(name=name).exclude(pk=self._model.pk).exists():
            raise ValidationError(f"There is a model named “{name}” already; choose another name.")
        return name

    def clean_base_url(self) -> str:
        url: str = self.cleaned_data["base_url"].rstrip("/")
        try:
            parts = urlsplit(url)
            whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            whole = False
        if not whole or any(character.isspace() for character in url):
            raise ValidationError("Write a whole address, such as https://api.openai.com/v1.")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValidationError(
                "Leave out user name, password and anything after a question mark: addresses are "
                "stored and shown. A key belongs into an environment variable."
            )
        return url.removesuffix("/chat/completions")

    def clean_key_variable(self) -> str:
        name: str = self.cleaned_data["key_variable"]
        if KEY_ITSELF.match(name):
            # Not even back to the page that it was typed on.
            self.data = {**dict(self.data.items()), "key_variable": ""}
            raise ValidationError(
                "That looks like a key itself, so it was not kept. Write the name of the "
                "environment variable that holds it, and take the key for known to others."
            )
        if name and not VARIABLE.fullmatch(name):
            raise ValidationError(
                "A variable's name has capital letters, digits and underscores, and no digit "
                "first: OPENAI_API_KEY."
            )
        return name

    def save(self) -> LanguageModel:
        """Keep the model as filled in."""
        for name, value in self.cleaned_data.items():
            setattr(self._model, name, value)
        self._model.reach = LanguageModel.Reach.ENDPOINT
        self._model.save()
        return self._model


def writers() -> QuerySet[LanguageModel]:
    """Return the models that can be asked for poems: the built-in writers and every endpoint."""
    built_in = [model.pk for model in services.built_in_models()]
    return LanguageModel.objects.filter(Q(pk__in=built_in) | Q(reach=LanguageModel.Reach.ENDPOINT))


class _Models(SeveralField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: LanguageModel) -> str:
        if obj.key_variable and not os.environ.get(obj.key_variable):
            return f"{obj.name} (its key {obj.key_variable} is not set where this page runs)"
        return f"{obj.name}: {obj.description}" if obj.description else obj.name


class RunForm(forms.Form):
    """Which poems of a collection which models are to write to, and how."""

    name = forms.CharField(max_length=LONGEST_RUN_NAME, help_text="Yours to choose; used once.")
    collection = forms.ModelChoiceField(Collection.objects.all(), empty_label=None)
    template = forms.ChoiceField(
        choices=[(template.key, template.name) for template in TEMPLATES.values()],
        help_text="How each human poem is put as a brief.",
    )
    temperature = forms.FloatField(
        min_value=0,
        max_value=2,
        required=False,
        help_text="Empty: not sent, so each model's own default.",
    )
    max_tokens = forms.IntegerField(
        label="Max. tokens",
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="Where a reply is cut off. Empty: not sent. Reasoning takes several thousand.",
    )
    samples = forms.IntegerField(
        min_value=1, max_value=100, initial=1, help_text="Poems by each model to each brief."
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="For the draw of poems, and sent to the models, so that those that honour it "
        "repeat themselves. Empty: not sent.",
    )
    number = forms.IntegerField(
        label="Number of poems",
        min_value=1,
        required=False,
        help_text="Drawn at random with the seed. Empty: every poem of the collection.",
    )

    def __init__(self, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.fields["models"] = _Models(
            writers(),
            label="Language models",
            error_messages={"required": "Choose at least one language model."},
        )
        self.order_fields(["name", "collection", "template", "models"])

    def poems(self) -> list[Poem] | None:
        """Return the poems drawn, or None for the whole collection."""
        chosen = self.cleaned_data
        if not chosen["number"]:
            return None
        return services.draw_poems(chosen["collection"], chosen["number"], seed=chosen["seed"])

    def options(self) -> dict[str, Any]:
        """Return what `services.start_run` asks for."""
        chosen = {name: value for name, value in self.cleaned_data.items() if name != "number"}
        return {**chosen, "poems": self.poems()}


class GenerationsForm(forms.Form):
    """A file of machine poems, and how to read it."""

    file = forms.FileField(
        help_text="CSV, JSON Lines or Excel, with the columns model and reply, and one of title, "
        "poem_key or prompt."
    )
    run_name = forms.CharField(
        label="Name of the run",
        max_length=LONGEST_RUN_NAME,
        help_text="New, or the name of an earlier import, to which the file is then added.",
    )
    collection = forms.ModelChoiceField(
        Collection.objects.all(),
        required=False,
        empty_label="None: every row has its own prompt",
        help_text="Whose poems the titles or keys in the file name.",
    )
    template = forms.ChoiceField(
        choices=[(template.key, template.name) for template in TEMPLATES.values()],
        label="Brief",
        help_text="How a human poem was put to the models, where a row has no prompt.",
    )
    encoding = forms.ChoiceField(choices=[(name, name) for name in ENCODINGS])

    def options(self) -> dict[str, Any]:
        """Return what `imports.import_generations` asks for."""
        chosen = dict(self.cleaned_data)
        file = chosen.pop("file")
        return {**chosen, "content": file.read(), "file_name": file.name}


class ColumnsForm(forms.Form):
    """Which column feeds what, where its name is not a known one."""

    model = forms.CharField(required=False)
    reply = forms.CharField(required=False)
    title = forms.CharField(required=False)
    poem_key = forms.CharField(required=False, label="Poem key")
    prompt = forms.CharField(required=False)
    finish = forms.CharField(required=False, label="Why it ended")

    def __init__(self, posted: QueryDict | None) -> None:
        super().__init__(posted, prefix="column")
        for name, known in KNOWN.items():
            self.fields[name].help_text = f"If it is not: {', '.join(known)}."

    def columns(self) -> dict[str, str]:
        """Return field -> column, for those that were named."""
        return {name: column for name, column in self.cleaned_data.items() if column}
