"""Means and standard deviations that say what one value was and how many were missing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics.estimate import Estimate, undefined


@dataclass(frozen=True)
class MeanSD:
    """A mean and the standard deviation around it, of the same values."""

    mean: Estimate
    sd: Estimate

    @property
    def n(self) -> int:
        """How many values both rest on."""
        return self.mean.n


def mean(values: ArrayLike, *, level: str) -> Estimate:
    """Arithmetic mean of the values that were given.

    Parameters
    ----------
    values : array-like of float, any shape
        ``nan`` = not given; such entries are left out and counted as ``n_dropped``.
    level : str
        What one value is, as "judgment" or "poem mean"; printed beside the mean.

    Returns
    -------
    Estimate
        In the unit of `values`; undefined if none was given.

    Raises
    ------
    ValueError
        If a value is infinite.
    """
    given, n_dropped = _given(values)
    counts = {"n_dropped": n_dropped}
    if given.size == 0:
        return undefined("no value was given", method="mean", level=level, counts=counts)
    return Estimate(float(given.mean()), n=given.size, method="mean", level=level, counts=counts)


def mean_sd(values: ArrayLike, *, level: str) -> MeanSD:
    """Mean and sample standard deviation, ``sqrt(sum((x - mean)**2) / (n - 1))``.

    The standard deviation of single ratings and that of poem means answer different questions:
    `level` keeps them apart.

    Parameters
    ----------
    values : array-like of float, any shape
        ``nan`` = not given; such entries are left out and counted as ``n_dropped``.
    level : str
        What one value is, as "judgment" or "poem mean"; printed beside both numbers.

    Returns
    -------
    MeanSD
        Both in the unit of `values`. The mean is undefined if no value was given, the standard
        deviation if fewer than two were.

    Raises
    ------
    ValueError
        If a value is infinite.
    """
    centre = mean(values, level=level)
    return MeanSD(centre, _sd(values, centre))


def _sd(values: ArrayLike, centre: Estimate) -> Estimate:
    method = "standard deviation (n - 1)"
    if centre.n < 2:
        reason = "only one value was given: it has no spread" if centre.n else centre.reason
        return undefined(
            reason, method=method, level=centre.level, n=centre.n, counts=centre.counts
        )
    spread = float(np.std(_given(values)[0], ddof=1))
    return Estimate(spread, n=centre.n, method=method, level=centre.level, counts=centre.counts)


def _given(values: ArrayLike) -> tuple[NDArray[np.float64], int]:
    flat = np.asarray(values, dtype=np.float64).ravel()
    given = flat[~np.isnan(flat)]
    if not np.isfinite(given).all():
        raise ValueError("a value is infinite")
    return given, flat.size - given.size
