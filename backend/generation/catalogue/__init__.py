"""Language models to pick from: those that papers put to the test, and where each can be asked."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from backend.generation.models import LanguageModel, Provider

HERE = Path(__file__).parent
PAPERS = ("poemetric", "proftap")


@dataclass(frozen=True)
class Place:
    """A provider as most use it. `note` is what one has to know before."""

    key: str
    name: str
    base_url: str
    wire: str = Provider.Wire.OPENAI
    key_variable: str = ""
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """A language model of a paper: `at` leads from a provider's key to the model's id there.

    `named` is what the paper calls it, where another model has that name, too.
    """

    name: str
    family: str
    source: str
    parameters: Mapping[str, Any]
    size: str = ""
    weights: str = ""
    thinks: bool | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    named: str = ""
    max_tokens_name: str = "max_tokens"
    note: str = ""

    @property
    def key(self) -> str:
        """Its name in addresses and forms."""
        return slugify(self.name)

    @property
    def description(self) -> str:
        """What is kept with the model: where it is from, and what one has to know."""
        named = f", as {self.named}" if self.named else ""
        return f"{self.source}{named}. {self.note}".strip()


@dataclass(frozen=True)
class Paper:
    """A paper with the models it put to the test, and how it had them write."""

    key: str
    name: str
    source: str
    sampling: str
    models: tuple[Entry, ...]


@dataclass(frozen=True)
class Added:
    """What was added, and the names that were there already and were left as they are."""

    models: list[LanguageModel]
    providers: list[Provider]
    there: list[str]


@cache
def places() -> dict[str, Place]:
    """Return where language models are usually asked, by key."""
    read = tomllib.loads((HERE / "providers.toml").read_text(encoding="utf-8"))
    return {key: Place(key=key, **about) for key, about in read.items()}


@cache
def papers() -> tuple[Paper, ...]:
    """Return the papers, each with its models."""
    return tuple(_paper(key) for key in PAPERS)


@transaction.atomic
def add(picked: Iterable[tuple[Entry, str]]) -> Added:
    """Add these models, each at the provider of this key; without one it can only be imported.

    A provider that is there already, by its name or else by its address, is used as it is.
    """
    added = Added([], [], [])
    for entry, place in picked:
        if LanguageModel.objects.filter(name=entry.name).exists():
            added.there.append(entry.name)
        else:
            provider = _provider(places()[place], added.providers) if place else None
            added.models.append(_model(entry, provider, entry.at.get(place, "")))
    return added


def _paper(key: str) -> Paper:
    read = tomllib.loads((HERE / f"{key}.toml").read_text(encoding="utf-8"))
    shared = {"source": read["source"], "parameters": read["parameters"]}
    models = tuple(Entry(**shared, **about) for about in read["models"])
    return Paper(key, read["name"], read["source"], read["sampling"], models)


def _provider(place: Place, added: list[Provider]) -> Provider:
    where = {
        "wire": place.wire,
        "base_url": place.base_url,
        "key_variable": place.key_variable,
    }
    found = (
        Provider.objects.filter(name=place.name).first()
        or Provider.objects.filter(**where).order_by("pk").first()
    )
    if found is None:
        found = Provider.objects.create(name=place.name, **where)
        added.append(found)
    return found


def _model(entry: Entry, provider: Provider | None, model_id: str) -> LanguageModel:
    reach = LanguageModel.Reach.ENDPOINT if provider else LanguageModel.Reach.IMPORTED
    return LanguageModel.objects.create(
        name=entry.name,
        reach=reach,
        provider=provider,
        model_id=model_id,
        description=entry.description,
        family=entry.family,
        size=entry.size,
        weights=entry.weights,
        thinks=entry.thinks,
        parameters=dict(entry.parameters) if provider else {},
        max_tokens_name=entry.max_tokens_name,
    )
