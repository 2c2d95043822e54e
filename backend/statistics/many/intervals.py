"""The intervals of all models' areas at once: those of `detection.auc_interval`, but fast."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.statistics import clusters
from backend.statistics.clusters import Parts
from backend.statistics.detection import placements
from backend.statistics.estimate import Estimate
from backend.statistics.many.areas import Counted, count
from backend.statistics.many.scores import HUMAN, Codes, Floats, Scores

# Titles x judges x authors in one piece: 64 MB of floats.
_AT_ONCE = 2**23


def area_intervals(
    scores: Scores,
    *,
    confidence: float = 0.95,
    judges_fixed: bool = False,
    level: str = "judgment",
) -> tuple[Estimate, ...]:
    """Area of each model with an interval that allows for other titles and other judges.

    What `detection.auc_interval` returns for one model after another, with the same formula,
    counts, reasons and notes.

    Parameters
    ----------
    scores : Scores
        All judgments, of human poems and of models' poems.
    confidence : float
        Coverage asked for, between 0 and 1.
    judges_fixed : bool
        Whether the judges are these and no others, as one language model is: titles are then the
        only clusters, with ``t(T - 1)``.
    level : str
        What one score is.

    Returns
    -------
    tuple of Estimate, one for each model
        Undefined, or with an undefined interval, where that of `auc_interval` is.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.

    References
    ----------
    As in `detection.auc_interval`.
    """
    clusters.check_confidence(confidence)
    counted = count(scores)
    design = clusters.share_design(confidence, two_way=not judges_fixed)
    method = f"{placements.METHOD}; {design}"
    found = variances(scores, counted, judges_fixed=judges_fixed)
    return tuple(
        _interval(counted, model, parts, confidence, method, level, judges_fixed=judges_fixed)
        for model, parts in enumerate(found, start=1)
    )


def _interval(
    counted: Counted,
    model: int,
    parts: Parts,
    confidence: float,
    method: str,
    level: str,
    *,
    judges_fixed: bool,
) -> Estimate:
    n_human, n_model = int(counted.totals[HUMAN]), int(counted.totals[model])
    n_judges = None if judges_fixed else parts.n_second
    counts = {"n_human": n_human, "n_machine": n_model, "n_dropped": 0, "n_titles": parts.n_first}
    if n_judges is not None:
        counts["n_judges"] = n_judges
    value = low = high = math.nan
    notes: tuple[str, ...] = ()
    if n_human and n_model:
        value = int(counted.won[model - 1]) / (2 * n_human * n_model)
    reason = _reason(value, n_human, n_model, parts, n_judges)
    if not reason:
        low, high = clusters.bounds(value, parts.error, parts.df, confidence)
        notes = clusters.cautions(parts.n_first, n_judges)
    return Estimate(
        value,
        n=n_human + n_model,
        method=method,
        level=level,
        reason=reason,
        low=low,
        high=high,
        counts=counts,
        notes=notes,
    )


def _reason(value: float, n_human: int, n_model: int, parts: Parts, n_judges: int | None) -> str:
    if math.isnan(value):
        return f"no {placements.missing(n_human, n_model)} was judged"
    too_few = clusters.too_few(parts.n_first, n_judges)
    if too_few or parts.error >= clusters.NO_VARIATION:
        return too_few
    return placements.no_variation(value)


def variances(scores: Scores, counted: Counted, *, judges_fixed: bool = False) -> Iterator[Parts]:
    """Variance of each model's area by titles, judges and both, as `clusters.parts` gives it.

    A variance is ``nan`` where one side has no judgment or there are fewer than two clusters.
    """
    n_judges = 1 if judges_fixed else scores.n_judges
    n_cells = scores.n_titles * n_judges
    cells = scores.titles if judges_fixed else scores.cells
    tables = counted.influences
    step = max(1, min(_AT_ONCE // max(1, n_cells), scores.n_authors))
    for first in range(0, scores.n_authors, step):
        authors = range(first, min(first + step, scores.n_authors))
        grid = _grid(scores, cells, n_cells, authors, tables)
        shape = (scores.n_titles, n_judges, len(authors))
        units = 2.0 * counted.totals[HUMAN] * counted.totals[authors.start : authors.stop]
        found = _parts(grid.sums.reshape(shape), grid.seen.reshape(shape), units)
        if judges_fixed:
            found = [Parts(each.first, math.nan, math.nan, each.n_first, 0) for each in found]
        yield from found[1:] if first == HUMAN else found


@dataclass(frozen=True)
class _Grid:
    """Sum of influences, and whether there is any, by cell and author: shape (n_cells, n)."""

    sums: Floats
    seen: NDArray[np.bool_]


def _grid(
    scores: Scores, cells: Codes, n_cells: int, authors: range, tables: tuple[Floats, Floats]
) -> _Grid:
    of_model, of_human = tables
    n = len(authors)
    chosen: slice | NDArray[np.bool_] = slice(None)
    if n < scores.n_authors:
        chosen = (scores.author >= authors.start) & (scores.author < authors.stop)
    keys = cells[chosen] * n
    keys += scores.author[chosen]
    keys -= authors.start
    weights = of_model.ravel()[scores.places[chosen]]
    summed = np.bincount(keys, weights=weights, minlength=n_cells * n).astype(
        np.float64, copy=False
    )
    sums = summed.reshape(n_cells, n)
    seen = np.zeros((n_cells, n), dtype=np.bool_)
    seen.ravel()[keys] = True

    # A human poem's judgment counts for every model, each time with another influence.
    human = np.flatnonzero(scores.author == HUMAN)
    where = cells[human]
    models = np.maximum(np.arange(authors.start, authors.stop) - 1, 0)
    table = np.vstack([of_human[:, models], np.zeros(n)])
    grades = np.full(n_cells, len(of_human))
    grades[where] = scores.places[human]
    judged = grades < len(of_human)
    seen[judged] = True
    if np.count_nonzero(judged) == where.size:
        sums += table[grades]
    else:
        # A judge has more than one human poem on a title: each counts.
        keys = (where[:, None] * n + np.arange(n)).ravel()
        weights = table[scores.places[human]].ravel()
        sums += np.bincount(keys, weights=weights, minlength=sums.size).reshape(sums.shape)
    return _Grid(sums, seen)


def _parts(sums: Floats, seen: NDArray[np.bool_], units: Floats) -> list[Parts]:
    by_title, by_judge = sums.sum(axis=1), sums.sum(axis=0)
    squares = np.array(
        [
            np.einsum("ta,ta->a", by_title, by_title),
            np.einsum("ja,ja->a", by_judge, by_judge),
            np.einsum("tja,tja->a", sums, sums),
        ]
    )
    numbers = _numbers(seen)
    found = np.full(squares.shape, math.nan)
    factors = numbers / np.maximum(numbers - 1, 1) / np.square(np.maximum(units, 1))
    np.multiply(squares, factors, out=found, where=(numbers > 1) & (units > 0))
    return [Parts(*row) for row in zip(*found.tolist(), *numbers[:2].tolist(), strict=True)]


def _numbers(seen: NDArray[np.bool_]) -> Codes:
    """How many titles, judges and cells each author has, shape (3, n)."""
    n_titles, n_judges, n = seen.shape
    if seen.all():
        each = np.array([[n_titles], [n_judges], [n_titles * n_judges]], dtype=np.intp)
        return np.repeat(each, n, axis=1)
    return np.array(
        [
            np.count_nonzero(seen.any(axis=1), axis=0),
            np.count_nonzero(seen.any(axis=0), axis=0),
            np.count_nonzero(seen, axis=(0, 1)),
        ]
    )
