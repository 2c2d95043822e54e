"""Whether probabilities that judges name come true: Brier score, calibration error and line."""

from dataclasses import dataclass

import numpy as np

from annotation.instruments.probability import Probability
from backend.analytics.frames import Frame, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.knowing import recognition
from backend.analytics.reports.scores.means import THOUSANDTHS
from backend.analytics.reports.telling.answers import Telling, tellings
from backend.analytics.tables import Cell, Column, Table, gather, number
from backend.statistics.detection import Brier, Calibration, Line, brier, calibration_line, ece
from backend.statistics.detection.line import MOVED

_EXPLANATION = (
    "A probability is taken as a forecast that a human wrote the poem. The Brier score is its "
    "mean squared error: reliability (Brier: how far probabilities are from what came true; less "
    "is better) less resolution (how far they tell poems apart; more is better) plus uncertainty, "
    "which the share of human poems sets. Skill is 1 for a perfect judge, 0 for whoever always "
    "names that share. The expected calibration error (ECE) is how far probabilities are from "
    "shares on average. A slope below 1 tells of probabilities too near 0 and 1."
)


@dataclass(frozen=True)
class Forecasts:
    """What some judges' probabilities came to."""

    label: str
    share: float
    n_human: int
    brier: Brier
    ece: Calibration
    line: Line


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return, for each probability of authorship, the scores and, folded away, the bins."""
    found: list[Table] = []
    for telling in tellings(frame, panel):
        if isinstance(telling.question, Probability):
            found += _tables(telling)
    return tuple(found)


def _tables(telling: Telling) -> list[Table]:
    together = _forecasts(telling, telling.panel.label, clustered=True)
    found = [_scores(telling, together), _bins(telling, together)]
    if telling.n_judges > 1:
        found.append(_by_judge(telling))
    return found


def _forecasts(telling: Telling, label: str, *, clustered: bool) -> Forecasts:
    frame, rows = telling.frame, telling.rows
    human = (frame.author[rows] == 0).astype(np.intp)
    probabilities = np.rint(frame.number[rows]).astype(np.intp)
    titles = frame.item_title[frame.item[rows]] if clustered else None
    judges = frame.judge[rows] if clustered and telling.several else None
    return Forecasts(
        label,
        float(human.mean()) if human.size else float("nan"),
        int(human.sum()),
        brier(human, probabilities, level="judgment", titles=titles, judges=judges),
        ece(human, probabilities, level="judgment"),
        calibration_line(human, probabilities, titles=titles, judges=judges),
    )


def _base_rate(telling: Telling, found: Forecasts) -> str:
    if not found.brier.n:
        return "no probability was named"
    return (
        f"base rate: {found.share:.3f} of the judgments are of human poems, as the design has "
        f"{len(telling.frame.models)} model{'s' * (len(telling.frame.models) > 1)} beside the "
        "human poets, and the platform does not tell judges this share; Brier score "
        "and its parts, skill, ECE, calibration curve and intercept are those of this share "
        "and of no other. Whoever always names 0.5 has a Brier score of 0.25"
    )


def _scores(telling: Telling, found: Forecasts) -> Table:
    return Table(
        key=f"calibration-{telling.suffix}",
        caption="Calibration of the probabilities: Brier score and its parts, per judgment, "
        f"{telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a judgment"),
        explanation=_EXPLANATION,
        columns=(Column("judges", "Judges"), *_columns(interval=True)),
        rows=((Cell(found.label), *_cells(found, interval=True)),),
        method=_method(found),
        notes=(
            _base_rate(telling, found),
            *dict.fromkeys((*found.brier.notes, *_unmoved(found))),
            *_moved([found]),
            *recognition.named(telling.frame, telling.rows),
        ),
    )


def _by_judge(telling: Telling) -> Table:
    frame = telling.frame
    found = [
        _forecasts(telling.of(frame.judge == place), frame.seats[place].label, clustered=False)
        for place in np.unique(frame.judge[telling.rows]).tolist()
    ]
    return Table(
        key=f"calibration-judges-{telling.suffix}",
        caption=f"Calibration of each judge, per judgment, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="The base rate differs between judges with the poems that they were given.",
        columns=(Column("judge", "Judge"), *_columns(interval=False)),
        rows=tuple((Cell(one.label), *_cells(one, interval=False)) for one in found),
        method=_method(found[0]),
        notes=(
            "one judge's figures rest on few poems: they describe, and nobody is left out by them",
            *gather([(one.label, _unmoved(one)) for one in found]),
            *_moved(found),
        ),
        aside=True,
    )


def _unmoved(found: Forecasts) -> tuple[str, ...]:
    return tuple(note for note in found.line.notes if MOVED not in note)


def _moved(found: list[Forecasts]) -> tuple[str, ...]:
    """Return one caution about all forecasts of 0 and 1 together."""
    n_moved = sum(one.line.counts.get("n_moved", 0) for one in found)
    if not n_moved:
        return ()
    were = "forecast of 0 or 1 was" if n_moved == 1 else "forecasts of 0 or 1 were"
    return (
        f"{n_moved:,} {were} {MOVED}{THOUSANDTHS}, for slope and intercept alone: all other "
        "figures take them as they are",
    )


def _method(found: Forecasts) -> str:
    return f"{found.brier.method}; {found.ece.method}; {found.line.method}"


def _columns(*, interval: bool) -> tuple[Column, ...]:
    brier_interval = (
        Column("brier_low", "95 % from", "number", 3, under="Brier score"),
        Column("brier_high", "to", "number", 3, under="Brier score"),
    )
    return (
        Column("judgments", "Judgments", "count"),
        Column("human_judgments", "Human judgments", "count"),
        Column("base_rate", "Base rate", "number", 3, "share human"),
        Column("brier", "Brier score", "number", 3, under="Brier score"),
        *(brier_interval if interval else ()),
        Column("reliability", "Reliability (Brier)", "number", 3),
        Column("resolution", "Resolution", "number", 3),
        Column("uncertainty", "Uncertainty", "number", 3),
        Column("skill", "Skill", "number", 3),
        Column("ece", "ECE", "number", 3),
        *_line_columns("slope", "Slope"),
        *_line_columns("intercept", "Intercept"),
    )


def _line_columns(key: str, label: str) -> tuple[Column, ...]:
    return (
        Column(key, label, "number", 2, under=label),
        Column(f"{key}_low", "95 % from", "number", 2, under=label),
        Column(f"{key}_high", "to", "number", 2, under=label),
    )


def _cells(found: Forecasts, *, interval: bool) -> tuple[Cell, ...]:
    score, line = found.brier, found.line
    bounds = (number(score.low, score.reason), number(score.high, score.reason))
    return (
        Cell(score.n),
        Cell(found.n_human),
        number(found.share, "nothing was forecast"),
        number(score.value, score.reason),
        *(bounds if interval else ()),
        *(
            number(part, score.reason)
            for part in (score.reliability, score.resolution, score.uncertainty, score.skill)
        ),
        number(found.ece.ece, found.ece.reason),
        *(number(part, line.reason) for part in (line.slope, line.slope_low, line.slope_high)),
        *(
            number(part, line.reason)
            for part in (line.intercept, line.intercept_low, line.intercept_high)
        ),
    )


def _bins(telling: Telling, found: Forecasts) -> Table:
    return Table(
        key=f"reliability-{telling.suffix}",
        caption=f"Calibration curve: probabilities and what came true, bin by bin, {telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a judgment"),
        explanation="Of poems held human with a probability of about 0.7, a well calibrated "
        "judge finds 70 in 100 to be human. A bin holds its upper end; bins that nobody used are "
        "left out.",
        columns=(
            Column("low", "From", "number", 1, "probability"),
            Column("high", "to", "number", 1, "probability"),
            Column("judgments", "Judgments", "count"),
            Column("mean", "Mean probability", "number", 3),
            Column("share", "Share human", "number", 3),
            Column("share_low", "95 % from", "number", 3),
            Column("share_high", "to", "number", 3),
        ),
        rows=tuple(
            tuple(
                Cell(value)
                for value in (
                    one.low,
                    one.high,
                    one.n,
                    one.mean_probability,
                    one.share,
                    one.share_low,
                    one.share_high,
                )
            )
            for one in found.ece.bins
        ),
        method=found.ece.method,
        notes=(
            "intervals take judgments for independent: where judges read the same poems they are "
            "too narrow",
        )
        if telling.n_judges > 1
        else (),
        aside=True,
    )
