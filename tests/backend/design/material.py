"""Human and machine poems to build studies from, with a mark in all that must stay hidden."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.studies import consenting
from annotation.studies.models import Consent, Judge, Study
from backend.corpus.models import Collection, Poem
from backend.design.planning import Plan
from backend.design.services import build
from backend.generation.briefs import TEMPLATES
from backend.generation.models import Brief, Generation, LanguageModel, Run

AUTHOR, SOURCE, TITLE, MODEL = "Zaphquill", "Zourceworth", "Zitelmoor", "Zodelbrand"


@dataclass(frozen=True)
class Material:
    """A collection, a run over it, and the models that wrote in it."""

    collection: Collection
    run: Run
    models: list[LanguageModel]


def material(*, poems: int = 3, models: Sequence[str] = ("Alpha", "Beta")) -> Material:
    """Return human poems with one machine poem by each model to the brief of each."""
    collection = Collection.objects.create(name=f"{SOURCE} collection")
    run = Run.objects.create(name=f"{MODEL} run", template="poemetric")
    made = Material(collection, run, [model(f"{MODEL} {name}") for name in models])
    for number in range(poems):
        human = poem(collection, number)
        for one in made.models:
            write(made.run, one, human, f"machine {one.name[-5:]} {number}")
    return made


def poem(collection: Collection, number: int, **fields: Any) -> Poem:
    """Return a human poem with all that a brief needs."""
    text = f"A human line {number},\n    and then another."
    return Poem.objects.create(
        collection=collection,
        **{
            "title": f"{TITLE} {number}",
            "author": f"{AUTHOR} {number}",
            "source": SOURCE,
            "url": f"https://{SOURCE}.example/{number}",
            "form": "ballad",
            "metre": "iambic",
            "theme": f"theme {number}",
            "text": text,
            "fingerprint": digest(f"{number}/{text}"),
            **fields,
        },
    )


def model(name: str) -> LanguageModel:
    """Return a language model known by its imported poems."""
    return LanguageModel.objects.create(name=name, reach=LanguageModel.Reach.IMPORTED)


def write(
    run: Run, by: LanguageModel, to: Poem | None, text: str, *, prompt: str = "", sample: int = 1
) -> Generation:
    """Return a finished machine poem, to the poem's brief or to a prompt of its own."""
    worded = prompt or TEMPLATES[run.template].write(to)  # type: ignore[arg-type]
    brief, _ = Brief.objects.get_or_create(
        poem=to,
        template="imported" if prompt else run.template,
        fingerprint=digest(worded),
        defaults={"text": worded},
    )
    return Generation.objects.create(
        run=run, brief=brief, model=by, sample=sample, text=text, reply=f"Sure!\n\n{text}",
        title=f"{MODEL} title", status=Generation.Status.DONE,
    )  # fmt: skip


def plan(of: Material, **changes: Any) -> Plan:
    """Return a plan for a study of this material."""
    return Plan(
        **{
            "title": "Spring study",
            "contact": "panel@university.example",
            "instrument": "poemetric-survey",
            "collection": of.collection,
            "runs": [of.run],
            "models": of.models,
            "judges_per_item": 2,
            "batch_size": 5,
            "seed": 7,
            "asks_background": False,
            **changes,
        }
    )


def draft(of: Material | None = None, **changes: Any) -> Study:
    """Return a draft study, built on the real path."""
    return build(plan(of or material(), **changes))


def agree(judge: Judge) -> Consent:
    """Let an expert agree to the newest text and give the promise, if there is one."""
    wording = consenting.wording_for(judge.study, "en")
    return consenting.agree(judge, wording=wording, promised=True)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
