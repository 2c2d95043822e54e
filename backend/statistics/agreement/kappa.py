"""Cohen's kappa of two raters, or of two sides whose pairs of ratings are pooled."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from backend.statistics import clusters
from backend.statistics.agreement.scales import Floats, noise, places_on, rounded, scale_of
from backend.statistics.estimate import Estimate, undefined

KappaWeights = Literal["linear", "quadratic"]

_LEVEL = "pair of ratings"


def cohen_kappa(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: KappaWeights | None = None,
    categories: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Cohen's kappa of two raters, or of pooled pairs of ratings, plain or weighted.

    ``1 - sum(d p) / sum(d p_a p_b)``, with p the shares of pairs of answers, p_a and p_b the
    shares of each rater's answers, and d how far two answers are apart: 0 or 1; their distance
    (linear); its square (quadratic). Distances are those of the values themselves, so a point
    that nobody chose keeps its place: from 2 to 4 it is two steps though nobody chose 3.

    Parameters
    ----------
    a, b : array-like of float, shape (n,)
        Answers of the two sides in the same places: of two raters, or one pair of raters after
        the other. ``nan`` = not rated; the pair is dropped. Rounded to nine decimals, like
        `categories`, so that equal answers agree.
    weights : {"linear", "quadratic"} or None
        How far two different answers are apart; ``None`` = all the same.
    categories : sequence of float or None
        All points of the scale, to refuse what is not on it. The value does not depend on it.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        At most 1; 0 is chance; ``n`` is the number of pairs and ``counts`` has ``n_dropped``.
        The interval is the large-sample one of Fleiss, Cohen and Everitt, pairs taken for
        independent and raters for fixed; cut to [-1, 1]. Where the pairs of several raters are
        pooled it is too narrow, for they are not independent. Undefined if there is no pair, or
        both sides gave one and the same answer throughout. The interval alone is undefined, with
        the reason, if there is one pair only or the formula leaves no variation.

    Raises
    ------
    ValueError
        If the shapes differ or are not one-dimensional, an answer is not among `categories`,
        `weights` is another word, or `confidence` is not between 0 and 1.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70(4).
    Fleiss, J. L., Cohen, J., Everitt, B. S. (1969). Large sample standard errors of kappa and
    weighted kappa. Psychological Bulletin 72(5).
    """
    clusters.check_confidence(confidence)
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights must be linear, quadratic or None, got {weights!r}")
    first, second = rounded(a), rounded(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError("each answer of one rater needs its partner by the other, in one row")
    scale = scale_of(np.concatenate([first, second]), categories)
    rated = ~(np.isnan(first) | np.isnan(second))
    n = int(rated.sum())
    counts = {"n_dropped": int(rated.size - n)}
    method = (
        f"Cohen's kappa, {weights or 'no'} weights; {100 * confidence:g} % large-sample interval "
        "(Fleiss, Cohen and Everitt), for independent pairs and no other raters"
    )
    shares = _shares(places_on(scale, first[rated]), places_on(scale, second[rated]), scale.size)
    distances = _distances(scale, weights)
    expected = float((distances * np.outer(shares.sum(axis=1), shares.sum(axis=0))).sum())
    if not expected:
        reason = (
            "both sides always gave one and the same answer"
            if n
            else "the two sides have no rated poem in common"
        )
        return undefined(reason, method=method, level=_LEVEL, n=n, counts=counts)
    value = 1 - float((distances * shares).sum()) / expected
    error = _error(shares, distances, value, expected, n)
    rounding = noise(scale, expected if weights == "linear" else math.sqrt(expected))
    if n < 2 or error < max(clusters.NO_VARIATION, rounding):
        reason = "a single pair was compared" if n < 2 else "nothing varies between pairs"
        return Estimate(value, n=n, method=method, level=_LEVEL, reason=reason, counts=counts)
    reach = float(ndtri((1 + confidence) / 2)) * error
    low, high = max(-1.0, value - reach), min(1.0, value + reach)
    return Estimate(
        value, n=n, method=method, level=_LEVEL, reason="", low=low, high=high, counts=counts
    )


def _shares(first: NDArray[np.intp], second: NDArray[np.intp], size: int) -> Floats:
    table = np.bincount(first * size + second, minlength=size**2)
    shares: Floats = table / max(first.size, 1)
    return shares.reshape(size, size)


def _distances(scale: Floats, weights: KappaWeights | None) -> Floats:
    apart = np.abs(np.subtract.outer(scale, scale))
    if weights is None:
        return (apart > 0).astype(np.float64)
    return apart if weights == "linear" else np.square(apart)


def _error(shares: Floats, distances: Floats, value: float, expected: float, n: int) -> float:
    """Return the standard error: that of the mean of each pair's influence on kappa."""
    of_row = distances @ shares.sum(axis=0)
    of_column = shares.sum(axis=1) @ distances
    chance = np.add.outer(of_row, of_column) - 2 * expected
    influences = ((1 - value) * chance - (distances - (1 - value) * expected)) / expected
    mean = float((shares * influences).sum())
    return math.sqrt(max(float((shares * np.square(influences - mean)).sum()), 0.0) / max(n, 1))
