"""The ways in which an observed agreement (PAo) can be counted, each said in words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Codes, Frame, Numbers
from backend.analytics.reports.agreeing.pairing import NA, Comparison, Pairs, answers
from backend.analytics.reports.scores.means import group_means
from backend.statistics.agreement import NotApplicable, pao
from backend.statistics.descriptive import mean
from backend.statistics.estimate import Estimate

_OFFERED: tuple[tuple[str, NotApplicable], ...] = (
    ("N/A left out, pair by pair", "exclude"),
    ("N/A left out of the count of whoever chose it", "own_n"),
)


@dataclass(frozen=True)
class Variant:
    """One way to count, and what comes out."""

    says: str
    pao: Estimate


def plain(
    frame: Frame, pairs: Pairs, *, na: NotApplicable = "category", tolerance: float = 0
) -> Estimate:
    """Return PAo over pairs of ratings, without an interval."""
    return pao(
        answers(frame, pairs.first),
        answers(frame, pairs.second),
        na=na,
        na_code=NA,
        tolerance=tolerance,
    )


def variants(frame: Frame, found: Comparison) -> Iterator[Variant]:
    """Yield PAo over all questions, counted in every way that makes a difference here."""
    asked = [frame.questions[place] for place in np.unique(frame.question[found.pairs.first])]
    yield Variant("exact, all pairs pooled, N/A an answer", plain(frame, found.pairs))
    if any(isinstance(one, Likert) and one.na for one in asked):
        for says, na in _OFFERED:
            yield Variant(says, plain(frame, found.pairs, na=na))
    if any(isinstance(one, Likert) for one in asked):
        yield Variant(
            "within 1 point; N/A agrees with N/A only", plain(frame, found.pairs, tolerance=1)
        )
    if len(asked) > 1:
        yield _mean(frame, found, frame.question, "question", "mean of the questions")
    yield _mean(frame, found, frame.item, "poem", "mean of the poems")
    if found.panel.expert:
        yield _mean_of_two(frame, found)
    else:
        yield _mean(frame, found, frame.judge, "expert", "mean of the experts")
        yield from _consensus(frame, found)


def _agree(frame: Frame, pairs: Pairs) -> Numbers:
    equal = answers(frame, pairs.first) == answers(frame, pairs.second)
    return np.where(equal, 1.0, 0.0)


def _mean(frame: Frame, found: Comparison, of: Codes, level: str, says: str) -> Variant:
    # A machine judge stands first: the second is the expert, and poem and question are the same.
    return _mean_by(frame, found, of[found.pairs.second], level, says)


def _mean_of_two(frame: Frame, found: Comparison) -> Variant:
    two = frame.judge[found.pairs.first] * len(frame.seats) + frame.judge[found.pairs.second]
    return _mean_by(frame, found, two, "pair of experts", "mean of the pairs of experts")


def _mean_by(frame: Frame, found: Comparison, group: Codes, level: str, says: str) -> Variant:
    groups, place = np.unique(group, return_inverse=True)
    return Variant(
        f"{says}, each counting alike",
        mean(group_means(place, _agree(frame, found.pairs), groups.size), level=level),
    )


def _consensus(frame: Frame, found: Comparison) -> Iterator[Variant]:
    """Yield a machine judge's agreement with what the experts hold together."""
    first, second = found.pairs.first, found.pairs.second
    cells, place = np.unique(
        frame.item[first] * len(frame.questions) + frame.question[first], return_inverse=True
    )
    experts, row = np.unique(frame.judge[second], return_inverse=True)
    machine = np.full(cells.size, np.nan)
    theirs = np.full((experts.size, cells.size), np.nan)
    machine[place] = answers(frame, first)
    theirs[row, place] = answers(frame, second)
    if not cells.size:
        return
    yield Variant("with the experts' median", pao(machine, theirs, na_code=NA, pool="median"))
    yield Variant(
        "with the experts' commonest answer", pao(machine, theirs, na_code=NA, pool="mode")
    )
