"""The points of a scale, and the place of each answer on it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics.rounding import DECIMALS

Floats = NDArray[np.float64]


def rounded(answers: ArrayLike) -> Floats:
    """Return answers as floats, rounded so that equal means tie."""
    given: Floats = np.asarray(answers, dtype=np.float64)
    return np.round(given, DECIMALS)


def noise(answers: Floats, apart: float) -> float:
    """Return what standard error of a coefficient may be left by rounding alone.

    `apart` is how far answers typically differ: a coefficient is blind to their unit.
    """
    finite = np.abs(answers[np.isfinite(answers)])
    lost = max(10.0**-DECIMALS, float(np.spacing(finite.max(initial=0.0))))
    return 10 * lost / apart


def scale_of(ratings: Floats, categories: Sequence[float] | None) -> Floats:
    """Return the points of the scale in ascending order; those that were chosen, if not named.

    Ratings are `rounded`; the points named are rounded here.

    Raises
    ------
    ValueError
        If `categories` repeat a point or hold ``nan``, or a rating is not among them.
    """
    chosen = np.unique(ratings[~np.isnan(ratings)])
    if categories is None:
        return chosen
    named = rounded(list(categories))
    points = np.unique(named)
    if points.size != named.size or np.isnan(points).any():
        raise ValueError("each point of the scale must be named once")
    strangers = chosen[~np.isin(chosen, points)]
    if strangers.size:
        raise ValueError(f"{strangers[0]:g} is not among the points of the scale")
    return points


def places_on(scale: Floats, answers: Floats) -> NDArray[np.intp]:
    """Return the place of each answer on an ascending scale that holds it."""
    return np.searchsorted(scale, answers)
