"""Signs that somebody answered without care, from their own answers alone.

They are signs, no proof: whoever reads fast or judges alike may do so with care. Nobody is left out
by them.

Runs and shares are of answers of one kind at a time: points of scales, probabilities, sides of
pairs as they stood (A or B), altered or not. Of an expert who gave several kinds, the kind is taken
that tells most. Spread is of points alone: of one probability a poem it would say what the run and
the share say, and between two sides there is none.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from statistics import fmean, median

from backend.statistics import quality

ENOUGH = 5  # poems, or compared answers, below which nothing is flagged

# Half of all answers in one run: Curran, P. G. (2016). Methods for the detection of carelessly
# invalid responses in survey data. Journal of Experimental Social Psychology, 66, 4-19.
RUN_SHARE = 0.5
# No published limit holds for every scale: nine in ten answers alike, and a spread below a quarter
# of a point (on the measure: Dunn, A. M., et al. (2018). Intra-individual response variability.
# Journal of Business and Psychology, 33, 105-121) are this package's own.
COMMONEST_SHARE = 0.9
LEAST_SPREAD = 0.25  # points
# Whoever chooses between two by a coin has five alike among ten in every fifth case, but ten alike
# among twenty only once in 85; and a poem has one probability where it has ten points.
LEAST_ALIKE = 10  # answers, other than points
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
    others : sequence of sequences of int or None
        Answers of each other kind, in that order: probabilities in thousandths, None where none
        was named; 1 or 2 for the text that was shown as A or B; altered or not.
    seconds_a_line : sequence of float
        For each poem that was timed: seconds in view by lines of verse.
    tests, failed : int
        Attention items answered, and those answered wrongly.
    distances : sequence of float
        For each answer given twice: how far apart the two lie, as a share of the scale.
    """

    poems: int = 0
    points: Sequence[int | None] = ()
    others: Sequence[Sequence[int | None]] = ()
    seconds_a_line: Sequence[float] = ()
    tests: int = 0
    failed: int = 0
    distances: Sequence[float] = ()


@dataclass(frozen=True)
class Kind:
    """Answers of one kind.

    Attributes
    ----------
    answers : sequence of int or None
        In the order in which they were given.
    enough : bool
        Whether they are enough to flag anything.
    least : int
        How many at least have to be alike to be flagged.
    place : int or None
        Which of `Record.others` they are; None for points.
    """

    answers: Sequence[int | None]
    enough: bool
    least: int = 0
    place: int | None = None

    @property
    def run(self) -> float:
        return quality.longest_run(self.answers).value

    @property
    def has_odd_run(self) -> bool:
        return self.run >= max(RUN_SHARE * len(self.answers), self.least)

    @property
    def share(self) -> float:
        return quality.commonest_share(self.answers).value

    @property
    def has_odd_share(self) -> bool:
        alike = max(Counter(self.answers).values())
        return self.share >= COMMONEST_SHARE and alike >= self.least


_NONE = Kind((), enough=False)


def _kinds(record: Record) -> list[Kind]:
    points = Kind(record.points, enough=record.poems >= ENOUGH)
    others = [
        Kind(one, enough=len(one) >= LEAST_ALIKE, least=LEAST_ALIKE, place=place)
        for place, one in enumerate(record.others)
    ]
    return [kind for kind in (points, *others) if kind.answers]


def by_run(record: Record) -> Kind:
    """Return the kind of answers whose longest run tells most; one without answers if none has."""
    return max(
        _kinds(record),
        key=lambda kind: (kind.enough, kind.has_odd_run, kind.run / len(kind.answers)),
        default=_NONE,
    )


def by_share(record: Record) -> Kind:
    """Return the kind of answers whose commonest tells most; one without answers if none has."""
    return max(
        _kinds(record),
        key=lambda kind: (kind.enough, kind.has_odd_share, kind.share),
        default=_NONE,
    )


def _seconds(record: Record) -> float:
    return median(record.seconds_a_line) if record.seconds_a_line else nan


def _failed(record: Record) -> float:
    return record.failed if record.tests else nan


def _distance(record: Record) -> float:
    return fmean(record.distances) if record.distances else nan


@dataclass(frozen=True)
class Index:
    """One sign: how it is measured, whether on enough, and from where on it is flagged."""

    key: str
    label: str
    limit: str
    measure: Callable[[Record], float]
    enough: Callable[[Record], bool]
    odd: Callable[[float, Record], bool]


INDICES = (
    Index(
        "run", "Longest run of one answer", "half of all answers of its kind, or more",
        lambda record: by_run(record).run,
        lambda record: by_run(record).enough,
        lambda _, record: by_run(record).has_odd_run,
    ),
    Index(
        "share", "Share of the commonest answer", "90 % or more",
        lambda record: by_share(record).share,
        lambda record: by_share(record).enough,
        lambda _, record: by_share(record).has_odd_share,
    ),
    Index(
        "spread", "Spread of answers (standard deviation, points)", "below 0.25",
        lambda record: quality.response_spread(record.points).value,
        lambda record: record.poems >= ENOUGH,
        lambda value, record: value < LEAST_SPREAD,
    ),
    Index(
        "seconds", "Seconds in view for each line, median", "below 1", _seconds,
        lambda record: len(record.seconds_a_line) >= ENOUGH,
        lambda value, record: value < LEAST_SECONDS_A_LINE,
    ),
    Index(
        "failed", "Attention items failed", "any", _failed,
        lambda record: record.tests >= 1,  # they are few, and made to be told from one
        lambda value, record: value >= 1,
    ),
    Index(
        "distance", "Distance between first and second answer to a repeat, share of the scale",
        "a third or more, as by chance", _distance,
        lambda record: len(record.distances) >= ENOUGH,
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
        not isnan(value) and index.enough(record)
        for value, record in zip(values, records, strict=True)
    ]
    sound = [value for value, sure in zip(values, enough, strict=True) if sure]
    usual = median(sound) if sound else nan
    return [
        Sign(index, value, usual, sure, flagged=sure and index.odd(value, record))
        for value, sure, record in zip(values, enough, records, strict=True)
    ]
