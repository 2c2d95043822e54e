"""Exact tests of two shares, of the same units and of different ones."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, gammaln

from backend.statistics.clusters import check_confidence
from backend.statistics.estimate import Result

Floats = NDArray[np.float64]

# Tables as likely as the one seen differ from it by rounding; R's fisher.test allows the same.
_AS_LIKELY = 1 + 1e-7
_CLOSE = 1e-13
_FISHER = "Fisher's exact test, two-sided by the less likely tables; conditional odds ratio"


@dataclass(frozen=True)
class Test(Result):
    """An exact test of two shares.

    Attributes
    ----------
    p : float
        Two-sided p-value; ``nan`` where it is undefined.
    odds : float
        By how much the odds of the first side are higher: above 1 if it is ahead. 0 and infinity
        are values that occur; ``nan`` where `p` is.
    low, high : float
        Its interval; `high` is infinite where `odds` is.
    n, method, level, reason, counts, notes
        As in `Result`; ``counts`` has the numbers it rests on.
    """

    p: float = math.nan
    odds: float = math.nan
    low: float = math.nan
    high: float = math.nan

    main: ClassVar[str] = "p"


def mcnemar_exact(
    only_first: int,
    only_second: int,
    *,
    level: str = "pair that tells the two apart",
    confidence: float = 0.95,
) -> Test:
    """Test whether the first side succeeds as often as the second on the same units.

    The units on which one side alone succeeds would fall to either with a chance of a half:
    ``p = 2 * P(Binomial(n, 1/2) <= smaller count)``, at most 1. The odds are
    ``only_first / only_second``, their interval that of Clopper and Pearson for the share of the
    first, as odds.

    Parameters
    ----------
    only_first, only_second : int
        Units on which the first or the second side alone succeeds.
    level : str
        What one such unit is. They are taken for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Test
        ``p`` is ``nan``, with the reason, if there is no such unit.

    Raises
    ------
    ValueError
        If a count is negative or `confidence` is not between 0 and 1.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated
    proportions or percentages. Psychometrika 12(2).
    Fay, M. P. (2010). Two-sided exact tests and matching confidence intervals for discrete data.
    R Journal 2(1).
    """
    check_confidence(confidence)
    if min(only_first, only_second) < 0:
        raise ValueError(f"a count is negative: {only_first}, {only_second}")
    n = only_first + only_second
    method = (
        f"McNemar's exact test, two-sided; odds with {100 * confidence:g} % interval "
        "(Clopper-Pearson)"
    )
    counts = {"n_first": only_first, "n_second": only_second}
    made = partial(Test, n=n, method=method, level=level, counts=counts)
    if not n:
        return made(reason="the two never differ on a pair")
    tail = (1 - confidence) / 2
    low = betaincinv(only_first, only_second + 1, tail) if only_first else 0.0
    high = betaincinv(only_first + 1, only_second, 1 - tail) if only_second else 1.0
    return made(
        p=min(1.0, 2 * float(bdtr(min(only_first, only_second), n, 0.5))),
        odds=only_first / only_second if only_second else math.inf,
        low=_odds(float(low)),
        high=_odds(float(high)),
    )


def fisher_exact(
    k1: int, n1: int, k2: int, n2: int, *, level: str = "answer", confidence: float = 0.95
) -> Test:
    """Test whether two independent shares are equal.

    Given both margins, the first count follows the hypergeometric distribution; p sums the
    chances of all tables that are no more likely than the one seen. The odds ratio is the
    maximum of the likelihood given the margins, and its interval inverts the two one-sided tests
    at half of ``1 - confidence``; so p and the interval can, rarely, disagree.

    Parameters
    ----------
    k1, n1, k2, n2 : int
        How many of how many, on the first and on the second side.
    level : str
        What one answer is. All are taken for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Test
        ``p`` is ``nan``, with the reason, if a side has no answer or all answers are alike.

    Raises
    ------
    ValueError
        If not ``0 <= k <= n`` on both sides, or `confidence` is not between 0 and 1.

    References
    ----------
    Fisher, R. A. (1935). The logic of inductive inference. Journal of the Royal Statistical
    Society 98(1).
    Cornfield, J. (1956). A statistical problem arising from retrospective studies. Proceedings
    of the Third Berkeley Symposium 4.
    """
    check_confidence(confidence)
    for k, n in ((k1, n1), (k2, n2)):
        if not 0 <= k <= n:
            raise ValueError(f"{k} of {n} is no share")
    method = f"{_FISHER} with {100 * confidence:g} % interval"
    counts = {"n_first": n1, "n_second": n2, "n_successes_first": k1, "n_successes_second": k2}
    made = partial(Test, n=n1 + n2, method=method, level=level, counts=counts)
    if not (n1 and n2):
        return made(reason="one side has no answer")
    if k1 + k2 in (0, n1 + n2):
        return made(reason="all answers are alike on both sides")
    tables = _Tables.of(k1, n1, k2, n2)
    odds, low, high = tables.odds((1 - confidence) / 2)
    return made(p=tables.p(), odds=odds, low=low, high=high)


@dataclass(frozen=True)
class _Tables:
    """All tables with the margins seen: first counts, and log chances if the odds are equal."""

    seen: int
    firsts: Floats
    logs: Floats

    @classmethod
    def of(cls, k1: int, n1: int, k2: int, n2: int) -> "_Tables":
        firsts = np.arange(max(0, k1 + k2 - n2), min(k1 + k2, n1) + 1, dtype=np.float64)
        logs = _log_choose(n1, firsts) + _log_choose(n2, k1 + k2 - firsts)
        return cls(k1, firsts, logs)

    def chances(self, log_odds: float) -> Floats:
        logs = self.logs + log_odds * self.firsts
        weights: Floats = np.exp(logs - logs.max())
        chances: Floats = weights / weights.sum()
        return chances

    def p(self) -> float:
        chances = self.chances(0.0)
        limit = chances[self.firsts == self.seen] * _AS_LIKELY
        return min(1.0, float(chances[chances <= limit].sum()))

    def odds(self, tail: float) -> tuple[float, float, float]:
        """The odds ratio and its bounds."""
        at_least, at_most = self.firsts >= self.seen, self.firsts <= self.seen
        lowest, highest = self.seen == self.firsts[0], self.seen == self.firsts[-1]

        def mean(log_odds: float) -> float:
            return float(self.chances(log_odds) @ self.firsts) - self.seen

        def upper(log_odds: float) -> float:
            return float(self.chances(log_odds)[at_least].sum()) - tail

        def lower(log_odds: float) -> float:
            return tail - float(self.chances(log_odds)[at_most].sum())

        ratio = 0.0 if lowest else math.inf if highest else math.exp(_root(mean))
        low = 0.0 if lowest else math.exp(_root(upper))
        high = math.inf if highest else math.exp(_root(lower))
        return ratio, low, high


def _log_choose(n: int, k: Floats) -> Floats:
    logs: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return logs


def _root(rising: Callable[[float], float]) -> float:
    """Where a rising function is 0, by halving an interval that holds it."""
    low, high = -1.0, 1.0
    while rising(low) > 0:
        low *= 2
    while rising(high) < 0:
        high *= 2
    while high - low > _CLOSE * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf
