"""Intraclass correlation: how far one judge, or the mean of all, can be relied on."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri

from backend.statistics import clusters
from backend.statistics.estimate import Estimate, undefined

IccForm = Literal["single", "mean"]

_ROUNDING = 1e-9
_LEVEL = "poem that all judges rated"


def icc(ratings: ArrayLike, *, form: IccForm = "single", confidence: float = 0.95) -> Estimate:
    """Intraclass correlation for absolute agreement, poems and judges both random.

    With mean squares of poems, judges and error (MSP, MSJ, MSE) of n poems by k judges, ICC(2,1)
    is ``(MSP - MSE) / (MSP + (k - 1) MSE + k (MSJ - MSE) / n)``, how much of the variance of one
    judge's answers is due to poems, and ICC(2,k) ``(MSP - MSE) / (MSP + (MSJ - MSE) / n)``, the
    same of the mean of all k.

    Parameters
    ----------
    ratings : array-like of float, shape (n_poems, n_judges)
        ``nan`` = not rated. Poems that not every judge rated are left out; a design in which
        judges have different poems needs variance components instead.
    form : {"single", "mean"}
        ICC(2,1) or ICC(2,k).
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        At most 1; below 0 where poems differ less than answers to one poem. ``n`` is the number
        of poems kept; ``counts`` holds ``n_titles`` (the same), ``n_judges`` and ``n_dropped``
        (poems). The interval is by F with Satterthwaite's degrees of freedom and holds for other
        poems and other judges. Undefined for fewer than two complete poems or two judges, and
        where the denominator is not above 0. The interval alone is undefined, with the reason,
        if there is no error variance, or so little between poems that the approximation by F
        breaks down.

    Raises
    ------
    ValueError
        If `ratings` are not two-dimensional, `form` is another word, or `confidence` is not
        between 0 and 1.

    References
    ----------
    Shrout, P. E., Fleiss, J. L. (1979). Intraclass correlations. Psychological Bulletin 86(2).
    McGraw, K. O., Wong, S. P. (1996). Forming inferences about some intraclass correlation
    coefficients. Psychological Methods 1(1), tables 4 and 7: ICC(A,1) and ICC(A,k).
    """
    clusters.check_confidence(confidence)
    if form not in ("single", "mean"):
        raise ValueError(f"form must be 'single' or 'mean', got {form!r}")
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must be poems by judges, got {table.ndim} dimension(s)")
    complete = table[~np.isnan(table).any(axis=1)]
    n, k = complete.shape
    counts = {"n_titles": n, "n_judges": k, "n_dropped": table.shape[0] - n}
    name = "ICC(2,1), one judge" if form == "single" else f"ICC(2,{k}), mean of {k} judges"
    method = (
        f"{name}, absolute agreement; {100 * confidence:g} % interval for other poems and judges "
        "by F (McGraw and Wong)"
    )
    if n < 2 or k < 2:
        too_few = "two judges are" if k < 2 else "two poems that all judges rated are"
        return undefined(f"{too_few} needed", method=method, level=_LEVEL, n=n, counts=counts)
    squares = _squares(complete)
    value = squares.single if form == "single" else squares.mean
    if math.isnan(value):
        reason = (
            "every answer is the same: nothing varies"
            if not squares.total
            else "poems differ too little for a share of the variance to be theirs"
        )
        return undefined(reason, method=method, level=_LEVEL, n=n, counts=counts)
    if squares.error < clusters.NO_VARIATION * squares.total:
        reason = "judges differ by nothing but a constant: there is no error to go by"
        return Estimate(value, n, method, _LEVEL, reason, counts=counts)
    low, high = squares.bounds(confidence)
    # Of the mean there is no bound where one judge's reaches -1 / (k - 1), the end of its scale.
    endless = form == "mean" and 1 + (k - 1) * low < _ROUNDING
    if endless or not low + _ROUNDING < squares.single < high - _ROUNDING:
        reason = "poems hardly differ in their means, and the approximation by F breaks down"
        return Estimate(value, n, method, _LEVEL, reason, counts=counts)
    if form == "mean":
        # Spearman and Brown's step from one judge to the mean of k.
        low, high = (k * bound / (1 + (k - 1) * bound) for bound in (low, high))
    return Estimate(value, n, method, _LEVEL, "", low, high, counts, clusters.cautions(n, k))


@dataclass(frozen=True)
class _Squares:
    """Mean squares of n poems by k judges without replication."""

    n: int
    k: int
    poems: float
    judges: float
    error: float

    @property
    def total(self) -> float:
        return self.poems + self.judges + self.error

    @property
    def single(self) -> float:
        noise = (self.k - 1) * self.error + self.k * (self.judges - self.error) / self.n
        return self._share(self.poems + noise)

    @property
    def mean(self) -> float:
        return self._share(self.poems + (self.judges - self.error) / self.n)

    def _share(self, whole: float) -> float:
        if whole <= clusters.NO_VARIATION * self.total:
            return math.nan
        return (self.poems - self.error) / whole

    def bounds(self, confidence: float) -> tuple[float, float]:
        """Bounds of ICC(2,1)."""
        n, k, value = self.n, self.k, self.single
        of_judges = k * value * self.judges / self.error
        rest = n * (1 + (k - 1) * value) - k * value
        df = (n - 1) * (k - 1) * (of_judges + rest) ** 2 / ((n - 1) * of_judges**2 + rest**2)
        upper_tail = (1 + confidence) / 2
        of_low = float(fdtri(n - 1, df, upper_tail))
        of_high = float(fdtri(df, n - 1, upper_tail))
        noise = k * self.judges + (k * n - k - n) * self.error
        low = n * (self.poems - of_low * self.error) / (of_low * noise + n * self.poems)
        high = n * (of_high * self.poems - self.error) / (noise + n * of_high * self.poems)
        return low, high


def _squares(table: NDArray[np.float64]) -> _Squares:
    n, k = table.shape
    table = table - table[0, 0]  # so that equal answers leave no rounding
    centred = table - table.mean()
    of_poems, of_judges = centred.mean(axis=1), centred.mean(axis=0)
    rest = centred - of_poems[:, None] - of_judges
    return _Squares(
        n,
        k,
        poems=k * float(np.square(of_poems).sum()) / (n - 1),
        judges=n * float(np.square(of_judges).sum()) / (k - 1),
        error=float(np.square(rest).sum()) / ((n - 1) * (k - 1)),
    )
