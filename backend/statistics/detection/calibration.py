"""Whether poems that are given a probability of being human are human that often."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.detection import forecasts
from backend.statistics.estimate import Result
from backend.statistics.proportions import wilson

Mass = Literal["width", "equal"]


@dataclass(frozen=True)
class Bin:
    """Forecasts of about one size: a point of the reliability diagram.

    Attributes
    ----------
    low, high : float
        Its ends. Of equal width: above `low`, up to and with `high` (the first holds 0, too).
        Of equal mass: its lowest and its highest forecast.
    n : int
        How many forecasts it holds.
    mean_probability : float
        Their mean.
    share : float
        The share of these poems that a human wrote.
    share_low, share_high : float
        Wilson's interval of that share, for independent forecasts.
    """

    low: float
    high: float
    n: int
    mean_probability: float
    share: float
    share_low: float
    share_high: float


@dataclass(frozen=True)
class Calibration(Result):
    """Calibration by bins.

    Attributes
    ----------
    ece : float
        Expected calibration error: distance of mean forecast and share, bins weighing by their
        size; 0 is best. ``nan`` where it is undefined.
    mce : float
        The largest such distance of any bin.
    bins : tuple of Bin
        In order; those without a forecast are left out.
    n, method, level, reason, counts, notes
        As in `Result`.
    """

    ece: float = math.nan
    mce: float = math.nan
    bins: tuple[Bin, ...] = ()

    main: ClassVar[str] = "ece"


def ece(
    outcomes: ArrayLike,
    probabilities: ArrayLike,
    *,
    per: int = 1000,
    bins: int = 10,
    mass: Mass = "width",
    level: str = "judgment",
    confidence: float = 0.95,
) -> Calibration:
    """Expected and maximum calibration error, with the bins of a reliability diagram.

    ``ECE = sum over bins of (n_b / n) * |mean forecast - share of human poems|``; MCE is the
    largest term without its weight. Both are above 0 even for a perfect judge, the more so the
    fewer the forecasts, and both depend on the bins: they describe, they do not test.

    Parameters
    ----------
    outcomes, probabilities, per
        As in `brier`.
    bins : int
        How many bins there are at most.
    mass : {"width", "equal"}
        Bins of one width, ``(b / bins, (b + 1) / bins]`` with 0 in the first; or of about equally
        many forecasts, by middle rank, equal forecasts always together. Both on whole numbers,
        so that no forecast falls on the wrong side of an edge such as 0.3.
    level : str
        What one forecast is.
    confidence : float
        Coverage of the interval of each bin's share, between 0 and 1.

    Returns
    -------
    Calibration
        Undefined, with the reason, if nothing was forecast.

    Raises
    ------
    ValueError
        If shapes differ, an outcome is neither 0 nor 1, a forecast is no whole number from 0 to
        `per`, there is no bin, `mass` is unknown, or `confidence` is not between 0 and 1.

    References
    ----------
    Naeini, M. P., Cooper, G. F., Hauskrecht, M. (2015). Obtaining well calibrated probabilities
    using Bayesian binning. AAAI.
    Bröcker, J., Smith, L. A. (2007). Increasing the reliability of reliability diagrams.
    Weather and Forecasting 22(3).
    """
    clusters.check_confidence(confidence)
    if bins < 1 or mass not in ("width", "equal"):
        raise ValueError(f"no such bins: {bins} of {mass!r}")
    read = forecasts.read(outcomes, probabilities, per)
    kind = "equal width" if mass == "width" else "equal mass"
    method = (
        f"expected calibration error, {bins} right-closed bins of {kind}; shares with "
        f"{100 * confidence:g} % score intervals (Wilson)"
    )
    if not read.n:
        reason = "nothing was forecast"
        return Calibration(n=0, method=method, level=level, reason=reason, counts=read.counts)
    found = tuple(_bins(read, bins, mass, confidence))
    gaps = [abs(one.mean_probability - one.share) for one in found]
    sizes = [one.n for one in found]
    return Calibration(
        ece=math.fsum(size * gap for size, gap in zip(sizes, gaps, strict=True)) / read.n,
        mce=max(gaps),
        n=read.n,
        bins=found,
        method=method,
        level=level,
        counts=read.counts,
    )


def _bins(read: forecasts.Forecasts, bins: int, mass: Mass, confidence: float) -> Iterator[Bin]:
    places = _by_width(read, bins) if mass == "width" else _by_rank(read, bins)
    for place in np.unique(places):
        held = read.probabilities[places == place]
        n_human = int(read.outcomes[places == place].sum())
        share = wilson(n_human, held.size, level="forecast", confidence=confidence)
        low, high = place / bins, (place + 1) / bins
        if mass == "equal":
            low, high = int(held.min()) / read.per, int(held.max()) / read.per
        yield Bin(
            low=float(low),
            high=float(high),
            n=held.size,
            mean_probability=int(held.sum()) / (held.size * read.per),
            share=share.value,
            share_low=share.low,
            share_high=share.high,
        )


def _by_width(read: forecasts.Forecasts, bins: int) -> NDArray[np.int64]:
    up = -(-read.probabilities * bins // read.per)
    return np.maximum(up - 1, 0)


def _by_rank(read: forecasts.Forecasts, bins: int) -> NDArray[np.int64]:
    _, places, sizes = np.unique(read.probabilities, return_inverse=True, return_counts=True)
    upto = np.cumsum(sizes)
    # Twice the middle rank from 0, as a whole number: 2 * upto - size - 1.
    return ((2 * upto - sizes - 1) * bins // (2 * read.n))[places]
