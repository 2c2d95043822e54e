"""All scores of a study as whole numbers, checked and indexed once for all figures."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

HUMAN = 0
# A table of all values that labels could have pays if it is not much longer than the labels.
_ROOM = 4
_AT_LEAST = 4096


@dataclass(frozen=True, eq=False)
class Scores:
    """One row for each judgment of a human poem or of a model's poem.

    Attributes
    ----------
    author : array of int, shape (n,)
        Who wrote the poem: 0 a human, 1 to `n_models` a model.
    score : array of int, shape (n,)
        What the judge answered, as a whole number from 0 up: a probability in per mille or per
        cent that a human wrote the poem, or the code of an answer.
    title, judge : array of int, shape (n,)
        Clusters: the title of the poem and who judged it, as any whole numbers.
    n_models : int
        How many models there are, also those without a judgment.
    values : array of int, shape (n_values,)
        The different scores in ascending order.
    places : array of int, shape (n,)
        Where each judgment is in an author x score histogram: ``author * n_values + grade``.
    titles, judges : array of int, shape (n,)
        The clusters again as codes from 0 up; there are `n_titles` and `n_judges`.

    Raises
    ------
    ValueError
        If the columns are not whole numbers in rows of equal length, an author is not between 0
        and `n_models`, or a score is negative.
    """

    author: Codes
    score: Codes
    title: Codes
    judge: Codes
    n_models: int
    values: Codes = field(init=False, repr=False)
    places: Codes = field(init=False, repr=False)
    titles: Codes = field(init=False, repr=False)
    judges: Codes = field(init=False, repr=False)
    n_titles: int = field(init=False)
    n_judges: int = field(init=False)

    def __post_init__(self) -> None:
        columns = {name: _whole(name, getattr(self, name)) for name in _COLUMNS}
        if len({column.size for column in columns.values()}) > 1:
            raise ValueError("each judgment needs one author, score, title and judge")
        _check(columns["author"], columns["score"], self.n_models)
        grades, values = compact(columns["score"])
        titles, of_title = compact(columns["title"])
        judges, of_judge = compact(columns["judge"])
        found = {
            **columns,
            "values": values,
            "places": columns["author"] * values.size + grades,
            "titles": titles,
            "judges": judges,
            "n_titles": of_title.size,
            "n_judges": of_judge.size,
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """How many judgments there are."""
        return self.author.size

    @property
    def n_authors(self) -> int:
        """How many authors there are, the human one included."""
        return self.n_models + 1

    @property
    def grades(self) -> Codes:
        """Where each score is among the different ones; computed anew, shape (n,)."""
        return self.places - self.author * self.values.size

    @property
    def cells(self) -> Codes:
        """Which title and judge each judgment is by: ``title * n_judges + judge``, shape (n,)."""
        return self.titles * self.n_judges + self.judges

    def histogram(self) -> Codes:
        """Count judgments by author and score, shape (n_authors, n_values)."""
        n_values = self.values.size
        counted = np.bincount(self.places, minlength=self.n_authors * n_values)
        return counted.reshape(self.n_authors, n_values)


_COLUMNS = ("author", "score", "title", "judge")


def title_means(scores: Scores) -> Floats:
    """Return the mean score of each author on each title, as paired tests need it.

    Returns
    -------
    array of float, shape (n_authors, n_titles)
        Row 0 is the human one; ``nan`` where an author has no judgment on a title. Titles are in
        ascending order of their numbers.
    """
    keys = scores.author * scores.n_titles + scores.titles
    size = scores.n_authors * scores.n_titles
    counts = np.bincount(keys, minlength=size)
    sums = np.bincount(keys, weights=scores.score, minlength=size)
    means = np.full(size, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means.reshape(scores.n_authors, scores.n_titles)


def _whole(name: str, values: ArrayLike) -> Codes:
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError(f"{name} must be one row, got {column.ndim} dimension(s)")
    if column.size and not np.issubdtype(column.dtype, np.integer):
        raise ValueError(f"{name} must be whole numbers, got {column.dtype}")
    return column.astype(np.intp, copy=False)


def _check(author: Codes, score: Codes, n_models: int) -> None:
    if author.size and not 0 <= author.min() <= author.max() <= n_models:
        raise ValueError(f"authors must be from 0 (human) to {n_models}, the number of models")
    if score.size and score.min() < 0:
        raise ValueError("scores must be whole numbers from 0 up")


def compact(labels: Codes) -> tuple[Codes, Codes]:
    """Return labels as codes from 0 up, and the different labels in ascending order."""
    lowest, highest = (int(labels.min()), int(labels.max())) if labels.size else (0, -1)
    if highest - lowest > max(_AT_LEAST, _ROOM * labels.size):
        values, codes = np.unique(labels, return_inverse=True)
        return codes, values
    shifted = labels - lowest if lowest else labels
    seen = np.zeros(highest - lowest + 1, dtype=np.bool_)
    seen[shifted] = True
    values = np.flatnonzero(seen) + lowest
    return shifted if seen.all() else (np.cumsum(seen) - 1)[shifted], values
