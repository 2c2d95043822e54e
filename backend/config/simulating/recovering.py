"""What was put into a simulated study beside what its results report."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from annotation.instruments.probability import Probability
from annotation.judgments.models import Judgment, Rating
from annotation.studies.models import Judge, Study
from backend.analytics import services as analytics
from backend.analytics.authorship import about_authorship
from backend.analytics.reports.report import Report
from backend.config.simulating.setups import Setup
from backend.corpus.spreadsheets import Value
from backend.statistics.simulation import Asked, Reader, true_auc, true_mean

THOUSANDTHS = 1000
HUMAN = "human"


@dataclass(frozen=True)
class Recovered:
    """One figure: what it is in truth, and what is reported.

    Attributes
    ----------
    figure : str
        "auc", per judgment, or "mean", of single answers.
    panel, question, author : str
        "experts", or "machine-1" and so on; the question's key; "human", or a model's name.
    truth : float
        For experts over the population that they were drawn from; for one machine judge, its own.
        Titles are the population's in both.
    mean_judge : float or None
        An AUC as the mean judge of that population alone would have it.
    found, low, high : float or None
        As reported; None where it is not.
    """

    figure: str
    panel: str
    question: str
    author: str
    truth: float
    mean_judge: float | None = None
    found: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def inside(self) -> bool | None:
        """Whether the interval holds the truth; None where there is no interval."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.truth <= self.high


def compare(study: Study, setup: Setup, *, reported: bool) -> list[Recovered]:
    """Return every AUC and mean that was put in; if `reported`, beside what the results say.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the results are to be read, and the key is sealed.
    """
    report = analytics.report(study) if reported else None
    return [
        one
        for panel, reader in _panels(setup)
        for question, asked in enumerate(setup.asked)
        for one in _of_question(setup, panel, reader, asked, report, question)
    ]


def counts(study: Study) -> dict[str, int]:
    """Return how large the study became: what was counted, whoever was asked for it."""
    judgments = Judgment.objects.counted(study)
    experts = judgments.filter(assignment__judge__kind=Judge.Kind.EXPERT)
    places = study.items.judged().values_list("places", "places_taken", "group__name")
    ratings = Rating.objects.standing().filter(judgment__in=judgments)
    return {
        "items": len(places),
        "experts": study.judges.experts().count(),
        "experts_who_stopped": study.judges.experts().exclude(left_at=None).count(),
        "judgments_of_experts": experts.count(),
        "judgments_of_machines": judgments.count() - experts.count(),
        "items_with_all_their_judges": sum(taken == k for k, taken, _ in places),
        "not_applicable": ratings.filter(blank=Rating.Blank.NA).count(),
    }


def _panels(setup: Setup) -> Iterator[tuple[str, Reader | None]]:
    yield "experts", None
    for number, reader in enumerate(setup.drawn.readers[setup.judges :], start=1):
        yield f"machine-{number}", reader


def _of_question(
    setup: Setup,
    panel: str,
    reader: Reader | None,
    asked: Asked,
    report: Report | None,
    place: int,
) -> Iterator[Recovered]:
    question = next(one for one in setup.instrument.questions if one.key == asked.key)
    names = [HUMAN, *(setup.model(number) for number in range(1, setup.models + 1))]
    if question in about_authorship(setup.instrument.questions):
        found = _rows(report, f"auc-judgments-{panel}-q{question.number}")
        for model, name in enumerate(names[1:], start=1):
            row = found.get(name, {})
            yield Recovered(
                "auc", panel, asked.key, name,
                true_auc(setup.truth, model, asked=asked, reader=reader),
                None if reader else true_auc(setup.truth, model, asked=asked, judges="mean"),
                _number(row, "auc"), _number(row, "low"), _number(row, "high"),
            )  # fmt: skip
    per = THOUSANDTHS if isinstance(question, Probability) else 1
    found = _rows(report, f"ratings-{panel}")
    for author, name in enumerate(names):
        truth = true_mean(setup.truth, author, asked=asked, reader=reader) / per
        row = found.get(name, {})
        bounds = [_number(row, f"{asked.key}_{end}") for end in ("mean", "low", "high")]
        yield Recovered("mean", panel, asked.key, name, truth, None, *bounds)


def _rows(report: Report | None, key: str) -> dict[str, Mapping[str, Value]]:
    """Return a reported table's rows by their first cell; none if there is no such table."""
    if report is None:
        return {}
    try:
        table = report.table(key)
    except LookupError:
        return {}
    columns = [column.key for column in table.columns]
    return {
        str(row[0].value): dict(zip(columns, (cell.value for cell in row), strict=True))
        for row in table.rows
    }


def _number(row: Mapping[str, Value], column: str) -> float | None:
    value = row.get(column)
    return value if isinstance(value, int | float) and isfinite(value) else None
