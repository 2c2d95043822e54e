"""Runs of generations: asked for, written one by one, retried."""

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from backend.accounts.models import User
from backend.corpus.models import Collection, Poem
from backend.generation import providers
from backend.generation.briefs import IMPORTED, TEMPLATES, NoBrief
from backend.generation.models import Brief, Call, Generation, LanguageModel, Run
from backend.generation.providers import Provider, ProviderRefused, ProviderUnavailable, Reply
from backend.generation.replies import Found, NoPoem, find_poem
from backend.generation.work import let_go_of_database

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
            },
        )[0]
        for model_id, description in BUILT_IN_WRITERS.items()
    ]


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
    by: User | None = None,
) -> Started:
    """Queue one generation for each poem's brief, model and sample. A worker does the writing.

    `poems` narrows the collection down. A poem that the template cannot put as a brief is left
    out and named.

    Raises
    ------
    NameTaken
        If there is a run of that name.
    NothingToWrite
        If no poem or no model is left.
    """
    run, is_new = Run.objects.get_or_create(
        name=name,
        defaults={
            "template": template,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "seed": seed,
            "started_by": by,
        },
    )
    if not is_new:
        raise NameTaken(f"There is a run named {name!r} already; choose another name.")
    chosen = list(models)
    briefs, left_out = _briefs(collection.poems.all() if poems is None else poems, template)
    if not chosen or not briefs:
        reasons = "; ".join(sorted({reason for _, reason in left_out})) or "it is empty"
        raise NothingToWrite(
            "Choose at least one language model."
            if not chosen
            else f"No poem of {collection} can be put as a brief by this template: {reasons}."
        )
    Generation.objects.bulk_create(
        (
            Generation(run=run, brief=brief, model=model, sample=sample)
            for brief in briefs
            for model in chosen
            for sample in range(1, samples + 1)
        ),
        batch_size=1000,
    )
    return Started(run, left_out)


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


def write_poem(generation_id: int, *, ask: Provider = providers.ask) -> None:
    """Write one queued poem: claim it, ask its model, keep what comes back.

    Safe to call twice and at once: only the caller that gets the claim asks, and only while it
    holds the lease can it write the outcome.
    """
    lease = Generation.objects.claim(generation_id)
    if not lease:
        return
    generation = Generation.objects.select_related("model", "brief", "run").get(pk=generation_id)
    request = providers.request(
        generation.model,
        generation.brief.text,
        temperature=generation.run.temperature,
        max_tokens=generation.run.max_tokens,
        seed=_seed(generation),
    )
    call = Call.objects.create(generation=generation, request=request.body)
    let_go_of_database()
    try:
        reply = ask(request)
    except ProviderUnavailable as trouble:
        _end(call, error=str(trouble), response=trouble.body)
        Generation.objects.pause(
            generation.pk,
            lease,
            attempts=generation.attempts,
            error_kind=trouble.kind,
            error=str(trouble),
        )
        return
    except ProviderRefused as refusal:
        _end(call, error=str(refusal))
        _fail(generation, lease, refusal.kind, str(refusal))
        return
    _keep(generation, lease, call, reply)


def retry_failed(run: Run) -> int:
    """Queue the run's failed generations afresh. Return how many. Done ones are not asked again.

    Imported replies were not asked for here, so none of them is asked for again.
    """
    if run.template == IMPORTED:
        return 0
    return run.generations.all().requeue_failed()


@transaction.atomic
def _keep(generation: Generation, lease: str, call: Call, reply: Reply) -> None:
    _end(call, response=reply.body)
    try:
        found: Found = find_poem(reply.text, finish=reply.finish)
    except NoPoem as problem:
        Generation.objects.filter(pk=generation.pk, lease=lease).update(reply=reply.text)
        _fail(generation, lease, problem.kind, str(problem))
        return
    Generation.objects.finish(
        generation.pk,
        lease,
        status="done",
        reply=reply.text,
        title=found.title,
        text=found.text,
        trimmed=found.trimmed,
        error_kind="",
        error="",
        finished_at=timezone.now(),
    )


def _fail(generation: Generation, lease: str, kind: str, message: str) -> None:
    Generation.objects.finish(
        generation.pk,
        lease,
        status="failed",
        error_kind=kind,
        error=message,
        finished_at=timezone.now(),
    )


def _end(call: Call, *, response: str = "", error: str = "") -> None:
    Call.objects.filter(pk=call.pk).update(response=response, error=error, ended_at=timezone.now())


def _seed(generation: Generation) -> int | None:
    """Return the seed to send: one for each sample, so that samples differ and can be repeated.

    None, if the run has no seed, for some endpoints refuse to be sent one. The built-in writers
    write by nothing else.
    """
    run = generation.run
    if run.seed is None and generation.model.reach != LanguageModel.Reach.BUILT_IN:
        return None
    return ((run.seed or 0) * 1000 + generation.sample) % 2**31


def _briefs(poems: Iterable[Poem], template: str) -> tuple[list[Brief], list[tuple[Poem, str]]]:
    briefs: list[Brief] = []
    left_out: list[tuple[Poem, str]] = []
    for poem in poems:
        try:
            briefs.append(brief_for(poem, template, TEMPLATES[template].write(poem)))
        except NoBrief as reason:
            left_out.append((poem, str(reason)))
    return briefs, left_out
