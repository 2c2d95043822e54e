"""Which language models to put a study to."""

from django import forms

from backend.generation.fields import SeveralField
from backend.generation.models import LanguageModel
from backend.generation.services import BUILT_IN_WRITERS


class JudgesForm(forms.Form):
    """Language models that shall answer the study's instrument."""

    models = SeveralField(
        # The built-in writers answer whatever they are asked with verse.
        LanguageModel.objects.exclude(reach=LanguageModel.Reach.IMPORTED).exclude(
            reach=LanguageModel.Reach.BUILT_IN, model_id__in=BUILT_IN_WRITERS
        ),
        widget=forms.CheckboxSelectMultiple,
        label="Language models",
        error_messages={"required": "Choose at least one language model."},
        help_text="Each answers about every poem, beside the experts and never counted as one.",
    )
    temperature = forms.FloatField(
        min_value=0,
        max_value=2,
        required=False,
        help_text="Empty: not sent, so each model's own default, as POEMetric did.",
    )
