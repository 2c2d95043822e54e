"""Observed agreement of two judges at a time: every two experts, a machine judge with each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Frame
from backend.analytics.reports.agreeing.beyond_chance import by_chance
from backend.analytics.reports.agreeing.pairing import (
    BY_TITLES,
    Comparison,
    answers,
    by_two,
    compared,
    over,
    resting,
)
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, number
from backend.statistics.clusters import FEW, clustered_share, near_the_ends
from backend.statistics.estimate import Estimate

Row = tuple[str, str, Comparison, Estimate]


def tables(frame: Frame, found: Sequence[Comparison]) -> tuple[Table, ...]:
    """Return every two experts and, if there are machine judges, each of them with each expert."""
    experts, *machines = found
    asked = over([place for place, _ in compared(frame)])
    two = _table(
        frame,
        [experts],
        key="agreement-expert-pairs",
        caption=f"Observed agreement (PAo) of every two experts who share a poem, {asked}",
        explanation="A pair far below the others can point to a scale read the other way round.",
        heads=(Column("expert", "Expert"), Column("other", "Other expert")),
    )
    if not two.rows:
        two = replace(two, notes=("no two experts share a poem in the results",))
    if not machines:
        return (two,)
    each = _table(
        frame,
        machines,
        key="agreement-machine-experts",
        caption=f"Observed agreement (PAo) of each machine judge with each expert, {asked}",
        explanation="Whether a machine judge is near to all experts or to some of them. Set a row "
        "beside those of that expert with the other experts.",
        heads=(Column("judge", "Machine judge"), Column("expert", "Expert")),
    )
    return (two, each)


def _table(
    frame: Frame,
    found: Sequence[Comparison],
    *,
    key: str,
    caption: str,
    explanation: str,
    heads: tuple[Column, ...],
) -> Table:
    rows = list(_rows(frame, found))
    offers_na = any(one.na for one in frame.questions if isinstance(one, Likert))
    na = ", N/A as an answer like any other" if offers_na else ""
    return Table(
        key=key,
        caption=caption,
        explanation=explanation,
        columns=(
            *heads,
            Column("poems", "Poems", "count"),
            Column("titles", "Titles", "count"),
            Column("pao", "PAo", "number", 3, under="PAo"),
            Column("pao_low", "95 % from", "number", 3, under="PAo"),
            Column("pao_high", "to", "number", 3, under="PAo"),
            Column("pairs", "Pairs", "count"),
            Column("agreeing", "Agree", "count", unit="pairs"),
            Column("by_chance", "By chance", "number", 3, "PAo"),
        ),
        rows=tuple(
            (
                Cell(mine),
                Cell(other),
                Cell(np.unique(frame.item[one.pairs.first]).size),
                count(pao.counts, "n_titles"),
                figure(pao),
                *bounds(pao),
                Cell(pao.n),
                Cell(int(_agree(frame, one).sum())),
                number(by_chance(frame, one), pao.reason),
            )
            for mine, other, one, pao in rows
        ),
        method=f"PAo = 2A / (nA + nB), exact agreement{na}; {near_the_ends(BY_TITLES)}, for "
        "these two judges; by chance: independent answers, question by question",
        notes=_cautions(rows),
        basis=resting(frame, found),
        aside=True,
    )


def _cautions(rows: Sequence[Row]) -> tuple[str, ...]:
    # Once, not with the names of hundreds of pairs: titles are counted in each row.
    if not any(pao.notes for _, _, _, pao in rows):
        return ()
    return (f"where there are fewer than {FEW} titles, the interval is a rough guide",)


def _rows(frame: Frame, found: Sequence[Comparison]) -> Iterator[Row]:
    for whole in found:
        for first, second, pairs in by_two(frame, whole.pairs):
            one = replace(whole, pairs=pairs)
            pao = clustered_share(
                _agree(frame, one),
                frame.item_title[frame.item[pairs.first]],
                level="pair of answers",
            )
            yield frame.seats[first].label, frame.seats[second].label, one, pao


def _agree(frame: Frame, found: Comparison) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    same: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = answers(
        frame, found.pairs.first
    ) == answers(frame, found.pairs.second)
    return same
