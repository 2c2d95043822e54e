"""Answers to poems that the same expert judged twice, unawares: each beside the first one."""

import math
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from annotation.instruments.choices import ForcedChoice
from annotation.judgments.models import Judgment, Rating
from annotation.studies.models import Assignment, Judge, Study
from backend.analytics.frames import TEXT_A, Codes, Frame, Mask, Numbers

Place = TypeVar("Place", int, Codes)


@dataclass(frozen=True)
class Repeats:
    """Answers to one question that a judge gave twice about one poem, one entry for each.

    Attributes
    ----------
    judge, item, question : array of int, shape (n,)
        Codes of the frame.
    first, again : array of float, shape (n,)
        As in `Frame.number`; ``nan`` is skipped or "cannot tell".
    first_na, again_na : array of bool, shape (n,)
        The judge chose "not applicable".
    """

    judge: Codes
    item: Codes
    question: Codes
    first: Numbers
    again: Numbers
    first_na: Mask
    again_na: Mask

    def only(self, rows: Mask) -> "Repeats":
        """Return these answers alone."""
        return Repeats(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def answered(self) -> Mask:
        """Answered both times, "not applicable" included."""
        return ~(np.isnan(self.first) | np.isnan(self.again))

    @property
    def rated(self) -> Mask:
        """Rated both times."""
        return self.answered & ~(self.first_na | self.again_na)


def repeats(study: Study, frame: Frame) -> Repeats:
    """Return the answers to hidden repeats beside those in the frame about the same poem.

    A repeat counts if it came in time and was not withdrawn, and if the first judgment is in the
    results. Both are taken as they stand. The frame opens the key; this reads nothing of it.
    """
    found = _rows(study, frame)
    cell = np.array([_cell(frame, *row[:3]) for row in found], np.intp)
    of_frame = _cell(frame, frame.judge, frame.item, frame.question)
    order = np.argsort(of_frame)
    place = np.searchsorted(of_frame[order], cell)
    met = place < of_frame.size
    met[met] = of_frame[order][place[met]] == cell[met]
    at = order[place[met]]
    again = np.array([row[3] for row in found], np.float64)
    na = np.array([row[4] for row in found], np.bool_)
    return Repeats(
        frame.judge[at],
        frame.item[at],
        frame.question[at],
        frame.number[at],
        again[met],
        frame.na[at],
        na[met],
    )


def _cell(frame: Frame, judge: Place, item: Place, question: Place) -> Place:
    return (judge * len(frame.items) + item) * len(frame.questions) + question


def _rows(study: Study, frame: Frame) -> list[tuple[int, int, int, float, bool]]:
    """Return judge, item and question of each repeated answer as codes, its number, whether N/A."""
    judge_place = {seat.key: place for place, seat in enumerate(frame.seats)}
    item_place = {item.key: place for place, item in enumerate(frame.items)}
    question_place = {one.key: place for place, one in enumerate(frame.questions)}
    again = Judgment.objects.filter(
        assignment__judge__study=study,
        assignment__judge__kind=Judge.Kind.EXPERT,
        assignment__purpose=Assignment.Purpose.REPEAT,
        assignment__withdrawn_at=None,
        assignment__judge__withdrawn_at=None,
    ).in_time(study)
    rows = Rating.objects.standing().filter(judgment__in=again, question__in=question_place)
    # In one order whatever the database's, so that sums round alike every time.
    found = rows.order_by("judgment_id", "question").values_list(
        "judgment__assignment__judge_id", "judgment__assignment__item_id", "question", "number",
        "blank", "judgment__assignment__flipped",
    )  # fmt: skip
    return [
        (
            judge_place[judge],
            item_place[item],
            question_place[key],
            _number(frame, item_place[item], question_place[key], number, flipped=flipped),
            blank == Rating.Blank.NA,
        )
        for judge, item, key, number, blank, flipped in found
    ]


def _number(frame: Frame, item: int, question: int, number: int | None, *, flipped: bool) -> float:
    if number is None:
        return math.nan
    if isinstance(frame.questions[question], ForcedChoice):
        human_first = frame.items[item].human_stood_first(flipped=flipped)
        return float((number == TEXT_A) == human_first)
    return float(number)
