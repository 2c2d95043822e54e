"""How well a panel tells human poems from machine poems: the area under the ROC curve."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from backend.statistics import clusters
from backend.statistics.detection import placements
from backend.statistics.estimate import Estimate


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
    sides = placements.one_row(human, "human"), placements.one_row(machine, "machine")
    of_human, of_machine = (placements.given(side) for side in sides)
    return placements.area(
        of_human,
        of_machine,
        method=placements.METHOD,
        level=level,
        n_asked=sum(side.size for side in sides),
    )


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
    given = placements.sample(
        (("human", human_scores), ("machine", machine_scores)),
        (human_titles, machine_titles),
        (human_judges, machine_judges),
    )
    human, machine = given.sides
    n_judges = given.n_judges
    method = (
        f"{placements.METHOD}; {clusters.share_design(confidence, two_way=n_judges is not None)}"
    )
    area = placements.area(human, machine, method=method, level=level, n_asked=given.n_asked)
    counts = {**area.counts, "n_titles": given.n_titles}
    if n_judges is not None:
        counts["n_judges"] = n_judges
    reason = area.reason or clusters.too_few(given.n_titles, n_judges)
    area = replace(area, counts=counts, reason=reason)
    if reason:
        return area
    influences = np.concatenate(placements.influences(human, machine, area.value))
    found = clusters.parts(influences, given.titles, given.judges)
    if found.error < clusters.NO_VARIATION:
        return replace(area, reason=placements.no_variation(area.value))
    low, high = clusters.bounds(area.value, found.error, found.df, confidence)
    return replace(area, low=low, high=high, notes=clusters.cautions(given.n_titles, n_judges))
