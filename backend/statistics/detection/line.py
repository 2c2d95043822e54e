"""Whether named probabilities are too bold or too timid, and which way they lean."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from backend.statistics import clusters
from backend.statistics.clusters import Floats
from backend.statistics.detection import forecasts
from backend.statistics.estimate import Result

MOVED = "moved inwards by half of 1/"
_METHOD = "logistic calibration line (Cox 1958), maximum likelihood"
_ROUNDS = 100
_SETTLED = 1e-12


@dataclass(frozen=True)
class Line(Result):
    """Intercept and slope of the calibration line; a perfect judge has 0 and 1.

    Attributes
    ----------
    slope : float
        Below 1: forecasts are too bold (too near 0 and 1); above 1: too timid; 0 or less: they
        say nothing, or the opposite. ``nan`` where it is undefined.
    intercept : float
        The log odds of a human poem where the forecast is one half; above 0: forecasts are too
        low there. It moves with the share of human poems, which the design sets.
    slope_error, intercept_error : float
        Their standard errors.
    slope_low, slope_high, intercept_low, intercept_high : float
        Bounds; ``nan`` where undefined.
    n, method, level, reason, counts, notes
        As in `Result`; ``counts`` has ``n_moved``, the forecasts of 0 and 1.
    """

    slope: float = math.nan
    intercept: float = math.nan
    slope_error: float = math.nan
    intercept_error: float = math.nan
    slope_low: float = math.nan
    slope_high: float = math.nan
    intercept_low: float = math.nan
    intercept_high: float = math.nan

    main: ClassVar[str] = "slope"


def calibration_line(
    outcomes: ArrayLike,
    probabilities: ArrayLike,
    *,
    per: int = 1000,
    titles: ArrayLike | None = None,
    judges: ArrayLike | None = None,
    level: str = "judgment",
    confidence: float = 0.95,
) -> Line:
    """Cox's calibration line: ``logit P(human) = intercept + slope * logit(forecast)``.

    Fitted by maximum likelihood. Forecasts of 0 and 1 are moved inwards by half a unit of `per`,
    since their logit is infinite. Without titles, standard errors are those of independent
    forecasts and the interval is normal. With titles, the influences
    ``inverse information * x_i * (o_i - fitted_i)`` are summed over titles and judges as in
    `auc_interval`, with ``t(J - 1)``, or ``t(T - 1)`` without judges.

    Parameters
    ----------
    outcomes, probabilities, per
        As in `brier`.
    titles, judges : array-like of int or str, shape (n,), or None
        The clusters of each forecast, for intervals that allow for them.
    level : str
        What one forecast is.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Line
        Undefined, with the reason, if nothing was forecast, all poems are of one kind, all
        forecasts are the same, or one value separates human from machine poems (the slope is
        then infinite). The intervals alone are undefined, with the reason, if there are fewer
        than two titles or judges or nothing varies.

    Raises
    ------
    ValueError
        As in `brier`.

    References
    ----------
    Cox, D. R. (1958). Two further applications of a model for binary regression. Biometrika
    45(3-4).
    Albert, A., Anderson, J. A. (1984). On the existence of maximum likelihood estimates in
    logistic regression models. Biometrika 71(1).
    """
    clusters.check_confidence(confidence)
    if titles is None and judges is not None:
        raise ValueError("an interval by judges needs titles, too")
    read = forecasts.read(outcomes, probabilities, per)
    # Doubled, half a unit is a whole number.
    twice = np.clip(2 * read.probabilities, 1, 2 * per - 1)
    n_moved = int(np.isin(read.probabilities, (0, per)).sum())
    moved = f"{n_moved} forecasts of 0 or 1 were {MOVED}{per}"
    made = partial(
        Line,
        n=read.n,
        method=_method(confidence, clustered=titles is not None, two_way=judges is not None),
        level=level,
        counts={**read.counts, "n_moved": n_moved},
        notes=(moved,) if n_moved else (),
    )
    reason = _no_line(twice[read.outcomes == 1], twice[read.outcomes == 0])
    if reason:
        return made(reason=reason)
    fit, spread, influences = _fitted(logit(twice / (2 * per)), read.outcomes)
    line = made(intercept=float(fit[0]), slope=float(fit[1]))
    if titles is None:
        errors = (math.sqrt(spread[0, 0]), math.sqrt(spread[1, 1]))
        return _bounded(line, errors, math.inf, confidence)
    by_title = clusters.codes(read.kept(titles))
    by_judge = None if judges is None else clusters.codes(read.kept(judges))
    return _clustered(line, influences, (by_title, by_judge), confidence)


def _method(confidence: float, *, clustered: bool, two_way: bool) -> str:
    if clustered:
        return f"{_METHOD}; {clusters.design(confidence, two_way=two_way)}"
    return (
        f"{_METHOD}; {100 * confidence:g} % normal interval for independent forecasts: it allows "
        "neither for judges nor for titles"
    )


def _no_line(human: forecasts.Integers, machine: forecasts.Integers) -> str:
    if not (human.size or machine.size):
        return "nothing was forecast"
    if not (human.size and machine.size):
        return "all poems are of one kind"
    if np.unique(np.concatenate([human, machine])).size == 1:
        return "all forecasts are the same"
    if machine.max() <= human.min() or human.max() <= machine.min():
        return "one value separates human from machine poems: the slope would be infinite"
    return ""


def _fitted(stretched: Floats, outcomes: forecasts.Integers) -> tuple[Floats, Floats, Floats]:
    """Return the fit, its covariance by the inverse information, and influences (n, 2)."""
    rows = np.column_stack([np.ones(stretched.size), stretched])
    fit = np.zeros(2)
    loss = _loss(rows, outcomes, fit)
    for _ in range(_ROUNDS):
        expected = expit(rows @ fit)
        score = rows.T @ (outcomes - expected)
        step = np.linalg.solve(_information(rows, expected), score)
        # Newton's step can overshoot where kinds hardly overlap; the likelihood has one peak.
        slack = _SETTLED * (1 + loss)
        while _loss(rows, outcomes, fit + step) > loss + slack and np.abs(step).max() > _SETTLED:
            step /= 2
        fit = fit + step
        loss = _loss(rows, outcomes, fit)
        if np.abs(step).max() <= _SETTLED * max(1.0, float(np.abs(fit).max())):
            break
    expected = expit(rows @ fit)
    spread = np.asarray(np.linalg.inv(_information(rows, expected)), dtype=np.float64)
    influences: Floats = (rows * (outcomes - expected)[:, None]) @ spread
    return fit, spread, influences


def _information(rows: Floats, expected: Floats) -> Floats:
    weighted: Floats = rows * (expected * (1 - expected))[:, None]
    return rows.T @ weighted


def _loss(rows: Floats, outcomes: forecasts.Integers, fit: Floats) -> float:
    """Return the negative log-likelihood."""
    odds = rows @ fit
    return float((np.logaddexp(0, odds) - outcomes * odds).sum())


def _clustered(
    line: Line,
    influences: Floats,
    by: tuple[clusters.Codes, clusters.Codes | None],
    confidence: float,
) -> Line:
    found = [clusters.parts(influences[:, place], *by) for place in (0, 1)]
    n_titles, n_judges = found[0].n_first, found[0].n_second if by[1] is not None else None
    counts = {**line.counts, "n_titles": n_titles}
    if n_judges is not None:
        counts["n_judges"] = n_judges
    reason = clusters.too_few(n_titles, n_judges)
    if not reason and min(one.error for one in found) < clusters.NO_VARIATION:
        reason = clusters.NOTHING_VARIES
    line = replace(line, counts=counts, reason=reason)
    if reason:
        return line
    line = replace(line, notes=(*line.notes, *clusters.cautions(n_titles, n_judges)))
    return _bounded(line, (found[0].error, found[1].error), found[0].df, confidence)


def _bounded(line: Line, errors: tuple[float, float], df: float, confidence: float) -> Line:
    of_intercept, of_slope = (clusters.reach(error, df, confidence) for error in errors)
    return replace(
        line,
        intercept_error=errors[0],
        slope_error=errors[1],
        intercept_low=line.intercept - of_intercept,
        intercept_high=line.intercept + of_intercept,
        slope_low=line.slope - of_slope,
        slope_high=line.slope + of_slope,
    )
