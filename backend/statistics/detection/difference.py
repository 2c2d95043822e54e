"""Whether one model's poems are told from human ones more often than another's."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from backend.statistics import clusters
from backend.statistics.detection import placements
from backend.statistics.estimate import Result

_METHOD = "difference of two ROC-AUCs against the same human poems, ties half"
_KINDS = "human poem", "poem of the first model", "poem of the second model"


@dataclass(frozen=True)
class Difference(Result):
    """A difference of two areas, with its interval and test.

    Attributes
    ----------
    value : float
        First area less second, between -1 and 1; ``nan`` where it is undefined.
    low, high : float
        Bounds of the interval named in `method`; ``nan`` if undefined.
    t, p : float
        The difference over its standard error, and the two-sided p-value of that, by Student's
        t with `df` degrees of freedom; ``nan`` where there is no interval.
    df : int
        Judges less one, or titles less one where judges are fixed; 0 where there is no interval.
    n : int
        How many scores it rests on, human ones counted once.
    method, level, reason, counts, notes
        As in `Result`.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    t: float = math.nan
    df: int = 0
    p: float = math.nan


def auc_difference(
    human: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    titles: Iterable[ArrayLike],
    judges: Iterable[ArrayLike] | None,
    *,
    level: str,
    confidence: float = 0.95,
) -> Difference:
    """Area of a first model less that of a second, both against the same human scores.

    The areas are correlated: they share the human poems, and often titles and judges. A human
    score has the influence ``psi_first - psi_second``, a score of the first model ``psi_first``
    and one of the second ``-psi_second``, with psi as in `auc_interval`; the covariance is in
    their sums over clusters. ``V = V_title + V_judge - V_(title by judge)``, never below either
    of the first two, ``t = difference / sqrt(V)`` with J - 1 degrees of freedom, and the
    interval is ``difference -+ t(J - 1) * sqrt(V)``, cut to [-1, 1].

    Parameters
    ----------
    human, first, second : array-like of int or float, shape (n_human,), (n_first,), (n_second,)
        Scores as in `auc`; ``nan`` = not judged, left out and counted as ``n_dropped``. No
        title or judge need have scored all three.
    titles : three array-like, the same shapes
        The title of each score's poem.
    judges : three array-like, the same shapes, or None
        Who gave each score. ``None`` for one fixed judge, or scores that are means over judges.
    level : str
        What one score is, as in `auc`.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Difference
        Undefined, with the reason, if a side has no scores. Interval and test alone are
        undefined if there are fewer than two titles or judges or nothing varies.

    Raises
    ------
    ValueError
        If titles or judges do not match the scores, or `confidence` is not between 0 and 1.

    References
    ----------
    DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the areas under two or
    more correlated receiver operating characteristic curves. Biometrics 44(3).
    Obuchowski (1997) and Cameron et al. (2011), as in `auc_interval`.
    """
    clusters.check_confidence(confidence)
    named = (("human", human), ("first", first), ("second", second))
    given = placements.sample(named, list(titles), [None] * 3 if judges is None else list(judges))
    n_judges = given.n_judges
    counts = {
        **dict(zip(("n_human", "n_first", "n_second"), map(len, given.sides), strict=True)),
        "n_dropped": given.n_asked - given.n,
        "n_titles": given.n_titles,
        **({} if n_judges is None else {"n_judges": n_judges}),
    }
    reason = _empty(given)
    areas = [
        math.nan if reason else placements.area_of(given.sides[0], machine)
        for machine in given.sides[1:]
    ]
    found = Difference(
        areas[0] - areas[1],
        n=given.n,
        method=f"{_METHOD}; {clusters.design(confidence, two_way=n_judges is not None)}",
        level=level,
        reason=reason or clusters.too_few(given.n_titles, n_judges),
        counts=counts,
    )
    return found if found.reason else _tested(found, given, areas, confidence)


def _tested(
    found: Difference, given: placements.Sample, areas: list[float], confidence: float
) -> Difference:
    human, first, second = given.sides
    on_first, of_first = placements.influences(human, first, areas[0])
    on_second, of_second = placements.influences(human, second, areas[1])
    influences = np.concatenate([on_first - on_second, of_first, -of_second])
    variance = clusters.parts(influences, given.titles, given.judges)
    if variance.error < clusters.NO_VARIATION:
        return replace(found, reason="the difference does not vary between titles or judges")
    t = found.value / variance.error
    reach = clusters.reach(variance.error, variance.df, confidence)
    return replace(
        found,
        low=max(-1.0, found.value - reach),
        high=min(1.0, found.value + reach),
        t=t,
        df=variance.df,
        p=2 * float(stdtr(variance.df, -abs(t))),
        notes=clusters.cautions(given.n_titles, given.n_judges),
    )


def _empty(given: placements.Sample) -> str:
    for side, kind in zip(given.sides, _KINDS, strict=True):
        if not side.size:
            return f"no {kind} was judged"
    return ""
