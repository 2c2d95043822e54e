"""What a researcher is asked on the corpus pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from backend.corpus.columns import KNOWN, REQUIRED, known_feeds, language_flaw
from backend.corpus.models import Collection, Poem
from backend.corpus.readers import ENCODINGS, KINDS

LONGEST_NAME = Collection._meta.get_field("name").max_length
LONGEST_LANGUAGE = Poem._meta.get_field("language").max_length


class UploadForm(forms.Form):
    """A file of poems, and where it goes."""

    file = forms.FileField(
        help_text=f"{KINDS}. The first row names the columns.",
        error_messages={"required": "Choose a file."},
    )
    collection = forms.CharField(
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"list": "collection-names", "autocomplete": "off"}),
        help_text="One that exists, or a new name.",
    )
    encoding = forms.ChoiceField(
        choices=[(name, name) for name in ENCODINGS],
        required=False,
        help_text="Of a text file. Excel on Windows often saves CSV as windows-1252.",
    )
    language = forms.CharField(
        max_length=LONGEST_LANGUAGE,
        required=False,
        help_text="Such as en or zh-Hant, for poems whose row names none. If empty, it is guessed: "
        "zh-Hant where most letters are Han characters, else en.",
    )

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.CORPUS_FILE_LIMIT:
            limit = settings.CORPUS_FILE_LIMIT // 2**20
            raise forms.ValidationError(
                f"The file is larger than {limit} MiB. Split it into several files."
            )
        return file

    def clean_encoding(self) -> str:
        return self.cleaned_data["encoding"] or ENCODINGS[0]

    def clean_language(self) -> str:
        language: str = self.cleaned_data["language"]
        if language and (flaw := language_flaw(language)):
            raise forms.ValidationError(f"{flaw.reason}. {flaw.remedy}.")
        return language


class ColumnsForm(forms.Form):
    """Which column of a file feeds which field of a poem."""

    def __init__(self, answers: Mapping[str, Any] | None, *, header: Sequence[str]) -> None:
        super().__init__(answers, initial=known_feeds(header))
        for field in KNOWN:
            required = field in REQUIRED
            none = "choose a column" if required else "not in this file"
            self.fields[field] = forms.ChoiceField(
                choices=[("", none), *((column, column) for column in header)],
                required=required,
                label="URL" if field == "url" else None,
            )


class SearchForm(forms.Form):
    """Which poems of a collection to list."""

    words = forms.CharField(required=False, label="Title, author or text contains")
    form = forms.ChoiceField(required=False)

    def __init__(self, answers: Mapping[str, Any], *, forms_there: Sequence[str]) -> None:
        super().__init__(answers)
        self.fields["form"] = forms.ChoiceField(
            choices=[("", "all forms"), *((form, form) for form in forms_there)], required=False
        )
