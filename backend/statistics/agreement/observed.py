"""How often two raters gave the same answer to the same question about the same poem."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics.estimate import Estimate, undefined

_LEVEL = "pair of ratings (poem by item)"

NotApplicable = Literal["category", "exclude"]


def pao(
    a: ArrayLike,
    b: ArrayLike,
    *,
    na: NotApplicable = "category",
    na_code: float | None = 0,
    tolerance: float = 0,
) -> Estimate:
    """Observed proportion of agreement between two raters.

    ``2A / (n_a + n_b)`` over the pairs that both rated, so that ``n_a = n_b`` and the
    proportion cannot exceed 1. Nothing is taken off for agreement by chance.

    Parameters
    ----------
    a, b : array-like of float, shape (n_poems, n_items) or (n_pairs,)
        Answers of the two raters, in the same places. ``nan`` = not rated.
    na : {"category", "exclude"}
        Whether "not applicable" is an answer like any other, or takes its pair out.
    na_code : float or None
        The code of "not applicable"; ``None`` if the scale has none.
    tolerance : float
        How many scale points apart still counts as agreement. "Not applicable" is no scale
        point: it agrees with itself only, however large the tolerance.

    Returns
    -------
    Estimate
        Between 0 and 1; ``n`` is the number of pairs compared. ``counts`` holds
        ``n_agreements``, ``n_dropped`` (pairs that only one of the two, or neither, rated) and
        ``n_excluded`` (pairs taken out as not applicable). Undefined if no pair is left.

    Raises
    ------
    ValueError
        If the shapes differ or have more than two dimensions, or `tolerance` is negative.

    References
    ----------
    Neuendorf, K. A. (2017). The Content Analysis Guidebook, 2nd ed., ch. 6.
    Holsti, O. R. (1969). Content Analysis for the Social Sciences and Humanities, p. 140.
    """
    first, second = _ratings(a, b)
    if tolerance < 0:
        raise ValueError(f"tolerance must not be negative, got {tolerance}")
    method = _method(na, na_code, tolerance)

    rated = ~(np.isnan(first) | np.isnan(second))
    left, right = first[rated], second[rated]
    code = math.nan if na_code is None else na_code  # nan equals no answer
    left_na, right_na = left == code, right == code
    kept = ~(left_na | right_na) if na == "exclude" else np.ones(left.shape, dtype=np.bool_)
    agree = (np.abs(left - right) <= tolerance) & (left_na == right_na) & kept

    n = int(kept.sum())
    counts = {
        "n_agreements": int(agree.sum()),
        "n_dropped": int(rated.size - rated.sum()),
        "n_excluded": int(kept.size - n),
    }
    if n == 0:
        reason = (
            "every answer that the two share is 'not applicable' for one of them"
            if kept.size
            else "the two raters have no rated poem in common"
        )
        return undefined(reason, method=method, level=_LEVEL, counts=counts)
    return Estimate(2 * counts["n_agreements"] / (n + n), n, method, _LEVEL, counts=counts)


def pao_by_item(
    a: ArrayLike,
    b: ArrayLike,
    *,
    na: NotApplicable = "category",
    na_code: float | None = 0,
    tolerance: float = 0,
) -> tuple[Estimate, ...]:
    """Observed proportion of agreement on each item, in the order of the columns.

    Parameters
    ----------
    a, b : array-like of float, shape (n_poems, n_items)
        As in `pao`, as are the three switches.

    Returns
    -------
    tuple of Estimate
        One for each item; weighted by their ``n`` they average to `pao` of the whole table.

    Raises
    ------
    ValueError
        If the shapes differ or are not two-dimensional, or `tolerance` is negative.
    """
    first, second = _ratings(a, b)
    if first.ndim != 2:
        raise ValueError(f"ratings must be poems by items, got {first.ndim} dimension(s)")
    return tuple(
        pao(left, right, na=na, na_code=na_code, tolerance=tolerance)
        for left, right in zip(first.T, second.T, strict=True)
    )


def _ratings(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"ratings differ in shape: {first.shape} and {second.shape}")
    if first.ndim not in (1, 2):
        raise ValueError(f"ratings must have one or two dimensions, got {first.ndim}")
    return first, second


def _method(na: NotApplicable, na_code: float | None, tolerance: float) -> str:
    closeness = f"within {tolerance:g}" if tolerance else "exact"
    if na_code is None:
        return f"PAo, {closeness}"
    treated = "as a category" if na == "category" else "excluded by pair"
    return f"PAo, {closeness}, not applicable {treated}"
