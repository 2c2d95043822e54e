"""A share of yes-or-no answers, with its interval."""

import math

from scipy.special import ndtri

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
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
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
