"""Signs that somebody answered without care, from their own answers alone.

They are signs, no proof: whoever reads fast or judges alike may do so with care.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan, nan
from statistics import fmean, median, stdev

ENOUGH = 5  # poems, or compared answers, below which nothing is flagged

# Half of all answers in one run: Curran, P. G. (2016). Methods for the detection of carelessly
# invalid responses in survey data. Journal of Experimental Social Psychology, 66, 4-19.
RUN_SHARE = 0.5
# No published limit holds for every scale: nine in ten answers alike, and a spread below a quarter
# of a point (on the measure: Dunn, A. M., et al. (2018). Intra-individual response variability.
# Journal of Business and Psychology, 33, 105-121) are this package's own.
COMMONEST_SHARE = 0.9
LEAST_SPREAD = 0.25  # points
# A line of verse has six to ten words. Silent readers of English prose read about 4 a second
# (Brysbaert, M. (2019). Journal of Memory and Language, 109, 104047), so a line takes two seconds,
# and the questions come on top. Of short questionnaire items, too, two seconds are the least
# (Huang, J. L., et al. (2012). Journal of Business and Psychology, 27, 99-114); half of it is
# flagged here, since verse may be known.
LEAST_SECONDS_A_LINE = 1.0
# Two answers drawn evenly and independently from a scale lie a third of it apart.
CHANCE_DISTANCE = 1 / 3


@dataclass(frozen=True)
class Record:
    """What one expert did, without a word of which poem was whose.

    Attributes
    ----------
    poems : int
        Poems answered within the study itself.
    points : sequence of int or None
        All answers on scales of points, in the order in which they stood; None is N/A.
    seconds_a_line : sequence of float
        For each poem that was timed: seconds in view by lines of verse.
    tests, failed : int
        Attention items answered, and those answered wrongly.
    distances : sequence of float
        For each answer given twice: how far apart the two lie, as a share of the scale.
    """

    poems: int = 0
    points: Sequence[int | None] = ()
    seconds_a_line: Sequence[float] = ()
    tests: int = 0
    failed: int = 0
    distances: Sequence[float] = ()


def longest_run(points: Iterable[int | None]) -> int:
    """Return the length of the longest run of one answer, the long-string index."""
    return max((sum(1 for _ in run) for _, run in groupby(points)), default=0)


def commonest_share(points: Sequence[int | None]) -> float:
    """Return the share of the most frequent answer; nan without answers."""
    return max(Counter(points).values()) / len(points) if points else nan


def spread(points: Iterable[int | None]) -> float:
    """Return the standard deviation (n - 1) of a judge's answers, N/A left out; nan below two.

    It is the intra-individual response variability of Dunn et al. (2018).
    """
    rated = [point for point in points if point is not None]
    return stdev(rated) if len(rated) > 1 else nan


def _run(record: Record) -> float:
    return longest_run(record.points) or nan


def _seconds(record: Record) -> float:
    return median(record.seconds_a_line) if record.seconds_a_line else nan


def _failed(record: Record) -> float:
    return record.failed if record.tests else nan


def _distance(record: Record) -> float:
    return fmean(record.distances) if record.distances else nan


@dataclass(frozen=True)
class Index:
    """One sign: how it is measured, on how much, and from where on it is flagged."""

    key: str
    label: str
    limit: str
    measure: Callable[[Record], float]
    basis: Callable[[Record], int]
    odd: Callable[[float, Record], bool]
    enough: int = ENOUGH


INDICES = (
    Index(
        "run", "Longest run of one answer", "half of all answers on scales, or more", _run,
        lambda record: record.poems if record.points else 0,
        lambda value, record: value >= RUN_SHARE * len(record.points),
    ),
    Index(
        "share", "Share of the commonest answer", "90 % or more",
        lambda record: commonest_share(record.points),
        lambda record: record.poems if record.points else 0,
        lambda value, record: value >= COMMONEST_SHARE,
    ),
    Index(
        "spread", "Spread of answers (standard deviation, points)", "below 0.25",
        lambda record: spread(record.points),
        lambda record: record.poems if record.points else 0,
        lambda value, record: value < LEAST_SPREAD,
    ),
    Index(
        "seconds", "Seconds in view for each line, median", "below 1", _seconds,
        lambda record: len(record.seconds_a_line),
        lambda value, record: value < LEAST_SECONDS_A_LINE,
    ),
    Index(
        "failed", "Attention items failed", "any", _failed, lambda record: record.tests,
        lambda value, record: value >= 1,
        enough=1,  # they are few, and made to be told from one
    ),
    Index(
        "distance", "Distance between first and second answer to a repeat, share of the scale",
        "a third or more, as by chance", _distance,
        lambda record: len(record.distances),
        lambda value, record: value >= CHANCE_DISTANCE,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Sign:
    """One expert's figure on one index.

    Attributes
    ----------
    value : float
        nan where there is nothing to measure.
    usual : float
        Median of the panel's figures that rest on enough; nan without any.
    enough : bool
        Whether it rests on enough to flag it.
    flagged : bool
    """

    index: Index
    value: float
    usual: float
    enough: bool
    flagged: bool

    @property
    def measured(self) -> bool:
        return not isnan(self.value)

    @property
    def compared(self) -> bool:
        return not isnan(self.usual)


def signs(records: Sequence[Record]) -> list[tuple[Sign, ...]]:
    """Return every expert's figures on all indices, in the order of the experts."""
    columns = [_column(index, records) for index in INDICES]
    return list(zip(*columns, strict=True)) if records else []


def _column(index: Index, records: Sequence[Record]) -> list[Sign]:
    values = [index.measure(record) for record in records]
    enough = [
        not isnan(value) and index.basis(record) >= index.enough
        for value, record in zip(values, records, strict=True)
    ]
    sound = [value for value, sure in zip(values, enough, strict=True) if sure]
    usual = median(sound) if sound else nan
    return [
        Sign(index, value, usual, sure, flagged=sure and index.odd(value, record))
        for value, sure, record in zip(values, enough, records, strict=True)
    ]
