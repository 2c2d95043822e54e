"""Forms of the panel page."""

from typing import Any

from django import forms
from django.conf import settings

from annotation.studies.links import LINK_DAYS
from annotation.studies.models import Group, Judge, Study
from backend.panel.letters import one_line
from backend.panel.models import PanelRules
from backend.panel.roster import InvalidRoster, read_roster

LIST_LIMIT = 2**20  # bytes
MAILED = "Send the invitation by e-mail"


def _languages() -> list[tuple[str, str]]:
    return [("", "as their browser asks"), *settings.LANGUAGES]


class _Days(forms.IntegerField):
    """For how many days a link works; not filled in, the usual number."""

    def __init__(self) -> None:
        super().__init__(
            min_value=1,
            max_value=3650,
            required=False,
            initial=LINK_DAYS,
            label="Days the link works",
        )

    def clean(self, value: Any) -> int:
        return super().clean(value) or LINK_DAYS


class GroupField(forms.ModelChoiceField):  # type: ignore[type-arg]  # no generic at run time
    """Whose items experts judge; none: all of them."""

    def __init__(self) -> None:
        super().__init__(
            Group.objects.none(),
            required=False,
            empty_label="all poems",
            label="Judges",
            help_text="A group's poems alone, or all of them.",
        )


def choose_group(form: forms.Form, study: Study | None) -> None:
    """Let the form's group be one of the study's; without any, there is nothing to choose."""
    groups = study.groups.all() if study else Group.objects.none()
    if groups:
        form.fields["group"].queryset = groups  # type: ignore[attr-defined]
    else:
        del form.fields["group"]


class _Inviting(forms.Form):
    """A form with a tick for letters, which cannot be set where the site sends no mail."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not settings.SENDS_MAIL:
            self.fields["send"].disabled = True
            self.fields["send"].help_text = "This site sends no mail."


class InviteForm(_Inviting):
    """One expert to put on the panel."""

    name = forms.CharField(max_length=120)
    email = forms.EmailField(
        max_length=254, required=False, help_text="Optional; needed to send letters."
    )
    language = forms.ChoiceField(
        choices=_languages, required=False, help_text="Of their pages and letters."
    )
    group = GroupField()
    days = _Days()
    send = forms.BooleanField(required=False, label=MAILED)

    def __init__(self, *args: Any, study: Study | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_group(self, study)

    def clean_name(self) -> str:
        name = one_line(self.cleaned_data["name"])
        if not name:
            raise forms.ValidationError("Write a name.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("send") and not cleaned.get("email") and "email" not in self.errors:
            self.add_error("email", "Write the address that the invitation is sent to.")
        return cleaned


class RosterForm(_Inviting):
    """Many experts to put on the panel: pasted, or from a file."""

    people = forms.CharField(
        required=False,
        label="Experts, one a line",
        widget=forms.Textarea(
            attrs={"rows": 5, "placeholder": "Ada Lovelace, ada@example.org, en"}
        ),
        help_text="Name, e-mail, language, with commas between; only the name is needed. A first "
        "line that names the columns may put them in another order.",
    )
    file = forms.FileField(
        required=False, label="Or a file", help_text="CSV in UTF-8, with the same columns."
    )
    days = _Days()
    send = forms.BooleanField(required=False, label=f"{MAILED} to all who have an address")

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        self._study = study
        self._groups = list(study.groups.values_list("name", flat=True))
        if self._groups:
            self.fields["people"].help_text += f" A fourth is the group: {', '.join(self._groups)}."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        text = self._text(cleaned)
        experts = Judge.objects.experts().filter(study=self._study)
        try:
            cleaned["roster"] = read_roster(
                text,
                emails=experts.values_list("email", flat=True),
                names=experts.values_list("name", flat=True),
                groups=self._groups,
            )
        except InvalidRoster as refused:
            for problem in refused.problems:
                self.add_error("people", str(problem))
        return cleaned

    def asked(self) -> dict[str, Any]:
        """Return what `inviting.invite_many` is asked."""
        given = self.cleaned_data
        return {"people": given["roster"], "days": given["days"], "send": given["send"]}

    def _text(self, cleaned: dict[str, Any]) -> str:
        """Return what was pasted, or what the file holds, which is then shown in its place."""
        upload = cleaned.get("file")
        if upload is None:
            return str(cleaned.get("people", ""))
        if upload.size > LIST_LIMIT:
            raise forms.ValidationError({"file": "The file is larger than 1 MB; send it in parts."})
        try:
            text: str = upload.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError(
                {"file": "The file is not in UTF-8; save it as “CSV UTF-8”."}
            ) from error
        if "\0" in text:
            raise forms.ValidationError({"file": "The file is no CSV; save it as “CSV UTF-8”."})
        # A browser would not send the file again.
        self.data = {**{name: self.data.get(name) for name in self.data}, "people": text}
        return text


class MessageForm(forms.Form):
    """A message to experts of the panel."""

    EVERYBODY, WITH_POEMS_LEFT = "all", "left"

    to = forms.ChoiceField(
        choices=[
            (EVERYBODY, "all who take part and have an address"),
            (WITH_POEMS_LEFT, "those with poems left, or who have not begun"),
        ],
        label="To",
    )
    subject = forms.CharField(max_length=150)
    body = forms.CharField(
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        label="Message",
        help_text="Their link, how to leave and your contact are written below it.",
    )

    def clean_subject(self) -> str:
        return one_line(self.cleaned_data["subject"])


class RulesForm(forms.ModelForm):  # type: ignore[type-arg]  # no generic at run time
    """When experts are reminded without anybody asking."""

    class Meta:
        model = PanelRules
        fields = [
            "remind_after_days", "reminders_at_most", "remind_before_expiry_days",
            "remind_before_lease_days",
        ]  # fmt: skip
        labels = {
            "remind_after_days": "Remind after so many days of silence",
            "reminders_at_most": "Reminders at most",
            "remind_before_expiry_days": "And so many days before the link expires",
            "remind_before_lease_days": "And so many days before poems go back to the others",
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["remind_before_lease_days"].required = False

    def clean_remind_before_lease_days(self) -> int:
        """Return what was written, or what stood before if nothing was."""
        days: int | None = self.cleaned_data["remind_before_lease_days"]
        return self.instance.remind_before_lease_days if days is None else days


class OpenLinkForm(forms.Form):
    """A link by which experts put themselves on the panel."""

    label = forms.CharField(
        max_length=80, required=False, help_text="For your own overview: where you post it."
    )
    quota = forms.IntegerField(min_value=1, max_value=1000, initial=20, label="Experts at most")
    group = GroupField()
    days = _Days()

    def __init__(self, *args: Any, study: Study, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_group(self, study)
