"""What researchers fill in about a run, and about a file of machine poems."""

from typing import Any

from django import forms
from django.http import QueryDict

from backend.corpus.models import Collection, Poem
from backend.corpus.readers import ENCODINGS
from backend.generation import providers, services
from backend.generation.briefs import TEMPLATES
from backend.generation.correcting import LONGEST_REASON, LONGEST_TITLE
from backend.generation.estimating import prices
from backend.generation.fields import SeveralField
from backend.generation.models import Generation, LanguageModel, Run
from backend.generation.rows import KNOWN

CAP: dict[str, Any] = {"min_value": 0, "max_digits": 12, "decimal_places": 6}
LONGEST_RUN_NAME = Run._meta.get_field("name").max_length


class _Models(SeveralField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: LanguageModel) -> str:
        said = f"{obj.name}: {obj.description}" if obj.description else obj.name
        key = obj.provider.key_variable if obj.provider else ""
        if key and not providers.is_key_set(key):
            said += f" (its key {key} is not set where this page runs)"
        return said if prices(obj) else f"{said} (price not known)"


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
    cap = forms.DecimalField(
        label="Cap in US dollars",
        help_text="What the run may cost at the most; what is left then waits until you raise it. "
        "Empty: no cap. The prices of all chosen models have to be known.",
        required=False,
        **CAP,
    )
    turns = forms.IntegerField(
        label="Asked anew",
        min_value=0,
        max_value=100,
        initial=5,
        help_text="How often a poem is asked for again that repeats lines of a known poem. "
        "0: it is kept and flagged.",
    )
    fresh = forms.BooleanField(
        label="Take no earlier answers",
        required=False,
        help_text="Otherwise what the very same call was answered before is taken, and costs "
        "nothing.",
    )

    def __init__(self, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.fields["models"] = _Models(
            services.writers().select_related("provider"),
            label="Language models",
            error_messages={"required": "Choose at least one language model."},
        )
        # What nearly everybody fills in stands first.
        self.order_fields(["name", "collection", "template", "models", "number", "samples", "cap"])

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

    def expected(self) -> dict[str, Any]:
        """Return what `estimating.estimate` asks for."""
        chosen = self.cleaned_data
        poems = self.poems()
        settings = ("template", "samples", "temperature", "max_tokens", "seed", "fresh")
        return {
            **{name: chosen[name] for name in settings},
            "models": list(chosen["models"]),
            "poems": chosen["collection"].poems.all() if poems is None else poems,
        }


class CapForm(forms.Form):
    """What a run may cost."""

    cap = forms.DecimalField(
        label="Cap in US dollars",
        required=False,
        help_text="Empty: as much as it does.",
        **CAP,
    )


class MoreModelsForm(forms.Form):
    """Which models are to write in a run as well."""

    def __init__(self, posted: QueryDict | None = None, *, run: Run) -> None:
        super().__init__(posted)
        known = run.generations.values("model")
        self.fields["models"] = _Models(
            services.writers().exclude(pk__in=known).select_related("provider"),
            label="Language models",
            error_messages={"required": "Choose at least one language model."},
        )


class CorrectionForm(forms.Form):
    """A poem as it should stand, and why it did not."""

    title = forms.CharField(max_length=LONGEST_TITLE, required=False)
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 16}), strip=False, label="Poem")
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        help_text="For instance: the closing remark was kept. It stands in the history.",
    )
    # How many corrections there were when the form was shown.
    after = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, generation: Generation, posted: QueryDict | None = None) -> None:
        initial = {
            "title": generation.title,
            "text": generation.text or generation.reply,
            "after": generation.corrections.count(),
        }
        super().__init__(posted, initial=initial)


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
