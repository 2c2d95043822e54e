"""What is needed of an expert's answers to say how carefully they were given: no poem, no text.

Answers on scales of points are gathered by themselves, those of each kind that is a number or a
choice beside them: probabilities, altered or not, and of pairs the side as it was shown, so that
whoever always takes what stands first gives one answer. Comments and what is known already are not.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert, Question
from annotation.judgments.models import Judgment, Rating
from annotation.studies.models import Assignment, Item, Judge, Study
from backend.design.attention import Tests, tests
from backend.panel.careless import Record, Sign, signs

Purpose = Assignment.Purpose
PER_MILLE = 1000
SECOND = 1000  # milliseconds


@dataclass(frozen=True)
class Portrait:
    """One expert and their figures."""

    code: str
    name: str
    poems: int
    signs: tuple[Sign, ...]

    @property
    def flags(self) -> int:
        return sum(1 for sign in self.signs if sign.flagged)


@dataclass
class _Seen:
    """What is gathered of one expert."""

    points: list[int | None] = field(default_factory=list)
    others: dict[str, list[int | None]] = field(default_factory=lambda: defaultdict(list))
    first: dict[tuple[int, str], float] = field(default_factory=dict)
    again: dict[tuple[int, str], float] = field(default_factory=dict)

    @property
    def distances(self) -> list[float]:
        both = self.first.keys() & self.again.keys()
        return [abs(self.first[key] - self.again[key]) for key in sorted(both)]


def portraits(study: Study) -> list[Portrait]:
    """Return the figures of every expert who answered anything, in order of arrival."""
    answered = Judgment.objects.filter(assignment__judge__in=study.judges.experts())
    judges = Judge.objects.filter(pk__in=answered.values("assignment__judge")).order_by("pk")
    found = records(study)
    rows = [(judge, found.get(judge.pk, Record())) for judge in judges]
    return [
        Portrait(judge.code, judge.name, record.poems, row)
        for (judge, record), row in zip(rows, signs([one for _, one in rows]), strict=True)
    ]


def records(study: Study) -> dict[int, Record]:
    """Return what each expert of a study did, by the answers that they gave first."""
    seen, times, tested = _seen(study), _times(study), tests(study)
    return {
        judge: Record(
            poems=len(times[judge]),
            points=seen[judge].points,
            others=tuple(seen[judge].others.values()),
            seconds_a_line=[time for time in times[judge] if time is not None],
            tests=tested.get(judge, Tests()).answered,
            failed=tested.get(judge, Tests()).failed,
            distances=seen[judge].distances,
        )
        for judge in seen.keys() | times.keys() | tested.keys()
    }


def _seen(study: Study) -> Mapping[int, _Seen]:
    questions = {question.key: question for question in study.instrument.questions}
    place = {key: number for number, key in enumerate(questions)}
    rows = Rating.objects.filter(
        judgment__assignment__judge__study=study,
        judgment__assignment__judge__kind=Judge.Kind.EXPERT,
        version=1,
        question__in=questions,
    ).exclude(judgment__assignment__purpose=Purpose.ATTENTION)
    ordered = sorted(
        rows.values_list(
            "judgment__submitted_at", "judgment_id", "question", "number", "blank",
            "judgment__assignment__judge_id", "judgment__assignment__item_id",
            "judgment__assignment__purpose", "judgment__assignment__flipped",
        ),
        key=lambda row: (row[0], row[1], place[row[2]]),
    )  # fmt: skip
    seen: dict[int, _Seen] = defaultdict(_Seen)
    for _, _, key, number, blank, judge, item, purpose, flipped in ordered:
        question, one = questions[key], seen[judge]
        if purpose == Purpose.MAIN and blank != "skipped":
            _add(one, question, None if blank else number)
        where = _where(question, number, flipped=flipped) if not blank else None
        if where is not None:
            (one.first if purpose == Purpose.MAIN else one.again)[item, key] = where
    return seen


def _add(one: _Seen, question: Question, said: int | None) -> None:
    match question:
        case Likert():
            one.points.append(said)
        # Of two texts, 1 is the one that was shown first, however the pair is stored.
        case Probability() | ForcedChoice() | Altered():
            one.others[question.kind].append(said)


def _where(question: Question, number: int | None, *, flipped: bool) -> float | None:
    """Return where an answer lies on its scale, from 0 to 1; None if it lies on none."""
    if number is None:
        return None
    match question:
        case Likert():
            return (number - question.low) / ((question.high - question.low) or 1)
        case Probability():
            return number / PER_MILLE
        case ForcedChoice():  # 1 is what stood first
            return float((number == 1) != flipped)
        case Altered():
            return float(number)
    return None


def _times(study: Study) -> Mapping[int, Sequence[float | None]]:
    """Return, for each poem that an expert answered, the seconds in view for each line."""
    judged: QuerySet[Judgment] = Judgment.objects.filter(
        assignment__judge__study=study,
        assignment__judge__kind=Judge.Kind.EXPERT,
        assignment__purpose=Purpose.MAIN,
    )
    lines = lines_of_verse(study)
    times: dict[int, list[float | None]] = defaultdict(list)
    for judge, item, milliseconds in judged.order_by("pk").values_list(
        "assignment__judge_id", "assignment__item_id", "milliseconds"
    ):
        untimed = milliseconds is None or not lines[item]
        times[judge].append(None if untimed else (milliseconds or 0) / SECOND / lines[item])
    return times


def lines_of_verse(study: Study) -> dict[int, int]:
    """Return how many lines of verse each item has, blank ones not counted; a pair's together."""
    texts = Item.objects.judged().filter(study=study).values_list("pk", "text", "second")
    return {key: _lines(text) + _lines(second) for key, text, second in texts.iterator()}


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())
