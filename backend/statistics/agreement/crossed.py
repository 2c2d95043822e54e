"""How much of what ratings differ in lies in poems and in judges, where not everybody rated all."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from backend.statistics import clusters

Floats = NDArray[np.float64]

# A share of the variance: 1 itself would leave no error, and no likelihood.
_TOP = 1 - 1e-9
_CLOSE = 1e-8
_SAME = 1e-9
_GRID = np.linspace(0, _TOP, 9)


@dataclass(frozen=True)
class Crossed:
    """Variances of poems, judges and error, and bounds of what poems have of their sum.

    Attributes
    ----------
    poem, judge, error : float
        In the square of the unit of the ratings; the first two can be 0.
    low, high : float
        Bounds of ``poem / (poem + judge + error)``.
    """

    poem: float
    judge: float
    error: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """The part of the sum that is the poems'."""
        return self.poem / (self.poem + self.judge + self.error)


def refusal(table: Floats) -> str:
    """Return why the variances cannot be told apart; empty if they can.

    Parameters
    ----------
    table : array of float, shape (n_poems, n_judges)
        ``nan`` = not rated. Every poem and every judge has a rating.
    """
    rated = ~np.isnan(table)
    if rated.sum(axis=1).max(initial=0) < 2:
        return "no poem has two judges: poems and judges cannot be told apart"
    if not _connected(rated):
        return "some judges share no poem with the others, not even through a third"
    if not np.ptp(table[rated]):
        return "every answer is the same: nothing varies"
    sums = _sums(table)
    if sums.n - len(table) - table.shape[1] + 1 <= 0:
        return "too few poems have two judges: error cannot be told from poems and judges"
    if sums.residual <= clusters.NO_VARIATION * sums.total:
        return "judges differ by nothing but a constant: there is no error to go by"
    return ""


def _connected(rated: NDArray[np.bool_]) -> bool:
    shared = rated.T.astype(np.int64) @ rated > 0
    met = shared[0]
    while True:
        further = shared[met].any(axis=0)
        if np.array_equal(further, met):
            return bool(met.all())
        met = further


def crossed(table: Floats, confidence: float) -> Crossed:
    """Variances of ``rating = mean + poem + judge + error`` by restricted maximum likelihood.

    All three are normal and independent. The interval is that of the profile likelihood: it holds
    each share of the poems at which the log of the restricted likelihood, at its highest over what
    judges have of the rest, is less than ``z**2 / 2`` below the highest of all. In nine simulated
    designs of 3 to 13 judges, 2 to 4 of them to a poem, 95 % intervals held the true share
    in 93 to 98.5 %; with ``t(J - 1)`` for z, in up to all.

    Parameters
    ----------
    table : array of float, shape (n_poems, n_judges)
        ``nan`` = not rated; `refusal` has nothing against it.
    confidence : float
        Coverage asked for, between 0 and 1.

    References
    ----------
    Patterson, H. D., Thompson, R. (1971). Recovery of inter-block information when block sizes
    are unequal. Biometrika 58(3).
    Bates, D., Mächler, M., Bolker, B., Walker, S. (2015). Fitting linear mixed-effects models
    using lme4. Journal of Statistical Software 67(1).
    """
    # Slow to load, and no other figure of a report needs it.
    from scipy.optimize import brentq

    sums = _sums(table)
    share, lowest = _least(lambda one: sums.profile(one)[1])
    of_rest = sums.profile(share)[0]
    reached = lowest + float(ndtri((1 + confidence) / 2)) ** 2

    def beyond(one: float) -> float:
        return sums.profile(one)[1] - reached

    low = float(brentq(beyond, 0, share, xtol=1e-7)) if beyond(0) > 0 else 0.0
    high = float(brentq(beyond, share, _TOP, xtol=1e-7)) if beyond(_TOP) > 0 else 1.0
    poem, judge = _ratios(share, of_rest)
    error = sums.fit(poem, judge)[1] / (sums.n - 1)
    return Crossed(poem * error, judge * error, error, low, high)


def _ratios(share: float, of_rest: float) -> tuple[float, float]:
    """Variances of poems and of judges over that of error, from shares of all and of the rest."""
    judge = of_rest / (1 - of_rest)
    return share / (1 - share) * (1 + judge), judge


def _least(cost: Callable[[float], float]) -> tuple[float, float]:
    """Return where a cost is least between 0 and 1, and that cost."""
    from scipy.optimize import minimize_scalar

    costs = [cost(one) for one in _GRID.tolist()]
    best = int(np.argmin(costs))
    ends = float(_GRID[max(best - 1, 0)]), float(_GRID[min(best + 1, len(_GRID) - 1)])
    found = minimize_scalar(cost, bounds=ends, method="bounded", options={"xatol": _CLOSE})
    if found.fun < costs[best] - _SAME:
        return float(found.x), float(found.fun)
    return float(_GRID[best]), costs[best]


@dataclass(frozen=True)
class _Sums:
    """Sums of ratings, less their mean, by how many judges a poem has.

    Poems are eliminated: with the variance ratio ``a`` of poems, the mean of a poem's s ratings
    counts ``f = 1 / (1 + a s)`` of what their differences from it count. Each sum is then what
    lies within poems and, for each size s, f times what lies between those of that size.

    Attributes
    ----------
    n : int
        Ratings.
    sizes, poems : array, shape (n_sizes,)
        How many judges poems have, and how many poems have so many.
    judges : array, shape (n_judges, n_judges)
        Judges by judges, within poems.
    judges_between : array, shape (n_sizes, n_judges, n_judges)
    values : array, shape (n_judges, 2)
        Judges by ones and ratings, within poems; `values_between` by size.
    products : array, shape (2, 2)
        Ones and ratings by themselves, within poems; `products_between` by size.
    """

    n: int
    sizes: Floats
    poems: Floats
    judges: Floats
    judges_between: Floats
    values: Floats
    values_between: Floats
    products: Floats
    products_between: Floats

    @property
    def total(self) -> float:
        return float(self.products[1, 1] + self.products_between[:, 1, 1].sum())

    @property
    def residual(self) -> float:
        """Sum of squares that poems and judges, taken as fixed, leave."""
        effects = np.linalg.lstsq(self.judges, self.values[:, 1], rcond=None)[0]
        return float(self.products[1, 1] - self.values[:, 1] @ effects)

    def profile(self, share: float) -> tuple[float, float]:
        """Return what judges have of the rest if poems have this share, and the deviance."""
        return _least(lambda of_rest: self.fit(*_ratios(share, of_rest))[0])

    def fit(self, poem: float, judge: float) -> tuple[float, float]:
        """Return the deviance (-2 log restricted likelihood) at two ratios, and squares left."""
        counts = 1 / (1 + poem * self.sizes)
        within = np.eye(len(self.judges)) + judge * (
            self.judges + np.tensordot(counts, self.judges_between, 1)
        )
        root = np.linalg.cholesky(within)
        values = np.linalg.solve(root, self.values + np.tensordot(counts, self.values_between, 1))
        products = self.products + np.tensordot(counts, self.products_between, 1)
        (ones, both), (_, squares) = (products - judge * (values.T @ values)).tolist()
        left = squares - both**2 / ones
        spread = 2 * float(np.log(np.diag(root)).sum()) - float(self.poems @ np.log(counts))
        return spread + math.log(ones) + (self.n - 1) * math.log(left), left


def _sums(table: Floats) -> _Sums:
    rated = ~np.isnan(table)
    ratings = np.where(rated, table - table[rated].mean(), 0.0)
    of_poem = rated.sum(axis=1)
    sizes, poems = np.unique(of_poem, return_counts=True)
    both = np.stack([rated.astype(np.float64), ratings], axis=2)
    means = both.sum(axis=1) / of_poem[:, None]
    from_mean = np.where(rated[:, :, None], both - means[:, None], 0.0)

    # Of each size: judges who sat together, and the ones and mean ratings of their poems.
    here = [of_poem == size for size in sizes]
    ones = rated.astype(np.float64)
    together = np.stack([ones[one].T @ ones[one] for one in here]) / sizes[:, None, None]
    return _Sums(
        n=int(of_poem.sum()),
        sizes=sizes.astype(np.float64),
        poems=poems.astype(np.float64),
        judges=np.diag(ones.sum(axis=0)) - together.sum(axis=0),
        judges_between=together,
        values=from_mean.sum(axis=0),
        values_between=np.stack([ones[one].T @ means[one] for one in here]),
        products=np.einsum("pja,pjb->ab", from_mean, from_mean),
        products_between=np.stack(
            [size * means[one].T @ means[one] for size, one in zip(sizes, here, strict=True)]
        ),
    )
