"""Signs of careless and of missing answers: descriptions, and no ground to leave anyone out."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np

from backend.statistics.estimate import Estimate, undefined
from backend.statistics.proportions import wilson

Cell = TypeVar("Cell", bound=Hashable)


def longest_run(answers: Iterable[float | None], *, level: str = "answer") -> Estimate:
    """Length of the longest run of one answer, the long-string index.

    Parameters
    ----------
    answers : iterable of number or None
        One judge's answers of one kind, in the order in which they were given. None or ``nan``
        is N/A, and an answer like any other: a run of N/A is a run.
    level : str
        What one of them is.

    Returns
    -------
    Estimate
        In answers, from 1 to n. Undefined without an answer.

    References
    ----------
    Johnson, J. A. (2005). Ascertaining the validity of individual protocols from web-based
    personality inventories. Journal of Research in Personality 39(1).
    """
    given = _given(answers)
    method = "longest run of one answer, N/A counted as an answer"
    if not given:
        return undefined(f"there is no {level}", method=method, level=level)
    longest = max(sum(1 for _ in run) for _, run in groupby(given))
    return Estimate(float(longest), n=len(given), method=method, level=level)


def commonest_share(answers: Iterable[float | None], *, level: str = "answer") -> Estimate:
    """Share of the most frequent answer of one judge.

    Parameters
    ----------
    answers : iterable of number or None
        One judge's answers of one kind. None or ``nan`` is N/A, and an answer like any other.
    level : str
        What one of them is.

    Returns
    -------
    Estimate
        Above 0, at most 1, without an interval. Undefined without an answer.
    """
    given = _given(answers)
    method = "share of the most frequent answer, N/A counted as an answer"
    if not given:
        return undefined(f"there is no {level}", method=method, level=level)
    most = max(Counter(given).values())
    return Estimate(
        most / len(given), n=len(given), method=method, level=level, counts={"n_alike": most}
    )


def response_spread(answers: Iterable[float | None], *, level: str = "answer") -> Estimate:
    """Standard deviation (n - 1) within one judge's answers: intra-individual variability.

    Parameters
    ----------
    answers : iterable of number or None
        One judge's answers on one scale. None or ``nan`` is N/A, left out and counted as
        ``n_missing``.
    level : str
        What one of them is.

    Returns
    -------
    Estimate
        In points of the scale, at least 0. Undefined below two answers.

    References
    ----------
    Dunn, A. M., Heggestad, E. D., Shanock, L. R., Theilgard, N. (2018). Intra-individual response
    variability as an indicator of insufficient effort responding. Journal of Business and
    Psychology 33.
    """
    given = _given(answers)
    rated = [answer for answer in given if answer is not None]
    counts = {"n_missing": len(given) - len(rated)}
    method = "standard deviation (n - 1) within the answers of one judge, N/A left out"
    if len(rated) < 2:
        return undefined(
            "fewer than two answers: there is no spread",
            method=method,
            level=level,
            n=len(rated),
            counts=counts,
        )
    spread = float(np.std(np.asarray(rated, dtype=np.float64), ddof=1))
    return Estimate(spread, n=len(rated), method=method, level=level, counts=counts)


def missing_share(
    answers: Iterable[float | None], *, level: str = "answer", confidence: float = 0.95
) -> Estimate:
    """Share of answers that are missing, with Wilson's score interval.

    Parameters
    ----------
    answers : iterable of number or None
        All answers that were asked for; None or ``nan`` is missing.
    level : str
        What one of them is. The interval takes them for independent of each other.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between 0 and 1; ``counts`` of ``n_missing``. Undefined if none was asked for.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    given = _given(answers)
    n_missing = given.count(None)
    share = wilson(n_missing, len(given), level=level, confidence=confidence)
    method = f"share of missing answers; {100 * confidence:g} % score interval (Wilson)"
    return Estimate(
        share.value,
        n=share.n,
        method=method,
        level=level,
        reason="" if given else "no answer was asked for",
        low=share.low,
        high=share.high,
        counts={"n_missing": n_missing},
    )


def missing_by(
    answers: Sequence[float | None],
    cells: Sequence[Cell],
    *,
    level: str = "answer",
    confidence: float = 0.95,
) -> Mapping[Cell, Estimate]:
    """Share of missing answers in each cell, as of an author and a question.

    Parameters
    ----------
    answers : sequence of number or None, length n
        As in `missing_share`.
    cells : sequence of hashable, length n
        The cell of each.
    level, confidence
        As in `missing_share`.

    Returns
    -------
    mapping of cell to Estimate
        In the order in which cells first occur.

    Raises
    ------
    ValueError
        If the lengths differ or `confidence` is not between 0 and 1.
    """
    if len(answers) != len(cells):
        raise ValueError(f"{len(answers)} answers have {len(cells)} cells")
    grouped: dict[Cell, list[float | None]] = {}
    for answer, cell in zip(answers, cells, strict=True):
        grouped.setdefault(cell, []).append(answer)
    return {
        cell: missing_share(group, level=level, confidence=confidence)
        for cell, group in grouped.items()
    }


def _given(answers: Iterable[float | None]) -> list[float | None]:
    """The answers with ``nan`` as None, since no ``nan`` equals another."""
    return [None if answer is None or math.isnan(answer) else answer for answer in answers]
