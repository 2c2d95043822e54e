"""The areas of all models at once: those of `detection.auc`, but fast."""

import math
from dataclasses import dataclass

import numpy as np

from backend.statistics.many.scores import HUMAN, Codes, Floats, Scores


def areas(scores: Scores) -> Floats:
    """Area under the ROC curve of each model against the human poems, ties half.

    Judgments are counted by author and score. ``#(h > k) + #(h = k) / 2`` follows from the counts
    as a whole number, so the areas are those of `detection.auc` bit by bit.

    Parameters
    ----------
    scores : Scores
        All judgments, of human poems and of models' poems.

    Returns
    -------
    array of float, shape (n_models,)
        Between 0 and 1; ``nan`` for a model without a judgment, and for all if no human poem was
        judged. `area_intervals` gives the reason.

    References
    ----------
    Hanley, J. A., McNeil, B. J. (1982). The meaning and use of the area under a ROC curve.
    """
    return _counted(scores.sparse).areas


@dataclass(frozen=True)
class Counted:
    """Judgments by author and score, and what follows from them.

    Attributes
    ----------
    histogram : array of int, shape (n_authors, n_values)
        How often each author got each score.
    totals : array of int, shape (n_authors,)
        How many judgments each author has.
    above : array of int, shape (n_values,)
        Twice the number of human scores above each score, ties half.
    won : array of int, shape (n_models,)
        Twice the number of pairs of poems that the human one wins, ties half.
    """

    histogram: Codes
    totals: Codes
    above: Codes
    won: Codes

    @property
    def areas(self) -> Floats:
        """Area of each model, shape (n_models,)."""
        pairs = 2 * self.totals[HUMAN] * self.totals[1:]
        found = np.full(self.won.size, math.nan)
        np.divide(self.won, pairs, out=found, where=pairs > 0)
        return found

    @property
    def influences(self) -> tuple[Floats, Floats]:
        """Influence on each area of a score of a model's poem, and of a human poem.

        ``(v - AUC) / n_side``, v being the share of the other side that the score beats (a human
        poem) or loses to (a model's), ties half. In units of ``1 / (2 * n_human * n_model)``.

        Returns
        -------
        of_model : array of float, shape (n_authors, n_values)
            Row 0, of the human poems, is zero.
        of_human : array of float, shape (n_values, n_models)
        """
        models, won = self.histogram[1:], self.won[:, None]
        of_model = np.zeros(self.histogram.shape)
        of_model[1:] = self.above - won / np.maximum(self.totals[1:, None], 1)
        below = 2 * np.cumsum(models, axis=1) - models
        return of_model, np.ascontiguousarray((below - won / max(self.totals[HUMAN], 1)).T)


def count(scores: Scores) -> Counted:
    """Count all judgments by author and score."""
    return _counted(scores.histogram)


def _counted(histogram: Codes) -> Counted:
    human = histogram[HUMAN]
    not_above = human.cumsum()
    above = 2 * (not_above[-1:] - not_above) + human
    return Counted(histogram, histogram.sum(axis=1), above, histogram[1:] @ above)
