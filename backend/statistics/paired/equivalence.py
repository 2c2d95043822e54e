"""Whether two authors are alike within a margin on the same titles."""

import math
from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from backend.statistics.estimate import Result
from backend.statistics.paired.differences import PER_UNIT, counted, differences, no_pair


@dataclass(frozen=True)
class Equivalence(Result):
    """Two one-sided tests of paired scores against a margin.

    Attributes
    ----------
    p : float
        The larger of `p_lower` and `p_upper`; ``nan`` where it is undefined.
    p_lower, p_upper : float
        One-sided p-values against a mean difference of at most ``-margin`` and of at least
        ``margin``.
    difference : float
        Mean of the differences, in the unit of the scores; ``nan`` if there is no pair.
    low, high : float
        Its interval of coverage ``1 - 2 * alpha``: within the margin if and only if `p` is below
        `alpha`.
    margin, alpha : float
        What was tested, at which level of significance.
    df : int
        Degrees of freedom, ``n - 1``; 0 where nothing was tested.
    n_dropped : int
        Pairs that lack a score and were left out.
    n, method, level, reason, counts, notes
        As in `Result`, of pairs with both scores.
    """

    p: float
    p_lower: float
    p_upper: float
    difference: float
    low: float
    high: float
    margin: float
    alpha: float
    df: int
    n_dropped: int = 0

    main: ClassVar[str] = "p"

    @property
    def equivalent(self) -> bool:
        """Whether both tests reject; false also where nothing could be tested."""
        return self.p < self.alpha


def tost_paired(
    x: ArrayLike, y: ArrayLike, *, margin: float, alpha: float = 0.05, level: str = "title"
) -> Equivalence:
    """Test whether the mean of the differences ``x - y`` lies within ``-margin`` and ``margin``.

    With mean m, standard deviation s (n - 1) and ``e = s / sqrt(n)`` the p-values are
    ``P(t >= (m + margin) / e)`` and ``P(t <= (m - margin) / e)`` of Student's t with n - 1
    degrees of freedom. Both have to be small: a large p says only that it was not shown. The
    margin is to be fixed before the data are seen.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Paired scores. ``nan`` = no score; the pair is left out and counted.
        Differences are rounded to nine decimals.
    margin : float
        Largest difference that does not matter, in the unit of the scores; above 0.
    alpha : float
        Level of significance of each test, above 0 and below 0.5.
    level : str
        What one pair is.

    Returns
    -------
    Equivalence
        ``p`` is ``nan``, with the reason, if there are fewer than two pairs or all differ by the
        same amount.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, a difference is a billion or
        more, or `margin` or `alpha` is out of its range.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power
    approach. Journal of Pharmacokinetics and Biopharmaceutics 15(6).
    """
    if not 0 < margin < math.inf:
        raise ValueError(f"a margin must be above 0 and finite, got {margin}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, got {alpha}")
    between, n_dropped = differences(x, y)
    n = between.size
    mean = float(between.mean()) / PER_UNIT if n else math.nan
    p_lower = p_upper = low = high = math.nan
    reason = _reason(n, level, varies=n > 1 and bool((between != between[0]).any()))
    if not reason:
        error = float(between.std(ddof=1)) / PER_UNIT / math.sqrt(n)
        p_lower = float(stdtr(n - 1, -(mean + margin) / error))
        p_upper = float(stdtr(n - 1, (mean - margin) / error))
        reach = float(stdtrit(n - 1, 1 - alpha)) * error
        low, high = mean - reach, mean + reach
    return Equivalence(
        p=max(p_lower, p_upper),
        p_lower=p_lower,
        p_upper=p_upper,
        difference=mean,
        low=low,
        high=high,
        margin=margin,
        alpha=alpha,
        n=n,
        df=max(n - 1, 0),
        method=f"two one-sided paired t-tests (TOST) within {margin:g}, alpha {alpha:g}; "
        f"{100 * (1 - 2 * alpha):g} % interval of the mean difference",
        level=level,
        reason=reason,
        n_dropped=n_dropped,
        notes=(f"only {n} {level}s: the t distribution is a rough guide",) if 1 < n < 5 else (),
    )


def _reason(n: int, level: str, *, varies: bool) -> str:
    if n == 0:
        return no_pair(level)
    if n == 1:
        return f"only {counted(1, level)} has a score on both sides: nothing can vary"
    if not varies:
        return f"the difference is the same on every {level}: nothing varies"
    return ""
