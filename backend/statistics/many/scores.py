"""All scores of a study as whole numbers, checked at once and indexed when a figure asks for it."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

HUMAN = 0
# A table of all values that labels could have pays if it is not much longer than the labels.
_ROOM = 4
_AT_LEAST = 4096
_LARGEST_SCORE = np.iinfo(np.intp).max


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
        How many models there are, also those without a judgment; at least one.
    highest : int
        The highest score; 0 if there is none.
    values : array of int, shape (n_values,)
        The different scores in ascending order.
    places : array of int, shape (n,)
        Where each judgment is in an author x score histogram: ``author * n_values + grade``.
    histogram : array of int, shape (n_authors, n_values)
        How often each author got each score.
    sparse : array of int, shape (n_authors, n_columns)
        The same, in the same order, with columns of zeros among them: what areas are counted by,
        as it takes the least time.
    titles, judges : array of int, shape (n,)
        The clusters again as codes from 0 up; there are `n_titles` and `n_judges`.

    Raises
    ------
    ValueError
        If the columns are not whole numbers in rows of equal length, there is no model, an author
        is not between 0 and `n_models`, or a score is negative.
    """

    author: Codes
    score: Codes
    title: Codes
    judge: Codes
    n_models: int
    highest: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        columns = {name: _whole(name, getattr(self, name)) for name in _COLUMNS}
        if len({column.size for column in columns.values()}) > 1:
            raise ValueError("each judgment needs one author, score, title and judge")
        if self.n_models < 1:
            raise ValueError(f"there must be a model, got {self.n_models}")
        if _largest(columns["author"]) > self.n_models:
            raise ValueError(
                f"authors must be from 0 (human) to {self.n_models}, the number of models"
            )
        highest = _largest(columns["score"])
        if highest > _LARGEST_SCORE:
            raise ValueError("scores must be whole numbers from 0 up")
        for name, value in {**columns, "highest": highest}.items():
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
    def sparse(self) -> Codes:
        return self._counted[0]

    @cached_property
    def _counted(self) -> tuple[Codes, Codes]:
        """Counts by author and score, and the score of each column."""
        width = self.highest + 1
        if self.n_authors * width <= max(_AT_LEAST, _ROOM * self.n):
            return self._count(self.score, width), np.arange(width)
        grades, values = compact(self.score)
        return self._count(grades, values.size), values

    @cached_property
    def values(self) -> Codes:
        counted, values = self._counted
        return values[counted.any(axis=0)]

    @cached_property
    def histogram(self) -> Codes:
        counted, values = self._counted
        return counted if values.size == self.values.size else counted[:, counted.any(axis=0)]

    def _count(self, grades: Codes, n_grades: int) -> Codes:
        keys = self.author * n_grades
        keys += grades
        counted = np.bincount(keys, minlength=self.n_authors * n_grades)
        return counted.reshape(self.n_authors, n_grades)

    @cached_property
    def places(self) -> Codes:
        return self.author * self.values.size + compact(self.score)[0]

    @cached_property
    def _titles(self) -> tuple[Codes, Codes]:
        return compact(self.title)

    @cached_property
    def _judges(self) -> tuple[Codes, Codes]:
        return compact(self.judge)

    @property
    def titles(self) -> Codes:
        return self._titles[0]

    @property
    def judges(self) -> Codes:
        return self._judges[0]

    @property
    def n_titles(self) -> int:
        return self._titles[1].size

    @property
    def n_judges(self) -> int:
        return self._judges[1].size

    @property
    def grades(self) -> Codes:
        """Where each score is among the different ones; computed anew, shape (n,)."""
        return self.places - self.author * self.values.size

    @property
    def cells(self) -> Codes:
        """Which title and judge each judgment is by: ``title * n_judges + judge``, shape (n,)."""
        return self.titles * self.n_judges + self.judges


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
    if column.size and column.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, got {column.dtype}")
    return column.astype(np.intp, copy=False)


def _largest(column: Codes) -> int:
    """Largest number, 0 of none; one below 0 counts as larger than any other."""
    # Read without a sign, so that one pass finds either.
    return int(column.view(np.uintp).max(initial=0))


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
