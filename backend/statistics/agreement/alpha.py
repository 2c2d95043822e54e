"""Krippendorff's alpha: disagreement against what the answers would disagree in any pairing."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from backend.statistics import clusters
from backend.statistics.agreement import dyads
from backend.statistics.agreement.dyads import Floats, Judges, Pairs
from backend.statistics.agreement.scales import noise, rounded
from backend.statistics.estimate import Estimate, undefined

Metric = Literal["nominal", "ordinal", "interval"]

_LEVEL = "rating of a poem that two or more judges rated"


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    metric: Metric = "ordinal",
    na_code: float | None = None,
    confidence: float = 0.95,
    judges: Judges = "random",
) -> Estimate:
    """Krippendorff's alpha for any number of judges, with ratings missing.

    ``1 - D_o / D_e``: the mean difference between two ratings of one poem, over that between any
    two ratings. A poem with m ratings gives each of its pairs the weight ``1 / (m - 1)``. The
    difference of two answers is 0 or 1 (nominal), the square of their distance (interval), or
    the square of the number of ratings that lie between them (ordinal), which is the interval
    difference of their mid-ranks.

    Parameters
    ----------
    ratings : array-like of float, shape (n_judges, n_poems)
        ``nan`` = not rated. Rounded to nine decimals, like `na_code`, so that equal means tie.
    metric : {"ordinal", "nominal", "interval"}
        How far two answers are apart.
    na_code : float or None
        A code to leave out like a missing rating, as "not applicable" on a scale of points.
    confidence : float
        Coverage asked for, between 0 and 1.
    judges : {"random", "fixed"}
        Whether the interval allows for other poems and other judges, or for other poems only.

    Returns
    -------
    Estimate
        At most 1; 0 is chance; ``n`` is the number of ratings with a partner. ``counts`` holds
        ``n_titles`` (poems), ``n_judges`` and ``n_dropped`` (ratings without a partner). The
        interval is alpha -+ t times the error that its linearisation over pairs of ratings has
        by `dyads.dyadic_parts`, with J - 1 degrees of freedom; if judges are fixed, by poems
        only, with P - 1. Undefined if no poem has two ratings or all answers are the same. The
        interval alone is undefined, with the reason, for fewer than two poems or three judges
        that are not fixed, and where nothing varies.

    Raises
    ------
    ValueError
        If `ratings` are not two-dimensional, `metric` or `judges` is another word, or
        `confidence` is not between 0 and 1.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
    Pennsylvania.
    Hayes, A. F., Krippendorff, K. (2007). Answering the call for a standard reliability measure
    for coding data. Communication Methods and Measures 1(1).
    """
    clusters.check_confidence(confidence)
    dyads.check_judges(judges)
    if metric not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"metric must be nominal, ordinal or interval, got {metric!r}")
    table = dyads.panel(ratings)
    if na_code is not None:
        table = np.where(table == rounded(na_code), np.nan, table)
    pairs = dyads.pairs_of(table)
    paired = np.unique(pairs.poems)
    n = int((~np.isnan(table[:, paired])).sum())
    counts = {
        "n_titles": paired.size,
        "n_judges": np.unique(np.concatenate([pairs.first, pairs.second])).size,
        "n_dropped": int((~np.isnan(table)).sum()) - n,
    }
    method = f"Krippendorff's alpha, {metric}; {dyads.interval_method(confidence, judges)}"
    if not n:
        return undefined("no poem has two ratings", method=method, level=_LEVEL, counts=counts)
    found = _differences(pairs, metric)
    if found is None:
        return undefined(
            "every answer is the same: there is no chance disagreement to compare with",
            method=method,
            level=_LEVEL,
            n=n,
            counts=counts,
        )
    value = Estimate(found.alpha, n=n, method=method, level=_LEVEL, counts=counts)
    parts = dyads.coefficient_parts(
        _influences(pairs, found), clusters.codes(pairs.poems), pairs.first, pairs.second, judges
    )
    return dyads.with_coefficient_interval(value, parts, confidence, noise=found.noise)


@dataclass(frozen=True)
class _Differences:
    """Differences within poems and between any two ratings.

    Attributes
    ----------
    left, right : array of int, shape (n_pairs,)
        The category of each rating of a pair.
    within : array of float, shape (n_pairs,)
        How far the two are apart.
    n : array of float, shape (n_categories,)
        How often each answer was given, by ratings with a partner.
    to_all : array of float, shape (n_categories,)
        Sum of the differences of an answer from all ratings.
    ranks : array of float, shape (n_categories,) or None
        Mid-ranks, if differences depend on how often answers were given.
    observed, expected : float
        Sums of differences over pairs within poems, by their weight, and over all pairs.
    noise : float
        What standard error may be left by rounding alone.
    """

    left: dyads.Codes
    right: dyads.Codes
    within: Floats
    n: Floats
    to_all: Floats
    ranks: Floats | None
    observed: float
    expected: float
    noise: float

    @property
    def alpha(self) -> float:
        return 1 - (float(self.n.sum()) - 1) * self.observed / self.expected


def _differences(pairs: Pairs, metric: Metric) -> _Differences | None:
    """Return all differences, or None if there are none."""
    categories, places = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
    if categories.size < 2:
        return None
    left, right = np.split(places, 2)
    weights = 1 / (pairs.sizes - 1)
    n = np.bincount(places, weights=np.concatenate([weights, weights])).astype(np.float64)
    ranks = np.cumsum(n) - n / 2 if metric == "ordinal" else None
    within: Floats
    to_all: Floats
    if metric == "nominal":
        within, to_all = (left != right).astype(np.float64), n.sum() - n
    else:
        # Centred, so that the squares of large codes lose no digits.
        points = categories if ranks is None else ranks
        points = points - (n * points).sum() / n.sum()
        within = np.square(points[left] - points[right])
        to_all = n.sum() * np.square(points) + (n * np.square(points)).sum()
    expected = float((n * to_all).sum())
    return _Differences(
        left,
        right,
        within,
        n,
        to_all,
        ranks,
        observed=float((2 * weights * within).sum()),
        expected=expected,
        noise=noise(categories, math.sqrt(expected) / n.sum()) if metric == "interval" else 0.0,
    )


def _influences(pairs: Pairs, found: _Differences) -> Floats:
    """Derivative of alpha by the weight of each pair of ratings, all that follows included.

    A pair changes the differences within poems, how often its two answers were given and, where
    the metric is ordinal, the ranks of all answers.
    """
    weights = 1 / (pairs.sizes - 1)
    less_one = float(found.n.sum()) - 1
    by_observed = -less_one / found.expected
    by_expected = less_one * found.observed / found.expected**2
    of_answer = by_expected * 2 * found.to_all - found.observed / found.expected
    if found.ranks is not None:
        ranks, n = found.ranks, found.n
        partners = np.bincount(
            np.concatenate([found.left, found.right]),
            weights=np.concatenate([weights * ranks[found.right], weights * ranks[found.left]]),
        )
        of_answer += by_observed * _by_ranks(n * ranks - partners)
        of_answer += by_expected * _by_ranks(n * (n.sum() * ranks - (n * ranks).sum()))
    influences = by_observed * 2 * found.within + of_answer[found.left] + of_answer[found.right]
    return dyads.centred(weights * influences, weights)


def _by_ranks(slopes: Floats) -> Floats:
    """Derivative of a sum of squared rank differences by how often each answer was given.

    One more rating of an answer lifts the mid-ranks of all above it by 1 and its own by 1/2.
    """
    above = slopes.sum() - np.cumsum(slopes)
    lifted: Floats = 4 * (above + slopes / 2)
    return lifted
