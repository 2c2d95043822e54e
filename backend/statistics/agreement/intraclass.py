"""Intraclass correlation: how far one judge, or the mean of all, can be relied on."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtri

from backend.statistics import clusters
from backend.statistics.agreement import crossed
from backend.statistics.estimate import Estimate

IccForm = Literal["single", "mean"]
Floats = NDArray[np.float64]

_ROUNDING = 1e-9
_LEVEL = "poem"


def icc(ratings: ArrayLike, *, form: IccForm = "single", confidence: float = 0.95) -> Estimate:
    """Intraclass correlation for absolute agreement, poems and judges both random.

    With mean squares of poems, judges and error (MSP, MSJ, MSE) of n poems by k judges, ICC(2,1)
    is ``(MSP - MSE) / (MSP + (k - 1) MSE + k (MSJ - MSE) / n)``, how much of the variance of one
    judge's answers is due to poems, and ICC(2,k) ``(MSP - MSE) / (MSP + (MSJ - MSE) / n)``, the
    same of the mean of all k.

    Where not every judge rated every poem there are no such mean squares. The variances of poems,
    judges and error (P, J, E) are then those of the crossed random model by restricted maximum
    likelihood, ICC(2,1) is ``P / (P + J + E)`` and ICC(2,k) ``P / (P + (J + E) / k)``, with k the
    harmonic mean of a poem's judges, as in `judges_per_poem`. Of a table without gaps this is the
    same wherever the mean squares leave no variance below 0.

    Parameters
    ----------
    ratings : array-like of float, shape (n_poems, n_judges)
        ``nan`` = not rated. Poems and judges without a rating are left out.
    form : {"single", "mean"}
        ICC(2,1) or ICC(2,k).
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        At most 1; below 0 where poems differ less than answers to one poem, which variances of
        a table with gaps never do: one that would be below 0 is 0, and noted. ``n`` is the number
        of poems with a rating; ``counts`` holds ``n_titles`` (the same), ``n_judges`` and
        ``n_dropped`` (poems without one). The interval holds for other poems and other judges: by
        F with Satterthwaite's degrees of freedom or, with gaps, by the profile likelihood of the
        poems' share (`crossed.crossed`). Both take ratings for normal.

        Undefined for fewer than two poems or two judges. Without gaps, undefined where the
        denominator is not above 0; the interval alone is undefined, with the reason, if there is
        no error variance, or so little between poems that the approximation by F breaks down.
        With gaps, undefined where the variances cannot be told apart: no poem has two judges,
        judges are not connected by poems, or error leaves nothing to go by.

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
    Patterson and Thompson (1971) and Bates et al. (2015), as in `crossed.crossed`.
    """
    clusters.check_confidence(confidence)
    if form not in ("single", "mean"):
        raise ValueError(f"form must be 'single' or 'mean', got {form!r}")
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must be poems by judges, got {table.ndim} dimension(s)")
    kept = _rated(table)
    n, k = kept.shape
    gaps = bool(np.isnan(kept).any())
    empty = Estimate(
        math.nan,
        n=n,
        method=_method(form, k, confidence, gaps=gaps),
        level=_LEVEL,
        reason="not computed",
        counts={"n_titles": n, "n_judges": k, "n_dropped": table.shape[0] - n},
    )
    if n < 2 or k < 2:
        return replace(empty, reason=f"two {'poems' if n < 2 else 'judges'} are needed")
    return (_by_components if gaps else _by_squares)(empty, kept, form, confidence)


def judges_per_poem(ratings: ArrayLike) -> float:
    """Return the harmonic mean of how many judges rated a poem: the k of ICC(2,k).

    Its inverse is the mean of the parts of their variance that judges and error keep in the mean
    of a poem's judges.

    Parameters
    ----------
    ratings : array-like of float, shape (n_poems, n_judges)
        ``nan`` = not rated. Poems without a rating do not count; ``nan`` if there is no other.
    """
    judges = (~np.isnan(_rated(np.asarray(ratings, dtype=np.float64)))).sum(axis=1)
    return float(judges.size / (1 / judges).sum()) if judges.size else math.nan


def _rated(table: Floats) -> Floats:
    rated = ~np.isnan(table)
    return table[rated.any(axis=1)][:, rated.any(axis=0)]


def _method(form: IccForm, k: int, confidence: float, *, gaps: bool) -> str:
    name = "ICC(2,1), one judge" if form == "single" else f"ICC(2,{k}), mean of {k} judges"
    how, by = "", "F (McGraw and Wong)"
    if gaps:
        if form == "mean":
            name = "ICC(2,k), mean of k judges, k the harmonic mean of a poem's judges"
        how, by = (
            ", from variances of poems, judges and error by REML where judges did not all rate "
            "every poem",
            "profile likelihood",
        )
    return (
        f"{name}, absolute agreement{how}; {100 * confidence:g} % interval for other poems and "
        f"judges by {by}"
    )


def _by_components(empty: Estimate, table: Floats, form: IccForm, confidence: float) -> Estimate:
    reason = crossed.refusal(table)
    if reason:
        return replace(empty, reason=reason)
    found = _variances(table.tobytes(), table.shape[1], confidence)
    k = judges_per_poem(table) if form == "mean" else 1
    value, low, high = (_stepped(one, k) for one in (found.share, found.low, found.high))
    nothing = tuple(
        f"the variance of {of} comes out as 0, the least it can be"
        for of, variance in (("poems", found.poem), ("judges", found.judge))
        if not variance
    )
    notes = (*nothing, *clusters.cautions(*table.shape))
    return replace(empty, value=value, reason="", low=low, high=high, notes=notes)


# ICC(2,1) and ICC(2,k) of one table rest on the same variances, which take long to find.
@lru_cache(maxsize=2)
def _variances(ratings: bytes, n_judges: int, confidence: float) -> crossed.Crossed:
    return crossed.crossed(np.frombuffer(ratings).reshape(-1, n_judges), confidence)


def _by_squares(empty: Estimate, table: Floats, form: IccForm, confidence: float) -> Estimate:
    n, k = table.shape
    squares = _squares(table)
    value = squares.single if form == "single" else squares.mean
    if math.isnan(value):
        reason = (
            "every answer is the same: nothing varies"
            if not squares.total
            else "poems differ too little for a share of the variance to be theirs"
        )
        return replace(empty, reason=reason)
    if squares.error < clusters.NO_VARIATION * squares.total:
        reason = "judges differ by nothing but a constant: there is no error to go by"
        return replace(empty, value=value, reason=reason)
    low, high = squares.bounds(confidence)
    # Of the mean there is no bound where one judge's reaches -1 / (k - 1), the end of its scale.
    endless = form == "mean" and 1 + (k - 1) * low < _ROUNDING
    if endless or not low + _ROUNDING < squares.single < high - _ROUNDING:
        reason = "poems hardly differ in their means, and the approximation by F breaks down"
        return replace(empty, value=value, reason=reason)
    if form == "mean":
        low, high = _stepped(low, k), _stepped(high, k)
    return replace(empty, value=value, reason="", low=low, high=high, notes=clusters.cautions(n, k))


def _stepped(share: float, k: float) -> float:
    """Return Spearman and Brown's step from one judge to the mean of k."""
    return k * share / (1 + (k - 1) * share)


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
        """Bounds of ICC(2,1); ``nan`` where neither poems nor judges differ in their means."""
        n, k, value = self.n, self.k, self.single
        of_judges = k * value * self.judges / self.error
        rest = n * (1 + (k - 1) * value) - k * value
        if abs(of_judges) + abs(rest) < _ROUNDING * n:
            return math.nan, math.nan
        df = (n - 1) * (k - 1) * (of_judges + rest) ** 2 / ((n - 1) * of_judges**2 + rest**2)
        upper_tail = (1 + confidence) / 2
        of_low = float(fdtri(n - 1, df, upper_tail))
        of_high = float(fdtri(df, n - 1, upper_tail))
        noise = k * self.judges + (k * n - k - n) * self.error
        low = n * (self.poems - of_low * self.error) / (of_low * noise + n * self.poems)
        high = n * (of_high * self.poems - self.error) / (noise + n * of_high * self.poems)
        return low, high


def _squares(table: Floats) -> _Squares:
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
