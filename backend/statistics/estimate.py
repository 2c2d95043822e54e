"""Numbers of a report, with what they count, how they were reached and why one may be undefined."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a table must print beside every statistic.

    Attributes
    ----------
    n : int
        How many units of `level` it rests on.
    method : str
        Which variant was computed, in words for the methods section.
    level : str
        What one unit is: a judgment, the mean of a poem, a pair of ratings.
    reason : str
        Why its main number, or only the interval of that, is undefined; empty when nothing is
        missing.
    counts : mapping of str to int
        What else was counted: ``n_titles``, ``n_judges``, ``n_dropped`` and the like.
    notes : tuple of str
        Cautions for the reader about what is defined.

    Raises
    ------
    ValueError
        If it is undefined and no reason is given.
    """

    n: int
    method: str
    level: str
    reason: str = ""
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    # The name of the number without which there is no result.
    main: ClassVar[str] = "value"

    def __post_init__(self) -> None:
        if not (self.defined or self.reason):
            raise ValueError("an undefined result must say why")

    @property
    def defined(self) -> bool:
        """Whether there is a result at all: its main number is not ``nan``."""
        return not math.isnan(getattr(self, self.main))


@dataclass(frozen=True)
class Estimate(Result):
    """One number.

    Attributes
    ----------
    value : float
        The statistic in its own unit; ``nan`` where it is undefined.
    low, high : float
        Bounds of the interval named in `method`. ``nan`` if none was asked for or, with a
        `reason`, if it is undefined.
    n, method, level, reason, counts, notes
        As in `Result`.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether both bounds are known."""
        return not (math.isnan(self.low) or math.isnan(self.high))


def undefined(
    reason: str, *, method: str, level: str, n: int = 0, counts: Mapping[str, int] | None = None
) -> Estimate:
    """An estimate that has no value, for this reason."""
    return Estimate(
        math.nan, n=n, method=method, level=level, reason=reason, counts=dict(counts or {})
    )
