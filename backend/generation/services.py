"""Runs of generations: who can be asked, and what for."""

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.db import transaction
from django.db.models import Q, QuerySet

from backend.accounts.models import User
from backend.corpus.models import Collection, Poem
from backend.generation.estimating import next_sample, priced, prompts_for
from backend.generation.models import Brief, Generation, LanguageModel, Run

BUILT_IN_WRITERS = {
    "ngram-2": "A 2-gram model trained on the shipped collection; it understands nothing.",
    "ngram-4": "A 4-gram model trained on the shipped collection; it understands nothing.",
}


class NothingToWrite(ValueError):
    """No poem of the collection can be put as a brief, or no model was chosen."""


class NameTaken(ValueError):
    """There is a run of that name already."""


@dataclass(frozen=True)
class Started:
    """A run, and the poems it had to leave out with the reason for each."""

    run: Run
    left_out: list[tuple[Poem, str]] = field(default_factory=list)


def built_in_models() -> list[LanguageModel]:
    """Return the built-in writers, adding them to the models if they are not there yet."""
    return [
        LanguageModel.objects.get_or_create(
            name=f"{model_id} (built-in n-gram model)",
            defaults={
                "reach": LanguageModel.Reach.BUILT_IN,
                "model_id": model_id,
                "description": description,
                "price_input": 0,
                "price_output": 0,
            },
        )[0]
        for model_id, description in BUILT_IN_WRITERS.items()
    ]


def writers() -> QuerySet[LanguageModel]:
    """Return the models that can be asked for poems: the built-in writers and every endpoint."""
    built_in = [model.pk for model in built_in_models()]
    return LanguageModel.objects.filter(Q(pk__in=built_in) | Q(reach=LanguageModel.Reach.ENDPOINT))


@transaction.atomic
def start_run(
    *,
    name: str,
    collection: Collection,
    models: Iterable[LanguageModel],
    template: str,
    poems: Iterable[Poem] | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    samples: int = 1,
    seed: int | None = None,
    cap: Decimal | None = None,
    turns: int = 5,
    fresh: bool = False,
    by: User | None = None,
) -> Started:
    """Queue one generation for each poem's brief, model and sample. A worker does the writing.

    `poems` narrows the collection down. A poem that the template cannot put as a brief is left
    out and named. Where the very same was asked before, that answer is taken and nothing is paid,
    unless it is to be `fresh`.

    Raises
    ------
    NameTaken
        If there is a run of that name.
    NothingToWrite
        If no poem or no model is left.
    backend.generation.estimating.UnknownPrice
        If there is a cap, and what some model costs is not known.
    """
    chosen = list(models)
    if cap is not None:
        priced(chosen)
    prompts, left_out = prompts_for(collection.poems.all() if poems is None else poems, template)
    if not chosen or not prompts:
        raise NothingToWrite(_nothing(collection, left_out, are_models_chosen=bool(chosen)))
    run, is_new = Run.objects.get_or_create(
        name=name,
        defaults={
            "collection": collection,
            "template": template,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "seed": seed,
            "samples": samples,
            "first_sample": next_sample(prompts, template, chosen) if fresh else 1,
            "turns": turns,
            "cap": cap,
            "started_by": by,
        },
    )
    if not is_new:
        raise NameTaken(f"There is a run named {name!r} already; choose another name.")
    briefs = [brief_for(poem, template, text) for poem, text in prompts]
    queue(run, briefs, chosen)
    return Started(run, left_out)


def queue(run: Run, briefs: Iterable[Brief], models: Sequence[LanguageModel]) -> int:
    """Queue the run's samples of each of these models to each of these briefs. Return how many."""
    queued = Generation.objects.bulk_create(
        (
            Generation(run=run, brief=brief, model=model, sample=sample)
            for brief in briefs
            for model in models
            for sample in range(run.first_sample, run.first_sample + run.samples)
        ),
        batch_size=1000,
    )
    return len(queued)


def draw_poems(collection: Collection, number: int, *, seed: int | None) -> list[Poem]:
    """Return so many poems of the collection, drawn at random, the same for the same seed."""
    poems = list(collection.poems.order_by("pk"))
    drawn = random.Random(seed or 0).sample(poems, min(number, len(poems)))  # noqa: S311 - no secret
    return sorted(drawn, key=lambda poem: poem.pk)


def brief_for(poem: Poem | None, template: str, text: str) -> Brief:
    """Return the brief with this text, making it if it is new."""
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    return Brief.objects.get_or_create(
        poem=poem, template=template, fingerprint=fingerprint, defaults={"text": text}
    )[0]


def _nothing(
    collection: Collection, left_out: list[tuple[Poem, str]], *, are_models_chosen: bool
) -> str:
    if not are_models_chosen:
        return "Choose at least one language model."
    reasons = "; ".join(sorted({reason for _, reason in left_out})) or "it is empty"
    return f"No poem of {collection} can be put as a brief by this template: {reasons}."
