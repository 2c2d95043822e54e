"""What the signed-rank test of one model shares with that of all: exact p, shift and words."""

import math
from typing import Literal, get_args

import numpy as np

from backend.statistics.paired.differences import Integers, all_equal, counted, no_pair
from backend.statistics.paired.shift import Shift, shift

# 2**500 sign changes are still a float.
EXACT_UP_TO = 500
BY_PRATT = "compare with zeros by Pratt"

Zeros = Literal["wilcox", "pratt"]


def check_zeros(zeros: str) -> None:
    """Refuse an unknown rule for equal pairs.

    Raises
    ------
    ValueError
        If it is neither "wilcox" nor "pratt".
    """
    if zeros not in get_args(Zeros):
        raise ValueError(f"zeros must be one of {', '.join(get_args(Zeros))}, got {zeros!r}")


def exact_p(ranks: Integers, smaller: int) -> float:
    """Twice the share of all sign changes with a rank sum as small as the smaller of the two.

    Parameters
    ----------
    ranks : array of int, shape (n,)
        Ranks of the pairs that differ, doubled so that they are whole; at least one and at most
        `EXACT_UP_TO`.
    smaller : int
        The smaller of the rank sums of positive and of negative differences, doubled as well.
    """
    step = int(np.gcd.reduce(ranks))
    most = smaller // step
    ways = np.zeros(most + 1)
    ways[0] = 1.0
    # In ascending order, sums beyond what was reached so far need no addition.
    reached = 0
    for rank in np.sort(ranks // step).tolist():
        if rank > most:
            break
        reached = min(reached + rank, most)
        ways[rank : reached + 1] += ways[: reached + 1 - rank]
    return min(1.0, math.ldexp(float(ways.sum()), 1 - ranks.size))


def shift_of(between: Integers, n_zero: int, level: str, confidence: float) -> Shift:
    """Return the shift of differences in billionths, of which `n_zero` are zero."""
    if between.size == n_zero:
        # The test itself is then undefined and says why.
        return Shift(0.0 if n_zero else math.nan, math.nan, math.nan, "")
    return shift(between, level=level, confidence=confidence)


def method(zeros: Zeros, *, exact: bool, tied: bool) -> str:
    """Return how p was reached, in words for the methods section."""
    if exact:
        how = "exact with ties" if tied else "exact"
    else:
        how = "normal approximation with tie correction, no continuity correction"
    return f"Wilcoxon signed-rank, {how}, zeros {'dropped' if zeros == 'wilcox' else 'by Pratt'}"


def reason(n: int, n_zero: int, level: str) -> str:
    """Return why there is no p-value; empty if there is one."""
    if n == 0:
        return no_pair(level)
    if n == n_zero:
        return all_equal(level)
    return ""


def notes(n: int, n_zero: int, zeros: Zeros, level: str) -> tuple[str, ...]:
    """Return cautions about few differing pairs and about many equal ones."""
    found = []
    smallest = 2.0 ** (1 + n_zero - n)
    if n > n_zero and smallest > 0.05:
        differing = counted(n - n_zero, f"differing {level}")
        found.append(f"with {differing} no p-value below {smallest:g} is possible")
    if zeros == "wilcox" and n > n_zero > 0.05 * n:
        having = "have" if n_zero > 1 else "has"
        found.append(f"{n_zero} of {counted(n, level)} {having} equal scores: {BY_PRATT}")
    return tuple(found)
