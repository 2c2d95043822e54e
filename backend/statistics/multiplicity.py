"""What p-values become when several tests are looked at together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics.estimate import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Adjusted(Result):
    """The p-values of one family of tests, adjusted for each other.

    Attributes
    ----------
    p : tuple of float
        Adjusted p-values in the order of the tests; ``nan`` for a test without a p-value.
    n, method, level, reason, counts, notes
        As in `Result`; a unit is a test with a p-value, and ``method`` has their number.
    """

    p: tuple[float, ...]

    @property
    def defined(self) -> bool:
        """Whether any p-value is adjusted."""
        return not self.reason


def holm(p: ArrayLike, *, level: str = "test") -> Adjusted:
    """Adjust p-values so that the chance of any false rejection is kept: for claims.

    With the m defined p-values in rising order, the i-th becomes the largest of
    ``(m - j + 1) * p_j`` over all ``j <= i``, at most 1.

    Parameters
    ----------
    p : array-like of float, shape (n_tests,)
        p-values of one family; ``nan`` = not defined: it stays so and is not counted in m.
    level : str
        What one test is of, as "model".

    Returns
    -------
    Adjusted
        In the order given; with a reason if none is defined.

    Raises
    ------
    ValueError
        If `p` is not one-dimensional or a value is outside [0, 1].

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
    Journal of Statistics 6(2).
    """
    given, order = _given(p)
    factors = np.arange(order.size, 0, -1)
    rising = np.maximum.accumulate(np.minimum(1.0, factors * given[order]))
    return _adjusted(given, order, rising, "Holm's step-down adjustment", level)


def benjamini_hochberg(p: ArrayLike, *, level: str = "test") -> Adjusted:
    """Adjust p-values so that the expected share of false rejections is kept: for screening.

    With the m defined p-values in rising order, the i-th becomes the smallest of
    ``m / j * p_j`` over all ``j >= i``, at most 1. It holds for independent or positively
    dependent tests.

    Parameters
    ----------
    p : array-like of float, shape (n_tests,)
        p-values of one family; ``nan`` = not defined: it stays so and is not counted in m.
    level : str
        What one test is of, as "model".

    Returns
    -------
    Adjusted
        In the order given; with a reason if none is defined.

    Raises
    ------
    ValueError
        If `p` is not one-dimensional or a value is outside [0, 1].

    References
    ----------
    Benjamini, Y., Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the
    Royal Statistical Society B 57(1).
    """
    given, order = _given(p)
    factors = order.size / np.arange(1, order.size + 1)
    falling = np.minimum.accumulate(np.minimum(1.0, factors * given[order])[::-1])
    return _adjusted(given, order, falling[::-1], "Benjamini-Hochberg false discovery rate", level)


def _given(p: ArrayLike) -> tuple[Floats, NDArray[np.intp]]:
    """The p-values, and the places of the defined ones in rising order."""
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1:
        raise ValueError(f"p-values must be one row, got {given.ndim} dimensions")
    defined = np.flatnonzero(~np.isnan(given))
    if not ((given[defined] >= 0) & (given[defined] <= 1)).all():
        raise ValueError("a p-value is outside [0, 1]")
    return given, defined[np.argsort(given[defined], kind="stable")]


def _adjusted(
    given: Floats, order: NDArray[np.intp], values: Floats, name: str, level: str
) -> Adjusted:
    adjusted = np.full(given.size, np.nan)
    adjusted[order] = values
    return Adjusted(
        p=tuple(adjusted.tolist()),
        n=order.size,
        method=f"{name}, m = {order.size}",
        level=level,
        reason="" if order.size else "no test has a p-value",
    )
