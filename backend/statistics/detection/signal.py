"""Skill at telling human from machine poems, apart from a leaning to say "human"."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from backend.statistics import clusters
from backend.statistics.clusters import Floats
from backend.statistics.detection import placements
from backend.statistics.estimate import Result
from backend.statistics.rounding import DECIMALS

_METHOD = "d' and criterion c, human poems as signal, log-linear correction (Hautus 1995)"
_HEIGHT = 1 / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class Sensitivity(Result):
    """What signal detection theory says of yes-or-no answers.

    Attributes
    ----------
    dprime : float
        Standard deviations between the impressions of human and of machine poems; 0 for a coin,
        below 0 if machine poems are called human more often. ``nan`` where it is undefined.
    criterion : float
        0 without a leaning, below 0 for a leaning to say "human", above 0 for one to say
        "machine"; ``nan`` where it is undefined.
    low, high : float
        Bounds for `dprime`; ``nan`` where it is undefined.
    hit_rate, false_alarm_rate : float
        Share of human and of machine poems that were called human, uncorrected; ``nan`` if
        none was judged.
    n : int
        How many answers it rests on.
    method, level, reason, counts, notes
        As in `Result`.
    """

    dprime: float = math.nan
    criterion: float = math.nan
    low: float = math.nan
    high: float = math.nan
    hit_rate: float = math.nan
    false_alarm_rate: float = math.nan

    main: ClassVar[str] = "dprime"


def dprime(
    human_yes: float,
    n_human: int,
    machine_yes: float,
    n_machine: int,
    *,
    level: str,
    confidence: float = 0.95,
) -> Sensitivity:
    """Sensitivity d' and criterion c from how many poems were called human.

    ``H = (human_yes + 1/2) / (n_human + 1)`` and ``F = (machine_yes + 1/2) / (n_machine + 1)``
    (log-linear, whatever the counts), so that rates of 0 and 1 stay finite. With the normal
    quantile z, ``d' = z(H) - z(F)`` and ``c = -(z(H) + z(F)) / 2``. The interval is normal, with
    ``V = H(1 - H) / ((n_human + 1) phi(z(H))**2)`` and the same of F.

    Parameters
    ----------
    human_yes, machine_yes : float
        How many human and how many machine poems were called human; a half where the answer was
        the middle of the scale.
    n_human, n_machine : int
        How many of each were judged.
    level : str
        What one answer is, as "judgment". They are taken for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Sensitivity
        In standard deviations. Undefined, with the reason, if a kind was not judged. A rate of 0
        or 1 is named in ``notes``: d' is then what the correction makes of it.

    Raises
    ------
    ValueError
        If not ``0 <= yes <= n`` for a kind, its n is no whole number, or `confidence` is not
        between 0 and 1.

    References
    ----------
    Hautus, M. J. (1995). Corrections for extreme proportions and their biasing effects on
    estimated values of d'. Behavior Research Methods, Instruments, & Computers 27(1).
    Gourevitch, V., Galanter, E. (1967). A significance test for one parameter isosensitivity
    functions. Psychometrika 32(1).
    """
    clusters.check_confidence(confidence)
    for yes, n in ((human_yes, n_human), (machine_yes, n_machine)):
        if not 0 <= yes <= n or n % 1:
            raise ValueError(f"{yes:g} of {n} is no share")
    n_human, n_machine = int(n_human), int(n_machine)
    hit_rate = human_yes / n_human if n_human else math.nan
    false_alarm_rate = machine_yes / n_machine if n_machine else math.nan
    made = partial(
        Sensitivity,
        hit_rate=hit_rate,
        false_alarm_rate=false_alarm_rate,
        n=n_human + n_machine,
        method=f"{_METHOD}; {100 * confidence:g} % normal interval of d' (Gourevitch and "
        "Galanter 1967), for independent answers: it allows neither for judges nor for titles",
        level=level,
        counts={"n_human": n_human, "n_machine": n_machine},
    )
    if not (n_human and n_machine):
        kind = placements.missing(n_human, n_machine)
        return made(reason=f"no {kind} was judged")
    hit, hit_variance = _quantile(human_yes, n_human)
    alarm, alarm_variance = _quantile(machine_yes, n_machine)
    half = float(ndtri((1 + confidence) / 2)) * math.sqrt(hit_variance + alarm_variance)
    return made(
        dprime=hit - alarm,
        criterion=-(hit + alarm) / 2,
        low=hit - alarm - half,
        high=hit - alarm + half,
        notes=_extremes(hit_rate, false_alarm_rate),
    )


def dprime_from_scores(
    human: ArrayLike,
    machine: ArrayLike,
    threshold: float,
    *,
    level: str = "judgment",
    confidence: float = 0.95,
) -> Sensitivity:
    """`dprime` of scores, where one above the threshold says "human" and one at it half.

    Parameters
    ----------
    human, machine : array-like of int or float, shape (n_human,) and (n_machine,)
        Scores as in `auc`; ``nan`` = not judged, left out and counted as ``n_dropped``.
    threshold : float
        The middle of the scale, in the scores' unit: 500 for per mille.
    level : str
        What one score is.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Sensitivity
        As in `dprime`, with ``counts`` of ``n_at_threshold`` and ``n_dropped`` besides.

    Raises
    ------
    ValueError
        If the scores of a side are not one-dimensional, or `confidence` is not between 0 and 1.

    References
    ----------
    As in `dprime`.
    """
    sides = placements.one_row(human, "human"), placements.one_row(machine, "machine")
    of_human, of_machine = (placements.given(side) for side in sides)
    middle = round(threshold, DECIMALS)
    found = dprime(
        _yes(of_human, middle),
        of_human.size,
        _yes(of_machine, middle),
        of_machine.size,
        level=level,
        confidence=confidence,
    )
    at_middle = sum(int((side == middle).sum()) for side in (of_human, of_machine))
    n_dropped = sum(side.size for side in sides) - found.n
    return replace(
        found,
        method=f"{found.method}; above {threshold:g} is human, exactly at it half",
        counts={**found.counts, "n_at_threshold": at_middle, "n_dropped": n_dropped},
    )


def _quantile(yes: float, n: int) -> tuple[float, float]:
    """Return the normal quantile of the corrected rate, and its variance."""
    rate = (yes + 0.5) / (n + 1)
    z = float(ndtri(rate))
    height = _HEIGHT * math.exp(-z * z / 2)
    return z, rate * (1 - rate) / ((n + 1) * height * height)


def _yes(scores: Floats, middle: float) -> float:
    return int((np.sign(scores - middle) + 1).sum()) / 2


def _extremes(hit_rate: float, false_alarm_rate: float) -> tuple[str, ...]:
    return tuple(
        f"{'every' if rate else 'no'} {kind} poem was called human: without the correction d' "
        "would be infinite"
        for kind, rate in (("human", hit_rate), ("machine", false_alarm_rate))
        if rate in (0.0, 1.0)
    )
