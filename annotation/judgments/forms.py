"""What experts are asked about themselves."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.studies.consenting import LANGUAGES, PRACTICES
from annotation.studies.models import Background

CONFLICTS = 2000  # characters


class BackgroundForm(forms.Form):
    """An expert's practice, in coarse options, and whose poems they cannot judge fairly."""

    practice = forms.MultipleChoiceField(
        choices=PRACTICES,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("What do you do with poetry?"),
        help_text=gettext_lazy("Tick all that apply."),
    )
    years = forms.ChoiceField(
        choices=[
            (Background.Years.UNDER_3, gettext_lazy("up to 2 years")),
            (Background.Years.UNDER_6, gettext_lazy("3 to 5 years")),
            (Background.Years.UNDER_11, gettext_lazy("6 to 10 years")),
            (Background.Years.UNDER_21, gettext_lazy("11 to 20 years")),
            (Background.Years.MORE, gettext_lazy("more than 20 years")),
            ("", gettext_lazy("I would rather not say")),
        ],
        widget=forms.RadioSelect,
        required=False,
        label=gettext_lazy("For how long?"),
    )
    languages = forms.MultipleChoiceField(
        choices=LANGUAGES,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label=gettext_lazy("In which languages do you read verse with ease?"),
    )
    conflicts = forms.CharField(
        max_length=CONFLICTS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        label=gettext_lazy("Whose poems can you not judge with an open mind?"),
        help_text=gettext_lazy(
            "Yourself, if poems of yours may be among them; friends, students, rivals. One name a "
            "line. You will not be given poems that have to do with them. Nobody is shown this."
        ),
    )

    def clean_conflicts(self) -> str:
        names = [line.strip() for line in self.cleaned_data["conflicts"].splitlines()]
        return "\n".join(name for name in names if name)

    @staticmethod
    def of(background: Background | None) -> dict[str, Any]:
        """Return what was answered before, as initial values."""
        if background is None:
            return {}
        names = ("practice", "years", "languages", "conflicts")
        return {name: getattr(background, name) for name in names}


class JoinForm(forms.Form):
    """Whoever comes by an open link puts themselves on the panel."""

    name = forms.CharField(
        max_length=120,
        label=gettext_lazy("Your name"),
        help_text=gettext_lazy("A pen name will do. Your answers are kept without it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        error_messages={"required": gettext_lazy("Write your name, or a pen name.")},
    )
    email = forms.EmailField(
        max_length=254,
        required=False,
        label=gettext_lazy("Your e-mail address"),
        help_text=gettext_lazy("Optional: it lets whoever runs the study send you your link."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={
            "invalid": gettext_lazy("This is no e-mail address: correct it, or leave it empty.")
        },
    )


class DisplayForm(forms.Form):
    """How a reader likes the pages; each field changes alone."""

    theme = forms.ChoiceField(
        choices=[(each, each) for each in ("system", "light", "sepia", "dark")], required=False
    )
    text_size = forms.IntegerField(min_value=1, max_value=5, required=False)
    line_numbers = forms.ChoiceField(choices=[("yes", "yes"), ("no", "no")], required=False)
    language = forms.ChoiceField(choices=[("en", "en"), ("zh-hans", "zh-hans")], required=False)
