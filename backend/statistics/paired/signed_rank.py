"""Whether two authors differ on the same titles: the signed-rank test and its effect sizes."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from backend.statistics.clusters import check_confidence
from backend.statistics.estimate import Result
from backend.statistics.paired import signs
from backend.statistics.paired.differences import Integers, differences
from backend.statistics.paired.shift import design
from backend.statistics.paired.signs import Zeros


@dataclass(frozen=True)
class SignedRank(Result):
    """Wilcoxon's signed-rank test of paired scores, with its effect sizes.

    Attributes
    ----------
    statistic, w_minus : float
        Sums of the ranks of the positive and of the negative differences.
    p : float
        Two-sided p-value; ``nan`` where it is undefined.
    n_zero, n_nonzero : int
        How many pairs with both scores are equal, and how many differ.
    n_dropped : int
        Pairs that lack a score and were left out.
    effect : float
        Matched-pairs rank-biserial correlation ``(W+ - W-) / (W+ + W-)``, in [-1, 1]; positive
        if the first scores tend to be higher. ``nan`` if no pair differs.
    median_difference : float
        Hodges-Lehmann estimate: median of the means of all differences taken two at a time,
        each also with itself; in the unit of the scores. Equal pairs stay in. ``nan`` if there
        is no pair.
    low, high : float
        Bounds of `median_difference`, as in `hodges_lehmann`; ``nan`` where no pair differs, all
        differ by the same amount, or they are too few for the coverage.
    n, method, level, reason, counts, notes
        As in `Result`, of pairs with both scores; ``notes`` say, too, why the bounds alone are
        ``nan``, if they are.
    """

    statistic: float
    w_minus: float
    p: float
    n_zero: int
    n_nonzero: int
    n_dropped: int
    effect: float
    median_difference: float
    low: float = math.nan
    high: float = math.nan

    main: ClassVar[str] = "p"


def wilcoxon_signed_rank(
    x: ArrayLike,
    y: ArrayLike,
    *,
    zeros: Zeros = "wilcox",
    level: str = "title",
    confidence: float = 0.95,
) -> SignedRank:
    """Test whether the differences ``x - y`` are symmetric about zero.

    Up to 500 ranked pairs the p-value is exact given the ranks, tied or not: the distribution of
    W+ over all ``2**n`` sign changes. Beyond, it is the normal approximation with variance
    ``sum(rank**2) / 4`` (which corrects for ties) and without continuity correction.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Paired scores, title by title. ``nan`` = no score; the pair is left out and counted.
        Differences are rounded to nine decimals, tied ones share the mean of their ranks.
    zeros : {"wilcox", "pratt"}
        Leave equal pairs out before ranking, or rank them and then leave their ranks out. The
        Hodges-Lehmann estimate and its interval keep them in either way.
    level : str
        What one pair is.
    confidence : float
        Coverage asked of the interval, between 0 and 1.

    Returns
    -------
    SignedRank
        ``p`` is ``nan``, with the reason, if there is no pair or none that differs.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, a difference is a billion or
        more, `zeros` is neither rule, or `confidence` is not between 0 and 1.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6).
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures.
    Hodges, J. L., Lehmann, E. L. (1963). Estimates of location based on rank tests.
    Kerby, D. S. (2014). The simple difference formula. Comprehensive Psychology 3.
    """
    check_confidence(confidence)
    signs.check_zeros(zeros)
    between, n_dropped = differences(x, y)
    n = between.size
    n_zero = int(n - np.count_nonzero(between))
    ranked = between if zeros == "pratt" else between[between != 0]
    # Midranks are halves at worst: doubled, they are integers and sum without error.
    _, place, ties = np.unique(np.abs(ranked), return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(ties) - ties + 1)[place]
    plus, minus = int(ranks[ranked > 0].sum()), int(ranks[ranked < 0].sum())

    exact = ranked.size <= signs.EXACT_UP_TO
    moving = ranks[ranked != 0]
    by = signs.shift_of(between, n_zero, level, confidence)
    tested = signs.method(zeros, exact=exact, tied=np.unique(moving).size < moving.size)
    return SignedRank(
        statistic=plus / 2,
        w_minus=minus / 2,
        p=_p(moving, plus, minus, exact=exact),
        n=n,
        n_zero=n_zero,
        n_nonzero=n - n_zero,
        n_dropped=n_dropped,
        effect=(plus - minus) / (plus + minus) if plus + minus else math.nan,
        median_difference=by.value,
        method=f"{tested}; Hodges-Lehmann, equal pairs kept, {design(n, confidence)}",
        reason=signs.reason(n, n_zero, level),
        notes=(*signs.notes(n, n_zero, zeros, level), *((by.reason,) if by.reason else ())),
        level=level,
        low=by.low,
        high=by.high,
    )


def _p(ranks: Integers, plus: int, minus: int, *, exact: bool) -> float:
    if not ranks.size:
        return math.nan
    return signs.exact_p(ranks, min(plus, minus)) if exact else _normal_p(ranks, plus)


def _normal_p(ranks: Integers, plus: int) -> float:
    squares = float(np.square(ranks.astype(np.float64)).sum())
    z = (plus - float(ranks.sum()) / 2) / math.sqrt(squares / 4)
    return float(2 * ndtr(-abs(z)))
