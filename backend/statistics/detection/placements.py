"""Scores of human and machine poems, their clusters, and the place of each among the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.clusters import Codes, Floats
from backend.statistics.estimate import Estimate, undefined
from backend.statistics.rounding import DECIMALS

METHOD = "ROC-AUC, human positive, ties half"


@dataclass(frozen=True)
class Sample:
    """Scores that were given, side by side, and the clusters of all of them in that order.

    Attributes
    ----------
    sides : tuple of array of float
        The scores of each side, those that were not given left out.
    titles, judges : array of int, shape (n,)
        The clusters of all scores, one side after the other; ``judges`` is ``None`` where they
        are fixed.
    n_asked : int
        How many scores there would be, had all been given.
    """

    sides: tuple[Floats, ...]
    titles: Codes
    judges: Codes | None
    n_asked: int

    @property
    def n(self) -> int:
        return sum(side.size for side in self.sides)

    @property
    def n_titles(self) -> int:
        return np.unique(self.titles).size

    @property
    def n_judges(self) -> int | None:
        return None if self.judges is None else np.unique(self.judges).size


def sample(
    named: Sequence[tuple[str, ArrayLike]],
    titles: Sequence[ArrayLike],
    judges: Sequence[ArrayLike | None],
) -> Sample:
    """Read the scores of each side, by name, and their clusters.

    Raises
    ------
    ValueError
        If the scores of a side are not one-dimensional, titles or judges do not match them, or
        judges are given for some sides only.
    """
    sides = tuple(one_row(values, side) for side, values in named)
    judged = ~np.isnan(np.concatenate(sides))
    return Sample(
        sides=tuple(given(side) for side in sides),
        titles=_codes(titles, sides)[judged],
        judges=_judges(judges, sides, judged),
        n_asked=judged.size,
    )


def one_row(values: ArrayLike, side: str) -> Floats:
    """Return scores as floats, rounded so that equal means tie.

    Raises
    ------
    ValueError
        If they are not one-dimensional.
    """
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1:
        raise ValueError(f"{side} scores must be one row, got {scores.ndim} dimension(s)")
    return np.round(scores, DECIMALS)


def given(scores: Floats) -> Floats:
    """Return the scores that are not ``nan``."""
    return scores[~np.isnan(scores)]


def area(human: Floats, machine: Floats, *, method: str, level: str, n_asked: int) -> Estimate:
    """Return the area under the curve without an interval; undefined if a side is empty."""
    n = human.size + machine.size
    counts = {"n_human": human.size, "n_machine": machine.size, "n_dropped": n_asked - n}
    if not (human.size and machine.size):
        reason = f"no {missing(human.size, machine.size)} was judged"
        return undefined(reason, method=method, level=level, n=n, counts=counts)
    return Estimate(area_of(human, machine), n=n, method=method, level=level, counts=counts)


def area_of(human: Floats, machine: Floats) -> float:
    """Return the share of pairs that the human poem wins, ties half; neither side is empty."""
    return int(twice_below(human, machine).sum()) / (2 * human.size * machine.size)


def missing(n_human: int, n_machine: int) -> str:
    """Return the kind of poem that there is none of."""
    return "machine poem" if n_human else "human poem" if n_machine else "poem"


def twice_below(scores: Floats, others: Floats) -> NDArray[np.int64]:
    """Twice the number of others below each score, ties half: an integer, so exact."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    not_above = np.searchsorted(ordered, scores, side="right")
    return (below + not_above).astype(np.int64)


def placements(human: Floats, machine: Floats) -> tuple[Floats, Floats]:
    """Return the share of the other side that each score is right about, ties half.

    For a human poem that is the share of machine poems below it, for a machine poem the share
    of human poems above it; the mean of either is the area.
    """
    return (
        twice_below(human, machine) / (2 * machine.size),
        1 - twice_below(machine, human) / (2 * human.size),
    )


def influences(human: Floats, machine: Floats, value: float) -> tuple[Floats, Floats]:
    """Return what each human and each machine score adds to the error of the area."""
    of_human, of_machine = placements(human, machine)
    return (of_human - value) / human.size, (of_machine - value) / machine.size


def no_variation(value: float) -> str:
    """Return why an area has no interval although there are enough titles and judges."""
    if value in (0.0, 1.0):
        return "every human poem is on the same side of every machine poem: nothing varies"
    return "the scores leave no variation between titles or judges"


def _codes(labels: Sequence[ArrayLike], sides: Sequence[Floats]) -> Codes:
    ids = [np.asarray(of_side) for of_side in labels]
    if [of_side.shape for of_side in ids] != [side.shape for side in sides]:
        raise ValueError("each score needs one title and, where judges are given, one judge")
    return clusters.codes(np.concatenate(ids))


def _judges(
    labels: Sequence[ArrayLike | None], sides: Sequence[Floats], judged: NDArray[np.bool_]
) -> Codes | None:
    named = [of_side for of_side in labels if of_side is not None]
    if not named:
        return None
    if len(named) < len(sides):
        raise ValueError("judges must be given for both sides or for neither")
    return _codes(named, sides)[judged]
