"""Named probabilities that a human wrote a poem, beside who did."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Forecasts:
    """Forecasts that were given, as whole numbers.

    Attributes
    ----------
    outcomes : array of int, shape (n,)
        1 for a human poem, 0 for a machine poem.
    probabilities : array of int, shape (n,)
        From 0 to `per`.
    per : int
        What a certain forecast is: 1000 for per mille.
    given : array of bool, shape (n_asked,)
        Which of those that were asked for were given.
    """

    outcomes: Integers
    probabilities: Integers
    per: int
    given: NDArray[np.bool_]

    @property
    def n(self) -> int:
        return self.outcomes.size

    @property
    def counts(self) -> dict[str, int]:
        """How many were of either kind, and how many were not given."""
        n_human = int(self.outcomes.sum())
        return {
            "n_human": n_human,
            "n_machine": self.n - n_human,
            "n_dropped": self.given.size - self.n,
        }

    def kept(self, labels: ArrayLike) -> NDArray[Any]:
        """Return the titles or judges of the forecasts that were given.

        Raises
        ------
        ValueError
            If there is not one for each forecast.
        """
        of_each = np.asarray(labels)
        if of_each.shape != self.given.shape:
            raise ValueError("each forecast needs one title and, where judges are given, one judge")
        return of_each[self.given]


def read(outcomes: ArrayLike, probabilities: ArrayLike, per: int) -> Forecasts:
    """Read outcomes and forecasts; a forecast that is ``nan`` was not given.

    Raises
    ------
    ValueError
        If the two differ in shape, an outcome is neither 0 nor 1, or a forecast is no whole
        number from 0 to `per`.
    """
    kinds = np.asarray(outcomes, dtype=np.float64)
    forecasts = np.asarray(probabilities, dtype=np.float64)
    if kinds.ndim != 1 or kinds.shape != forecasts.shape:
        raise ValueError("each forecast needs one outcome")
    if not np.isin(kinds, (0, 1)).all():
        raise ValueError("an outcome is 1 (a human wrote it) or 0")
    given = ~np.isnan(forecasts)
    whole = forecasts[given]
    if per < 1 or (whole < 0).any() or (whole > per).any() or (whole % 1).any():
        raise ValueError(f"forecasts must be whole numbers from 0 to {per}")
    return Forecasts(kinds[given].astype(np.int64), whole.astype(np.int64), per, given)
