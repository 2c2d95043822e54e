"""Resampling of titles and of judges: a second opinion on intervals, and how sure ranks are."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from backend.statistics import clusters
from backend.statistics.detection import placements
from backend.statistics.many import Scores
from backend.statistics.many.scores import HUMAN, Floats, compact

Statistic = Literal["auc", "mean"]
Times = NDArray[np.uint32]

# Whole numbers up to here are exact in single precision, which halves what has to be moved.
_EXACT_IN_SINGLE = 2**24
# Replicates at once: the counts of a block fit in a processor's cache.
_BATCH = 64
_THREADS = 2
# Draws are made in blocks of this many replicates, whatever the batch.
_DRAWN = 256
_FIGURES = {"auc": "ROC-AUC, human positive, ties half", "mean": "mean of the scores"}


@dataclass(frozen=True, eq=False)
class Replicates:
    """A statistic of each author in resamplings of titles and judges.

    Attributes
    ----------
    values : array of float, shape (n_replicates, n)
        One column for each of `authors`; ``nan`` where a resampling has no judgment to count.
    observed : array of float, shape (n,)
        The statistic of the judgments as they are.
    authors : tuple of int
        Numbers as in `Scores`: 1 to ``n_models`` for areas, from 0 (human) for means.
    highest_is_best : bool
        Whether rank 1 is the highest value, as of means; the lowest area is that of the model
        whose poems pass for human most often.
    n, n_titles, n_judges : int
        Judgments and clusters that were resampled.
    method, level : str
        Words for the methods section; what one unit is.
    reason : str
        Why nothing could be resampled; empty if it was.
    notes : tuple of str
        Cautions for the reader.
    """

    values: Floats
    observed: Floats
    authors: tuple[int, ...]
    highest_is_best: bool
    n: int
    n_titles: int
    n_judges: int
    method: str
    level: str
    reason: str = ""
    notes: tuple[str, ...] = ()

    def interval(self, author: int, confidence: float = 0.95) -> tuple[float, float]:
        """Percentiles of an author's values.

        ``nan`` twice where `why` gives a reason. Too wide where most titles meet few judges (Owen
        2007).

        Raises
        ------
        ValueError
            If the author has no column or `confidence` is not between 0 and 1.
        """
        clusters.check_confidence(confidence)
        if self.why(author):
            return math.nan, math.nan
        return _percentiles(self.values[:, self._column(author)], confidence, "linear")

    def why(self, author: int) -> str:
        """Why an author has no interval; empty if it has one.

        Where all replicates agree, their percentiles would say that nothing is uncertain.

        Raises
        ------
        ValueError
            If the author has no column.
        """
        column = self._column(author)
        if self.reason:
            return self.reason
        if math.isnan(self.observed[column]):
            return "no poem of this author was judged"
        values = self.values[:, column]
        known = values[~np.isnan(values)]
        if known.size < 2:
            return "fewer than two resamplings have a value of this author"
        return clusters.NOTHING_VARIES if np.ptp(known) < clusters.NO_VARIATION else ""

    def ranks(self) -> Floats:
        """Rank of each author in each replicate, shape (n_replicates, n).

        1 is best, ties share the mean of their ranks. Ranks are among the authors with an observed
        value: ``nan`` for the others, and for all in a replicate that lacks a value of one of them.
        """
        return self._ranks.copy()

    @cached_property
    def _ranks(self) -> Floats:
        values = self.values[:, self._ranked]
        values = -values if self.highest_is_best else values
        each, other = values[:, :, None], values[:, None, :]
        better, alike = (other < each).sum(axis=2), (other == each).sum(axis=2)
        ranks = np.full(self.values.shape, math.nan)
        ranks[:, self._ranked] = better + (alike + 1) / 2
        ranks[np.isnan(values).any(axis=1)] = math.nan
        return ranks

    @property
    def _ranked(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.observed)

    def rank_interval(self, author: int, confidence: float = 0.95) -> tuple[float, float]:
        """Ranks between which an author is in that share of the replicates.

        ``nan`` twice if no replicate ranks it.

        Raises
        ------
        ValueError
            If the author has no column or `confidence` is not between 0 and 1.
        """
        clusters.check_confidence(confidence)
        return _percentiles(self.ranks()[:, self._column(author)], confidence, "inverted_cdf")

    def best(self) -> Floats:
        """Share of the replicates in which each author is best, shape (n,).

        Authors that are best together share one. ``nan`` for those without an observed value, and
        for all if no replicate has a value of each of the others.
        """
        shares = np.full(len(self.authors), math.nan)
        ranked = self.values[:, self._ranked]
        whole = ranked[~np.isnan(ranked).any(axis=1)]
        if whole.size:
            top = whole.max(axis=1) if self.highest_is_best else whole.min(axis=1)
            first = whole == top[:, None]
            shares[self._ranked] = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
        return shares

    def _column(self, author: int) -> int:
        if author not in self.authors:
            raise ValueError(f"there is no author {author} among {self.authors}")
        return self.authors.index(author)


def two_way_bootstrap(
    scores: Scores,
    *,
    n_replicates: int = 2000,
    seed: int,
    statistic: Statistic = "auc",
    level: str = "judgment",
    batch: int = _BATCH,
) -> Replicates:
    """Resample titles and, independently, judges, and compute a statistic of each author anew.

    Each replicate draws as many titles as there are, with replacement, and as many judges. A
    judgment counts as often as its title was drawn, times as often as its judge was. Weighted
    counts by author and score, and with them the statistic, are whole numbers or their ratios:
    the same seed gives the same replicates whatever the `batch`.

    Parameters
    ----------
    scores : Scores
        All judgments, of human poems and of models' poems.
    n_replicates : int
        How many replicates to draw.
    seed : int
        Where `numpy.random.Generator` starts.
    statistic : {"auc", "mean"}
        Area of each model against the human poems, or mean score of each author, the human one
        included.
    level : str
        What one score is.
    batch : int
        How many replicates are computed at once: memory against time.

    Returns
    -------
    Replicates
        ``nan`` with the reason if there are fewer than two titles, or for areas if no poem of one
        kind was judged. A single judge is not resampled, and `method` says so.

    Raises
    ------
    ValueError
        If `n_replicates` or `batch` is below 1, or `statistic` is neither of the two.

    References
    ----------
    Owen, A. B. (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1(2).
    Owen, A. B., Eckles, D. (2012). Bootstrapping data arrays of arbitrary order. Annals of
    Applied Statistics 6(3).
    """
    if n_replicates < 1 or batch < 1:
        raise ValueError("at least one replicate is to be drawn, and at least one at once")
    if statistic not in get_args(Statistic):
        raise ValueError(
            f"statistic must be one of {', '.join(get_args(Statistic))}, got {statistic!r}"
        )
    first = HUMAN if statistic == "mean" else HUMAN + 1
    authors = tuple(range(first, scores.n_authors))
    reason = _reason(scores, statistic)
    observed = _of_counts(scores.histogram[:, :, None].astype(np.float64), scores, statistic)
    values = np.full((n_replicates, len(authors)), math.nan)
    if not reason:
        _fill(values, scores, seed, statistic, batch)
    return Replicates(
        values=values,
        observed=observed[:, 0],
        authors=authors,
        highest_is_best=statistic == "mean",
        n=scores.n,
        n_titles=scores.n_titles,
        n_judges=scores.n_judges,
        method=_method(scores, n_replicates, statistic),
        level=level,
        reason=reason,
        notes=() if reason else _notes(values[:, ~np.isnan(observed[:, 0])]),
    )


def _reason(scores: Scores, statistic: Statistic) -> str:
    if not scores.n:
        return "nothing was judged"
    n_human = int(scores.histogram[HUMAN].sum())
    n_machine = scores.n - n_human
    if statistic == "auc" and not (n_human and n_machine):
        return f"no {placements.missing(n_human, n_machine)} was judged"
    return clusters.too_few(scores.n_titles, None)


def _fill(values: Floats, scores: Scores, seed: int, statistic: Statistic, batch: int) -> None:
    titles, judges = draws(scores.n_titles, scores.n_judges, n_replicates=len(values), seed=seed)
    columns, cells = compact(scores.cells)
    of_title, of_judge = cells // scores.n_judges, cells % scores.n_judges
    largest = int(np.bincount(columns).max()) * scores.n_titles * scores.n_judges
    dtype = np.dtype(np.float32 if largest < _EXACT_IN_SINGLE else np.float64)
    ones = np.ones(scores.n, dtype)
    shape = (scores.n_authors * scores.values.size, cells.size)
    # By column: the weights of a cell are read once, the counts they add to stay in the cache.
    counted = sparse.coo_array((ones, (scores.places, columns)), shape=shape).tocsc()

    def one(start: int) -> None:
        chosen = slice(start, start + batch)
        weights = titles[chosen].T.astype(dtype)[of_title]
        weights *= judges[chosen].T.astype(dtype)[of_judge]
        counts = (counted @ weights).reshape(scores.n_authors, scores.values.size, -1)
        values[chosen] = _of_counts(counts, scores, statistic).T

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(one, range(0, len(values), batch)))


def draws(n_titles: int, n_judges: int, *, n_replicates: int, seed: int) -> tuple[Times, Times]:
    """Return how often each title and each judge is drawn in each replicate.

    Returns
    -------
    titles : array of int, shape (n_replicates, n_titles)
        Each row sums to `n_titles`; titles are in ascending order of their numbers.
    judges : array of int, shape (n_replicates, n_judges)
    """
    of_titles, of_judges = np.random.SeedSequence(seed).spawn(2)
    return (
        _drawn(n_titles, n_replicates, np.random.default_rng(of_titles)),
        _drawn(n_judges, n_replicates, np.random.default_rng(of_judges)),
    )


def _drawn(n: int, n_replicates: int, generator: np.random.Generator) -> Times:
    times = np.empty((n_replicates, n), dtype=np.uint32)
    for start in range(0, n_replicates, _DRAWN):
        rows = min(_DRAWN, n_replicates - start)
        draws = generator.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        times[start : start + rows] = np.bincount(draws.ravel(), minlength=rows * n).reshape(
            rows, n
        )
    return times


def _of_counts(counts: NDArray[np.floating], scores: Scores, statistic: Statistic) -> Floats:
    """The statistic from weighted counts by author, score and replicate: shape (n, replicates)."""
    totals = counts.sum(axis=1, dtype=np.float64)
    if statistic == "mean":
        won, pairs = np.einsum("asr,s->ar", counts, scores.values.astype(np.float64)), totals
    else:
        human = counts[HUMAN].astype(np.float64)
        above = 2 * (totals[HUMAN] - np.cumsum(human, axis=0)) + human
        won, pairs = np.einsum("asr,sr->ar", counts[1:], above), 2 * totals[HUMAN] * totals[1:]
    found = np.full(won.shape, math.nan)
    np.divide(won, pairs, out=found, where=pairs > 0)
    return found


def _percentiles(
    values: Floats, confidence: float, how: Literal["linear", "inverted_cdf"]
) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    if not known.size:
        return math.nan, math.nan
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, (tail, 1 - tail), method=how)
    return float(low), float(high)


def _method(scores: Scores, n_replicates: int, statistic: Statistic) -> str:
    if scores.n_judges == 1:
        clusters_drawn = "titles, for this one judge"
    else:
        clusters_drawn = "titles and judges with product weights (Owen 2007)"
    return f"{_FIGURES[statistic]}; {n_replicates} resamplings of {clusters_drawn}"


def _notes(values: Floats) -> tuple[str, ...]:
    lacking = int(np.isnan(values).any(axis=1).sum())
    if not lacking:
        return ()
    return (
        f"{lacking} of {len(values)} resamplings leave an author without judgments: "
        "they have no ranks",
    )
