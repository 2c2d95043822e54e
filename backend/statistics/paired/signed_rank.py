"""Whether two authors differ on the same titles: the signed-rank test and its effect sizes."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

# Means of probabilities carry float noise that breaks ties; nine decimals are kept, as integers.
_PER_UNIT = 10**9
_LARGEST = 1e9
_EXACT_UP_TO = 500

Zeros = Literal["wilcox", "pratt"]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's signed-rank test of paired scores, with its effect sizes.

    Attributes
    ----------
    statistic, w_minus : float
        Sums of the ranks of the positive and of the negative differences.
    p : float
        Two-sided p-value; ``nan`` where it is undefined.
    n : int
        Pairs with both scores.
    n_zero, n_nonzero : int
        How many of them are equal, and how many differ.
    n_dropped : int
        Pairs that lack a score and were left out.
    effect : float
        Matched-pairs rank-biserial correlation ``(W+ - W-) / (W+ + W-)``, in [-1, 1]; positive
        if the first scores tend to be higher. ``nan`` if no pair differs.
    median_difference : float
        Hodges-Lehmann estimate: median of the means of all differences taken two at a time,
        each also with itself; in the unit of the scores. Equal pairs stay in. ``nan`` if there
        is no pair.
    method : str
        How `p` was reached and what was done with equal pairs.
    reason : str
        Why `p` is undefined; empty if it is not.
    notes : tuple of str
        Cautions for the reader.
    """

    statistic: float
    w_minus: float
    p: float
    n: int
    n_zero: int
    n_nonzero: int
    n_dropped: int
    effect: float
    median_difference: float
    method: str
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def defined(self) -> bool:
        """Whether there is a p-value at all."""
        return not math.isnan(self.p)


def wilcoxon_signed_rank(x: ArrayLike, y: ArrayLike, *, zeros: Zeros = "wilcox") -> SignedRank:
    """Test whether the differences ``x - y`` are symmetric about zero.

    Up to 500 ranked pairs the p-value is exact given the ranks, tied or not: the distribution of
    W+ over all ``2**n`` sign changes. Beyond, it is the normal approximation with variance
    ``sum(rank**2) / 4`` (which corrects for ties) and without continuity correction.

    Parameters
    ----------
    x, y : array-like of float, shape (n_titles,)
        Paired scores, title by title. ``nan`` = no score; the pair is left out and counted.
        Differences are rounded to nine decimals, tied ones share the mean of their ranks.
    zeros : {"wilcox", "pratt"}
        Leave equal pairs out before ranking, or rank them and then leave their ranks out.

    Returns
    -------
    SignedRank
        ``p`` is ``nan``, with the reason, if there is no pair or none that differs.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, or a difference is a billion
        or more.

    References
    ----------
    Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6).
    Pratt, J. W. (1959). Remarks on zeros and ties in the Wilcoxon signed rank procedures.
    Hodges, J. L., Lehmann, E. L. (1963). Estimates of location based on rank tests.
    Kerby, D. S. (2014). The simple difference formula. Comprehensive Psychology 3.
    """
    differences, n_dropped = _differences(x, y)
    n = differences.size
    n_zero = int(n - np.count_nonzero(differences))
    ranked = differences if zeros == "pratt" else differences[differences != 0]
    # Midranks are halves at worst: doubled, they are integers and sum without error.
    _, place, ties = np.unique(np.abs(ranked), return_inverse=True, return_counts=True)
    ranks = (2 * np.cumsum(ties) - ties + 1)[place]
    plus, minus = int(ranks[ranked > 0].sum()), int(ranks[ranked < 0].sum())

    exact = ranked.size <= _EXACT_UP_TO
    moving = ranks[ranked != 0]
    if n == n_zero:
        p = math.nan
    elif exact:
        p = _exact_p(moving, min(plus, minus))
    else:
        p = _normal_p(moving, plus)
    return SignedRank(
        statistic=plus / 2,
        w_minus=minus / 2,
        p=p,
        n=n,
        n_zero=n_zero,
        n_nonzero=n - n_zero,
        n_dropped=n_dropped,
        effect=(plus - minus) / (plus + minus) if plus + minus else math.nan,
        median_difference=_hodges_lehmann(differences) if n else math.nan,
        method=_method(zeros, exact=exact, tied=np.unique(moving).size < moving.size),
        reason=_reason(n, n_zero),
        notes=_notes(n, n_zero, zeros),
    )


def _differences(x: ArrayLike, y: ArrayLike) -> tuple[Integers, int]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"scores must be two equal rows, got {first.shape} and {second.shape}")
    scored = ~(np.isnan(first) | np.isnan(second))
    differences = first[scored] - second[scored]
    if not (np.abs(differences) < _LARGEST).all():
        raise ValueError("a difference is infinite or a billion and more")
    return np.rint(differences * _PER_UNIT).astype(np.int64), int(scored.size - scored.sum())


def _exact_p(ranks: Integers, smaller: int) -> float:
    """Twice the chance that random signs give a rank sum as small as the smaller of the two."""
    step = int(np.gcd.reduce(ranks))
    chances = np.zeros(smaller // step + 1)
    chances[0] = 1.0
    for rank in (ranks // step).tolist():
        chances /= 2
        if rank < chances.size:
            chances[rank:] += chances[:-rank]
    return min(1.0, 2 * float(chances.sum()))


def _normal_p(ranks: Integers, plus: int) -> float:
    squares = float(np.square(ranks.astype(np.float64)).sum())
    z = (plus - float(ranks.sum()) / 2) / math.sqrt(squares / 4)
    return float(2 * ndtr(-abs(z)))


def _hodges_lehmann(differences: Integers) -> float:
    """Median of the pairwise means, found by counting, without listing all n(n + 1)/2 of them."""
    ordered = np.sort(differences)

    def n_sums_up_to(total: int) -> int:
        partners = int(np.searchsorted(ordered, total - ordered, side="right").sum())
        return (partners + int(np.count_nonzero(2 * ordered <= total))) // 2

    sums = range(2 * int(ordered[0]), 2 * int(ordered[-1]) + 1)
    n_sums = ordered.size * (ordered.size + 1) // 2
    middle = (n_sums + 1) // 2, n_sums // 2 + 1
    lower, upper = (sums[bisect_left(sums, place, key=n_sums_up_to)] for place in middle)
    return (lower + upper) / 4 / _PER_UNIT


def _method(zeros: Zeros, *, exact: bool, tied: bool) -> str:
    if exact:
        how = "exact with ties" if tied else "exact"
    else:
        how = "normal approximation with tie correction, no continuity correction"
    return f"Wilcoxon signed-rank, {how}, zeros {'dropped' if zeros == 'wilcox' else 'by Pratt'}"


def _reason(n: int, n_zero: int) -> str:
    if n == 0:
        return "no title has a score on both sides"
    if n == n_zero:
        return "the two sides have the same score on every title"
    return ""


def _notes(n: int, n_zero: int, zeros: Zeros) -> tuple[str, ...]:
    notes = []
    smallest = 2.0 ** (1 + n_zero - n)
    if n > n_zero and smallest > 0.05:
        notes.append(
            f"with {n - n_zero} differing title(s) no p-value below {smallest:g} is possible"
        )
    if zeros == "wilcox" and n > n_zero > 0.05 * n:
        notes.append(f"{n_zero} of {n} titles have equal scores: compare with zeros by Pratt")
    return tuple(notes)
