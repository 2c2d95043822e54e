"""What a judge is shown of an assignment: a listed set of fields, for page and API alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext

from annotation.instruments.instrument import InvalidAnswers
from annotation.instruments.questions import InvalidAnswer, Question
from annotation.judgments.models import Draft, Judgment, Rating
from annotation.prepared import Prepared
from annotation.studies.models import Assignment, Item, Judge, Study

WORDS_A_MINUTE = 60  # slow, attentive reading of verse
CHARACTERS_A_WORD = 1.5  # in Chinese, which sets no space between words
SECONDS_A_QUESTION = 12
CHINESE = ("zh", "ja")
SAMPLE = 50  # items, enough for "about"
FEW = 8  # items for each brief that is looked for


@dataclass(frozen=True)
class Progress:
    """How far a judge is: how many items were given to them, and how many they answered.

    Where items are drawn one at a time, the rest of a set that is begun counts as given, and nobody
    is told how many that are: a test that is mixed in would show as one more, and a set may end
    early.
    """

    answered: int
    given: int
    drawn: bool = False

    @property
    def waiting(self) -> int:
        return self.given - self.answered

    @property
    def total(self) -> int | None:
        """What may be told of how many are given; None where they are drawn."""
        return None if self.drawn else self.given


@dataclass(frozen=True)
class Asked:
    """One question as a page sets it: with the answers so far and what is wrong with them.

    Attributes
    ----------
    shown : dict
        The question, as `annotation.instruments` shows it.
    answers : dict of str to str
        What is typed so far, by field name.
    problem : str
    """

    shown: dict[str, Any]
    answers: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def answer(self) -> str:
        return self.answers.get(self.shown["key"], "")

    @property
    def named(self) -> str:
        """What a poem was recognised as."""
        return self.answers.get(f"{self.shown['key']}.named", "")

    @property
    def trace(self) -> list[tuple[str, str]]:
        """The fields that tell how a probability was placed."""
        names = [f"{self.shown['key']}.{part}" for part in ("first", "moves", "touched")]
        return [(name, self.answers.get(name, "")) for name in names]


@dataclass(frozen=True)
class Page:
    """One assignment as its page sets it.

    Attributes
    ----------
    texts : tuple of str
        The poem; or two texts, in the order in which this judge sees them.
    fixed, questions : list of Asked
        What was answered and fixed in earlier stages; what is asked now.
    stage, stages : int
    version, milliseconds : int
        Of the draft.
    """

    assignment: Assignment
    texts: tuple[str, ...]
    title: str
    brief: str
    fixed: list[Asked]
    questions: list[Asked]
    stage: int
    stages: int
    version: int
    milliseconds: int
    progress: Progress
    changing: bool = False
    edits: int = 0

    @property
    def problems(self) -> list[Asked]:
        return [asked for asked in self.questions if asked.problem]

    @property
    def locks_next(self) -> bool:
        return not self.changing and self.stage < self.stages - 1

    @property
    def gate(self) -> list[Asked]:
        """The question whether the poem is known, which comes before all others."""
        return [asked for asked in self.questions if asked.shown["kind"] == "recognition"]

    @property
    def after_gate(self) -> list[Asked]:
        return [asked for asked in self.questions if asked.shown["kind"] != "recognition"]


def progress(judge: Judge) -> Progress:
    """Return how far the judge is, not counting items that were given back."""
    counts = _COUNTED.first(pk=judge.pk)
    if counts is None:  # deleted meanwhile
        return Progress(0, 0)
    return so_far(judge.study, counts.answered, counts.waiting, judge.row)


def so_far(study: Study, answered: int, waiting: int, row: Sequence[object]) -> Progress:
    """Return how far a judge is of whom this was counted, with the rest of their set."""
    return Progress(answered, answered + waiting + len(row), drawn=_draws(study))


def _draws(study: Study) -> bool:
    return study.dealing == Study.Dealing.DRAW


_COUNTED: Prepared[Any] = Prepared(
    lambda pk: (
        Judge.objects.filter(pk=pk)
        .only("pk")
        .annotate(
            answered=Count("assignments", filter=Q(assignments__answered_at__isnull=False)),
            waiting=Count(
                "assignments",
                filter=Q(assignments__answered_at=None, assignments__given_back_at=None),
            ),
        )
        .order_by()
    ),
    pk=-1,
)


def first_day(moment: datetime | None) -> date | None:
    """Return the first day (UTC) that begins after a moment; None if there is no such moment."""
    return moment and (moment + timedelta(days=1)).date()


def texts(assignment: Assignment) -> tuple[str, ...]:
    """Return what is judged: one text, or two with the one that the assignment puts first."""
    item = assignment.item
    if not item.second:
        return (item.text,)
    return (item.second, item.text) if assignment.flipped else (item.text, item.second)


def present(assignment: Assignment, known: Progress | None = None) -> dict[str, Any]:
    """Return the only fields of an assignment that leave the server for its judge."""
    draft = draft_of(assignment)
    item, study = assignment.item, assignment.judge.study
    first, *second = texts(assignment)
    return {
        "token": assignment.token,
        "position": assignment.position,
        "of": (known or progress(assignment.judge)).total,
        "language": item.language,
        "title": item.title,
        "brief": item.brief if study.instrument.shows_brief else "",
        "text": first,
        "second": "".join(second),
        "questions": study.instrument.shown(),
        "draft": {
            "answers": {**draft.answers, **draft.fixed} if draft else {},
            "version": draft.version if draft else 0,
            "stage": draft.stages_fixed if draft else 0,
            "milliseconds": draft.milliseconds if draft else 0,
        },
    }


def page(
    assignment: Assignment,
    *,
    typed: Mapping[str, object] | None = None,
    refused: InvalidAnswers | None = None,
) -> Page:
    """Return the page of an assignment: with its draft, or with what was `typed` and refused."""
    draft = draft_of(assignment)
    instrument = assignment.judge.study.instrument
    stage = draft.stages_fixed if draft else 0
    answers = typed if typed is not None else draft.answers if draft else {}
    return _page(
        assignment,
        stage,
        given_before=draft.fixed if draft else {},
        questions=asked(instrument.stages[stage], answers, refused),
        version=draft.version if draft else 0,
        milliseconds=draft.milliseconds if draft else 0,
    )


def changing(
    judgment: Judgment,
    *,
    typed: Mapping[str, object] | None = None,
    refused: InvalidAnswers | None = None,
) -> Page:
    """Return the page on which a judgment's answers can be changed."""
    assignment = judgment.assignment
    instrument = assignment.judge.study.instrument
    given = as_given(judgment)
    return _page(
        assignment,
        len(instrument.stages) - 1,
        given_before=given,
        questions=asked(instrument.stages[-1], given if typed is None else typed, refused),
        changing=True,
        edits=judgment.ratings.count(),
    )


def _page(
    assignment: Assignment,
    stage: int,
    *,
    given_before: Mapping[str, object],
    questions: list[Asked],
    version: int = 0,
    milliseconds: int = 0,
    changing: bool = False,
    edits: int = 0,
) -> Page:
    instrument = assignment.judge.study.instrument
    earlier = [question for before in instrument.stages[:stage] for question in before]
    return Page(
        assignment,
        texts(assignment),
        assignment.item.title,
        assignment.item.brief if instrument.shows_brief else "",
        fixed=asked(earlier, given_before),
        questions=questions,
        stage=stage,
        stages=len(instrument.stages),
        version=version,
        milliseconds=milliseconds,
        progress=progress(assignment.judge),
        changing=changing,
        edits=edits,
    )


def as_given(judgment: Judgment) -> dict[str, str]:
    """Return a judgment's standing answers as its judge typed them, by field name."""
    kinds = {one.key: one.kind for one in judgment.assignment.judge.study.instrument.questions}
    given: dict[str, str] = {}
    for rating in judgment.ratings.standing():
        key = rating.question
        given[key] = _typed(rating, kinds[key])
        if kinds[key] == "recognition":
            given[f"{key}.named"] = rating.text
        if rating.first is not None:
            given[f"{key}.first"] = per_mille(rating.first)
        for part in ("moves", "touched"):
            if getattr(rating, part) is not None:
                given[f"{key}.{part}"] = str(getattr(rating, part))
    return given


def per_mille(number: int) -> str:
    """Return a probability in thousandths as it is written: 0.35."""
    return f"{number / 1000:.3f}".rstrip("0").rstrip(".")


def asked(
    questions: list[Question] | tuple[Question, ...],
    answers: Mapping[str, object],
    refused: InvalidAnswers | None = None,
) -> list[Asked]:
    """Return questions with their answers and, in the reader's language, their problems."""
    problems = refused.problems if refused else {}
    typed = {name: str(answer) for name, answer in answers.items()}
    return [
        Asked(
            dict(question.shown()),
            {name: typed[name] for name in question.fields if name in typed},
            said(problems[question.key]) if question.key in problems else "",
        )
        for question in questions
    ]


def said(problem: InvalidAnswer) -> str:
    """Return what is wrong with an answer, in the reader's language."""
    return gettext(problem.message).format(**problem.values)


def draft_of(assignment: Assignment) -> Draft | None:
    """Return an assignment's draft, which may have been fetched with it."""
    return getattr(assignment, "draft", None)


def minutes(judge: Judge) -> int:
    """Return about how many minutes the judge's unanswered items will take.

    Where items are drawn, that is the next one: a test mixed in after it would show as more.
    """
    waiting = Assignment.objects.of(judge).waiting().in_order().select_related("item")
    if _draws(judge.study):
        waiting = waiting[:1]
    words = sum(_words(one.item) for one in waiting)
    questions = len(judge.study.instrument.questions) * len(waiting)
    return round(words / WORDS_A_MINUTE + questions * SECONDS_A_QUESTION / 60)


def minutes_at_a_time(study: Study) -> int:
    """Return about how many minutes as many items take as the study gives at a time."""
    sample = list(study.items.order_by("pk")[:SAMPLE])
    if not sample:
        return 0
    words = sum(_words(item) for item in sample) / len(sample)
    questions = len(study.instrument.questions) * SECONDS_A_QUESTION / 60
    return round(at_a_time(study) * (words / WORDS_A_MINUTE + questions))


def at_a_time(study: Study) -> int:
    """Return how many items a judge of the study is given at a time, at most."""
    if _draws(study):
        return 1
    at_most = study.batch_size
    # In order, so that an index finds them.
    twins = study.items.judged().order_by("pk").values_list("twin", flat=True)
    if study.twins != Study.Twins.NEVER:
        return len(twins[:at_most])
    briefs = set(twins[: FEW * at_most])
    if len(briefs) < at_most:  # most of the first may be on the same ones
        briefs = set(twins)
    return min(at_most, len(briefs))


def minutes_done(judge: Judge) -> int:
    """Return how many minutes the judge's answered items were in view."""
    mine = Judgment.objects.filter(assignment__judge=judge)
    return round((mine.aggregate(sum=Sum("milliseconds"))["sum"] or 0) / 60_000)


def _words(item: Item) -> float:
    text = f"{item.brief} {item.text} {item.second}"
    if item.language.startswith(CHINESE):
        return len("".join(text.split())) / CHARACTERS_A_WORD
    return len(text.split())


def _typed(rating: Rating, kind: str) -> str:
    if rating.blank == Rating.Blank.CANNOT_TELL:
        return "cannot_tell"
    if kind == "comment":
        return rating.text
    if rating.number is None:
        return ""
    return per_mille(rating.number) if kind == "probability" else str(rating.number)
