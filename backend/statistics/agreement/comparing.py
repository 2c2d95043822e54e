"""Which ratings of two sides are compared, which agree, and what each counts for."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics.agreement.scales import rounded

NotApplicable = Literal["category", "exclude", "own_n"]
Pool = Literal["pairs", "judge_mean", "poem_mean", "median", "mode"]
Form = Literal["paired", "literal"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


_WORDS: dict[str, tuple[str, ...]] = {
    "na": get_args(NotApplicable),
    "pool": get_args(Pool),
    "form": get_args(Form),
}
_TREATED = {
    "category": "as a category",
    "exclude": "excluded by pair",
    "own_n": "taken off its rater's own n",
}
_POOLED = {
    "pairs": "",
    "judge_mean": ", mean over judges",
    "poem_mean": ", mean over poems",
    "median": ", with the median of the judges",
    "mode": ", with the commonest answer of the judges",
}


@dataclass(frozen=True)
class Variant:
    """How agreement is counted; the fields are the switches of `pao`.

    Raises
    ------
    ValueError
        If a word is none of those listed, `tolerance` is negative, or the literal form is to be
        averaged.
    """

    na: NotApplicable
    na_code: float | None
    tolerance: float
    pool: Pool
    form: Form

    def __post_init__(self) -> None:
        if self.tolerance < 0:
            raise ValueError(f"tolerance must not be negative, got {self.tolerance}")
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise ValueError(f"{name} must be one of {', '.join(words)}")
        if self.form == "literal" and self.pool in ("judge_mean", "poem_mean"):
            raise ValueError("the literal form is one proportion of all ratings, not a mean")

    @property
    def code(self) -> float:
        """Return the code of "not applicable", or ``nan``, which equals no answer."""
        return math.nan if self.na_code is None else float(rounded(self.na_code))

    @property
    def method(self) -> str:
        """Return the variant in words for the methods section."""
        closeness = f"within {self.tolerance:g}" if self.tolerance else "exact"
        treated = "" if self.na_code is None else f", not applicable {_TREATED[self.na]}"
        form = ", literal 2A / (nA + nB)" if self.form == "literal" else ""
        return f"PAo, {closeness}{treated}{_POOLED[self.pool]}{form}"


@dataclass(frozen=True)
class Sides:
    """One rater and one or several others.

    Attributes
    ----------
    one : array of float, shape (n_poems, n_items)
        Answers of the one rater; ``nan`` = not rated.
    others : array of float, shape (n_judges, n_poems, n_items)
        Answers of the others in the same places.
    by_poem : bool
        Whether rows are known to be poems. A single row of answers may be of any.
    """

    one: Floats
    others: Floats
    by_poem: bool


def sides(a: ArrayLike, b: ArrayLike) -> Sides:
    """Return both sides of a comparison in one shape, rounded.

    Raises
    ------
    ValueError
        If `a` has neither one nor two dimensions, or `b` is neither of its shape nor a row of
        such.
    """
    one, others = rounded(a), rounded(b)
    if one.ndim not in (1, 2):
        raise ValueError(f"ratings must have one or two dimensions, got {one.ndim}")
    several = others.ndim == one.ndim + 1
    if (others.shape[1:] if several else others.shape) != one.shape:
        raise ValueError(f"ratings differ in shape: {one.shape} and {others.shape}")
    table = one.reshape(one.shape[0], -1) if one.size else one.reshape(one.shape[0], 0)
    n_judges = others.shape[0] if several else 1
    return Sides(table, others.reshape(n_judges, *table.shape), one.ndim == 2)


def consensus(given: Sides, variant: Variant) -> Sides:
    """Return the same sides with the others made one: their median or commonest answer.

    "Not applicable" is no point of a scale, so a median is of the points only, unless more than
    half of the judges chose it. Where two answers are equally common there is no consensus.
    """
    if variant.pool not in ("median", "mode") or not given.others.size:
        return given
    agreed = (_median if variant.pool == "median" else _mode)(given.others, variant.code)
    return Sides(given.one, agreed[None], given.by_poem)


def _median(others: Floats, code: float) -> Floats:
    not_applicable = others == code
    points = np.sort(np.where(not_applicable, np.nan, others), axis=0)  # nan last
    n = (~np.isnan(points)).sum(axis=0)[None]
    lower = np.take_along_axis(points, np.maximum(n - 1, 0) // 2, axis=0)[0]
    upper = np.take_along_axis(points, np.minimum(n // 2, len(points) - 1), axis=0)[0]
    middle: Floats = np.where(n[0] > 0, (lower + upper) / 2, np.nan)
    return np.where(not_applicable.sum(axis=0) > n[0], code, middle)


def _mode(others: Floats, _: float) -> Floats:
    answers = np.unique(others[~np.isnan(others)])
    if not answers.size:
        return np.full(others.shape[1:], np.nan)
    votes = np.stack([(others == answer).sum(axis=0) for answer in answers])
    most = votes.max(axis=0)
    single = (votes == most).sum(axis=0) == 1
    return np.where(single & (most > 0), answers[votes.argmax(axis=0)], np.nan)


@dataclass(frozen=True)
class Compared:
    """Pairs of ratings: which agree, and what each counts for in n_a and n_b.

    Attributes
    ----------
    rated, kept, agree : array of bool, shape (n_judges, n_poems, n_items)
        Whether both rated, whether the pair is compared, and whether it agrees.
    n_a : array of bool, the same shape, or (1, n_poems, n_items)
        Ratings of the one rater that count: with each of the others, or once.
    n_b : array of bool, shape (n_judges, n_poems, n_items)
        Ratings of the others that count.
    """

    rated: Mask
    kept: Mask
    agree: Mask
    n_a: Mask
    n_b: Mask


def compare(given: Sides, variant: Variant) -> Compared:
    """Return which ratings are compared and agree, and what counts for n_a and n_b."""
    one, others = given.one[None], given.others
    has_one, has_other = ~np.isnan(one), ~np.isnan(others)
    rated = has_one & has_other
    one_na, other_na = (one == variant.code) & has_one, (others == variant.code) & has_other
    near = rounded(np.abs(one - others)) <= rounded(variant.tolerance)
    agree = near & (one_na == other_na) & rated
    if variant.na == "category":
        kept, counts_a, counts_b = rated, has_one, has_other
    elif variant.na == "own_n":
        kept = rated & ~(one_na & other_na)
        counts_a, counts_b = has_one & ~one_na, has_other & ~other_na
    else:
        kept = rated & ~(one_na | other_na)
        # A rating whose every partner is taken out with its pair is taken out, too.
        met, left = rated.any(axis=0, keepdims=True), kept.any(axis=0, keepdims=True)
        counts_a = has_one & ~one_na & (left | ~met)
        counts_b = has_other & ~other_na & ~one_na
    agree &= kept
    if variant.form == "literal":
        return Compared(rated, kept, agree, counts_a, counts_b)
    return Compared(rated, kept, agree, counts_a & kept, counts_b & kept)
