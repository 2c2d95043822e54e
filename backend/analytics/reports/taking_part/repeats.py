"""Whether experts answer alike when they judge a poem for the second time, unawares."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from backend.analytics.frames import Frame, Mask, Numbers
from backend.analytics.repeating import Repeats
from backend.analytics.reports.agreeing.beyond_chance import MIXED, ordered, scale
from backend.analytics.reports.agreeing.pairing import compared, named
from backend.analytics.reports.basis import counted, piece
from backend.analytics.reports.scores.means import THOUSANDTHS
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather
from backend.statistics.agreement import KappaWeights, cohen_kappa, icc
from backend.statistics.clusters import clustered_share
from backend.statistics.descriptive import mean
from backend.statistics.estimate import Estimate, undefined

_LEVEL = "answer given twice"
_EXPLANATION = (
    "Some {items} were put to the same expert again, some days later, without a word. No other "
    "figure holds these second answers. How far an expert agrees with themselves bounds how far "
    "two can agree."
)


class _Row(NamedTuple):
    label: str
    repeats: Repeats
    together: bool


def tables(frame: Frame, repeats: Repeats) -> tuple[Table, ...]:
    """Return the tables of hidden repeats; none of a kind of question that none was given for."""
    kinds: tuple[tuple[Callable[[Frame, Repeats, list[int]], Table], list[int]], ...] = (
        (_choices, [place for place, _ in compared(frame)]),
        (
            _probabilities,
            [place for place, one in enumerate(frame.questions) if isinstance(one, Probability)],
        ),
    )
    found = []
    for table, asked in kinds:
        given = repeats.only(np.isin(repeats.question, asked) & repeats.answered)
        if given.judge.size:
            found.append(table(frame, given, asked))
    return tuple(found)


def _rows(frame: Frame, repeats: Repeats, asked: Sequence[int]) -> list[_Row]:
    """Return all experts together, each question alone, then each expert who has any."""
    own = [
        _Row(frame.seats[place].label, repeats.only(repeats.judge == place), together=False)
        for place in np.unique(repeats.judge).tolist()
    ]
    each = [
        _Row(
            f"all experts, {named(frame.questions[place])}",
            repeats.only(repeats.question == place),
            together=True,
        )
        for place in asked
    ]
    return [
        _Row("all experts", repeats, together=True),
        *(each if len(asked) > 1 else ()),
        *own,
    ]


def _choices(frame: Frame, repeats: Repeats, asked: list[int]) -> Table:
    found = [(row, *_exact_and_close(frame, row)) for row in _rows(frame, repeats, asked)]
    items = f"{piece(frame)}s"
    return Table(
        key="repeats",
        caption="Answers given twice: points and choices",
        explanation=_EXPLANATION.format(items=items),
        columns=(
            Column("experts", "Experts"),
            Column("same", "The same", "number", 3, under="The same"),
            Column("same_low", "95 % from", "number", 3, under="The same"),
            Column("same_high", "to", "number", 3, under="The same"),
            Column("within_1", "Within 1 point", "number", 3),
            Column("kappa", "Kappa", "number", 3),
            Column("answers", "Answers", "count", unit="given twice"),
            Column("poems", items.capitalize(), "count"),
        ),
        rows=tuple(
            (
                Cell(row.label),
                figure(exact),
                *bounds(exact),
                figure(close),
                figure(_kappa(frame, row.repeats)),
                *_sizes(row.repeats),
            )
            for row, exact, close in found
        ),
        method=f"{found[0][1].method} (of one expert: by titles only); N/A is the same as "
        "N/A only; kappa: Cohen's, first against second answer, quadratic weights on points, N/A "
        "left out",
        notes=gather([(row.label, exact.notes) for row, exact, _ in found]),
        basis=_basis(frame, repeats),
    )


def _exact_and_close(frame: Frame, row: _Row) -> tuple[Estimate, Estimate]:
    one = row.repeats
    alike = (one.first == one.again) & (one.first_na == one.again_na)
    close = (np.abs(one.first - one.again) <= 1) & (one.first_na == one.again_na)
    points = np.isin(
        one.question,
        [place for place, asked in enumerate(frame.questions) if isinstance(asked, Likert)],
    )
    within = (
        mean(close[points], level=_LEVEL)
        if points.any()
        else undefined("no question has points", method="share", level=_LEVEL)
    )
    return _share(frame, row, alike), within


def _share(frame: Frame, row: _Row, values: Mask | Numbers) -> Estimate:
    titles = frame.item_title[row.repeats.item]
    judges = row.repeats.judge if row.together else None
    return clustered_share(values, titles, judges, level=_LEVEL)


def _kappa(frame: Frame, repeats: Repeats) -> Estimate:
    asked = np.unique(repeats.question).tolist()
    codes = scale(frame, asked)
    if not codes:
        return undefined(MIXED, method="Cohen's kappa", level=_LEVEL)
    rated = repeats.only(repeats.rated)
    weights: KappaWeights | None = "quadratic" if ordered(frame, asked) else None
    return cohen_kappa(rated.first, rated.again, weights=weights, categories=codes)


def _sizes(repeats: Repeats) -> tuple[Cell, Cell]:
    return Cell(repeats.judge.size), Cell(np.unique(repeats.item).size)


def _basis(frame: Frame, repeats: Repeats) -> str:
    what = piece(frame)
    return (
        f"One unit is an answer that one expert gave twice to one question about one {what}. "
        f"{repeats.judge.size:,} of them on {counted(np.unique(repeats.item).size, what)} by "
        f"{counted(np.unique(repeats.judge).size, 'expert')}"
    )


def _probabilities(frame: Frame, repeats: Repeats, asked: list[int]) -> Table:
    rows = _rows(frame, repeats, asked)
    apart = [
        _share(frame, row, np.abs(row.repeats.first - row.repeats.again) / THOUSANDTHS)
        for row in rows
    ]
    stable = [icc(np.stack([row.repeats.first, row.repeats.again], axis=1)) for row in rows]
    items = f"{piece(frame)}s"
    return Table(
        key="repeats-probability",
        caption="Answers given twice: probabilities",
        explanation=_EXPLANATION.format(items=items),
        columns=(
            Column("experts", "Experts"),
            Column("apart", "Mean distance", "number", 3, "probability", "Mean distance"),
            Column("apart_low", "95 % from", "number", 3, under="Mean distance"),
            Column("apart_high", "to", "number", 3, under="Mean distance"),
            Column("icc", "ICC(2,1)", "number", 3, under="ICC(2,1)"),
            Column("icc_low", "95 % from", "number", 3, under="ICC(2,1)"),
            Column("icc_high", "to", "number", 3, under="ICC(2,1)"),
            Column("answers", "Answers", "count", unit="given twice"),
            Column("poems", items.capitalize(), "count"),
        ),
        rows=tuple(
            (
                Cell(row.label),
                figure(far),
                *bounds(far),
                figure(one),
                *bounds(one),
                *_sizes(row.repeats),
            )
            for row, far, one in zip(rows, apart, stable, strict=True)
        ),
        method="mean absolute distance between first and second answer, its "
        f"{apart[0].method.removeprefix('share; ')} (of one expert: by titles "
        f"only); {stable[0].method}, "
        f"first against second answer, an expert's {piece(frame)} being one unit",
        notes=gather([(row.label, far.notes) for row, far in zip(rows, apart, strict=True)]),
        basis=_basis(frame, repeats),
    )
