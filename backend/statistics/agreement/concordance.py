"""Kendall's W: whether judges put the same things in the same order."""

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from backend.statistics.estimate import Result
from backend.statistics.rounding import DECIMALS

_LEVEL = "thing that all judges ranked"
_METHOD = "Kendall's W, corrected for ties; p by chi-square"
# With fewer of both, exact tables are commonly advised; chi-square is a rule of thumb there.
_FEW_THINGS, _FEW_JUDGES = 8, 21


@dataclass(frozen=True)
class Concordance(Result):
    """How far judges agree on an order.

    Attributes
    ----------
    w : float
        From 0 (no agreement on an order) to 1 (one and the same order); ``nan`` if undefined.
    chi2, df, p : float
        Test of no agreement at all; ``nan`` if undefined.
    n : int
        How many things were ranked.
    method, level, reason, counts, notes
        As in `Result`; ``counts`` has ``n_judges`` and ``n_dropped`` (things that not every judge
        ranked).
    """

    w: float = math.nan
    chi2: float = math.nan
    df: float = math.nan
    p: float = math.nan

    main: ClassVar[str] = "w"


def kendall_w(ratings: ArrayLike) -> Concordance:
    """Kendall's coefficient of concordance of m judges who each rank n things.

    ``12 S / (m**2 (n**3 - n) - m sum(t**3 - t))``: S is the sum of squares of the things' rank
    sums about their mean, t runs over groups of equal answers of one judge, which share their
    mean rank. ``chi2 = m (n - 1) W`` with n - 1 degrees of freedom; it is Friedman's statistic.
    W has no interval: the orders of one panel do not tell how those of other judges would vary,
    and no accepted interval for it exists.

    Parameters
    ----------
    ratings : array-like of float, shape (n_judges, n_things)
        What each judge gave each thing, as their mean of each author. ``nan`` = none; a thing
        that not every judge ranked is left out. Rounded to nine decimals, so that equal means
        tie.

    Returns
    -------
    Concordance
        Undefined for fewer than two judges or two complete things, and if every judge gives
        everything the same rank.

    Raises
    ------
    ValueError
        If `ratings` are not two-dimensional.

    References
    ----------
    Kendall, M. G., Babington Smith, B. (1939). The problem of m rankings. Annals of
    Mathematical Statistics 10(3).
    Siegel, S., Castellan, N. J. (1988). Nonparametric Statistics, 2nd ed., ch. 9.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"ratings must be judges by things, got {table.ndim} dimension(s)")
    complete = np.round(table[:, ~np.isnan(table).any(axis=0)], DECIMALS)
    m, n = complete.shape
    counts = {"n_judges": m, "n_dropped": table.shape[1] - n}
    made = partial(Concordance, n=n, method=_METHOD, level=_LEVEL, counts=counts)
    if m < 2 or n < 2:
        few = "two judges are" if m < 2 else "two things that all judges ranked are"
        return made(reason=f"{few} needed")
    ranks, ties = _ranked(complete)
    whole = m**2 * (n**3 - n) - m * ties
    if not whole:
        return made(reason="every judge gave everything the same rank")
    sums = ranks.sum(axis=0)
    w = 12 * float(np.square(sums - sums.mean()).sum()) / whole
    chi2 = m * (n - 1) * w
    rough = n < _FEW_THINGS and m < _FEW_JUDGES
    notes = ("few judges and few things: p is a rough guide",) if rough else ()
    return made(w=w, chi2=chi2, df=n - 1, p=float(chdtrc(n - 1, chi2)), notes=notes)


def _ranked(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Mid-ranks of each row from 1, and the sum of ``t**3 - t`` over all groups of ties."""
    ranks, ties = np.empty_like(table), 0
    for row, of_row in zip(table, ranks, strict=True):
        _, places, sizes = np.unique(row, return_inverse=True, return_counts=True)
        of_row[:] = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
        ties += int((sizes**3 - sizes).sum())
    return ranks, ties
