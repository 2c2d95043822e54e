"""Experts whose answers show signs of carelessness, so that results can be given without them.

The signs and their limits are those of the panel's page (`backend.panel.careless`); here they are
of the answers that are in the results. A sign is no proof: nobody is left out by one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from backend.analytics.frames import Codes, Frame, Mask
from backend.analytics.turnout import Given, Turnout
from backend.panel.careless import Record, signs

SECOND = 1000  # milliseconds
OTHERS = (Probability, ForcedChoice, Altered)

# Hidden repeats have a table of their own, so "distance" between two answers is not among these.
READ_HERE = ("run", "share", "spread", "seconds", "failed")


def flagged(frame: Frame, turnout: Turnout) -> Mapping[str, frozenset[int]]:
    """Return, by sign, the places in ``frame.seats`` of the experts whom it flags.

    Keys are those of `backend.panel.careless.INDICES`: "run" and "share" (answers all alike),
    "spread" (hardly any), "seconds" (too fast for the verse), "failed" (tests of attention). A
    sign that flags nobody has an empty set.
    """
    found = records(frame, turnout)
    marked: dict[str, set[int]] = {key: set() for key in READ_HERE}
    for place, row in zip(found, signs(list(found.values())), strict=True):
        for sign in row:
            if sign.flagged:
                marked[sign.index.key].add(place)
    return {key: frozenset(places) for key, places in marked.items()}


def without(frame: Frame, places: frozenset[int]) -> Mask:
    """Return the ratings that are by none of the judges at these places."""
    kept: Mask = ~np.isin(frame.judge, list(places))
    return kept


def records(frame: Frame, turnout: Turnout) -> dict[int, Record]:
    """Return what each expert did, by place in ``frame.seats``, by the answers in the results."""
    counted: dict[int, list[Given]] = defaultdict(list)
    for one in turnout.given:
        if one.counted:
            counted[one.judge].append(one)
    order = _as_answered(frame, counted)
    return {
        place: Record(
            poems=len(counted[seat.key]),
            points=_said(frame, order[frame.judge[order] == place], Likert),
            others=_others(frame, order[frame.judge[order] == place]),
            seconds_a_line=seconds_a_line(turnout, counted[seat.key]),
            tests=turnout.tested[seat.key],
            failed=turnout.failed[seat.key],
        )
        for place, seat in enumerate(frame.seats)
        if seat.expert
    }


def seconds_a_line(turnout: Turnout, given: Sequence[Given]) -> list[float]:
    """Return the seconds in view for each line of verse, of every judgment that was timed."""
    return [
        one.milliseconds / SECOND / turnout.lines[one.item]
        for one in given
        if one.milliseconds is not None and turnout.lines.get(one.item)
    ]


def _as_answered(frame: Frame, counted: Mapping[int, Sequence[Given]]) -> Codes:
    """Return positions of all ratings in the order in which each judge gave them."""
    item_place = {item.key: place for place, item in enumerate(frame.items)}
    rank = np.zeros((len(frame.seats), len(frame.items)), np.intp)
    for place, seat in enumerate(frame.seats):
        mine = [one for one in counted[seat.key] if one.submitted_at is not None]
        mine.sort(key=lambda one: (one.submitted_at, one.judgment))
        rank[place, [item_place[one.item] for one in mine]] = np.arange(len(mine))
    return np.lexsort((frame.question, rank[frame.judge, frame.item], frame.judge))


def _others(frame: Frame, rows: Codes) -> tuple[Sequence[int | None], ...]:
    return tuple(_said(frame, rows, kind) for kind in OTHERS)


def _said(frame: Frame, rows: Codes, kind: type[object]) -> list[int | None]:
    """Return a judge's answers of one kind in `rows`; None is N/A or "cannot tell"."""
    asked = [place for place, one in enumerate(frame.questions) if isinstance(one, kind)]
    rows = rows[np.isin(frame.question[rows], asked) & ~frame.skipped[rows]]
    numbers = frame.number[rows]
    if kind is ForcedChoice:  # whoever always takes what stands first gives one answer
        numbers = np.where((numbers == 1) == frame.human_first[rows], 1, 2)
    blank = np.isnan(frame.number[rows]) | frame.na[rows]
    return [
        None if empty else int(number)
        for number, empty in zip(numbers.tolist(), blank.tolist(), strict=True)
    ]
