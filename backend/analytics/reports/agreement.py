"""Whether judges answer alike: PAo among experts, and of each machine judge with the experts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.questions import Likert
from backend.analytics.frames import Codes, Frame, Mask, Numbers, Panel
from backend.analytics.tables import Cell, Column, Table, count, figure
from backend.statistics.agreement import NotApplicable, pao

# Stands for "not applicable" whatever code a question has for it; no scale reaches so far.
NA = -1_000_000.0

_EXPLANATION = (
    "PAo is the share of pairs of answers that are the same: 1 if two judges always choose the "
    "same answer, 0 if they never do. A pair is two judges' answers to one question about one "
    "poem. What would agree by chance alone is not taken off, so compare a machine judge's row "
    "with the experts' own: that is the agreement that people reach among themselves."
)


@dataclass(frozen=True)
class Pairs:
    """Pairs of ratings of one item and question by two judges: positions in the frame."""

    first: Codes
    second: Codes

    def only(self, keep: Mask) -> "Pairs":
        return Pairs(self.first[keep], self.second[keep])


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return the tables of agreement, or none if no question has points or two sides."""
    asked = [
        place
        for place, one in enumerate(frame.questions)
        if isinstance(one, Likert | Altered | ForcedChoice)
    ]
    if not asked:
        return ()
    experts, *machines = frame.panels
    among = _among(frame, _answered(frame, experts, asked))
    compared = [
        ("experts with experts", among),
        *(
            (f"{panel.label} with experts", _between(frame, panel, experts, asked))
            for panel in machines
        ),
    ]
    offers_na = any(one.na for one in frame.questions if isinstance(one, Likert))
    variants: tuple[NotApplicable, ...] = ("category", "exclude") if offers_na else ("category",)
    return (
        *(_compared(frame, compared, asked, na) for na in variants),
        _expert_pairs(frame, among),
    )


def _answered(frame: Frame, panel: Panel, asked: list[int]) -> Codes:
    """Positions of a panel's answers on scales, "not applicable" included."""
    on_scale = np.isin(frame.question, asked) & ~np.isnan(frame.number)
    return np.flatnonzero(frame.of(panel) & on_scale)


def _cell(frame: Frame, rows: Codes) -> NDArray[np.intp]:
    return frame.item[rows] * len(frame.questions) + frame.question[rows]


def _among(frame: Frame, rows: Codes) -> Pairs:
    """Every two answers in `rows` to the same question about the same item."""
    rows = rows[np.lexsort((frame.judge[rows], _cell(frame, rows)))]
    cells = _cell(frame, rows)
    first, second = [rows[:0]], [rows[:0]]
    # In sorted order an answer's partners follow it: look one further until nobody has one.
    for step in range(1, len(rows)):
        same = cells[:-step] == cells[step:]
        if not same.any():
            break
        first.append(rows[:-step][same])
        second.append(rows[step:][same])
    return Pairs(np.concatenate(first), np.concatenate(second))


def _between(frame: Frame, machine: Panel, experts: Panel, asked: list[int]) -> Pairs:
    """Each answer of a machine judge with each expert's to the same question and item."""
    mine, theirs = _answered(frame, machine, asked), _answered(frame, experts, asked)
    if not mine.size:
        return Pairs(mine, mine)
    mine = mine[np.argsort(_cell(frame, mine))]
    cells = _cell(frame, mine)
    place = np.minimum(np.searchsorted(cells, _cell(frame, theirs)), mine.size - 1)
    met = cells[place] == _cell(frame, theirs)
    return Pairs(mine[place][met], theirs[met])


def _codes(frame: Frame, rows: Codes) -> Numbers:
    return np.where(frame.na[rows], NA, frame.number[rows])


def _pao(frame: Frame, pairs: Pairs, na: NotApplicable) -> tuple[Cell, Cell, Cell]:
    found = pao(_codes(frame, pairs.first), _codes(frame, pairs.second), na=na, na_code=NA)
    return figure(found), Cell(found.n), count(found.counts, "n_agreements")


def _compared(
    frame: Frame, compared: list[tuple[str, Pairs]], asked: list[int], na: NotApplicable
) -> Table:
    treated = "as an answer like any other" if na == "category" else "left out, pair by pair"
    return Table(
        key="agreement" if na == "category" else "agreement-without-na",
        caption=f"Observed agreement (PAo) between judges, by question; N/A {treated}",
        explanation=_EXPLANATION,
        columns=(
            Column("judges", "Judges"),
            Column("poems", "Poems", "count"),
            *_columns("all", "all questions"),
            *(
                column
                for place in asked
                for column in _columns(
                    frame.questions[place].key,
                    f"{frame.questions[place].number} "
                    f"{frame.questions[place].key.replace('_', ' ')}",
                )
            ),
        ),
        rows=tuple(
            (
                Cell(label),
                Cell(np.unique(frame.item[pairs.first]).size),
                *_pao(frame, pairs, na),
                *(
                    cell
                    for place in asked
                    for cell in _pao(frame, pairs.only(frame.question[pairs.first] == place), na)
                ),
            )
            for label, pairs in compared
        ),
        method=(
            "PAo = 2A / (nA + nB) over all pairs, so nA = nB = n; exact agreement; every pair of "
            f"experts pooled, a machine's answer paired with each expert's; N/A {treated}"
        ),
    )


def _columns(key: str, under: str) -> tuple[Column, Column, Column]:
    return (
        Column(f"{key}_pao", "PAo", "number", 3, "share of pairs", under),
        Column(f"{key}_pairs", "n", "count", unit="pairs", under=under),
        Column(f"{key}_agreeing", "agree", "count", unit="pairs", under=under),
    )


def _expert_pairs(frame: Frame, among: Pairs) -> Table:
    rows = tuple(
        (
            Cell(frame.seats[one].label),
            Cell(frame.seats[other].label),
            Cell(np.unique(frame.item[pairs.first]).size),
            *_pao(frame, pairs, "category"),
        )
        for one, other, pairs in _by_two(frame, among)
    )
    return Table(
        key="agreement-expert-pairs",
        caption="Observed agreement (PAo) of every two experts who share a poem, all questions; "
        "N/A as an answer like any other",
        explanation="A pair far below the others can point to a scale read the other way round.",
        columns=(
            Column("expert", "Expert"),
            Column("other", "Other expert"),
            Column("poems", "Poems", "count"),
            Column("pao", "PAo", "number", 3, "share of pairs"),
            Column("pairs", "Pairs", "count"),
            Column("agreeing", "Agree", "count", unit="pairs"),
        ),
        rows=rows,
        method="PAo = 2A / (nA + nB), exact agreement, N/A as an answer like any other",
        notes=() if rows else ("no two experts share a poem in the results",),
    )


def _by_two(frame: Frame, among: Pairs) -> Iterator[tuple[int, int, Pairs]]:
    one, other = frame.judge[among.first], frame.judge[among.second]
    code = one * len(frame.seats) + other
    order = np.argsort(code, kind="stable")
    found, starts = np.unique(code[order], return_index=True)
    for each, positions in zip(found.tolist(), np.split(order, starts[1:]), strict=False):
        first, second = divmod(each, len(frame.seats))
        yield first, second, Pairs(among.first[positions], among.second[positions])
