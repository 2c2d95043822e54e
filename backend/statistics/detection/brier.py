"""How far named probabilities are from the truth, and which part of that has which cause."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from backend.statistics import clusters
from backend.statistics.detection import forecasts
from backend.statistics.estimate import Estimate, Result

_METHOD = "mean squared error of the probability that a human wrote it (Brier)"


@dataclass(frozen=True)
class Brier(Result):
    """A Brier score and its parts.

    Attributes
    ----------
    value : float
        Mean squared error, 0 (perfect) to 1; 0.25 for whoever always says one half. ``nan``
        where it is undefined. ``value = reliability - resolution + uncertainty``.
    reliability : float
        How far the forecasts are from the shares that came true; 0 is best.
    resolution : float
        How far these shares are from the share of all; more is better, at most `uncertainty`.
    uncertainty : float
        ``share * (1 - share)`` of human poems: set by the design, not by the judge.
    skill : float
        ``1 - value / uncertainty``: 1 is perfect, 0 no better than always naming the share of
        human poems. ``nan``, with the reason, if all poems are of one kind.
    low, high : float
        Bounds of `value`; ``nan`` if no titles were given or, with the reason, if undefined.
    n, method, level, reason, counts, notes
        As in `Result`.
    """

    value: float = math.nan
    reliability: float = math.nan
    resolution: float = math.nan
    uncertainty: float = math.nan
    skill: float = math.nan
    low: float = math.nan
    high: float = math.nan


def brier(
    outcomes: ArrayLike,
    probabilities: ArrayLike,
    *,
    level: str,
    per: int = 1000,
    titles: ArrayLike | None = None,
    judges: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Brier:
    """Brier score of named probabilities, with Murphy's decomposition.

    ``value = mean((f - o)**2)``. With the n_k forecasts of value f_k, of which the share o_k
    came true, and the share o of all: ``reliability = sum n_k (f_k - o_k)**2 / n``,
    ``resolution = sum n_k (o_k - o)**2 / n``, ``uncertainty = o (1 - o)``. Forecasts are grouped
    by their exact value, so the three make up the score with nothing left over.

    Parameters
    ----------
    outcomes : array-like of int, shape (n,)
        1 where a human wrote the poem, 0 where a machine did.
    probabilities : array-like of int, shape (n,)
        The named probabilities that a human wrote it, whole numbers from 0 to `per`; ``nan`` =
        none named, left out and counted as ``n_dropped``.
    level : str
        What one forecast is, as "judgment".
    per : int
        What a certain forecast is: 1000 for per mille.
    titles, judges : array-like of int or str, shape (n,), or None
        The clusters of each forecast, for the interval of the score, that of
        `clusters.clustered_share`: on the logit scale where the score is above 0.9 or below 0.1.
        Without titles there is no interval; without judges it does not allow for other judges.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Brier
        Undefined, with the reason, if nothing was forecast. `skill` alone is undefined if all
        poems are of one kind.

    Raises
    ------
    ValueError
        If shapes differ, an outcome is neither 0 nor 1, a forecast is no whole number from 0 to
        `per`, judges are given without titles, or `confidence` is not between 0 and 1.

    References
    ----------
    Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly
    Weather Review 78(1).
    Murphy, A. H. (1973). A new vector partition of the probability score. Journal of Applied
    Meteorology 12(4).
    """
    clusters.check_confidence(confidence)
    if titles is None and judges is not None:
        raise ValueError("an interval by judges needs titles, too")
    read = forecasts.read(outcomes, probabilities, per)
    if not read.n:
        reason = "nothing was forecast"
        return Brier(n=0, method=_METHOD, level=level, reason=reason, counts=read.counts)
    errors = (read.probabilities - per * read.outcomes) ** 2
    value = int(errors.sum()) / (read.n * per**2)
    reliability, resolution, uncertainty = _parts(read)
    score = Brier(
        value=value,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        skill=1 - value / uncertainty if uncertainty else math.nan,
        n=read.n,
        method=_METHOD,
        level=level,
        reason="" if uncertainty else "all poems are of one kind: skill is not defined",
        counts=read.counts,
    )
    if titles is None:
        return score
    share = clusters.clustered_share(
        errors / per**2,
        read.kept(titles),
        None if judges is None else read.kept(judges),
        level=level,
        confidence=confidence,
    )
    return _with_interval(
        score, share, clusters.share_design(confidence, two_way=judges is not None)
    )


def _with_interval(score: Brier, share: Estimate, design: str) -> Brier:
    return replace(
        score,
        low=share.low,
        high=share.high,
        method=f"{score.method}; {design}",
        reason="; ".join(filter(None, (score.reason, share.reason))),
        counts={**score.counts, **share.counts},
        notes=share.notes,
    )


def _parts(read: forecasts.Forecasts) -> tuple[float, float, float]:
    values, places, sizes = np.unique(read.probabilities, return_inverse=True, return_counts=True)
    came_true = np.bincount(places, weights=read.outcomes)
    share = float(read.outcomes.mean())
    shares = came_true / sizes
    reliability = float(sizes @ (values / read.per - shares) ** 2) / read.n
    resolution = float(sizes @ (shares - share) ** 2) / read.n
    return reliability, resolution, share * (1 - share)
