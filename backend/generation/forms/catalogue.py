"""Which models of the catalogue a researcher adds, and where each is to be asked."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict

from backend.generation import catalogue
from backend.generation.catalogue import Entry, Paper


class CatalogueForm(forms.Form):
    """Models, one by one or all of a paper; for each that can be asked in several places, which."""

    whole = forms.MultipleChoiceField(
        required=False, choices=lambda: [(paper.key, paper.name) for paper in catalogue.papers()]
    )
    picked = forms.MultipleChoiceField(
        required=False,
        choices=lambda: [
            (one.key, one.name) for paper in catalogue.papers() for one in paper.models
        ],
    )

    def __init__(self, posted: QueryDict | None = None, *, there: set[str]) -> None:
        super().__init__(posted)
        self._there = there
        for paper in catalogue.papers():
            for entry in paper.models:
                if len(entry.at) > 1:
                    self.fields[_at(entry)] = _place(entry)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if not self.errors and not given["whole"] and not given["picked"]:
            self.add_error(None, "Choose at least one language model.")
        return given

    def options(self) -> list[tuple[Entry, str]]:
        """Return the models that were picked, each with the key of its provider."""
        return [
            (entry, self.cleaned_data.get(_at(entry)) or next(iter(entry.at), ""))
            for paper in catalogue.papers()
            for entry in paper.models
            if entry.key in self.cleaned_data["picked"]
            or (paper.key in self.cleaned_data["whole"] and entry.name not in self._there)
        ]

    def tables(self) -> Iterator[tuple[Paper, list[dict[str, Any]], bool]]:
        """Yield each paper, its rows, and whether all of it was ticked."""
        ticked = self.data.getlist("picked") if isinstance(self.data, QueryDict) else []
        whole = self.data.getlist("whole") if isinstance(self.data, QueryDict) else []
        for paper in catalogue.papers():
            rows = [self._row(entry, ticked=entry.key in ticked) for entry in paper.models]
            yield paper, rows, paper.key in whole

    def _row(self, entry: Entry, *, ticked: bool) -> dict[str, Any]:
        places = catalogue.places()
        at: BoundField | None = self[_at(entry)] if len(entry.at) > 1 else None
        only = next(iter(entry.at.items()), None)
        return {
            "entry": entry,
            "ticked": ticked,
            "is_there": entry.name in self._there,
            "at": at,
            "only": (places[only[0]].name, only[1]) if only else None,
        }


def _at(entry: Entry) -> str:
    return f"at-{entry.key}"


def _place(entry: Entry) -> forms.ChoiceField:
    places = catalogue.places()
    return forms.ChoiceField(
        label=f"Where {entry.name} is asked",
        choices=[(key, places[key].name) for key in entry.at],
        required=False,
    )
