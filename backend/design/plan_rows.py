"""Parts of the builder's form that come in rows, and rules that need the instrument."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Any

from django import forms

from annotation.instruments.choices import Recognition
from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import load
from annotation.instruments.questions import InvalidAnswer
from backend.design.instruments import data_of
from backend.design.planning import AttentionPlan, GroupPlan
from backend.design.precision import asks_for_auc

ROWS = 4
BETWEEN = "---"  # on a line of its own, between the two texts of a pair
_GROUP = ("name", "judges", "forms", "languages")
_ATTENTION = ("text", "answers")
GROUP_FIELDS = tuple(f"group_{row}_{part}" for row in range(1, ROWS + 1) for part in _GROUP)
ATTENTION_FIELDS = tuple(
    f"attention_{row}_{part}" for row in range(1, ROWS + 1) for part in _ATTENTION
)


class RowsForm(forms.Form):
    """Groups of items, items that test attention, and rules that need a question.

    Attributes
    ----------
    groups : tuple of GroupPlan
    attention : tuple of AttentionPlan
        Both of what was read from a valid form.
    has_auc : bool
        Whether an AUC is computed of what the instrument asks.
    """

    attention_every = forms.IntegerField(
        min_value=0,
        max_value=500,
        initial=0,
        required=False,
        label="A test of attention after so many texts",
        help_text="0: none. Its answers are no part of the results.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.groups: tuple[GroupPlan, ...] = ()
        self.attention: tuple[AttentionPlan, ...] = ()
        self.has_auc = False
        for row in range(1, ROWS + 1):
            self.fields |= _group_fields(row) | _attention_fields(row)

    @property
    def group_rows(self) -> list[tuple[int, list[forms.BoundField]]]:
        return self._rows("group", _GROUP)

    @property
    def attention_rows(self) -> list[tuple[int, list[forms.BoundField]]]:
        return self._rows("attention", _ATTENTION)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.groups = tuple(self._groups(cleaned))
        instrument = _instrument(cleaned)
        if instrument is not None:
            self.attention = tuple(self._attention(cleaned, instrument))
            self._fits(cleaned, instrument)
            # Of tests that are wrong themselves it is not known whether there will be any.
            if not self.errors.keys() & set(ATTENTION_FIELDS):
                self._agrees(cleaned)
        return cleaned

    def problems(self) -> list[tuple[forms.BoundField, str, str]]:
        """Return each field that something is wrong with, its name on the page, and what."""
        return [
            (self[name], self._named(name), str(text))
            for name, texts in self.errors.items()
            if name in self.fields
            for text in texts
        ]

    def group_field(self, name: str) -> str:
        """Return the field beside which it is said of a group that it takes nothing, or not all."""
        rows = range(1, ROWS + 1)
        row = next(row for row in rows if self.cleaned_data.get(f"group_{row}_name") == name)
        return f"group_{row}_forms"

    def _named(self, name: str) -> str:
        kind, number, *_ = [*name.split("_"), ""]
        row = {"group": "Group", "attention": "Test"}.get(kind) if number.isdecimal() else None
        label = str(self[name].label)
        return f"{row} {number}, {label}" if row else label

    def _rows(self, kind: str, parts: tuple[str, ...]) -> list[tuple[int, list[forms.BoundField]]]:
        return [
            (row, [self[f"{kind}_{row}_{part}"] for part in parts]) for row in range(1, ROWS + 1)
        ]

    def _groups(self, cleaned: dict[str, Any]) -> Iterator[GroupPlan]:
        seen = set()
        for row in range(1, ROWS + 1):
            name, judges, named, languages = (cleaned.get(f"group_{row}_{one}") for one in _GROUP)
            if not name:
                if judges or named or languages:
                    self.add_error(f"group_{row}_name", "Name the group, or leave the row empty.")
                continue
            if name.casefold() in seen:
                self.add_error(f"group_{row}_name", "Another group has this name.")
            seen.add(name.casefold())
            each = judges or cleaned.get("judges_per_item") or 1
            yield GroupPlan(name, each, named or (), languages or ())

    def _attention(
        self, cleaned: dict[str, Any], instrument: Instrument
    ) -> Iterator[AttentionPlan]:
        for row in range(1, ROWS + 1):
            name = f"attention_{row}_text"
            if name in self.errors:
                continue
            text = cleaned.get(name, "").replace("\r\n", "\n").strip("\n")
            answers = cleaned.get(f"attention_{row}_answers", "")
            if not text.strip():
                if answers.strip():
                    self.add_error(name, "Write the text that these answers are expected to.")
                continue
            first, _, second = text.partition(f"\n{BETWEEN}\n")
            if bool(second.strip()) != (instrument.texts > 1):
                self.add_error(name, WRONG_TEXTS[instrument.texts > 1])
                continue
            try:
                expected = read_expected(answers, instrument)
            except forms.ValidationError as error:
                self.add_error(f"attention_{row}_answers", error)
            else:
                yield AttentionPlan(first.strip("\n"), expected, second.strip("\n"))

    def _fits(self, cleaned: dict[str, Any], instrument: Instrument) -> None:
        """Refuse rules about what is never asked."""
        self.has_auc = asks_for_auc(instrument)
        if cleaned.get("margin") is not None and not self.has_auc:
            self.add_error("margin", "Of what this instrument asks, no AUC is computed.")
        level = cleaned.get("recognised")
        known = {
            point.code
            for question in instrument.questions
            if isinstance(question, Recognition)
            for point in question.levels
        }
        if level is not None and level not in known:
            levels = ", ".join(map(str, sorted(known)))
            self.add_error(
                "recognised",
                f"The levels of this instrument are {levels}."
                if known
                else "This instrument does not ask whether a poem is known.",
            )

    def _agrees(self, cleaned: dict[str, Any]) -> None:
        """Refuse tests that never come, and numbers about tests that there are none of."""
        if bool(cleaned.get("attention_every")) != bool(self.attention):
            self.add_error(
                "attention_every",
                "Say after how many texts a test of attention comes, and write at least one; or "
                "neither.",
            )
        if cleaned.get("failed_attention") and not self.attention:
            self.add_error("failed_attention", "This study tests no attention.")


# Whether the instrument compares two texts -> what is said to a test that does not fit it.
WRONG_TEXTS = {
    True: f"This instrument compares two texts: write both, with a line of {BETWEEN} between them.",
    False: f"This instrument shows one text at a time: leave out the line of {BETWEEN}.",
}


def read_expected(written: str, instrument: Instrument) -> dict[str, object]:
    """Return expected answers by question, from lines of a question's key, a colon, an answer.

    Raises
    ------
    django.forms.ValidationError
        If there is none, or one fits no question.
    """
    questions = {question.key: question for question in instrument.questions}
    expected: dict[str, object] = {}
    for line in filter(str.strip, written.splitlines()):
        key, _, answer = (part.strip() for part in line.partition(":"))
        if key not in questions:
            raise forms.ValidationError(
                f"“{key}” is no question of this instrument; there are: {', '.join(questions)}."
            )
        try:
            questions[key].fit(answer)
        except InvalidAnswer as problem:
            raise forms.ValidationError(f"{key}: {problem}") from problem
        expected[key] = answer
    if not expected:
        raise forms.ValidationError("Write at least one answer that an attentive judge gives.")
    return expected


def _instrument(cleaned: dict[str, Any]) -> Instrument | None:
    key = cleaned.get("instrument")
    return load(data_of(key)) if key else None


def listed(names: Sequence[str]) -> str:
    """Return names as they are written into one field of a group."""
    written = StringIO()
    csv.writer(written, lineterminator="").writerow([" ".join(name.split()) for name in names])
    return written.getvalue()


class _Names(forms.CharField):
    """Names with commas between them; one that has a comma itself stands in quotation marks."""

    def clean(self, value: Any) -> Any:
        lines = super().clean(value).splitlines()
        try:
            rows = list(csv.reader(lines, skipinitialspace=True, strict=True))
        except csv.Error as error:
            raise forms.ValidationError(
                "Set a name in quotation marks, with nothing beside them, if it has a comma; a "
                "quotation mark within such a name is doubled."
            ) from error
        return tuple(part.strip() for row in rows for part in row if part.strip())


def _group_fields(row: int) -> dict[str, forms.Field]:
    name = f"group_{row}"
    return {
        f"{name}_name": forms.CharField(required=False, max_length=60, label="Name"),
        f"{name}_judges": forms.IntegerField(
            required=False, min_value=1, max_value=100, label="K", help_text="Empty: as above."
        ),
        f"{name}_forms": _Names(
            required=False,
            max_length=500,
            label="Forms",
            help_text="Such as: sonnet, ballad. A name with a comma in quotation marks.",
        ),
        f"{name}_languages": _Names(
            required=False, max_length=100, label="Languages", help_text="Such as: en, zh."
        ),
    }


def _attention_fields(row: int) -> dict[str, forms.Field]:
    name = f"attention_{row}"
    return {
        f"{name}_text": forms.CharField(
            required=False,
            strip=False,
            max_length=5000,
            widget=forms.Textarea(attrs={"rows": 4}),
            label="Text",
            help_text=f"Where two are compared: both, with a line of {BETWEEN} between them.",
        ),
        f"{name}_answers": forms.CharField(
            required=False,
            max_length=2000,
            widget=forms.Textarea(attrs={"rows": 3}),
            label="Answers of an attentive judge",
            help_text="One a line, a question's key and a code: imagery: 5.",
        ),
    }
