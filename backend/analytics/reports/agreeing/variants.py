"""The ways in which an observed agreement (PAo) can be counted, each said in words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Codes, Frame, Mask, Numbers
from backend.analytics.reports.agreeing.pairing import NA, Comparison, Pairs, answers, cell
from backend.analytics.reports.scores.means import CONFIDENCE, group_means
from backend.statistics import clusters
from backend.statistics.agreement import NotApplicable, pao
from backend.statistics.agreement.comparing import Variant as Counting
from backend.statistics.agreement.comparing import consensus, sides
from backend.statistics.descriptive import mean
from backend.statistics.estimate import Estimate

_OFFERED: tuple[tuple[str, NotApplicable], ...] = (
    ("N/A left out, pair by pair", "exclude"),
    ("N/A left out of the count of whoever chose it", "own_n"),
)
_POOLED = (
    ("with the experts' median", Counting("category", NA, 0, "median", "paired")),
    ("with the experts' commonest answer", Counting("category", NA, 0, "mode", "paired")),
)


@dataclass(frozen=True)
class Variant:
    """One way to count, and what comes out, with an interval by titles for these judges alone."""

    says: str
    pao: Estimate


def plain(
    frame: Frame, pairs: Pairs, *, na: NotApplicable = "category", tolerance: float = 0
) -> Estimate:
    """Return PAo over pairs of ratings, with an interval for other titles and these judges."""
    first, second = answers(frame, pairs.first), answers(frame, pairs.second)
    found = pao(first, second, na=na, na_code=NA, tolerance=tolerance)
    if not found.defined:
        return found
    blank = np.stack([first == NA, second == NA])
    agree = (np.abs(first - second) <= tolerance) & (blank[0] == blank[1])
    counted = _counted(blank, na)
    influences = np.where(counted > 0, agree - found.value * counted, 0) / counted.sum()
    return _by_titles(frame, pairs, found, influences)


def _counted(blank: Mask, na: NotApplicable) -> Numbers:
    """Return for how much each pair counts, by which of its two answers are "not applicable"."""
    if na == "category":
        return np.ones(blank.shape[1])
    if na == "exclude":
        return np.where(blank.any(axis=0), 0.0, 1.0)
    either: Numbers = 1 - (blank[0].astype(np.float64) + blank[1]) / 2
    return either


def _by_titles(frame: Frame, pairs: Pairs, found: Estimate, influences: Numbers) -> Estimate:
    """Return an estimate with the interval that the influence of each pair on it gives."""
    if not found.defined:
        return found
    titles = clusters.codes(frame.item_title[frame.item[pairs.first]])
    return clusters.with_interval(found, clusters.parts(influences, titles), CONFIDENCE)


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
    groups, place, sizes = np.unique(group, return_inverse=True, return_counts=True)
    agree = _agree(frame, found.pairs)
    shares = group_means(place, agree, groups.size)
    whole = mean(shares, level=level)
    # Other titles would have other poems, but the same questions and judges.
    centres = np.full(groups.size, whole.value) if level == "poem" else shares
    influences = (agree - centres[place]) / (groups.size * sizes[place])
    return Variant(
        f"{says}, each counting alike", _by_titles(frame, found.pairs, whole, influences)
    )


def _consensus(frame: Frame, found: Comparison) -> Iterator[Variant]:
    """Yield a machine judge's agreement with what the experts hold together."""
    first, second = found.pairs.first, found.pairs.second
    if not first.size:
        return
    cells, at, place = np.unique(cell(frame, first), return_index=True, return_inverse=True)
    experts, row = np.unique(frame.judge[second], return_inverse=True)
    machine = answers(frame, first)[at]
    theirs = np.full((experts.size, cells.size), np.nan)
    theirs[row, place] = answers(frame, second)
    both = sides(machine, theirs)
    for says, counting in _POOLED:
        held = consensus(both, counting).others[0, :, 0]
        whole = pao(machine, held, na_code=NA)
        pairs = Pairs(first[at], first[at]).only(~np.isnan(held))
        agree = (machine == held)[~np.isnan(held)]
        influences = (agree - whole.value) / max(agree.size, 1)
        yield Variant(says, _by_titles(frame, pairs, whole, influences))
