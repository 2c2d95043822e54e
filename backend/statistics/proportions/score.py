"""Shares of yes-or-no answers and their differences, with score intervals."""

import math

from scipy.special import ndtri

from backend.statistics.clusters import check_confidence
from backend.statistics.estimate import Estimate, undefined


def wilson(successes: int, n: int, *, level: str, confidence: float = 0.95) -> Estimate:
    """Share of successes with Wilson's score interval.

    With ``p = successes / n`` and the normal quantile z, the interval is
    ``(p + z²/2n ± z * sqrt(p(1 - p)/n + z²/4n²)) / (1 + z²/n)``: without continuity correction,
    never outside [0, 1], and with both ends even where p is 0 or 1.

    Parameters
    ----------
    successes, n : int
        How many of how many.
    level : str
        What one of the n is, as "judgment". They are taken for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between 0 and 1 with ``low`` and ``high``; all ``nan`` if n is 0.

    Raises
    ------
    ValueError
        If not ``0 <= successes <= n``, or `confidence` is not between 0 and 1.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22(158).
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    check_confidence(confidence)
    method = f"share; {100 * confidence:g} % score interval (Wilson)"
    if n == 0:
        return undefined("nothing was counted", method=method, level=level)
    share, z = successes / n, float(ndtri((1 + confidence) / 2))
    stretch = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / stretch
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / stretch
    return Estimate(
        value=share,
        n=n,
        method=method,
        level=level,
        # At 0 and 1 the formula gives the end itself, but for rounding.
        low=max(0.0, centre - reach) if successes else 0.0,
        high=min(1.0, centre + reach) if successes < n else 1.0,
        counts={"n_successes": successes},
    )


def newcombe(
    k1: int, n1: int, k2: int, n2: int, *, level: str, confidence: float = 0.95
) -> Estimate:
    """Difference of two independent shares with Newcombe's hybrid score interval.

    With shares p and q and their Wilson intervals (l, u) and (m, v), the difference ``p - q`` has
    the bounds ``p - q - sqrt((p - l)**2 + (v - q)**2)`` and
    ``p - q + sqrt((u - p)**2 + (q - m)**2)``: method 10, without continuity correction.

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
    Estimate
        Between -1 and 1, positive if the first share is larger; ``n`` is ``n1 + n2``. Undefined
        if a side has no answer.

    Raises
    ------
    ValueError
        If not ``0 <= k <= n`` on both sides, or `confidence` is not between 0 and 1.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent
    proportions: comparison of eleven methods. Statistics in Medicine 17(8).
    """
    first = wilson(k1, n1, level=level, confidence=confidence)
    second = wilson(k2, n2, level=level, confidence=confidence)
    method = f"difference of shares; {100 * confidence:g} % hybrid score interval (Newcombe)"
    return _difference(first, second, 0.0, n=n1 + n2, method=method)


def newcombe_paired(
    both: int,
    only_first: int,
    only_second: int,
    neither: int,
    *,
    level: str,
    confidence: float = 0.95,
) -> Estimate:
    """Difference of two shares of the same units with Newcombe's interval for pairs.

    As `newcombe`, with ``- 2 * phi`` times the product of the two terms under each root. phi is
    the correlation ``(ad - bc) / sqrt((a + b)(c + d)(a + c)(b + d))`` of the four counts, 0 if a
    factor is 0; a positive numerator is first lessened by n/2, but not below 0.

    Parameters
    ----------
    both, only_first, only_second, neither : int
        Units with two successes, with one on the first or the second side alone, and with none.
    level : str
        What one unit is, as "pair of poems". They are taken for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between -1 and 1, positive if the first share is larger. Undefined without a unit.

    Raises
    ------
    ValueError
        If a count is negative or `confidence` is not between 0 and 1.

    References
    ----------
    Newcombe, R. G. (1998). Improved confidence intervals for the difference between binomial
    proportions based on paired data. Statistics in Medicine 17(22), method 10.
    """
    cells = both, only_first, only_second, neither
    if min(cells) < 0:
        raise ValueError(f"a count is negative: {cells}")
    n = sum(cells)
    first = wilson(both + only_first, n, level=level, confidence=confidence)
    second = wilson(both + only_second, n, level=level, confidence=confidence)
    method = (
        f"difference of shares of the same units; {100 * confidence:g} % score interval for pairs "
        "(Newcombe)"
    )
    return _difference(first, second, _phi(*cells), n=n, method=method)


def _phi(both: int, only_first: int, only_second: int, neither: int) -> float:
    first, second = both + only_first, both + only_second
    n = first + only_second + neither
    spread = first * (n - first) * second * (n - second)
    if not spread:
        return 0.0
    joint = both * neither - only_first * only_second
    corrected = joint if joint < 0 else max(0.0, joint - n / 2)
    return corrected / math.sqrt(spread)


def _difference(first: Estimate, second: Estimate, phi: float, *, n: int, method: str) -> Estimate:
    if not (first.defined and second.defined):
        return undefined("one side has no answer", method=method, level=first.level, n=n)
    value = first.value - second.value
    down = _together(first.value - first.low, second.high - second.value, phi)
    up = _together(first.high - first.value, second.value - second.low, phi)
    return Estimate(
        value=value,
        n=n,
        method=method,
        level=first.level,
        low=max(-1.0, value - down),
        high=min(1.0, value + up),
        counts={
            "n_first": first.n,
            "n_second": second.n,
            "n_successes_first": first.counts["n_successes"],
            "n_successes_second": second.counts["n_successes"],
        },
    )


def _together(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2 * phi * one * other))
