"""Whether anything but the texts tells human from machine: order, identifiers, sizes, times."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.design.surface import told, too_few

CHANCE_OF_A_FALSE_ALARM = 0.05  # over all rows together


@dataclass(frozen=True)
class Trace:
    """Something that experts could see or guess beside the texts, with what it might tell.

    Attributes
    ----------
    name : str
    values : sequence of float
    human : sequence of bool
        Whether each value belongs to a human text.
    groups : sequence of str
        The brief of each.
    """

    name: str
    values: Sequence[float]
    human: Sequence[bool]
    groups: Sequence[str]


@dataclass(frozen=True)
class IdRow:
    """What one trace tells: 0.5 is nothing.

    The interval allows for as many rows as were looked at. It is ``nan`` if nothing varies, and
    `auc`, too, if there are too few texts.
    """

    name: str
    auc: float
    low: float
    high: float
    n: int

    @property
    def tells(self) -> bool:
        """Whether chance is a poor explanation: 0.5 lies outside, or every text is told."""
        if math.isnan(self.low):
            return self.auc in (0.0, 1.0)
        return not self.low <= 0.5 <= self.high


@dataclass(frozen=True)
class IdCheck:
    """What all traces tell, each by itself."""

    rows: tuple[IdRow, ...]

    @property
    def worst(self) -> IdRow | None:
        """The row farthest from 0.5, if there is one with a figure."""
        known = [row for row in self.rows if not math.isnan(row.auc)]
        return max(known, key=lambda row: abs(row.auc - 0.5), default=None)

    @property
    def telling(self) -> tuple[IdRow, ...]:
        """The rows that tell more than chance would, in one of twenty studies without a leak."""
        return tuple(row for row in self.rows if row.tells)


def examine_ids(traces: Sequence[Trace]) -> IdCheck:
    """Return what each of the traces tells by itself.

    Intervals are Bonferroni's: at 95 % all of them together hold what is true, so that ten rows
    give no more false alarms than one would.

    Raises
    ------
    ValueError
        If a trace's values, kinds and briefs differ in number.
    """
    level = 1 - CHANCE_OF_A_FALSE_ALARM / max(len(traces), 1)
    return IdCheck(tuple(_row(trace, level) for trace in traces))


def _row(trace: Trace, level: float) -> IdRow:
    if not len(trace.values) == len(trace.human) == len(trace.groups):
        raise ValueError(f"{trace.name}: each value needs its kind and its brief")
    kinds = np.asarray(trace.human, dtype=bool)
    briefs = np.asarray(trace.groups, dtype=str)
    if too_few(kinds, briefs):
        return IdRow(trace.name, math.nan, math.nan, math.nan, kinds.size)
    # The differences of times and of long numbers are lost among nine decimals; ranks keep them.
    ranks = np.unique(np.asarray(trace.values, dtype=np.float64), return_inverse=True)[1]
    area = told(ranks.astype(np.float64), kinds, briefs, level)
    return IdRow(trace.name, area.value, area.low, area.high, kinds.size)
