"""The signed-rank tests of all models at once: those of `paired.wilcoxon_signed_rank`."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from backend.statistics.clusters import check_confidence
from backend.statistics.many.scores import Codes, Floats
from backend.statistics.paired import SignedRank, signs
from backend.statistics.paired.differences import Integers, subtracted
from backend.statistics.paired.shift import Shift, design

# Above what twice any difference can be: a pair that lacks a score comes after all others.
_MISSING = np.iinfo(np.int64).max
_NO_SHIFT = Shift(math.nan, math.nan, math.nan, "")


def signed_ranks(
    model: ArrayLike,
    human: ArrayLike,
    *,
    exact: bool = True,
    shift: bool = True,
    zeros: signs.Zeros = "wilcox",
    level: str = "title",
    confidence: float = 0.95,
) -> tuple[SignedRank, ...]:
    """Test each model's scores against the human ones, title by title.

    With the defaults, what `wilcoxon_signed_rank(model[i], human)` returns. Ranks, statistics and
    the normal approximation are reached for all models at once. Exact p-values and Hodges-Lehmann
    estimates take nearly all of the time and can be left out.

    Parameters
    ----------
    model : array-like of float, shape (n_models, n_titles)
        Score of each model's poem. ``nan`` = no score; the pair is left out and counted.
    human : array-like of float, shape (n_titles,)
        Score of the human poem of the same title.
    exact : bool
        Whether p-values are exact up to 500 ranked pairs, tied or not. Else all are by the normal
        approximation, with tie correction and without continuity correction.
    shift : bool
        Whether the Hodges-Lehmann estimate and its interval are wanted. Else they are ``nan``.
    zeros, level, confidence
        As in `wilcoxon_signed_rank`.

    Returns
    -------
    tuple of SignedRank, one for each model
        ``p`` is ``nan``, with the reason, where there is no pair or none that differs.

    Raises
    ------
    ValueError
        If `model` is not one row for each model with a score for each one of `human`, a
        difference is a billion or more, `zeros` is neither rule, or `confidence` is not between
        0 and 1.

    References
    ----------
    As in `wilcoxon_signed_rank`.
    """
    check_confidence(confidence)
    signs.check_zeros(zeros)
    between, scored = _differences(model, human)
    ranked = _rank(between, scored, dropped=zeros == "wilcox")
    tests = []
    for place, row in enumerate(ranked.rows()):
        by_signs = exact and row.n_ranked <= signs.EXACT_UP_TO
        by = _NO_SHIFT
        if shift:
            by = signs.shift_of(between[place][scored[place]], row.n_zero, level, confidence)
        tested = signs.method(zeros, exact=by_signs, tied=row.tied)
        if shift:
            tested += f"; Hodges-Lehmann, equal pairs kept, {design(row.n, confidence)}"
        notes = signs.notes(row.n, row.n_zero, zeros, level)
        tests.append(
            SignedRank(
                statistic=row.plus / 2,
                w_minus=(row.total - row.plus) / 2,
                p=_exact_p(ranked, place) if by_signs else row.p,
                n=row.n,
                n_zero=row.n_zero,
                n_nonzero=row.n - row.n_zero,
                n_dropped=between.shape[1] - row.n,
                effect=row.effect,
                median_difference=by.value,
                method=tested,
                reason=signs.reason(row.n, row.n_zero, level),
                notes=(*notes, by.reason) if by.reason else notes,
                level=level,
                low=by.low,
                high=by.high,
            )
        )
    return tuple(tests)


def _differences(model: ArrayLike, human: ArrayLike) -> tuple[Integers, NDArray[np.bool_]]:
    rows, row = np.asarray(model, dtype=np.float64), np.asarray(human, dtype=np.float64)
    if rows.ndim != 2 or row.shape != rows.shape[1:]:
        raise ValueError(
            f"each model needs one score for each human one, got {rows.shape} and {row.shape}"
        )
    scored = ~(np.isnan(rows) | np.isnan(row))
    return subtracted(np.where(scored, rows, 0.0), np.where(scored, row, 0.0)), scored


@dataclass(frozen=True)
class _Row:
    """What one model's differences come to; rank sums are doubled, so that they are whole."""

    n: int
    n_zero: int
    n_ranked: int
    plus: int
    total: int
    p: float
    tied: bool

    @property
    def effect(self) -> float:
        return (2 * self.plus - self.total) / self.total if self.total else math.nan


@dataclass(frozen=True)
class _Ranked:
    """Ranks of all models' differences; rank sums are doubled, so that they are whole.

    Attributes
    ----------
    ranks : array of int, shape (n_models, n_titles)
        Twice the midranks of the differences in ascending order of their size; 0 where there is
        no difference or a score is missing.
    n, n_zero, n_ranked, plus, total : array of int, shape (n_models,)
        Pairs with both scores, equal ones, ranked ones; twice the rank sums of the positive
        differences and of all.
    p : array of float, shape (n_models,)
        By the normal approximation.
    tied : array of bool, shape (n_models,)
        Whether any differences are of one size.
    """

    ranks: Integers
    n: Codes
    n_zero: Codes
    n_ranked: Codes
    plus: Codes
    total: Codes
    p: Floats
    tied: NDArray[np.bool_]

    def rows(self) -> list[_Row]:
        columns = (self.n, self.n_zero, self.n_ranked, self.plus, self.total, self.p, self.tied)
        return [_Row(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _rank(between: Integers, scored: NDArray[np.bool_], *, dropped: bool) -> _Ranked:
    n_models, n_titles = between.shape
    n, n_zero = scored.sum(axis=1), (scored & (between == 0)).sum(axis=1)
    # The sign travels in the lowest bit, so that one sort of whole numbers ranks and signs.
    keys = 2 * np.abs(between) + (between > 0)
    keys[~scored] = _MISSING
    keys.sort(axis=1)
    sizes = keys >> 1
    first, last = (np.ones((n_models, n_titles), dtype=np.bool_) for _ in range(2))
    first[:, 1:] = last[:, :-1] = sizes[:, 1:] != sizes[:, :-1]
    places = np.arange(n_titles)
    start = np.maximum.accumulate(np.where(first, places, 0), axis=1)
    end = np.minimum.accumulate(np.where(last, places, n_titles)[:, ::-1], axis=1)[:, ::-1]
    moving = (keys != 0) & (keys != _MISSING)
    ranks = (start + end + 2 - (2 * n_zero[:, None] if dropped else 0)) * moving

    plus, total = (ranks * (keys & 1)).sum(axis=1), ranks.sum(axis=1)
    squares = np.square(ranks, dtype=np.float64).sum(axis=1)
    z = np.full(n_models, math.nan)
    np.divide(plus - total / 2, np.sqrt(squares / 4), out=z, where=squares > 0)
    return _Ranked(
        ranks=ranks,
        n=n,
        n_zero=n_zero,
        n_ranked=n - n_zero if dropped else n,
        plus=plus,
        total=total,
        p=2 * ndtr(-np.abs(z)),
        tied=(moving & ~first).any(axis=1),
    )


def _exact_p(ranked: _Ranked, place: int) -> float:
    ranks = ranked.ranks[place][ranked.ranks[place] > 0]
    if not ranks.size:
        return math.nan
    plus, total = int(ranked.plus[place]), int(ranked.total[place])
    return signs.exact_p(ranks, min(plus, total - plus))
