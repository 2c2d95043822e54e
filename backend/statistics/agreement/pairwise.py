"""Agreement of pairs of ratings, as reports count it: one entry for each compared pair."""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from backend.statistics import clusters
from backend.statistics.agreement.dyads import ONLY_TWO, dyadic_parts, interval_method
from backend.statistics.estimate import Estimate, undefined

OneSide = Literal["dyads", "against"]


def pair_agreement(
    agree: ArrayLike,
    poems: ArrayLike,
    first_judges: ArrayLike,
    second_judges: ArrayLike,
    *,
    level: str,
    method: str,
    confidence: float = 0.95,
    one_side: OneSide,
) -> Estimate:
    """Share of compared pairs that agree, with an interval for other poems and other judges.

    Parameters
    ----------
    agree : array-like of bool or float in [0, 1], shape (n_pairs,)
        Whether the two ratings of each pair agree, or how far.
    poems : array-like of int or str, shape (n_pairs,)
        Which poem both ratings are of, or which title, where poems of one title go together.
    first_judges, second_judges : array-like of int or str, shape (n_pairs,)
        Who gave them. The order within a pair of a panel does not matter.
    level, method : str
        What one pair is, and how agreement was counted; `method` is continued with how the
        interval was reached.
    confidence : float
        Coverage asked for, between 0 and 1.
    one_side : {"dyads", "against"}
        "dyads": both judges come from one panel, so that pairs are correlated if they share
        the poem or any judge (`dyads.dyadic_parts`). "against": one fixed rater against
        several judges; pairs are correlated if they share the poem or the second judge.

    Returns
    -------
    Estimate
        Between 0 and 1 with ``low`` and ``high``, by ``t(J - 1)`` for J judges (those of the
        second side only, if "against"), on the logit scale above 0.9 and below 0.1; ``counts``
        of ``n_titles`` (poems) and ``n_judges``. Undefined if there is no pair. The interval
        alone is undefined, with the reason, for a single poem, for fewer than three judges of
        a panel or two against a rater, and where nothing varies.

    Raises
    ------
    ValueError
        If the arrays differ in length, `agree` is outside [0, 1] or holds ``nan``, a judge of a
        panel is compared with itself, `one_side` is another word, or `confidence` is not
        between 0 and 1.

    References
    ----------
    Aronow, P. M., Samii, C., Assenova, V. A. (2015). Cluster-robust variance estimation for
    dyadic data. Political Analysis 23(4).
    """
    clusters.check_confidence(confidence)
    if one_side not in ("dyads", "against"):
        raise ValueError(f"one_side must be 'dyads' or 'against', got {one_side!r}")
    values = np.asarray(agree, dtype=np.float64)
    ids = [np.asarray(each) for each in (poems, first_judges, second_judges)]
    if values.ndim != 1 or any(each.shape != values.shape for each in ids):
        raise ValueError("each pair needs one poem and two judges")
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError("agreement must lie between 0 and 1")
    if one_side == "dyads" and np.any(ids[1] == ids[2]):
        raise ValueError("a judge of a panel cannot be compared with itself")

    how = (
        clusters.near_the_ends(interval_method(confidence, "random", of="titles"))
        if one_side == "dyads"
        else clusters.share_design(confidence, two_way=True)
    )
    method = f"{method}; {how}"
    if not values.size:
        nobody = {"n_titles": 0, "n_judges": 0}
        return undefined(
            "no pair of ratings was compared", method=method, level=level, counts=nobody
        )
    share = Estimate(float(values.mean()), n=values.size, method=method, level=level)
    influences = (values - share.value) / values.size
    of_poem, second = clusters.codes(ids[0]), clusters.codes(ids[2])
    if one_side == "against":
        return clusters.with_interval(
            share, clusters.parts(influences, of_poem, second), confidence
        )
    both = clusters.codes(np.concatenate([ids[1], ids[2]]))
    first, second = np.split(both, 2)
    found = dyadic_parts(influences, of_poem, first, second)
    if found.n_second == 2:
        counts = {"n_titles": found.n_first, "n_judges": 2}
        return replace(share, reason=ONLY_TWO, counts=counts)
    return clusters.with_interval(share, found, confidence)
