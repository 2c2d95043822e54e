"""Observed proportion of agreement between one rater and one or several others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.agreement.comparing import (
    Compared,
    Form,
    NotApplicable,
    Pool,
    Sides,
    Variant,
    compare,
    consensus,
    sides,
)
from backend.statistics.estimate import Estimate, undefined

_LEVEL = "pair of ratings (poem by item)"

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def pao(
    a: ArrayLike,
    b: ArrayLike,
    *,
    na: NotApplicable = "category",
    na_code: float | None = 0,
    tolerance: float = 0,
    pool: Pool = "pairs",
    form: Form = "paired",
    confidence: float = 0.95,
) -> Estimate:
    """Observed proportion of agreement between one rater and one or several others.

    ``2A / (n_a + n_b)``: A pairs of ratings agree, and n_a and n_b ratings of the two sides
    count. The one rater's answer is paired with that of each other, and counts with each, so
    that n_a = n_b and the proportion cannot exceed 1. Nothing is taken off for agreement by
    chance.

    Parameters
    ----------
    a : array-like of float, shape (n_poems, n_items) or (n,)
        Answers of one rater. ``nan`` = not rated. Rounded to nine decimals, like `na_code` and
        `tolerance`, so that equal answers agree.
    b : array-like of float, the shape of `a` or (n_judges, \\*a.shape)
        Answers of another rater in the same places, or of several.
    na : {"category", "exclude", "own_n"}
        Whether "not applicable" is an answer like any other, takes its pair out, or is left out
        of its own rater's n only (a pair with one of it then counts half and cannot agree).
    na_code : float or None
        The code of "not applicable"; ``None`` if the scale has none.
    tolerance : float
        How many scale points apart still counts as agreement. "Not applicable" is no scale
        point: it agrees with itself only, however large the tolerance.
    pool : {"pairs", "judge_mean", "poem_mean", "median", "mode"}
        All pairs alike; the mean of the judges' proportions, or of the poems'; or one comparison
        with the judges' median or commonest answer. A median is of scale points, unless most
        judges chose "not applicable"; where answers are equally common there is no mode.
    form : {"paired", "literal"}
        "literal" counts every rating once, partnered or not: those of `a` in n_a, of all of `b`
        in n_b. Against several raters that can exceed 1 and is then undefined.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between 0 and 1; ``n`` is the number of pairs compared. ``counts`` holds
        ``n_agreements``, ``n_a``, ``n_b``, ``n_dropped`` (pairs that only one of the two, or
        neither, rated) and ``n_excluded`` (pairs taken out as not applicable). Where `a` is
        poems by items there is an interval: for other poems and other judges of `b`
        (`clusters.with_interval`), or for other poems only if `b` is one rater or their
        consensus; none in the literal form against several. Undefined if no pair is left.

    Raises
    ------
    ValueError
        If the shapes do not fit, `tolerance` is negative, a switch is another word, the literal
        form is to be averaged, or `confidence` is not between 0 and 1.

    References
    ----------
    Neuendorf, K. A. (2017). The Content Analysis Guidebook, 2nd ed., ch. 6.
    Holsti, O. R. (1969). Content Analysis for the Social Sciences and Humanities, p. 140.
    """
    clusters.check_confidence(confidence)
    variant = Variant(na, na_code, tolerance, pool, form)
    return _pao(consensus(sides(a, b), variant), variant, confidence)


def pao_by_item(
    a: ArrayLike,
    b: ArrayLike,
    *,
    na: NotApplicable = "category",
    na_code: float | None = 0,
    tolerance: float = 0,
    pool: Pool = "pairs",
    form: Form = "paired",
    confidence: float = 0.95,
) -> tuple[Estimate, ...]:
    """Observed proportion of agreement on each item, in the order of the columns.

    Parameters
    ----------
    a : array-like of float, shape (n_poems, n_items)
        As in `pao`, as are all switches.
    b : array-like of float, shape (n_poems, n_items) or (n_judges, n_poems, n_items)
        As in `pao`.

    Returns
    -------
    tuple of Estimate
        One for each item. Weighted by their ``n`` they average to `pao` of the whole table if
        pairs are pooled and "not applicable" is a category or excluded.

    Raises
    ------
    ValueError
        As `pao`, and if `a` is not two-dimensional.
    """
    clusters.check_confidence(confidence)
    variant = Variant(na, na_code, tolerance, pool, form)
    given = sides(a, b)
    if not given.by_poem:
        raise ValueError("ratings must be poems by items, got 1 dimension(s)")
    given = consensus(given, variant)
    return tuple(
        _pao(
            Sides(given.one[:, item, None], given.others[:, :, item, None], given.by_poem),
            variant,
            confidence,
        )
        for item in range(given.one.shape[1])
    )


def _pao(given: Sides, variant: Variant, confidence: float) -> Estimate:
    found = compare(given, variant)
    several = given.others.shape[0] > 1
    once = several and variant.form == "literal"
    method = variant.method
    if given.by_poem and not once:
        method = f"{method}; {_interval_method(confidence, several=several)}"
    n = int(found.kept.sum())
    counts = {
        "n_agreements": int(found.agree.sum()),
        "n_a": int(found.n_a.sum()),
        "n_b": int(found.n_b.sum()),
        "n_dropped": int(found.rated.size - found.rated.sum()),
        "n_excluded": int(found.rated.sum()) - n,
    }
    reason = _refusal(found, counts)
    if reason:
        return undefined(reason, method=method, level=_LEVEL, n=n, counts=counts)
    if once:
        value = 2 * counts["n_agreements"] / (counts["n_a"] + counts["n_b"])
        reason = "one rating counts against several: its interval is not known"
        return Estimate(value, n=n, method=method, level=_LEVEL, reason=reason, counts=counts)
    shares = _shares(found, variant.pool)
    estimate = Estimate(shares.value, n=n, method=method, level=_LEVEL, counts=counts)
    if not given.by_poem:
        return estimate
    judges = shares.judges if several else None
    parts = clusters.parts(shares.influences, shares.poems, judges)
    return clusters.with_interval(estimate, parts, confidence)


def _interval_method(confidence: float, *, several: bool) -> str:
    if several:
        return clusters.share_design(confidence, two_way=True, of="poems")
    return clusters.near_the_ends(
        f"{100 * confidence:g} % interval by poems only, both sides fixed, t(P - 1)"
    )


def _refusal(found: Compared, counts: dict[str, int]) -> str:
    if not found.rated.any():
        return "the two sides have no rated poem in common"
    if not found.kept.any():
        return "every answer that both sides share is 'not applicable' for one of them"
    literal = 2 * counts["n_agreements"] / (counts["n_a"] + counts["n_b"])
    if literal > 1:
        return (
            "each agreement counts, but the one rater's answer only once for several: "
            f"2A / (nA + nB) would be {literal:.3f}"
        )
    return ""


@dataclass(frozen=True)
class _Shares:
    """A mean of proportions, and what each pair adds to its error.

    Attributes
    ----------
    value : float
        The proportion, or the mean of those of the judges or of the poems.
    influences : array of float, shape (n,)
        Of each pair that counts; they sum to zero.
    poems, judges : array of int, shape (n,)
        The poem and the judge of each.
    """

    value: float
    influences: Floats
    poems: Codes
    judges: Codes


def _shares(found: Compared, pool: Pool) -> _Shares:
    counted = found.n_a.astype(np.float64) + found.n_b
    judges, poems, items = np.nonzero(counted)
    whole = counted[judges, poems, items]
    twice = 2.0 * found.agree[judges, poems, items]
    groups = {"judge_mean": judges, "poem_mean": poems}.get(pool, np.zeros_like(poems))
    places = np.unique(groups, return_inverse=True)[1]
    totals = np.bincount(places, weights=whole)
    value = float((np.bincount(places, weights=twice) / totals).mean())
    influences = (twice - value * whole) / (totals.size * totals[places])
    return _Shares(value, influences, poems, judges)
