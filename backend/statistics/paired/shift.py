"""By how much one author is scored above another on the same titles: Hodges and Lehmann's shift."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from backend.statistics.clusters import check_confidence
from backend.statistics.estimate import Estimate, undefined
from backend.statistics.paired.differences import (
    PER_UNIT,
    Integers,
    counted,
    differences,
    no_pair,
)

Places = NDArray[np.intp]

_EXACT_UP_TO = 500
# Beyond, counting takes less time than listing, and always less memory.
_LISTED_UP_TO = 800
# A tail that equals half of alpha but for rounding is within it.
_ROUNDING = 1e-12


def hodges_lehmann(
    x: ArrayLike, y: ArrayLike, *, level: str = "title", confidence: float = 0.95
) -> Estimate:
    """Median of the means of all differences taken two at a time, with its interval.

    The n differences have ``M = n(n + 1)/2`` such Walsh means, each difference also with itself.
    The interval runs from the k-th smallest to the k-th largest of them, where k is the largest
    for which the signed-rank statistic of n untied pairs is below k with a chance of at most half
    of ``1 - confidence``: it holds the shifts that the test does not reject. It asks that
    differences be symmetric about the shift, and nothing else. Without ties it is exact. With
    ties or equal pairs, which stay in, its closed ends cover at least as often (Noether 1967).

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Paired scores. ``nan`` = no score; the pair is left out and counted as ``n_dropped``.
        Differences are rounded to nine decimals.
    level : str
        What one pair is.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        In the unit of the scores, positive if the first are higher; ``counts`` of ``n_zero`` and
        ``n_dropped``. Undefined without a pair. The interval alone is undefined, with the reason,
        if the pairs are too few for the coverage or all differ by the same amount.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, a difference is a billion or
        more, or `confidence` is not between 0 and 1.

    References
    ----------
    Hodges, J. L., Lehmann, E. L. (1963). Estimates of location based on rank tests. Annals of
    Mathematical Statistics 34(2).
    Hollander, M., Wolfe, D. A. (1999). Nonparametric statistical methods, 3.3, with the normal
    approximation (3.39) beyond 500 pairs.
    Noether, G. E. (1967). Wilcoxon confidence intervals for location parameters in the discrete
    case. Journal of the American Statistical Association 62(317).
    """
    check_confidence(confidence)
    between, n_dropped = differences(x, y)
    n = between.size
    counts = {"n_zero": int(n - np.count_nonzero(between)), "n_dropped": n_dropped}
    method = f"Hodges-Lehmann, median of the pairwise means; {design(n, confidence)}"
    if not n:
        return undefined(no_pair(level), method=method, level=level, counts=counts)
    found = shift(between, level=level, confidence=confidence)
    return Estimate(
        found.value,
        n=n,
        method=method,
        level=level,
        reason=found.reason,
        low=found.low,
        high=found.high,
        counts=counts,
    )


@dataclass(frozen=True)
class Shift:
    """A shift in the unit of the scores; `reason` says why its bounds are ``nan``."""

    value: float
    low: float
    high: float
    reason: str


def shift(between: Integers, *, level: str, confidence: float) -> Shift:
    """Return the shift of at least one difference, given in billionths."""
    ordered = np.sort(between)
    n_sums = ordered.size * (ordered.size + 1) // 2
    place = _place(ordered.size, confidence)
    middle = (n_sums + 1) // 2, n_sums // 2 + 1
    sums = _sums(ordered, (*middle, max(place, 1), n_sums + 1 - max(place, 1)))
    value = (sums[0] + sums[1]) / 4 / PER_UNIT
    reason = _reason(ordered, place, level, confidence)
    if reason:
        return Shift(value, math.nan, math.nan, reason)
    return Shift(value, sums[2] / 2 / PER_UNIT, sums[3] / 2 / PER_UNIT, "")


def design(n: int, confidence: float) -> str:
    """Return how the interval of n pairs is reached, in words for the methods section."""
    if n > _EXACT_UP_TO:
        how = "normal approximation to the signed-rank distribution"
    else:
        how = "exact by the signed-rank distribution, conservative with ties"
    return f"{100 * confidence:g} % interval, {how}"


def _sums(ordered: Integers, places: tuple[int, ...]) -> list[int]:
    """The sums of two, each also with itself, that stand at these places among all, from 1."""
    if ordered.size > _LISTED_UP_TO:
        return _counted_sums(ordered, places)
    first, second = _pairs(ordered.size)
    at = np.array(places) - 1
    found: list[int] = np.partition(ordered[first] + ordered[second], at)[at].tolist()
    return found


def _counted_sums(ordered: Integers, places: tuple[int, ...]) -> list[int]:
    """The same by counting, without listing all n(n + 1)/2 of them."""

    def n_up_to(total: int) -> int:
        partners = int(np.searchsorted(ordered, total - ordered, side="right").sum())
        return (partners + int(np.count_nonzero(2 * ordered <= total))) // 2

    sums = range(2 * int(ordered[0]), 2 * int(ordered[-1]) + 1)
    return [sums[bisect_left(sums, place, key=n_up_to)] for place in places]


@lru_cache(maxsize=8)
def _pairs(n: int) -> tuple[Places, Places]:
    return np.triu_indices(n)


@lru_cache(maxsize=1024)
def _place(n: int, confidence: float) -> int:
    """Which smallest and which largest mean are the bounds; 0 where n is too small."""
    tail = (1 - confidence) / 2
    if n > _EXACT_UP_TO:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(n * (n + 1) / 4 + 0.5 + float(ndtri(tail)) * spread)
    chances = np.zeros(n * (n + 1) // 4 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        chances /= 2
        if rank < chances.size:
            chances[rank:] += chances[:-rank]
    return int(np.searchsorted(np.cumsum(chances), tail * (1 + _ROUNDING), side="right"))


def _reason(ordered: Integers, place: int, level: str, confidence: float) -> str:
    if not place:
        widest = 100 * (1 - 2.0 ** (1 - ordered.size))
        return (
            f"{counted(ordered.size, level)} can give no {100 * confidence:g} % interval of the "
            f"median difference: the widest covers {widest:.4g} %"
        )
    if ordered[0] == ordered[-1]:
        return f"the difference is the same on every {level}: nothing varies"
    return ""
