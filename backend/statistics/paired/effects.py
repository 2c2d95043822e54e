"""How much the ranks of two authors' differences speak for one of them."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, stdtrit

from backend.statistics.clusters import FEW, NO_VARIATION, check_confidence
from backend.statistics.estimate import Estimate, undefined
from backend.statistics.paired.differences import all_equal, counted, differences, no_pair


def rank_biserial(
    x: ArrayLike, y: ArrayLike, *, level: str = "title", confidence: float = 0.95
) -> Estimate:
    """Matched-pairs rank-biserial correlation, the effect size of the signed-rank test.

    ``(W+ - W-) / (W+ + W-)``, which is the share of positive less that of negative sums among all
    differences taken two at a time, each also with itself. Each pair is left out in turn
    (jackknife) for its standard error s. The interval is ``value -+ t(n - 1) * s``, reached on the
    logit scale of ``(1 + value) / 2``, where it covers better than on its own: it stays within
    [-1, 1], and need not agree with the test, which takes the differences for symmetric.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Paired scores. ``nan`` = no score; the pair is left out and counted as ``n_dropped``.
        Differences are rounded to nine decimals; equal pairs are left out (``n_zero``).
    level : str
        What one pair is.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        In [-1, 1], positive if the first scores tend to be higher; ``n`` is the number of pairs
        that differ. Undefined if there is none. The interval alone is undefined, with the reason,
        with one such pair or where all differ in the same direction.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, a difference is a billion or
        more, or `confidence` is not between 0 and 1.

    References
    ----------
    Kerby, D. S. (2014). The simple difference formula. Comprehensive Psychology 3.
    Arvesen, J. N. (1969). Jackknifing U-statistics. Annals of Mathematical Statistics 40(6).
    """
    check_confidence(confidence)
    between, n_dropped = differences(x, y)
    moved = between[between != 0]
    n = moved.size
    counts = {"n_zero": between.size - n, "n_dropped": n_dropped}
    method = (
        "matched-pairs rank-biserial correlation, equal pairs left out; "
        f"{100 * confidence:g} % interval by the jackknife over {level}s, logit scale, t(n - 1)"
    )
    if not n:
        reason = all_equal(level) if between.size else no_pair(level)
        return undefined(reason, method=method, level=level, counts=counts)
    ordered = np.sort(moved)
    above = n - np.searchsorted(ordered, -moved, side="right")
    # What would be lost with each pair: the signs of its sums with all, itself among them.
    lost = (above - np.searchsorted(ordered, -moved, side="left")).astype(np.int64)
    total = (int(lost.sum()) + int(np.sign(moved).sum())) // 2
    value = total / (n * (n + 1) // 2)
    error, reason = _error(total, lost, level)
    low = high = math.nan
    if not reason:
        low, high = _bounds(value, error, n - 1, confidence)
    few = n < FEW and not reason
    notes = (f"only {counted(n, level)}: the interval is a rough guide",) if few else ()
    return Estimate(
        value,
        n=n,
        method=method,
        level=level,
        reason=reason,
        low=low,
        high=high,
        counts=counts,
        notes=notes,
    )


def _error(total: int, lost: NDArray[np.int64], level: str) -> tuple[float, str]:
    n = lost.size
    if n < 2:
        return math.nan, f"only one {level} differs: how much they vary cannot be estimated"
    without = (total - lost) / (n * (n - 1) // 2)
    error = math.sqrt((n - 1) * float(np.var(without)))
    if error < NO_VARIATION:
        return math.nan, f"every {level} differs in the same direction: nothing varies"
    return error, ""


def _bounds(value: float, error: float, df: int, confidence: float) -> tuple[float, float]:
    share = (1 + value) / 2
    reach = float(stdtrit(df, (1 + confidence) / 2)) * error / 2 / (share * (1 - share))
    centre = float(logit(share))
    return 2 * float(expit(centre - reach)) - 1, 2 * float(expit(centre + reach)) - 1
