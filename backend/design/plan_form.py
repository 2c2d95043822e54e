"""The form of the study builder: every choice that a plan holds, in the order of its steps."""

import secrets
from dataclasses import dataclass, fields
from typing import Any

from django import forms

from annotation.studies.models import Study
from backend.corpus.models import Collection
from backend.design import plan_rows
from backend.design.display import RECIPE
from backend.design.instruments import offered
from backend.design.models import WIDEST_MARGIN
from backend.design.planning import Exclusions, NothingToJudge, Plan
from backend.design.precision import Precision, precision
from backend.design.sizes import Sizes, planned
from backend.generation.fields import SeveralField
from backend.generation.models import LanguageModel, Run


def _instruments() -> list[tuple[str, str]]:
    return [(key, data["title"]) for key, data in offered().items()]


def _seed() -> int:
    return secrets.randbelow(10**6)


@dataclass(frozen=True)
class Step:
    """A step of the builder: its heading, what to know, and its fields."""

    key: str
    title: str
    intro: str
    fields: tuple[str, ...]


STEPS = (
    Step("poems", "Poems", "Human poems, and how every text is shown.",
         ("collection", "poems", "shows_titles", "steps")),
    Step("models", "Models", "Machine poems to set beside them.", ("runs", "models")),
    Step("instrument", "Instrument", "What judges are asked.", ("instrument",)),
    Step("panel", "K and panel", "How many judges each text is to have, and of which panel.",
         ("judges_per_item", "twins", "experts", *plan_rows.GROUP_FIELDS)),
    Step("order", "Order and leases", "How texts are given out, and when they come back.",
         ("dealing", "batch_size", "apart", "lease_days", "late", "repeats", "repeat_after_days",
          "attention_every", *plan_rows.ATTENTION_FIELDS, "seed")),
    Step("texts", "Texts", "What experts are told and asked.",
         ("title", "contact", "consent", "consent_zh", "promise", "honorarium", "asks_background",
          "debriefs")),
    Step("rules", "Rules of the analysis", "Fixed when the study opens.",
         ("analysis_plan", "margin", "recognised", "seconds_per_line", "failed_attention",
          "interim_looks", "unsealing_needs", "surface_limit")),
)  # fmt: skip


class PlanForm(plan_rows.RowsForm):
    """What a study is built from. What is left empty is as the page has it at first.

    Attributes
    ----------
    sizes : Sizes or None
        How large the study would be; None if the form says too little, or no study can be made.
    counted : bool
        Whether the form said enough to count: what is wrong then, is what there is too little of.
    """

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
    steps = forms.MultipleChoiceField(
        choices=[(name, name) for name in RECIPE],
        initial=list(RECIPE),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Shown alike",
        help_text="Steps that every text passes, human or machine, before a judge sees it. "
        "None ticked: all.",
    )
    runs = SeveralField(
        Run.objects.all(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Machine poems from",
        help_text="Poems written to the briefs of the human poems above; where neither briefs nor "
        "titles are shown, to briefs of no poem, too.",
    )
    models = SeveralField(
        LanguageModel.objects.filter(generations__isnull=False).distinct(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Written by",
        help_text="Of these runs, the poems of these models.",
    )
    judges_per_item = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=2,
        label="Judges per poem (K)",
        help_text="Of each text, whatever group it is in, unless the group says otherwise.",
    )
    twins = forms.ChoiceField(
        choices=Study.Twins.choices,
        initial=Study.Twins.NEVER,
        required=False,
        label="Two texts on one brief to one expert",
        help_text="Whoever has read one of them may recognise the other's brief.",
    )
    experts = forms.IntegerField(
        min_value=2,
        max_value=1000,
        required=False,
        label="How many experts do you expect?",
        help_text="Only to reckon how exact an AUC will be; it is not kept. Empty: as few as can "
        "do it.",
    )
    dealing = forms.ChoiceField(
        choices=Study.Dealing.choices,
        initial=Study.Dealing.BATCH,
        required=False,
        label="Texts are given",
    )
    batch_size = forms.IntegerField(
        min_value=1,
        max_value=500,
        initial=10,
        label="Poems in a batch",
        help_text="How many a judge is given at a time; where they are given one at a time, over "
        "how many they are balanced.",
    )
    apart = forms.IntegerField(
        min_value=1,
        max_value=100,
        initial=2,
        required=False,
        label="Distance",
        help_text="Positions from one text by an author, or on a brief, to the next. 1: none is "
        "kept.",
    )
    lease_days = forms.IntegerField(
        min_value=1,
        max_value=365,
        initial=14,
        required=False,
        label="Days that texts wait for an expert",
        help_text="Counted from what the expert did last; then they go to others.",
    )
    late = forms.ChoiceField(
        choices=Study.Late.choices,
        initial=Study.Late.OUT,
        required=False,
        label="Answers that come later are",
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=50,
        initial=0,
        required=False,
        label="Hidden repeats for each expert",
        help_text="Texts shown again, to see how steadily an expert judges. They fill no place.",
    )
    repeat_after_days = forms.IntegerField(
        min_value=1, max_value=365, initial=7, required=False, label="Days until a repeat"
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
    analysis_plan = forms.CharField(
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        label="Analysis plan",
        help_text="What is to be tested, in words.",
    )
    margin = forms.FloatField(
        required=False,
        min_value=0.001,
        max_value=WIDEST_MARGIN,
        label="Within what distance of 0.5 is an AUC as good as chance?",
        help_text="Such as 0.05. A model is then found equivalent to humans if the 90 % interval "
        "of its AUC lies wholly within that distance. Empty: no model is found to be.",
        widget=forms.NumberInput(attrs={"step": "0.001"}),
    )
    recognised = forms.IntegerField(
        required=False,
        min_value=0,
        label="Leave out judgments of poems recognised at level",
        help_text="And above; a level of the instrument's question about recognition. Empty: none.",
    )
    seconds_per_line = forms.FloatField(
        required=False,
        min_value=0.01,
        max_value=600,
        label="Leave out judgments made in less than",
        help_text="Seconds for a line of verse. Empty: none.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    failed_attention = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100,
        label="Leave out judges who failed so many tests of attention",
        help_text="Or more. Empty: none.",
    )
    interim_looks = forms.BooleanField(
        required=False,
        label="Allow looks at results before the study closes",
        help_text="Each look is counted, with a name and a reason.",
    )
    unsealing_needs = forms.TypedChoiceField(
        choices=[(1, "one researcher"), (2, "two researchers")],
        coerce=int,
        initial=1,
        required=False,
        label="The key is unsealed by",
    )
    surface_limit = forms.FloatField(
        min_value=0.5,
        max_value=1,
        initial=0.6,
        required=False,
        label="Limit of the surface check (AUC)",
        help_text="If a classifier that cannot read tells the texts apart more surely than this, "
        "opening needs a written reason.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sizes: Sizes | None = None
        self.counted = False

    def steps_of_the_page(self) -> list[tuple[Step, list[forms.BoundField]]]:
        """Return the steps with their fields; those in rows stand apart."""
        rows = {*plan_rows.GROUP_FIELDS, *plan_rows.ATTENTION_FIELDS, "attention_every"}
        return [(step, [self[name] for name in step.fields if name not in rows]) for step in STEPS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in _FALLBACKS:
            if name in cleaned and cleaned[name] in (None, "", []):
                cleaned[name] = self.fields[name].initial
        if bool(cleaned.get("runs")) != bool(cleaned.get("models")):
            raise forms.ValidationError(
                "Choose both the runs and the models whose poems to take, or neither."
            )
        if not self.errors:
            self._counts(cleaned["repeats"])
        return cleaned

    def refuse(self, why: NothingToJudge) -> None:
        """Say beside the field that it is about why no study can be made."""
        self.add_error(self.group_field(why.group) if why.group else why.field, str(why))

    def _counts(self, repeats: int) -> None:
        """Count what the study would hold, and refuse what it has too little for."""
        self.counted = True
        try:
            self.sizes = planned(self.plan())
        except NothingToJudge as why:
            self.refuse(why)
            return
        if repeats > (most := self.sizes.each):
            s = "" if most == 1 else "s"
            who = f" of group “{self.sizes.group}”" if self.sizes.group else ""
            self.add_error(
                "repeats",
                f"An expert{who} is given {most} {self.sizes.unit}{s} of this study at most; ask "
                f"for no more than {most} hidden repeat{s}.",
            )

    def precision(self) -> Precision | None:
        """Return how exact the AUC of one model will be; None where none is computed."""
        if self.sizes is None or not self.has_auc:
            return None
        given = self.cleaned_data
        each = [group.judges_per_item for group in self.groups]
        return precision(
            self.sizes,
            judges=given["experts"],
            margin=given["margin"],
            apart=given["twins"] == Study.Twins.NEVER,
            most=max(each, default=given["judges_per_item"]),
        )

    def plan(self) -> Plan:
        given = dict(self.cleaned_data)
        # A form sends CR LF; the text is stored, hashed and shown with LF.
        for name in ("consent", "consent_zh", "analysis_plan"):
            given[name] = given[name].replace("\r\n", "\n")
        return Plan(
            **{name: given[name] for name in _TAKEN},
            runs=list(given["runs"]),
            models=list(given["models"]),
            lease_hours=given["lease_days"] * 24,
            groups=self.groups,
            attention=self.attention,
            exclusions=Exclusions(**{one.name: given[one.name] for one in fields(Exclusions)}),
        )


_FALLBACKS = (
    "steps", "twins", "dealing", "apart", "lease_days", "late", "repeats", "repeat_after_days",
    "attention_every", "unsealing_needs", "surface_limit",
)  # fmt: skip
_ELSEWHERE = {"only", "runs", "models", "lease_hours", "groups", "attention", "exclusions"}
_TAKEN = [one.name for one in fields(Plan) if one.name not in _ELSEWHERE]
