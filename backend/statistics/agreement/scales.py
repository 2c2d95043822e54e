"""The points of a scale, and the place of each answer on it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def scale_of(ratings: Floats, categories: Sequence[float] | None) -> Floats:
    """Return the points of the scale in ascending order; those that were chosen, if not named.

    Raises
    ------
    ValueError
        If `categories` repeat a point or hold ``nan``, or a rating is not among them.
    """
    chosen = np.unique(ratings[~np.isnan(ratings)])
    if categories is None:
        return chosen
    named = np.asarray(categories, dtype=np.float64)
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
