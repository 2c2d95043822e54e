"""What two authors scored on the same titles, title by title, as whole numbers that can tie."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Means of probabilities carry float noise that breaks ties; nine decimals are kept, as integers.
PER_UNIT = 10**9
_LARGEST = 1e9

Integers = NDArray[np.int64]


def differences(x: ArrayLike, y: ArrayLike) -> tuple[Integers, int]:
    """Return ``x - y`` in billionths where both are known, and the number of pairs left out.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Paired scores; ``nan`` = no score.

    Raises
    ------
    ValueError
        If the scores are not one-dimensional and of equal length, or a difference is a billion
        or more.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"scores must be two equal rows, got {first.shape} and {second.shape}")
    scored = ~(np.isnan(first) | np.isnan(second))
    return subtracted(first[scored], second[scored]), int(scored.size - scored.sum())


def subtracted(first: NDArray[np.float64], second: NDArray[np.float64]) -> Integers:
    """Return ``first - second`` in billionths, of scores that are all known.

    Raises
    ------
    ValueError
        If a difference is infinite, or a billion or more.
    """
    # Two infinities have no difference, and two huge scores an infinite one: refused below.
    with np.errstate(invalid="ignore", over="ignore"):
        between = first - second
    if not (np.abs(between) < _LARGEST).all():
        raise ValueError("a difference is infinite or a billion and more")
    return np.rint(between * PER_UNIT).astype(np.int64)


def counted(n: int, what: str) -> str:
    """Return a number with its noun: 1 title, 5 titles."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def no_pair(level: str) -> str:
    """Return why nothing is defined where no pair has both scores."""
    return f"no {level} has a score on both sides"


def all_equal(level: str) -> str:
    """Return why nothing can be ranked where no pair differs."""
    return f"the two sides have the same score on every {level}"
