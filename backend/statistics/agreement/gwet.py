"""Gwet's AC1 and AC2: agreement beyond chance that survives very uneven answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.agreement import dyads
from backend.statistics.agreement.dyads import Floats, Judges, Pairs
from backend.statistics.agreement.scales import noise, places_on, scale_of
from backend.statistics.estimate import Estimate, undefined

AcWeights = Literal["identity", "linear", "quadratic", "ordinal"]

_LEVEL = "poem"


def gwet_ac(
    ratings: ArrayLike,
    *,
    weights: AcWeights = "identity",
    categories: Sequence[float] | None = None,
    confidence: float = 0.95,
    judges: Judges = "random",
) -> Estimate:
    """Gwet's AC1 (identity weights) or AC2 for any number of judges, with ratings missing.

    ``(p_a - p_e) / (1 - p_e)``. p_a is the mean over poems of the weighted agreement of their
    pairs of ratings; ``p_e = sum(w) / (q (q - 1)) * sum(pi (1 - pi))`` with q categories, pi the
    mean over poems of the share of their ratings in a category, and w the weights.

    Parameters
    ----------
    ratings : array-like of float, shape (n_judges, n_poems)
        ``nan`` = not rated. Rounded to nine decimals, like `categories`, so that equal means tie.
    weights : {"identity", "linear", "quadratic", "ordinal"}
        What two different answers still agree: nothing; 1 less their distance over the length
        of the scale; 1 less the square of that; or by ranks, 1 less the number of pairs of
        categories between them over that on the whole scale.
    categories : sequence of float or None
        All points of the scale. Those that nobody chose count for chance and for the length of
        the scale; ``None`` = the points that were chosen.
    confidence : float
        Coverage asked for, between 0 and 1.
    judges : {"random", "fixed"}
        Whether the interval allows for other poems and other judges, or for other poems only,
        which is Gwet's own.

    Returns
    -------
    Estimate
        At most 1; 0 is chance; ``n`` is the number of poems with a rating. ``counts`` holds
        ``n_titles`` (those poems), ``n_judges`` and ``n_single`` (poems with one rating, which
        count for chance only). The interval is AC -+ t times the error of its linearisation, by
        `dyads.dyadic_parts` with J - 1 degrees of freedom; if judges are fixed, by poems with
        n - 1. Undefined if no poem has two ratings, or there is one category only. The interval
        alone is undefined, with the reason, for fewer than two poems or three judges that are
        not fixed, and where nothing varies.

    Raises
    ------
    ValueError
        If `ratings` are not two-dimensional, one of them is not among `categories`, these
        repeat a point, `weights` or `judges` is another word, or `confidence` is not between 0
        and 1.

    References
    ----------
    Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of
    high agreement. British Journal of Mathematical and Statistical Psychology 61.
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed.
    """
    clusters.check_confidence(confidence)
    dyads.check_judges(judges)
    if weights not in get_args(AcWeights):
        raise ValueError(f"weights must be one of {', '.join(get_args(AcWeights))}")
    table = dyads.panel(ratings)
    scale = scale_of(table, categories)
    rated = ~np.isnan(table)
    pairs = dyads.pairs_of(table)
    sizes = rated.sum(axis=0)
    counts = {
        "n_titles": int((sizes > 0).sum()),
        "n_judges": int(rated.any(axis=1).sum()),
        "n_single": int((sizes == 1).sum()),
    }
    name = "Gwet's AC1" if weights == "identity" else f"Gwet's AC2, {weights} weights"
    method = f"{name}; {dyads.interval_method(confidence, judges)}"
    n = counts["n_titles"]
    reason = "" if pairs.poems.size else "no poem has two ratings"
    if not reason and scale.size < 2:
        reason = "one category only: name all points of the scale to know what chance would give"
    if reason:
        return undefined(reason, method=method, level=_LEVEL, n=n, counts=counts)
    found = _linearised(table, pairs, scale, _weights(scale, weights))
    value = Estimate(found.value, n=n, method=method, level=_LEVEL, counts=counts)
    parts = dyads.coefficient_parts(
        found.influences, clusters.codes(found.poems), found.first, found.second, judges
    )
    length = 1.0 if weights in ("identity", "ordinal") else float(scale[-1] - scale[0])
    return dyads.with_coefficient_interval(value, parts, confidence, noise=noise(scale, length))


def _weights(scale: Floats, weights: AcWeights) -> Floats:
    """How far any two points of a scale agree, from 0 to 1."""
    if weights == "identity":
        return np.eye(scale.size)
    if weights == "ordinal":
        places = np.arange(scale.size, dtype=np.float64)
        steps = np.abs(np.subtract.outer(places, places))
        between: Floats = 1 - steps * (steps + 1) / (scale.size * (scale.size - 1))
        return between
    distance: Floats = np.abs(np.subtract.outer(scale, scale)) / (scale[-1] - scale[0])
    agreement: Floats = 1 - (distance if weights == "linear" else np.square(distance))
    return agreement


@dataclass(frozen=True)
class _Linearised:
    """AC and the derivative of it by each pair of ratings, and by each rating without a pair."""

    value: float
    influences: Floats
    poems: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]


def _linearised(table: Floats, pairs: Pairs, scale: Floats, agreement: Floats) -> _Linearised:
    left, right = places_on(scale, pairs.left), places_on(scale, pairs.right)
    sizes = (~np.isnan(table)).sum(axis=0)
    single = np.flatnonzero(sizes == 1)
    alone = np.argmax(~np.isnan(table[:, single]), axis=0)
    answers = places_on(scale, table[alone, single])
    n, n_paired = int((sizes > 0).sum()), int((sizes > 1).sum())

    # Each pair is a part of its poem: 2 / (m (m - 1)) of it, and so of its shares of answers.
    of_poem = 2 / (pairs.sizes * (pairs.sizes - 1))
    given = np.concatenate([left, right, answers])
    parts = np.concatenate([of_poem / 2, of_poem / 2, np.ones(answers.size)])
    shares: Floats = np.bincount(given, weights=parts, minlength=scale.size) / n
    spread = float(agreement.sum()) / (scale.size * (scale.size - 1))
    observed = float((of_poem * agreement[left, right]).sum()) / n_paired
    by_chance = spread * float((shares * (1 - shares)).sum())
    value = (observed - by_chance) / (1 - by_chance)

    # Gwet's linearisation: of an answer, twice what it adds to chance, less that on average.
    excess = 2 * (1 - value) * (spread * (1 - shares) - by_chance) / (1 - by_chance)
    beyond = (agreement[left, right] - by_chance) / (1 - by_chance)
    of_pairs = of_poem * (beyond / n_paired - (value + (excess[left] + excess[right]) / 2) / n)
    of_single = -(value + excess[answers]) / n
    return _Linearised(
        value,
        np.concatenate([of_pairs, of_single]),
        np.concatenate([pairs.poems, single]),
        np.concatenate([pairs.first, alone]),
        np.concatenate([pairs.second, alone]),
    )
