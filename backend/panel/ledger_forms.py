"""Forms of the ledger page, and of the page of one expert's part."""

from typing import Any

from django import forms

from annotation.studies.models import Group, Judge, Study
from backend.panel.forms import GroupField, InviteForm, choose_group


class RaiseForm(forms.Form):
    """A higher K, for all items without a group or for one group, and why."""

    group = forms.ModelChoiceField(
        Group.objects.none(), label="Poems", empty_label="choose a group"
    )
    judges_per_item = forms.IntegerField(
        min_value=1, max_value=1000, label="Judges for each poem from now on"
    )
    reason = forms.CharField(
        max_length=500, help_text="It stands beside the new version, and in the activity log."
    )
    sure = forms.BooleanField(label="Raise it. It cannot be lowered again.")

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        groups = study.groups.all()
        if not groups:
            del self.fields["group"]
            return
        chosen = self.fields["group"]
        chosen.queryset = groups  # type: ignore[attr-defined]
        if study.items.judged().filter(group=None).exists():
            chosen.required = False
            chosen.empty_label = "those of no group"  # type: ignore[attr-defined]


class WithdrawForm(forms.Form):
    """Why an expert's answers are taken out of the analysis."""

    reason = forms.CharField(
        max_length=300,
        help_text="It stands here and on the panel for whoever coordinates; the activity log keeps "
        "only what proves it.",
    )


class GroupForm(forms.Form):
    """Whose items an expert judges."""

    group = GroupField()

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_group(self, study)


class ReplaceForm(InviteForm):
    """Somebody in an expert's place. Their group is that of whom they replace."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        del self.fields["days"]


def part_forms(judge: Judge) -> dict[str, forms.Form]:
    """Return the forms of the page of an expert's part, not filled in."""
    forms_of_all: dict[str, forms.Form] = {
        "withdraw_form": WithdrawForm(auto_id="withdraw_%s"),
        "replace_form": ReplaceForm(auto_id="replace_%s", initial={"language": judge.language}),
    }
    if judge.study.groups.exists() and not judge.assignments.exists():
        forms_of_all["group_form"] = GroupForm(
            study=judge.study, auto_id="group_%s", initial={"group": judge.group_id}
        )
    return forms_of_all
