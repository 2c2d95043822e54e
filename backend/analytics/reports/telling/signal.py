"""Skill at telling poems apart, and a leaning to say "human", kept apart: d' and criterion."""

import numpy as np

from backend.analytics.frames import Numbers
from backend.analytics.reports.basis import basis
from backend.analytics.reports.knowing import recognition
from backend.analytics.reports.scores.means import per
from backend.analytics.reports.telling.answers import Telling
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.statistics.detection import Sensitivity, auc_interval, dprime_from_scores
from backend.statistics.estimate import Estimate

_EXPLANATION = (
    "Each score is read as an answer: above the middle of the scale “human”, below it “machine”, "
    "exactly at it half of each. d' tells skill: 0 for a coin, more the better poems are told "
    "apart. The criterion tells a leaning: below 0 to say “human”, above 0 to say “machine”. The "
    "AUC of judges together mixes the two where judges lean differently."
)
_NO_RANK = "one judge's figures rest on few poems: they describe, and nobody is left out by them"


def tables(telling: Telling) -> tuple[Table, ...]:
    """Return the table by model and, for experts, the one by judge, folded away."""
    found = [_by_model(telling)]
    if telling.several and telling.n_judges:
        found.append(_by_judge(telling))
    return tuple(found)


def _signal(telling: Telling, human: Numbers, machine: Numbers) -> Sensitivity:
    scale = per(telling.question)
    return dprime_from_scores(human / scale, machine / scale, telling.middle, level="judgment")


def _machine(telling: Telling) -> Numbers:
    """Scores of all models' poems together."""
    frame = telling.frame
    found: Numbers = frame.number[telling.rows & (frame.author > 0)]
    return found


def _by_model(telling: Telling) -> Table:
    human = telling.numbers(0)
    sides = [("all models together", _machine(telling))]
    sides += [(name, telling.numbers(code)) for code, name in telling.models]
    found = [(name, _signal(telling, human, machine)) for name, machine in sides]
    return Table(
        key=f"signal-{telling.suffix}",
        caption=f"Sensitivity (d') and criterion by model, per judgment, {telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a judgment"),
        explanation=_EXPLANATION,
        columns=(Column("model", "Model"), *_columns()),
        rows=tuple((Cell(name), *_cells(one)) for name, one in found),
        method=found[0][1].method,
        notes=gather([(name, one.notes) for name, one in found])
        + recognition.named(telling.frame, telling.rows),
    )


def _by_judge(telling: Telling) -> Table:
    frame = telling.frame
    rows = []
    for place in np.unique(frame.judge[telling.rows]).tolist():
        alone = telling.of(frame.judge == place)
        human, machine = alone.numbers(0), _machine(alone)
        rows.append(
            (
                frame.seats[place].label,
                _signal(telling, human, machine),
                _area(alone, human, machine),
            )
        )
    return Table(
        key=f"signal-judges-{telling.suffix}",
        caption=f"Sensitivity, criterion and ROC-AUC of each judge, per judgment, {telling.asked}",
        basis=basis(frame, telling.rows, unit="a judgment"),
        explanation="All models' poems together against the human ones, judge by judge.",
        columns=(
            Column("judge", "Judge"),
            Column("auc", "AUC", "number", 3, under="AUC"),
            Column("auc_low", "95 % from", "number", 3, under="AUC"),
            Column("auc_high", "to", "number", 3, under="AUC"),
            *_columns(),
        ),
        rows=tuple(
            (Cell(label), figure(area), *bounds(area), *_cells(one)) for label, one, area in rows
        ),
        method=f"{rows[0][1].method}; {rows[0][2].method}",
        notes=(
            _NO_RANK,
            *gather([(label, (*one.notes, *area.notes)) for label, one, area in rows]),
        ),
        aside=True,
    )


def _area(alone: Telling, human: Numbers, machine: Numbers) -> Estimate:
    """Return one judge's area; the interval is for other titles, this judge being the only one."""
    frame = alone.frame
    titles = frame.item_title[frame.item]
    return auc_interval(
        human,
        machine,
        titles[alone.by(0)],
        titles[alone.rows & (frame.author > 0)],
        level="judgment",
    )


def _columns() -> tuple[Column, ...]:
    return (
        Column("dprime", "d'", "number", 2),
        Column("low", "95 % from", "number", 2, "independent judgments"),
        Column("high", "to", "number", 2, "independent judgments"),
        Column("criterion", "Criterion", "number", 2),
        Column("human_as_human", "Human poems held human", "number", 2, "share"),
        Column("model_as_human", "Models' poems held human", "number", 2, "share"),
        Column("at_middle", "At the middle", "count", unit="judgments"),
        Column("human_judgments", "Human judgments", "count"),
        Column("model_judgments", "Models' judgments", "count"),
    )


def _cells(one: Sensitivity) -> tuple[Cell, ...]:
    none = "no such poem was judged"
    return (
        number(one.dprime, one.reason),
        number(one.low, one.reason),
        number(one.high, one.reason),
        number(one.criterion, one.reason),
        number(one.hit_rate, none),
        number(one.false_alarm_rate, none),
        *(Cell(one.counts.get(name, 0)) for name in ("n_at_threshold", "n_human", "n_machine")),
    )
