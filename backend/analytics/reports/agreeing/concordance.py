"""Whether judges rank the authors alike, whatever scores they give."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from backend.analytics.frames import Codes, Frame, Mask, Numbers
from backend.analytics.reports.agreeing.pairing import named
from backend.analytics.reports.agreeing.selection import headline
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import Averaged, averaged, group_means, per, unit
from backend.analytics.reports.telling.corrected import HOLM, p_holm
from backend.analytics.tables import Cell, Column, Table, gather, number
from backend.statistics.agreement import Concordance, kendall_w


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return how far experts, if there are any, rank authors alike, and each judge's means.

    None without means.
    """
    asked = averaged(frame)
    if not asked or len(_authors(frame)) < 2:
        return ()
    alike = (_concordance(frame),) if frame.panels[0].seats else ()
    return (*alike, _judge_means(frame, *headline(frame)))


def _authors(frame: Frame) -> list[int]:
    return [code for code in range(len(frame.authors)) if code or not frame.paired]


def _means(frame: Frame, rows: Mask) -> Numbers:
    """Return each judge's mean for each author: seats by authors, ``nan`` without a rating."""
    n_authors = len(frame.authors)
    cells = frame.judge[rows] * n_authors + frame.author[rows]
    found = group_means(cells, frame.number[rows], len(frame.seats) * n_authors)
    return found.reshape(len(frame.seats), n_authors)[:, _authors(frame)]


def _counts(frame: Frame, rows: Mask) -> Codes:
    """Return how many ratings each judge gave each author: seats by authors."""
    n_authors = len(frame.authors)
    cells = frame.judge[rows] * n_authors + frame.author[rows]
    found = np.bincount(cells, minlength=len(frame.seats) * n_authors)
    return found.reshape(len(frame.seats), n_authors)[:, _authors(frame)]


@dataclass(frozen=True)
class _Orders:
    """The orders in which experts put the authors, on one question."""

    question: Averaged
    found: Concordance
    n_judges: int
    n_dropped: int

    @property
    def reason(self) -> str:
        if self.found.reason and self.n_judges < 2:
            return "fewer than two experts rated a poem of every author"
        return self.found.reason


def _orders(frame: Frame) -> Iterator[_Orders]:
    experts = list(frame.panels[0].seats)
    for place, question in averaged(frame):
        means = _means(frame, (frame.question == place) & frame.scored)[experts]
        complete = ~np.isnan(means).any(axis=1)
        n_rating = int((~np.isnan(means).all(axis=1)).sum())
        n = int(complete.sum())
        yield _Orders(question, kendall_w(means[complete]), n, n_rating - n)


def _concordance(frame: Frame) -> Table:
    orders = list(_orders(frame))
    column, corrected = p_holm([one.found.p for one in orders], [one.reason for one in orders])
    what = "models" if frame.paired else "authors"
    return Table(
        key="concordance",
        caption=f"Whether experts rank the {what} alike, by question",
        explanation=f"Each expert's means put the {what} in an order. Kendall's W is 1 if all "
        "orders are the same and 0 if they have nothing in common, however severe each expert "
        "is. A small p says that there is some common order, not that it is strong.",
        columns=(
            Column("question", "Question"),
            Column("w", "W", "number", 3),
            Column("chi2", "Chi-squared", "number", 2),
            Column("df", "df", "count"),
            Column("p", "p", "p"),
            column,
            Column("judges", "Experts", "count"),
            Column("authors", what.capitalize(), "count"),
            Column("dropped", "Left out", "count", unit="experts"),
        ),
        rows=tuple(
            (
                Cell(named(one.question)),
                number(one.found.w, one.reason),
                number(one.found.chi2, one.reason),
                Cell(len(_authors(frame)) - 1),
                number(one.found.p, one.reason),
                holm,
                Cell(one.n_judges),
                Cell(len(_authors(frame))),
                Cell(one.n_dropped),
            )
            for one, holm in zip(orders, corrected, strict=True)
        ),
        method=f"{orders[0].found.method}; experts who rated no poem of some {what[:-1]} are left "
        f"out; {HOLM}",
        basis=basis(
            frame, frame.of(frame.panels[0]) & frame.scored, unit="an expert’s mean for an author"
        ),
        notes=gather([(named(one.question), one.found.notes) for one in orders]),
        aside=True,
    )


def _judge_means(frame: Frame, place: int, question: Averaged) -> Table:
    rows = (frame.question == place) & frame.scored
    means = _means(frame, rows) / per(question)
    counts = _counts(frame, rows)
    names = [frame.authors[code] for code in _authors(frame)]
    return Table(
        key="judge-means",
        caption=f"Mean of each judge for each {'model' if frame.paired else 'author'}, question "
        f"{named(question)}",
        explanation="A row that runs against all others can point to a scale read the other way "
        "round; one that is high throughout, to a mild judge.",
        columns=(
            Column("judge", "Judge"),
            *(
                column
                for code, name in zip(_authors(frame), names, strict=True)
                for column in (
                    Column(f"author_{code}", "mean", "number", 2, unit(question), name),
                    Column(f"author_{code}_n", "n", "count", unit="ratings", under=name),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(seat.label),
                *(
                    cell
                    for mean, n in zip(row, how_many, strict=True)
                    for cell in (number(mean, "this judge rated none of these poems"), Cell(n))
                ),
            )
            for seat, row, how_many in zip(
                frame.seats, means.tolist(), counts.tolist(), strict=True
            )
        ),
        method=f"arithmetic mean over the judge's ratings, of which there are n; in "
        f"{unit(question)}; a description, without intervals",
        basis=basis(frame, rows, unit="a single rating"),
        aside=True,
    )
