"""How well a panel tells human poems from machine poems: the area under the ROC curve."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.estimate import Estimate, undefined

_METHOD = "ROC-AUC, human positive, ties half"
# Means of probabilities carry float noise that breaks ties.
_DECIMALS = 9

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def auc(human: ArrayLike, machine: ArrayLike, *, level: str) -> Estimate:
    """Chance that a human poem is scored more human than a machine poem, ties counted half.

    ``#(h > k) + #(h = k) / 2`` over all pairs, divided by their number. Never folded about 0.5:
    below it, the machine's poems pass for human more often than the human's.

    Parameters
    ----------
    human, machine : array-like of int or float, shape (n_human,) and (n_machine,)
        Scores "probability that a human wrote this" in one unit, per mille as integers at best.
        Floats are rounded to nine decimals first, so that equal means tie. ``nan`` = not
        judged; left out and counted as ``n_dropped``.
    level : str
        What one score is, as "judgment" or "poem mean". The two give different numbers.

    Returns
    -------
    Estimate
        Between 0 and 1, 0.5 for a coin; ``n`` is the number of scores. Undefined if either side
        has none.

    Raises
    ------
    ValueError
        If the scores of a side are not one-dimensional.

    References
    ----------
    Hanley, J. A., McNeil, B. J. (1982). The meaning and use of the area under a ROC curve.
    """
    sides = _scores(human, "human"), _scores(machine, "machine")
    of_human, of_machine = (side[~np.isnan(side)] for side in sides)
    return _auc(of_human, of_machine, level, sum(side.size for side in sides))


def auc_interval(
    human_scores: ArrayLike,
    machine_scores: ArrayLike,
    human_titles: ArrayLike,
    machine_titles: ArrayLike,
    human_judges: ArrayLike | None = None,
    machine_judges: ArrayLike | None = None,
    *,
    level: str,
    confidence: float = 0.95,
) -> Estimate:
    """The same area with an interval that allows for other titles and other judges.

    Each score has a placement, ``v = P(other side below) + P(equal) / 2`` for a human poem and
    its mirror for a machine poem, and so an influence ``psi = (v - AUC) / n_side``. For a
    grouping g with G groups, ``V_g = G/(G-1) * sum over groups of (sum of psi)**2``. Then
    ``V = V_title + V_judge - V_(title by judge)``, never below the larger of the first two, and
    the interval is ``AUC +- t(J - 1) * sqrt(V)``, cut to [0, 1]; on the logit scale where the
    AUC is above 0.9 or below 0.1.

    Parameters
    ----------
    human_scores, machine_scores : array-like of int or float, shape (n_human,), (n_machine,)
        As in `auc`.
    human_titles, machine_titles : array-like of int or str, same shapes
        The title of each score's poem. Human and machine poem of one title are one cluster.
    human_judges, machine_judges : array-like of int or str, same shapes, or None
        Who gave each score. ``None`` for both where scores are means over judges: titles are
        then the only clusters, with ``t(T - 1)``, and `method` says so.
    level : str
        As in `auc`.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        `auc` with ``low``, ``high`` and ``counts`` of ``n_titles`` and, if given, ``n_judges``.
        The interval alone is undefined, with the reason, if there are fewer than two titles or
        judges, or if the influences leave no variation, as under perfect separation.

    Raises
    ------
    ValueError
        If titles or judges do not match the scores, judges are given for one side only, or
        `confidence` is not between 0 and 1.

    References
    ----------
    DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Biometrics 44(3).
    Obuchowski, N. A. (1997). Nonparametric analysis of clustered ROC curve data.
    Cameron, A. C., Gelbach, J. B., Miller, D. L. (2011). Robust inference with multiway
    clustering.
    """
    clusters.check_confidence(confidence)
    given = _given(
        (human_scores, machine_scores),
        (human_titles, machine_titles),
        (human_judges, machine_judges),
    )
    n_titles = np.unique(given.titles).size
    n_judges = None if given.judges is None else np.unique(given.judges).size

    area = _auc(given.human, given.machine, level, given.n_asked)
    counts = {**area.counts, "n_titles": n_titles}
    if n_judges is not None:
        counts["n_judges"] = n_judges
    reason = area.reason or clusters.too_few(n_titles, n_judges)
    area = replace(
        area,
        counts=counts,
        method=f"{area.method}; {clusters.design(confidence, two_way=n_judges is not None)}",
        reason=reason,
    )
    if reason:
        return area
    influences = _influences(given.human, given.machine, area.value)
    found = clusters.parts(influences, given.titles, given.judges)
    if found.error < clusters.NO_VARIATION:
        return replace(area, reason=_no_variation(area.value))
    low, high = clusters.bounds(area.value, found.error, found.df, confidence)
    return replace(area, low=low, high=high, notes=clusters.cautions(n_titles, n_judges))


@dataclass(frozen=True)
class _Given:
    """The scores that were given, and the clusters of all of them, human poems first."""

    human: Floats
    machine: Floats
    titles: Codes
    judges: Codes | None
    n_asked: int


def _given(
    scores: tuple[ArrayLike, ArrayLike],
    titles: tuple[ArrayLike, ArrayLike],
    judges: tuple[ArrayLike | None, ArrayLike | None],
) -> _Given:
    human, machine = _scores(scores[0], "human"), _scores(scores[1], "machine")
    judged = ~np.isnan(np.concatenate([human, machine]))
    return _Given(
        human=human[~np.isnan(human)],
        machine=machine[~np.isnan(machine)],
        titles=_codes(*titles, human, machine)[judged],
        judges=_judges(*judges, human, machine, judged),
        n_asked=judged.size,
    )


def _scores(values: ArrayLike, side: str) -> Floats:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1:
        raise ValueError(f"{side} scores must be one row, got {scores.ndim} dimension(s)")
    return np.round(scores, _DECIMALS)


def _auc(human: Floats, machine: Floats, level: str, n_asked: int) -> Estimate:
    n = human.size + machine.size
    counts = {"n_human": human.size, "n_machine": machine.size, "n_dropped": n_asked - n}
    if not (human.size and machine.size):
        missing = "machine poem" if human.size else "human poem" if machine.size else "poem"
        return undefined(
            f"no {missing} was judged", method=_METHOD, level=level, n=n, counts=counts
        )
    twice_won = int(_twice_below(human, machine).sum())
    value = twice_won / (2 * human.size * machine.size)
    return Estimate(value, n, _METHOD, level, counts=counts)


def _twice_below(scores: Floats, others: Floats) -> NDArray[np.int64]:
    """Twice the number of others below each score, ties half: an integer, so exact."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    not_above = np.searchsorted(ordered, scores, side="right")
    return (below + not_above).astype(np.int64)


def _influences(human: Floats, machine: Floats, area: float) -> Floats:
    of_human = _twice_below(human, machine) / (2 * machine.size)
    of_machine = 1 - _twice_below(machine, human) / (2 * human.size)
    return np.concatenate([(of_human - area) / human.size, (of_machine - area) / machine.size])


def _codes(of_human: ArrayLike, of_machine: ArrayLike, human: Floats, machine: Floats) -> Codes:
    ids = np.asarray(of_human), np.asarray(of_machine)
    if ids[0].shape != human.shape or ids[1].shape != machine.shape:
        raise ValueError("each score needs one title and, where judges are given, one judge")
    return np.unique(np.concatenate(ids), return_inverse=True)[1]


def _judges(
    of_human: ArrayLike | None,
    of_machine: ArrayLike | None,
    human: Floats,
    machine: Floats,
    judged: NDArray[np.bool_],
) -> Codes | None:
    if of_human is None and of_machine is None:
        return None
    if of_human is None or of_machine is None:
        raise ValueError("judges must be given for both sides or for neither")
    return _codes(of_human, of_machine, human, machine)[judged]


def _no_variation(area: float) -> str:
    if area in (0.0, 1.0):
        return "every human poem is on the same side of every machine poem: nothing varies"
    return "the scores leave no variation between titles or judges"
