"""Answering stage by stage, and studies of pairs whose sides are known."""

from collections.abc import Callable, Mapping, Sequence

from annotation.instruments.choices import Altered, ForcedChoice, Recognition
from annotation.instruments.instrument import Instrument
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert, Question
from annotation.judgments.models import Judgment
from annotation.judgments.services import fix_stage, submit
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.design.models import AttentionCheck, Placement
from backend.generation.models import Generation
from tests.studies import make_study

Said = Callable[[str, str, str], Mapping[str, object] | None]


def fitting(instrument: Instrument) -> dict[str, object]:
    """Return answers that fit every question."""
    return {question.key: _fitting(question) for question in instrument.questions}


def _fitting(question: Question) -> object:
    match question:
        case Likert():
            return question.points[0].code
        case Probability():
            return 0.25
        case Recognition():
            return question.name_level
        case ForcedChoice():
            return 1
        case Altered():
            return 0
        case _:
            return "because"


def answer(assignment: Assignment, answers: Mapping[str, object]) -> Judgment:
    """Answer one assignment of an open study, fixing each stage before the next."""
    stages = assignment.judge.study.instrument.stages
    for stage, questions in enumerate(stages[:-1]):
        names = {name for question in questions for name in question.fields}
        mine = {name: said for name, said in answers.items() if name in names}
        fix_stage(assignment, mine, stage=stage)
    return submit(assignment, answers, milliseconds=60_000)


def reopened(study: Study) -> Study:
    """Let a closed study take answers in time again."""
    Study.objects.filter(pk=study.pk).update(state=Study.State.OPEN)
    return Study.objects.get(pk=study.pk)


def closed(study: Study) -> Study:
    """Close a study again."""
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    return Study.objects.get(pk=study.pk)


def answered(study: Study, answers: Mapping[str, object], *, first: int | None = None) -> Study:
    """Have all that was given answered alike, or only the `first` so many."""
    reopened(study)
    for assignment in Assignment.objects.filter(judge__study=study).order_by("pk")[:first]:
        answer(assignment, answers)
    return closed(study)


def pair_study(
    said: Said,
    *,
    titles: Sequence[str] = ("Dawn", "Dusk"),
    models: Sequence[str] = ("Alpha",),
    judges: Sequence[str] = ("Anna",),
    flipped: Callable[[str, str], bool] = lambda _model, _title: False,
    human_second: Callable[[str, str], bool] = lambda _model, _title: False,
    instrument: str | Mapping[str, object] = "pair-choice",
) -> Study:
    """Return a closed, unsealed study in which each human poem stands beside each model's.

    ``said(judge, model, title)`` is a judge's answers to a pair, by question key, or None.
    ``human_second`` is how pairs were stored, ``flipped`` how they were shown.
    """
    study = reopened(make_study(instrument=instrument, titles=titles, models=models, judges=[]))
    Placement.objects.filter(item__study=study).delete()
    Item.objects.filter(study=study).delete()
    pairs = [
        (_pair(study, generation, second=human_second(model, title)), model, title)
        for title in titles
        for model in models
        for generation in Generation.objects.filter(
            model__name=model, title=title, run__design__study=study
        )
    ]
    for name in judges:
        judge = Judge.objects.create(study=study, name=name)
        for position, (item, model, title) in enumerate(pairs, start=1):
            assignment = Assignment.objects.create(
                judge=judge, item=item, position=position, batch=1, flipped=flipped(model, title)
            )
            answers = said(name, model, title)
            if answers is not None:
                answer(assignment, answers)
    return closed(study)


def _pair(study: Study, generation: Generation, *, second: bool) -> Item:
    poem = generation.brief.poem
    assert poem is not None
    texts = [poem.text, generation.text]
    item = Item.objects.create(
        study=study, text=texts[second], second=texts[not second], stratum="s", twin=poem.title,
        places=1, places_taken=1,
    )  # fmt: skip
    Placement.objects.create(item=item, poem=poem, generation=generation, human_second=second)
    return item


def with_attention(
    study: Study, expected: Mapping[str, object], **said: Mapping[str, object]
) -> Study:
    """Give the judges of these names a test of attention, answered as they `said`."""
    item = Item.objects.create(
        study=reopened(study), text="Choose the first answer.", stratum="x", twin="x", places=1,
        attention=True,
    )  # fmt: skip
    AttentionCheck.objects.create(item=item, expected=expected)
    for name, answers in said.items():
        again(study, name, item, Assignment.Purpose.ATTENTION, answers)
    return closed(study)


def again(
    study: Study, name: str, item: Item, purpose: str, answers: Mapping[str, object]
) -> Judgment:
    """Give an item of an open study beside the study itself, and answer it."""
    judge = Judge.objects.get(study=study, name=name)
    assignment = Assignment.objects.create(
        judge=judge, item=item, purpose=purpose, counts=False, batch=2,
        position=judge.assignments.count() + 1,
    )  # fmt: skip
    return answer(assignment, answers)
