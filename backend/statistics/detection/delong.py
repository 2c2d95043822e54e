"""The interval of an area for scores that are independent of each other, for comparison only."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from backend.statistics import clusters
from backend.statistics.detection import placements
from backend.statistics.estimate import Estimate


def delong_interval(
    human: ArrayLike, machine: ArrayLike, *, level: str, confidence: float = 0.95
) -> Estimate:
    """Area under the ROC curve with DeLong's interval, which takes every score for independent.

    With the placements v of `auc_interval`, ``V = var(v_human) / n_human +
    var(v_machine) / n_machine`` and the interval is ``AUC -+ z * sqrt(V)``, cut to [0, 1].

    Scores of one judge, or of one poem, are not independent: where several judges read the same
    poems this interval is too narrow, by half and more where judges are few. It is here to be
    compared with `auc_interval`, not to be reported alone.

    Parameters
    ----------
    human, machine : array-like of int or float, shape (n_human,) and (n_machine,)
        As in `auc`.
    level : str
        As in `auc`.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        `auc` with ``low`` and ``high``. The interval alone is undefined, with the reason, if a
        side has fewer than two scores or the placements do not vary.

    Raises
    ------
    ValueError
        If the scores of a side are not one-dimensional, or `confidence` is not between 0 and 1.

    References
    ----------
    DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the areas under two or
    more correlated receiver operating characteristic curves. Biometrics 44(3).
    """
    clusters.check_confidence(confidence)
    sides = placements.one_row(human, "human"), placements.one_row(machine, "machine")
    of_human, of_machine = (placements.given(side) for side in sides)
    area = placements.area(
        of_human,
        of_machine,
        method=f"{placements.METHOD}; {100 * confidence:g} % interval by DeLong's formula, for "
        "independent scores only: it allows neither for judges nor for titles",
        level=level,
        n_asked=sum(side.size for side in sides),
    )
    if not area.defined:
        return area
    if min(of_human.size, of_machine.size) < 2:
        scarce = "human" if of_human.size < 2 else "machine"
        return replace(area, reason=f"only one {scarce} poem was judged: nothing can vary")
    error = math.sqrt(
        sum(
            float(np.var(placed, ddof=1)) / placed.size
            for placed in placements.placements(of_human, of_machine)
        )
    )
    if error < clusters.NO_VARIATION:
        return replace(area, reason=placements.no_variation(area.value))
    reach = float(ndtri((1 + confidence) / 2)) * error
    return replace(area, low=max(0.0, area.value - reach), high=min(1.0, area.value + reach))
