"""Standard errors that allow for other poems and other judges than those who took part."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, stdtrit

from backend.statistics.estimate import Estimate, undefined

# An influence is a difference of shares: a standard error this small is rounding, not variation.
NO_VARIATION = 1e-12
# Beyond these, a symmetric interval would be distorted by the end of the scale.
NEAR_THE_END = 0.9
FEW = 5
NOTHING_VARIES = "nothing varies between titles or judges"

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Parts:
    """Variance of a statistic by what it is clustered on.

    Attributes
    ----------
    first, second, both : float
        Variance between clusters of the first kind (titles), of the second (judges), and
        between cells of the two. ``second`` and ``both`` are ``nan`` if there is one kind only.
    n_first, n_second : int
        How many clusters there are; ``n_second`` is 0 if there is one kind only.
    """

    first: float
    second: float
    both: float
    n_first: int
    n_second: int

    @property
    def error(self) -> float:
        """Standard error: the root of ``first + second - both``, never below either alone."""
        if not self.n_second:
            return math.sqrt(self.first)
        return math.sqrt(max(self.first + self.second - self.both, self.first, self.second))

    @property
    def df(self) -> int:
        """Degrees of freedom: judges less one, or titles where judges are fixed."""
        return (self.n_second or self.n_first) - 1


def codes(labels: ArrayLike) -> Codes:
    """Return labels as whole numbers from 0, in their order."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.intp).ravel()


def parts(influences: Floats, first: Codes, second: Codes | None = None) -> Parts:
    """Variance of a statistic from the influence of each observation on it.

    With G clusters of a kind, ``V = G / (G - 1) * sum over clusters of (sum of influences)**2``.

    Parameters
    ----------
    influences : array of float, shape (n,)
        What each observation adds to the statistic's error; they sum to zero.
    first, second : array of int, shape (n,)
        Cluster of each observation: titles and, unless judges are fixed, judges.

    Returns
    -------
    Parts
        A variance is ``nan`` where there are fewer than two clusters of its kind.

    References
    ----------
    Cameron, A. C., Gelbach, J. B., Miller, D. L. (2011). Robust inference with multiway
    clustering. Journal of Business & Economic Statistics 29(2).
    """
    by_first, n_first = _variance(influences, first)
    if second is None:
        return Parts(by_first, math.nan, math.nan, n_first, 0)
    by_second, n_second = _variance(influences, second)
    cells = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    return Parts(by_first, by_second, _variance(influences, cells)[0], n_first, n_second)


def _variance(influences: Floats, clusters: Codes) -> tuple[float, int]:
    groups, places = np.unique(clusters, return_inverse=True)
    if groups.size < 2:
        return math.nan, groups.size
    sums = np.bincount(places, weights=influences)
    return float(np.square(sums).sum()) * groups.size / (groups.size - 1), groups.size


def bounds(value: float, error: float, df: float, confidence: float) -> tuple[float, float]:
    """Interval of a share, ``value -+ t(df) * error``, cut to [0, 1].

    It is reached on the logit scale where `value` is above 0.9 or below 0.1, unless it is 1 or 0.
    """
    half = reach(error, df, confidence)
    if 1 - NEAR_THE_END <= value <= NEAR_THE_END or value in (0.0, 1.0):
        return max(0.0, value - half), min(1.0, value + half)
    centre, stretched = float(logit(value)), half / (value * (1 - value))
    return float(expit(centre - stretched)), float(expit(centre + stretched))


def reach(error: float, df: float, confidence: float) -> float:
    """Half the width of an interval, ``t(df) * error``."""
    return float(stdtrit(df, (1 + confidence) / 2)) * error


def cautions(n_titles: int, n_judges: int | None) -> tuple[str, ...]:
    """Return what must be said of an interval that rests on few titles or few judges."""
    return tuple(
        f"only {n} {clusters}: the interval is a rough guide"
        for n, clusters in ((n_titles, "titles"), (n_judges, "judges"))
        if n is not None and n < FEW
    )


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1).

    Raises
    ------
    ValueError
        If it is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")


def clustered_share(
    hits: ArrayLike,
    titles: ArrayLike,
    judges: ArrayLike | None = None,
    *,
    level: str,
    confidence: float = 0.95,
) -> Estimate:
    """Share of hits with an interval that allows for other titles and other judges.

    Parameters
    ----------
    hits : array-like of bool or float in [0, 1], shape (n,)
        Whether each observation is one.
    titles, judges : array-like, shape (n,)
        The clusters of each. ``None`` for judges that are fixed: one language model.
    level : str
        What one observation is.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between 0 and 1, with ``low`` and ``high``, reached as in `bounds`: on the logit scale
        where the share is above 0.9 or below 0.1. ``counts`` of ``n_titles`` and, if given,
        ``n_judges``. Undefined if there is no observation; the interval alone is undefined with
        the reason if there are fewer than two titles or judges, or nothing varies.

    Raises
    ------
    ValueError
        If the shapes differ, a hit is outside [0, 1], or `confidence` is not between 0 and 1.

    References
    ----------
    Cameron, A. C., Gelbach, J. B., Miller, D. L. (2011), as in `parts`.
    """
    given = np.asarray(hits, dtype=np.float64)
    if not np.all((given >= 0) & (given <= 1)):
        raise ValueError("a share is of hits between 0 and 1")
    return _clustered(given, titles, judges, "share", level=level, confidence=confidence, span=None)


def clustered_mean(
    values: ArrayLike,
    titles: ArrayLike,
    judges: ArrayLike | None = None,
    *,
    level: str,
    span: tuple[float, float] = (-math.inf, math.inf),
    confidence: float = 0.95,
) -> Estimate:
    """Mean with an interval that allows for other titles and other judges.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        In any unit; ``nan`` is refused.
    titles, judges : array-like, shape (n,)
        The clusters of each. ``None`` for judges that are fixed, or where values are means over
        judges.
    level : str
        What one value is.
    span : (float, float)
        Ends of the scale, at which the interval is cut.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        In the unit of `values`, ``mean -+ t(df) * error``, with the counts of
        `clustered_share`, and undefined where it is.

    Raises
    ------
    ValueError
        If the shapes differ, a value is not finite, or `confidence` is not between 0 and 1.

    References
    ----------
    Cameron, A. C., Gelbach, J. B., Miller, D. L. (2011), as in `parts`.
    """
    return _clustered(values, titles, judges, "mean", level=level, confidence=confidence, span=span)


def _clustered(
    values: ArrayLike,
    titles: ArrayLike,
    judges: ArrayLike | None,
    what: str,
    *,
    level: str,
    confidence: float,
    span: tuple[float, float] | None,
) -> Estimate:
    check_confidence(confidence)
    given = np.asarray(values, dtype=np.float64)
    first = codes(titles)
    second = None if judges is None else codes(judges)
    sizes = {first.size, first.size if second is None else second.size}
    if given.ndim != 1 or sizes != {given.size}:
        raise ValueError("each observation needs one title and, where judges are given, one judge")
    if not np.isfinite(given).all():
        raise ValueError("a value is not finite")
    how = share_design if span is None else design
    method = f"{what}; {how(confidence, two_way=second is not None)}"
    if not given.size:
        return undefined("nothing was counted", method=method, level=level)
    centre = float(given.mean())
    found = parts((given - centre) / given.size, first, second)
    value = Estimate(centre, n=given.size, method=method, level=level)
    return with_interval(value, found, confidence, span=span)


def with_interval(
    value: Estimate, found: Parts, confidence: float, *, span: tuple[float, float] | None = None
) -> Estimate:
    """Return an estimate with the interval that its variance gives.

    It is that of a share or area, as in `bounds` and said by `share_design`; on another scale,
    with the ends `span`, it is symmetric but for being cut there.
    """
    n_judges = found.n_second or None
    counts = {**value.counts, "n_titles": found.n_first}
    if n_judges is not None:
        counts["n_judges"] = n_judges
    low = high = math.nan
    reason = too_few(found.n_first, n_judges)
    if not reason and found.error < NO_VARIATION:
        reason = NOTHING_VARIES
    if not reason and span is None:
        low, high = bounds(value.value, found.error, found.df, confidence)
    elif not reason and span is not None:
        half = reach(found.error, found.df, confidence)
        low, high = max(span[0], value.value - half), min(span[1], value.value + half)
    return replace(
        value,
        reason=reason,
        low=low,
        high=high,
        counts=counts,
        notes=(*value.notes, *(() if reason else cautions(found.n_first, n_judges))),
    )


def design(confidence: float, *, two_way: bool, of: str = "titles") -> str:
    """Return how an interval was reached, in words for the methods section.

    `of` names the first kind of clusters where there are two.
    """
    if two_way:
        return (
            f"{100 * confidence:g} % interval by {of} and judges (two-way cluster-robust), t(J - 1)"
        )
    return f"{100 * confidence:g} % interval by titles only, not for other judges, t(T - 1)"


def share_design(confidence: float, *, two_way: bool, of: str = "titles") -> str:
    """Return how the interval of a share or area was reached: `design`, and as `bounds` say."""
    return near_the_ends(design(confidence, two_way=two_way, of=of))


def near_the_ends(method: str) -> str:
    """Return a method with the scale on which `bounds` reaches an interval near 0 and 1."""
    return f"{method}, on the logit scale above {NEAR_THE_END:g} and below {1 - NEAR_THE_END:g}"


def too_few(n_titles: int, n_judges: int | None) -> str:
    """Return why there is no interval; empty if there are enough titles and judges."""
    if n_titles < 2:
        return "only one title was judged: how much titles differ cannot be estimated"
    if n_judges is not None and n_judges < 2:
        return "only one judge took part: how much judges differ cannot be estimated"
    return ""
