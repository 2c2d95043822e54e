"""How reliable scores are: alpha and the intraclass correlation, question by question."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.authorship import Scored, is_scored
from backend.analytics.frames import Frame, Mask, Numbers, Panel
from backend.analytics.reports.agreeing.pairing import named
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import poem_means
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.statistics.agreement import icc, judges_per_poem, krippendorff_alpha
from backend.statistics.estimate import Estimate


@dataclass(frozen=True)
class _Row:
    """Judges compared on one question: ratings, poems by judges, ``nan`` where there is none."""

    question: Scored
    label: str
    ratings: Numbers
    experts: bool

    def alpha(self) -> Estimate:
        # A mean of points is no point: against it, distances are those of numbers. And a language
        # model beside a mean is no panel that others could have sat on.
        ordinal = self.experts and isinstance(self.question, Likert)
        return krippendorff_alpha(
            self.ratings.T,
            metric="ordinal" if ordinal else "interval",
            judges="random" if self.experts else "fixed",
        )


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return the table of reliability, or none if no question has scores."""
    rows = list(_rows(frame))
    return (_table(frame, rows),) if rows else ()


def _rows(frame: Frame) -> Iterator[_Row]:
    experts, *machines = frame.panels
    for place, question in enumerate(frame.questions):
        if is_scored(question):
            yield _Row(question, "experts", _matrix(frame, experts, place), experts=True)
            for panel in machines:
                label = f"{panel.label} with the experts' mean"
                yield _Row(question, label, _beside(frame, panel, experts, place), experts=False)


def _matrix(frame: Frame, panel: Panel, place: int) -> Numbers:
    """Return a panel's ratings of the poems that any of it rated: poems by judges."""
    rows = frame.of(panel) & (frame.question == place) & frame.scored
    poems, poem = np.unique(frame.item[rows], return_inverse=True)
    judges, judge = np.unique(frame.judge[rows], return_inverse=True)
    found = np.full((poems.size, judges.size), np.nan)
    found[poem, judge] = frame.number[rows]
    return found


def _beside(frame: Frame, machine: Panel, experts: Panel, place: int) -> Numbers:
    rows = (frame.question == place) & frame.scored
    means = [poem_means(frame, rows & frame.of(panel)) for panel in (machine, experts)]
    both: Numbers = np.stack(means, axis=1)
    return both[~np.isnan(both).any(axis=1)]


def _table(frame: Frame, rows: list[_Row]) -> Table:
    found = [
        (row, row.alpha(), icc(row.ratings, form="single"), icc(row.ratings, form="mean"))
        for row in rows
    ]
    return Table(
        key="reliability",
        caption="How reliable scores are, by question",
        explanation="Alpha is how far judges agree beyond chance, whichever poems each of them "
        "had. The intraclass correlation (ICC) is the share of the spread of scores that lies "
        "between poems: of one judge's scores, ICC(2,1), and of the mean of all k judges, "
        "ICC(2,k). Where judges had different poems all their poems count, and k is how many "
        "judges a poem had (harmonic mean).",
        columns=(
            Column("question", "Question"),
            Column("judges", "Judges"),
            Column("alpha", "alpha", "number", 3, under="Alpha"),
            Column("alpha_low", "95 % from", "number", 3, under="Alpha"),
            Column("alpha_high", "to", "number", 3, under="Alpha"),
            Column("ratings", "Ratings", "count", unit="in alpha"),
            *_columns("icc", "ICC(2,1)"),
            *_columns("icc_mean", "ICC(2,k)"),
            Column("k", "k", "number", 1, unit="judges"),
            Column("poems", "Poems", "count", unit="in ICC"),
        ),
        rows=tuple(
            (
                Cell(named(row.question)),
                Cell(row.label),
                figure(alpha),
                *bounds(alpha),
                Cell(int((~np.isnan(row.ratings)).sum())),
                figure(one),
                *bounds(one),
                figure(mean),
                *bounds(mean),
                number(judges_per_poem(row.ratings), "no poem was rated"),
                Cell(one.n),
            )
            for row, alpha, one, mean in found
        ),
        method="; ".join(dict.fromkeys(each.method for _, *three in found for each in three))
        + "; N/A and “cannot tell” are no ratings; the experts' mean is over all who rated "
        "the poem",
        notes=gather(
            [
                (named(row.question), tuple(dict.fromkeys(alpha.notes + one.notes)))
                for row, alpha, one, _ in found
                if row.experts
            ]
        ),
        basis=basis(frame, _scored(frame), unit="a poem, by the ratings that it has"),
        aside=True,
    )


def _scored(frame: Frame) -> Mask:
    places = [place for place, one in enumerate(frame.questions) if is_scored(one)]
    found: Mask = np.isin(frame.question, places) & frame.scored
    return found


def _columns(key: str, label: str) -> tuple[Column, Column, Column]:
    return (
        Column(key, label, "number", 3, under=label),
        Column(f"{key}_low", "95 % from", "number", 3, under=label),
        Column(f"{key}_high", "to", "number", 3, under=label),
    )
