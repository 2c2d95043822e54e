"""One number of a report, with what it counts, how it was reached and why it may be undefined."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Estimate:
    """A statistic and everything a table must print beside it.

    Attributes
    ----------
    value : float
        The statistic in its own unit; ``nan`` where it is undefined.
    n : int
        How many units of `level` it rests on.
    method : str
        Which variant was computed, in words for the methods section.
    level : str
        What one unit is: a judgment, the mean of a poem, a pair of ratings.
    reason : str
        Why `value`, or only its interval, is undefined; empty when nothing is missing.
    low, high : float
        Bounds of the interval named in `method`. ``nan`` if none was asked for or, with a
        `reason`, if it is undefined.
    counts : mapping of str to int
        What else was counted: ``n_titles``, ``n_judges``, ``n_dropped`` and the like.
    notes : tuple of str
        Cautions for the reader about a value that is defined.

    Raises
    ------
    ValueError
        If `value` is ``nan`` and no reason is given.
    """

    value: float
    n: int
    method: str
    level: str
    reason: str = ""
    low: float = math.nan
    high: float = math.nan
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if math.isnan(self.value) and not self.reason:
            raise ValueError("an undefined estimate must say why")

    @property
    def defined(self) -> bool:
        """Whether there is a value at all."""
        return not math.isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether both bounds are known."""
        return not (math.isnan(self.low) or math.isnan(self.high))


def undefined(
    reason: str, *, method: str, level: str, n: int = 0, counts: Mapping[str, int] | None = None
) -> Estimate:
    """An estimate that has no value, for this reason."""
    return Estimate(
        value=math.nan, n=n, method=method, level=level, reason=reason, counts=dict(counts or {})
    )
