"""What an estimate with its intervals lets one say: different, equivalent, or neither."""

import math
from dataclasses import dataclass
from typing import Literal

from backend.statistics.estimate import Estimate

Word = Literal["different", "equivalent", "inconclusive", ""]

# Two bounds that differ by less, as .5 - .43 and .07 do, are one number written in two ways.
_DECIMALS = 12
_NO_MARGIN = "no margin was fixed, so equivalence cannot be shown"
_SMALL = "the difference is beyond chance, and too small to matter by the margin"


@dataclass(frozen=True)
class Verdict:
    """One word on an estimate.

    Attributes
    ----------
    word : str
        "different", "equivalent" or "inconclusive"; empty where nothing can be said.
    margin : float or None
        How far from the null value still counts as equal; None if none was fixed.
    n : int
        How many units of `level` the estimate rests on.
    method, level : str
        Words for the methods section; what one unit is.
    reason : str
        Why `word` is empty; empty if it is not.
    note : str
        What the reader has to know beside the word.
    """

    word: Word
    margin: float | None
    n: int
    method: str
    level: str
    reason: str = ""
    note: str = ""


def verdict(
    estimate95: Estimate, estimate90: Estimate, *, null: float = 0.5, margin: float | None
) -> Verdict:
    """Say whether an estimate is different from a null value, equivalent to it, or neither.

    Equivalent: the 90 % interval lies within ``null - margin`` and ``null + margin``, its ends
    left out, which is two one-sided tests at 5 %. Otherwise different: the 95 % interval leaves
    out the null value. Otherwise inconclusive: a wide interval is no sign of equality.

    Parameters
    ----------
    estimate95, estimate90 : Estimate
        The same estimate with its 95 % and with its 90 % interval.
    null : float
        The value of no difference, in the unit of the estimate: 0.5 for an area, 0 for a shift.
    margin : float or None
        Largest distance from `null` that does not matter, fixed before the results were seen;
        above 0. With None nothing can be equivalent, and the note says so.

    Returns
    -------
    Verdict
        With an empty word, and the estimate's own reason, where an interval that is needed is
        undefined.

    Raises
    ------
    ValueError
        If the margin is not above 0 and finite, the two estimates differ in value, or the 90 %
        interval is not within the 95 % one.

    References
    ----------
    Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power
    approach. Journal of Pharmacokinetics and Biopharmaceutics 15(6).
    Tryon, W. W. (2001). Evaluating statistical difference, equivalence, and indeterminacy.
    Psychological Methods 6(4).
    """
    if margin is not None and not 0 < margin < math.inf:
        raise ValueError(f"a margin must be above 0 and finite, got {margin}")
    _check_same(estimate95, estimate90)
    needed = (estimate95,) if margin is None else (estimate95, estimate90)
    lacking = [one for one in needed if not one.has_interval]
    word: Word = ""
    note = ""
    if not lacking:
        word, note = _word(estimate95, estimate90, null, margin)
    return Verdict(
        word=word,
        margin=margin,
        n=estimate95.n,
        method=_method(null, margin),
        level=estimate95.level,
        reason=(lacking[0].reason or "no interval was asked for") if lacking else "",
        note=note,
    )


def _word(wide: Estimate, narrow: Estimate, null: float, margin: float | None) -> tuple[Word, str]:
    differs = not _off(wide.low, null) <= 0 <= _off(wide.high, null)
    if margin is None:
        return ("different" if differs else "inconclusive"), _NO_MARGIN
    if round(-margin, _DECIMALS) < _off(narrow.low, null) and _off(narrow.high, null) < round(
        margin, _DECIMALS
    ):
        return "equivalent", _SMALL if differs else ""
    return ("different" if differs else "inconclusive"), ""


def _off(bound: float, null: float) -> float:
    return round(bound - null, _DECIMALS)


def _check_same(wide: Estimate, narrow: Estimate) -> None:
    same = wide.value == narrow.value or not (wide.defined or narrow.defined)
    if not same:
        raise ValueError(f"two estimates, not one: {wide.value} and {narrow.value}")
    both = wide.has_interval and narrow.has_interval
    if both and (_off(narrow.low, wide.low) < 0 or _off(narrow.high, wide.high) > 0):
        raise ValueError("the 90 % interval reaches beyond the 95 % interval")


def _method(null: float, margin: float | None) -> str:
    if margin is None:
        return f"different if the 95 % interval leaves out {null:g}; no margin of equivalence"
    return (
        f"equivalent if the 90 % interval is within {margin:g} of {null:g} (margin fixed "
        f"beforehand), else different if the 95 % interval leaves out {null:g}"
    )
