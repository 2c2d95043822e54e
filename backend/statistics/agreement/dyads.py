"""How sure a figure is that compares the judges of a panel two by two."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backend.statistics import clusters
from backend.statistics.agreement.scales import rounded
from backend.statistics.clusters import Parts
from backend.statistics.estimate import Estimate

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# "random": judges drawn from many, so that others could have sat; "fixed": these and no others.
Judges = Literal["random", "fixed"]

_ROUNDING = 1e-12
ONLY_TWO = "only two judges took part: how much judges differ cannot be estimated"


@dataclass(frozen=True)
class Pairs:
    """Every two ratings of one poem, with the ratings that have no partner left out.

    Attributes
    ----------
    poems, first, second : array of int, shape (n_pairs,)
        Which poem was rated, and by which two judges; `first` is below `second`.
    left, right : array of float, shape (n_pairs,)
        What each of the two answered.
    sizes : array of int, shape (n_pairs,)
        How many judges rated the poem.
    """

    poems: Codes
    first: Codes
    second: Codes
    left: Floats
    right: Floats
    sizes: NDArray[np.int64]


def panel(ratings: object) -> Floats:
    """Return ratings as a table of judges by poems, rounded so that equal means tie.

    Raises
    ------
    ValueError
        If they are not two-dimensional.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must be judges by poems, got {table.ndim} dimension(s)")
    return rounded(table)


def pairs_of(ratings: Floats) -> Pairs:
    """Return every two ratings of one column of `ratings`, shape (n_judges, n_poems)."""
    poems, judges = np.nonzero(~np.isnan(ratings.T))  # by poem, then by judge
    values = ratings[judges, poems]
    sizes = np.bincount(poems, minlength=ratings.shape[1])
    firsts, seconds = [poems[:0]], [poems[:0]]
    # The partners of a rating stand right behind it: look one further until nobody has one.
    for step in range(1, int(sizes.max(initial=0))):
        same = np.flatnonzero(poems[:-step] == poems[step:])
        firsts.append(same)
        seconds.append(same + step)
    one, other = np.concatenate(firsts), np.concatenate(seconds)
    return Pairs(
        poems[one], judges[one], judges[other], values[one], values[other], sizes[poems[one]]
    )


def dyadic_parts(influences: Floats, poems: Codes, first: Codes, second: Codes) -> Parts:
    """Variance of a statistic of pairs of judges, for other poems and other judges.

    Two entries may be correlated if they share the poem or a judge. With psi the influences and
    P poems and J judges,

    ``V = P/(P-1) * sum(psi psi' of one poem) + f * sum(c psi psi' of two poems)``

    over ordered couples of entries, where c is how many judges a couple shares (0, 1 or 2) and
    ``f = J(J-1) / (J-2)**2`` makes the second sum that of a jackknife which leaves out one judge
    after the other: without it, centring on the mean would make it too small. Counting a couple
    of one dyad twice makes V too large where dyads have effects of their own, not too small.

    Parameters
    ----------
    influences : array of float, shape (n,)
        What each entry adds to the error of the statistic; they sum to zero.
    poems, first, second : array of int, shape (n,)
        The poem and the two judges of each entry. An entry of a single judge has it twice.

    Returns
    -------
    Parts
        Of poems, of judges and of what both have in common. The variance by judges is ``nan``
        with fewer than three of them.

    References
    ----------
    Aronow, P. M., Samii, C., Assenova, V. A. (2015). Cluster-robust variance estimation for
    dyadic data. Political Analysis 23(4).
    Cameron, A. C., Gelbach, J. B., Miller, D. L. (2011). Robust inference with multiway
    clustering. Journal of Business & Economic Statistics 29(2).
    """
    by_poem = clusters.parts(influences, poems)
    judges = clusters.codes(np.concatenate([first, second]))
    one, other = np.minimum(*np.split(judges, 2)), np.maximum(*np.split(judges, 2))
    n_judges = int(judges.max(initial=-1)) + 1
    if n_judges < 3:
        return replace(by_poem, n_second=n_judges)

    # An entry of a single judge is that judge's once, and no dyad's.
    two = one != other
    twice = np.concatenate([influences, influences[two]])
    rows = np.concatenate([one, other[two]])
    cells = np.concatenate([poems, poems[two]]) * n_judges + rows
    shared, shared_within = _squares(twice, rows), _squares(twice, cells)
    factor = n_judges * (n_judges - 1) / (n_judges - 2) ** 2
    # What poems and judges have in common: couples of one poem that share a judge, each once.
    dyads_within = (poems[two] * n_judges + one[two]) * n_judges + other[two]
    of_dyads_within = _squares(influences[two], dyads_within)
    rounding = _ROUNDING * factor * (shared + shared_within)
    within = _unless_below(rounding, shared_within - of_dyads_within)
    between = _unless_below(rounding, factor * (shared - shared_within))
    by_judge = _unless_below(rounding, between + within)
    return Parts(by_poem.first, by_judge, within, by_poem.n_first, n_judges)


def _unless_below(rounding: float, value: float) -> float:
    """Return 0 for what is left of sums that cancel: it is no variation."""
    return 0.0 if abs(value) < rounding else value


def _squares(influences: Floats, groups: NDArray[np.intp]) -> float:
    places = np.unique(groups, return_inverse=True)[1]
    return float(np.square(np.bincount(places, weights=influences)).sum())


def coefficient_parts(
    influences: Floats, poems: Codes, first: Codes, second: Codes, judges: Judges
) -> Parts:
    """Variance of a coefficient of pairs, where judges are drawn from many or fixed."""
    if judges == "fixed":
        return clusters.parts(influences, poems)
    return dyadic_parts(influences, poems, first, second)


def with_coefficient_interval(
    value: Estimate, found: Parts, confidence: float, *, noise: float = 0.0
) -> Estimate:
    """Return a chance-corrected coefficient with ``value -+ t(df) * error``, at most 1.

    The interval alone is undefined, with the reason, if there are fewer than two poems or three
    judges that are not fixed, or nothing varies: an error up to `noise` is rounding.
    """
    n_judges = found.n_second or None
    reason = clusters.too_few(found.n_first, n_judges) or (ONLY_TWO if n_judges == 2 else "")
    if not reason and found.error < max(clusters.NO_VARIATION, noise):
        reason = "nothing varies between poems or judges"
    if reason:
        return replace(value, reason=reason)
    reach = clusters.reach(found.error, found.df, confidence)
    return replace(
        value,
        low=value.value - reach,
        high=min(1.0, value.value + reach),
        notes=(*value.notes, *clusters.cautions(found.n_first, n_judges)),
    )


def interval_method(confidence: float, judges: Judges, *, of: str = "poems") -> str:
    """Return how such an interval was reached, in words; `of` names what was judged."""
    if judges == "fixed":
        return f"{100 * confidence:g} % interval by {of} only, judges fixed, t(P - 1)"
    return f"{100 * confidence:g} % interval by {of} and judges (dyadic cluster-robust), t(J - 1)"


def check_judges(judges: Judges) -> None:
    """Refuse a word that is neither "random" nor "fixed".

    Raises
    ------
    ValueError
        If it is another one.
    """
    if judges not in ("random", "fixed"):
        raise ValueError(f"judges must be 'random' or 'fixed', got {judges!r}")


def centred(influences: Floats, weights: Floats) -> Floats:
    """Return influences that sum to zero, the rest being taken off in proportion to weights."""
    total = float(weights.sum())
    return influences - weights * (math.fsum(influences) / total if total else 0.0)
