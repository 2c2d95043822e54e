"""Pairs of answers by two judges to one question about one poem, and who is compared with whom."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.questions import Likert
from backend.analytics.frames import Closed, Codes, Frame, Mask, Numbers, Panel
from backend.analytics.reports.basis import basis

# Stands for "not applicable" whatever code a question has for it; no scale reaches so far.
NA = -1_000_000.0

BY_TITLES = "95 % interval by titles alone (cluster-robust), t(T - 1)"
UNIT = "a pair of two judges’ ratings of one poem and question"

# Answers that can be the same: a probability hardly ever is.
Compared = Likert | Altered | ForcedChoice


@dataclass(frozen=True)
class Pairs:
    """Pairs of ratings of one item and question by two judges: positions in the frame."""

    first: Codes
    second: Codes

    def only(self, keep: Mask) -> "Pairs":
        return Pairs(self.first[keep], self.second[keep])


@dataclass(frozen=True)
class Comparison:
    """Who is compared with whom: every two experts, or one machine judge with each expert.

    Attributes
    ----------
    label : str
    panel : Panel
        The experts, or the machine judge.
    pairs : Pairs
        A machine judge's ratings are first.
    """

    label: str
    panel: Panel
    pairs: Pairs

    def only(self, frame: Frame, asked: Sequence[int]) -> "Comparison":
        """Return the same over some of the questions alone."""
        keep = np.isin(frame.question[self.pairs.first], asked)
        return Comparison(self.label, self.panel, self.pairs.only(keep))


def compared(frame: Frame) -> list[tuple[int, Compared]]:
    """Return the questions whose answers can be the same, with their codes in the frame."""
    return [(place, one) for place, one in enumerate(frame.questions) if isinstance(one, Compared)]


def comparisons(frame: Frame, asked: Sequence[int]) -> list[Comparison]:
    """Return the experts with one another, then each machine judge with them.

    None if there are no experts: machine judges are compared with nobody else.
    """
    experts, *machines = frame.panels
    if not experts.seats:
        return []
    theirs = answered(frame, experts, asked)
    return [
        Comparison("experts with experts", experts, among(frame, theirs)),
        *(
            Comparison(
                f"{panel.label} with experts",
                panel,
                between(frame, answered(frame, panel, asked), theirs),
            )
            for panel in machines
        ),
    ]


def over(asked: Sequence[int]) -> str:
    """Return over which questions a figure is, in words."""
    return "over all questions" if len(asked) > 1 else "over the question"


def met(frame: Frame, found: Sequence[Comparison]) -> Mask:
    """Ratings that stand in a pair of any of these comparisons."""
    rows = np.zeros(frame.judge.size, np.bool_)
    for one in found:
        rows[one.pairs.first] = rows[one.pairs.second] = True
    return rows


def resting(frame: Frame, found: Sequence[Comparison]) -> str:
    """Return what a table of these comparisons rests on: what stands in their pairs."""
    return basis(frame, met(frame, found), unit=UNIT)


def named(question: Closed) -> str:
    """Return how a table names a question: by its number and its key."""
    return f"{question.number} {question.key.replace('_', ' ')}"


def answered(frame: Frame, panel: Panel, asked: Sequence[int]) -> Codes:
    """Positions of a panel's answers to some questions, "not applicable" included."""
    rows = np.isin(frame.question, asked) & ~np.isnan(frame.number)
    return np.flatnonzero(frame.of(panel) & rows)


def answers(frame: Frame, rows: Codes) -> Numbers:
    """Return what was answered, "not applicable" as a code that no scale has."""
    return np.where(frame.na[rows], NA, frame.number[rows])


def cell(frame: Frame, rows: Codes) -> NDArray[np.intp]:
    """Return a code for the item and question of each rating."""
    return frame.item[rows] * len(frame.questions) + frame.question[rows]


def among(frame: Frame, rows: Codes) -> Pairs:
    """Every two answers in `rows` to the same question about the same item."""
    rows = rows[np.lexsort((frame.judge[rows], cell(frame, rows)))]
    cells = cell(frame, rows)
    first, second = [rows[:0]], [rows[:0]]
    # In sorted order an answer's partners follow it: look one further until nobody has one.
    for step in range(1, len(rows)):
        same = cells[:-step] == cells[step:]
        if not same.any():
            break
        first.append(rows[:-step][same])
        second.append(rows[step:][same])
    return Pairs(np.concatenate(first), np.concatenate(second))


def between(frame: Frame, mine: Codes, theirs: Codes) -> Pairs:
    """Each answer of one machine judge with each expert's to the same question and item."""
    if not mine.size:
        return Pairs(mine, mine)
    mine = mine[np.argsort(cell(frame, mine))]
    cells = cell(frame, mine)
    place = np.minimum(np.searchsorted(cells, cell(frame, theirs)), mine.size - 1)
    same = cells[place] == cell(frame, theirs)
    return Pairs(mine[place][same], theirs[same])


def by_two(frame: Frame, pairs: Pairs) -> Iterator[tuple[int, int, Pairs]]:
    """Yield the pairs of every two judges who share a poem, with the two judges' codes."""
    one, other = frame.judge[pairs.first], frame.judge[pairs.second]
    code = one * len(frame.seats) + other
    order = np.argsort(code, kind="stable")
    found, starts = np.unique(code[order], return_index=True)
    for each, positions in zip(found.tolist(), np.split(order, starts[1:]), strict=False):
        first, second = divmod(each, len(frame.seats))
        yield first, second, Pairs(pairs.first[positions], pairs.second[positions])
