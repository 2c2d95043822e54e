"""Studies with known answers: built by the ORM, answered through the one door."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from django.utils import timezone

from annotation.instruments.loading import published
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies.consenting import agree, publish, wording_for
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.accounts.models import User
from backend.corpus.models import Collection, Poem
from backend.design.models import Design, Placement
from backend.generation.models import Brief, Generation, LanguageModel, Run
from backend.judging.models import Hearing, MachineJudge, Reply

Given = Mapping[str, object] | int | float | None
Answers = Callable[[str, str, str], Given]

HUMAN = "human"
FREE = "(free brief)"  # the title under which a poem on a brief of no human poem is answered


def make_study(
    *,
    slug: str = "known",
    instrument: str | Mapping[str, object] = "proftap-probability",
    titles: Sequence[str] = ("Dawn", "Dusk"),
    models: Sequence[str] = ("Alpha", "Beta"),
    judges: Sequence[str] = ("Anna", "Ben"),
    machines: Sequence[str] = (),
    answers: Answers = lambda _judge, _author, _title: 0.5,
    judges_per_item: int | None = None,
    text: Callable[[str, str], str] = lambda author, title: f"{title},\n  by {author}",
    free: Sequence[str] = (),
    milliseconds: int | None = 60_000,
    unblinded: bool = True,
) -> Study:
    """Return a closed study in which every judge was given every poem.

    One human poem for each title, one poem by each model for each title, and one on a free brief
    by each model in `free`. ``answers(judge, author, title)`` is what a judge says about the poem
    of that author ("human" or a model) and title: answers by question key; or one answer, to the
    instrument's first question; or None, where the judge leaves the poem unanswered.

    Judges are kept apart by name; `machines` are language models that judge.
    """
    data = published(instrument) if isinstance(instrument, str) else dict(instrument)
    study = Study.objects.create(
        slug=slug,
        title=f"The {slug} study",
        instrument_data=data,
        contact="panel@university.example",
        judges_per_item=judges_per_item or max(1, len(judges)),
        batch_size=100,
        asks_background=False,
        seed=17,
        state=Study.State.OPEN,
        fingerprint=hashlib.sha256(slug.encode()).hexdigest(),
        opened_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
    )
    publish(study, {"en": "You will read poems.\n  Thank you."})
    items = _items(study, titles, models, free, text)
    for name in judges:
        judge = Judge.objects.create(
            study=study, name=name, email=f"{name.lower().replace(' ', '.')}@reader.example"
        )
        agree(judge, wording=wording_for(study, "en"), promised=True)
        _answer(judge, items, answers, milliseconds)
    for name in machines:
        _hear(study, name, items, answers)
    Study.objects.filter(pk=study.pk).update(
        state=Study.State.CLOSED, closed_at=datetime(2026, 4, 1, 9, tzinfo=UTC)
    )
    if unblinded:
        Design.objects.filter(study=study).update(unblinded_at=datetime(2026, 4, 2, tzinfo=UTC))
    study.refresh_from_db()
    return study


def researcher(name: str = "vera") -> User:
    """Return a member of staff who may read results."""
    return User.objects.create_user(name, password=None, role=User.Role.RESEARCHER)


def coordinator(name: str = "kim") -> User:
    """Return a member of staff who may not."""
    return User.objects.create_user(name, password=None, role=User.Role.COORDINATOR)


Placed = list[tuple[Item, str, str]]


def _items(
    study: Study,
    titles: Sequence[str],
    models: Sequence[str],
    free: Sequence[str],
    text: Callable[[str, str], str],
) -> Placed:
    collection = Collection.objects.create(name=f"Poems of {study.slug}")
    run = Run.objects.create(name=f"Run of {study.slug}", template="poemetric", temperature=0.7)
    design = Design.objects.create(study=study, collection=collection, recipe=["unicode NFC"])
    design.runs.add(run)
    by_name = {
        name: LanguageModel.objects.get_or_create(
            name=name, defaults={"reach": LanguageModel.Reach.IMPORTED}
        )[0]
        for name in dict.fromkeys([*models, *free])
    }
    design.models_chosen.set(by_name.values())
    placed: Placed = []
    for title in titles:
        human = text(HUMAN, title)
        poem = Poem.objects.create(
            collection=collection, title=title, author=f"The poet of {title}", form="sonnet",
            text=human, fingerprint=_sha256(f"{title}/{human}"),
        )  # fmt: skip
        brief = _brief(poem, f"Write a sonnet called {title}.")
        item = _item(study, human, brief)
        Placement.objects.create(item=item, poem=poem)
        placed.append((item, HUMAN, title))
        for name in models:
            generation = _generation(run, brief, by_name[name], text(name, title), title)
            item = _item(study, generation.text, brief)
            Placement.objects.create(item=item, generation=generation)
            placed.append((item, name, title))
    for name in free:
        brief = _brief(None, f"Write a poem as {name}.")
        generation = _generation(run, brief, by_name[name], text(name, FREE), "A title of its own")
        item = _item(study, generation.text, brief)
        Placement.objects.create(item=item, generation=generation)
        placed.append((item, name, FREE))
    return placed


def _brief(poem: Poem | None, text: str) -> Brief:
    return Brief.objects.get_or_create(
        poem=poem, template="poemetric", fingerprint=_sha256(text), defaults={"text": text}
    )[0]


def _generation(run: Run, brief: Brief, model: LanguageModel, text: str, title: str) -> Generation:
    return Generation.objects.create(
        run=run, brief=brief, model=model, text=text, title=title, reply=f"Here it is:\n{text}",
        status=Generation.Status.DONE,
    )  # fmt: skip


def _item(study: Study, text: str, brief: Brief) -> Item:
    return Item.objects.create(
        study=study, text=text, brief=brief.text, stratum=_sha256(text)[:16],
        twin=_sha256(brief.text)[:16], places=study.judges_per_item,
        places_taken=study.judges_per_item,
    )  # fmt: skip


def _answer(judge: Judge, items: Placed, answers: Answers, milliseconds: int | None) -> None:
    for position, (item, author, title) in enumerate(items, start=1):
        assignment = Assignment.objects.create(judge=judge, item=item, position=position, batch=1)
        given = answers(judge.name, author, title)
        if given is not None:
            _submit(assignment, given, milliseconds)


def _hear(study: Study, name: str, items: Placed, answers: Answers) -> None:
    model, _ = LanguageModel.objects.get_or_create(
        name=name, defaults={"reach": LanguageModel.Reach.IMPORTED}
    )
    judge = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name=name)
    machine = MachineJudge.objects.create(judge=judge, model=model, temperature=0)
    for position, (item, author, title) in enumerate(items, start=1):
        assignment = Assignment.objects.create(
            judge=judge, item=item, position=position, batch=1, counts=False
        )
        given = answers(name, author, title)
        hearing = Hearing.objects.create(
            machine=machine, assignment=assignment, status="failed" if given is None else "done"
        )
        Reply.objects.create(
            hearing=hearing,
            request={"model": name},
            response=f'{{"answer": "{given}"}}',
            text=str(given),
            error_kind="unreadable" if given is None else "",
            error="The reply holds no JSON object with numbered answers." if given is None else "",
            ended_at=timezone.now(),
        )
        if given is not None:
            _submit(assignment, given, milliseconds=None)


def _submit(
    assignment: Assignment, given: Mapping[str, object] | int | float, milliseconds: int | None
) -> Judgment:
    first = assignment.judge.study.instrument.questions[0].key
    answers = given if isinstance(given, Mapping) else {first: given}
    return submit(assignment, answers, milliseconds=milliseconds)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
