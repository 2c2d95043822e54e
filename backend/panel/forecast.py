"""When a study will be full: a median and an interval, by resampling whole days of its own past."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

WINDOW = 14  # days looked back on
FEWEST_DAYS = 3  # with answers, to tell anything from
RUNS = 4000
STEP = 60  # days simulated at a time
HORIZON = 3 * 365  # days
SHARES = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Forecast:
    """The day by which half of all simulations were done, and the two that hold 80 % of them.

    Attributes
    ----------
    median, low, high : date or None
        None is not to be told. `high` may be None alone, if it lies beyond three years.
    reason : str
        Why there is no median.
    """

    median: date | None = None
    low: date | None = None
    high: date | None = None
    reason: str = ""


def forecast(
    daily: Sequence[int], remaining: int, *, experts: int, today: date, seed: int
) -> Forecast:
    """Return when the remaining judgments will be in, if the days to come are like the last ones.

    Whole days are drawn from the past with replacement, all with the same chance, until what
    remains is done; that is simulated 4000 times. Days hang together in truth (weekends, moods),
    so the interval is too narrow rather than too wide.

    Parameters
    ----------
    daily : sequence of int
        Judgments on each of the last whole days, by experts who are still at work.
    remaining : int
        Judgments still wanted.
    experts : int
        How many are at work.
    today : date
        A first simulated day ends one day later.
    seed : int

    Returns
    -------
    Forecast
        Without a median, and with the reason, if nothing remains, nobody is at work, answers came
        on fewer than three days, or the median lies beyond three years.
    """
    reason = _untold(daily, remaining, experts)
    if reason:
        return Forecast(reason=reason)
    lengths = _lengths(np.asarray(daily), remaining, np.random.default_rng(abs(seed)))
    low, median, high = (int(days) for days in np.quantile(lengths, SHARES, method="inverted_cdf"))
    if median > HORIZON:
        return Forecast(reason="At this rate it takes more than three years.")
    return Forecast(_day(today, median), _day(today, low), _day(today, high))


def _untold(daily: Sequence[int], remaining: int, experts: int) -> str:
    if remaining <= 0:
        return "Nothing is left to answer."
    if not experts:
        return "No expert is at work."
    if sum(1 for count in daily if count > 0) < FEWEST_DAYS:
        return f"Those at work answered on fewer than {FEWEST_DAYS} of the last {WINDOW} days."
    return ""


def _lengths(
    days: "np.ndarray[tuple[int], np.dtype[np.int_]]", remaining: int, rng: np.random.Generator
) -> "np.ndarray[tuple[int], np.dtype[np.int_]]":
    """Return how many days each simulation took; one more than the horizon if it was not done."""
    done = np.zeros(RUNS, dtype=np.int_)
    lengths = np.full(RUNS, HORIZON + 1, dtype=np.int_)
    for begin in range(0, HORIZON, STEP):
        so_far = done[:, None] + rng.choice(days, size=(RUNS, STEP)).cumsum(axis=1)
        reached = so_far >= remaining
        new = reached.any(axis=1) & (lengths > HORIZON)
        lengths[new] = begin + 1 + reached.argmax(axis=1)[new]
        done = so_far[:, -1]
        if (lengths <= HORIZON).all():
            break
    return lengths


def _day(today: date, days: int) -> date | None:
    return today + timedelta(days=days) if days <= HORIZON else None
