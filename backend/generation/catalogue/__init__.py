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

    `named` is what the paper calls it, where another model has that name, too. `thinks` is what it
    does, for its answers are as long; `classed_as_thinking` is what the paper's table says, where
    that differs.
    """

    name: str
    family: str
    source: str
    parameters: Mapping[str, Any]
    size: str = ""
    weights: str = ""
    thinks: bool | None = None
    classed_as_thinking: bool | None = None
    at: Mapping[str, str] = field(default_factory=dict)
    named: str = ""
    max_tokens_name: str = "max_tokens"
    note: str = ""

    @property
    def key(self) -> str:
        """Its name in addresses and forms."""
        return slugify(self.name)

    @property
    def is_classed_as_thinking(self) -> bool | None:
        """Where the paper's table has it."""
        return self.thinks if self.classed_as_thinking is None else self.classed_as_thinking

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
    wanted = list(picked)
    names = [entry.name for entry, _ in wanted]
    there = set(LanguageModel.objects.filter(name__in=names).values_list("name", flat=True))
    needed = {place for entry, place in wanted if place and entry.name not in there}
    # In one order, so that two who add the same at once do not wait for each other for ever.
    providers = {place: _provider(places()[place], added.providers) for place in sorted(needed)}
    for entry, place in sorted(wanted, key=lambda one: one[0].name):
        model, is_new = _model(entry, providers.get(place), entry.at.get(place, ""))
        if is_new:
            added.models.append(model)
        else:
            added.there.append(entry.name)
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
        found, is_new = Provider.objects.get_or_create(name=place.name, defaults=where)
        added.extend([found] if is_new else [])
    return found


def _model(entry: Entry, provider: Provider | None, model_id: str) -> tuple[LanguageModel, bool]:
    """Return the model of this name, and whether it was added."""
    about = {
        "reach": LanguageModel.Reach.ENDPOINT if provider else LanguageModel.Reach.IMPORTED,
        "provider": provider,
        "model_id": model_id,
        "description": entry.description,
        "family": entry.family,
        "size": entry.size,
        "weights": entry.weights,
        "thinks": entry.thinks,
        "parameters": dict(entry.parameters) if provider else {},
        "max_tokens_name": entry.max_tokens_name,
    }
    return LanguageModel.objects.get_or_create(name=entry.name, defaults=about)
