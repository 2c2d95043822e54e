"""Agreement beyond what chance alone would give, from ratings of a frame."""

from collections.abc import Sequence

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Frame, Numbers
from backend.analytics.reports.agreeing.pairing import Comparison, answered, answers, cell
from backend.statistics.agreement import (
    AcWeights,
    Judges,
    KappaWeights,
    Metric,
    cohen_kappa,
    gwet_ac,
    krippendorff_alpha,
)
from backend.statistics.estimate import Estimate, undefined

MIXED = "the questions do not share one scale"
_NOMINAL = (0.0, 1.0)

# Only values are shown, and pooled questions share poems: no interval of these would hold.
_CHEAPEST: Judges = "fixed"


def scale(frame: Frame, asked: Sequence[int]) -> tuple[float, ...]:
    """Return the codes that all these questions share; none if they differ."""
    scales = {
        tuple(float(point.code) for point in question.points)
        if isinstance(question, Likert)
        else _NOMINAL
        for question in (frame.questions[place] for place in asked)
    }
    kinds = {isinstance(frame.questions[place], Likert) for place in asked}
    return scales.pop() if len(scales) == len(kinds) == 1 else ()


def ordered(frame: Frame, asked: Sequence[int]) -> bool:
    """Whether the answers to these questions are points in an order."""
    return all(isinstance(frame.questions[place], Likert) for place in asked)


def by_chance(frame: Frame, found: Comparison) -> float:
    """Return the PAo that judges who answer independently of one another would reach.

    On each question, ``sum over answers of share(first) * share(second)``, averaged over questions
    by their number of pairs. Neither expert of a pair is the first: shares are of both. ``nan``
    without pairs.
    """
    first, second = answers(frame, found.pairs.first), answers(frame, found.pairs.second)
    question = frame.question[found.pairs.first]
    if not question.size:
        return float("nan")
    together = 0.0
    for place in np.unique(question):
        here = question == place
        codes, sides = np.unique(np.stack([first[here], second[here]]), return_inverse=True)
        one, other = (
            np.bincount(side, minlength=codes.size) / side.size for side in sides.reshape(2, -1)
        )
        if found.panel.expert:
            one = other = (one + other) / 2
        together += float(here.sum()) * float(one @ other)
    return together / question.size


def alpha(frame: Frame, found: Comparison, asked: Sequence[int]) -> Estimate:
    """Krippendorff's alpha, ordinal on points and nominal between two answers; its value alone."""
    metric: Metric = "ordinal" if ordered(frame, asked) else "nominal"
    if not scale(frame, asked):
        return _mixed("Krippendorff's alpha")
    return krippendorff_alpha(ratings(frame, found, asked), metric=metric, judges=_CHEAPEST)


def ac(frame: Frame, found: Comparison, asked: Sequence[int]) -> Estimate:
    """Gwet's AC2 with quadratic weights on points, AC1 between two answers; its value alone."""
    codes = scale(frame, asked)
    if not codes:
        return _mixed("Gwet's AC")
    weights: AcWeights = "quadratic" if ordered(frame, asked) else "identity"
    return gwet_ac(
        ratings(frame, found, asked), weights=weights, categories=codes, judges=_CHEAPEST
    )


def kappa(frame: Frame, found: Comparison, asked: Sequence[int]) -> Estimate:
    """Cohen's kappa over all pairs, quadratic on points; experts entered both ways round."""
    codes = scale(frame, asked)
    if not codes:
        return _mixed("Cohen's kappa")
    first, second = both_ways(frame, found)
    weights: KappaWeights | None = "quadratic" if ordered(frame, asked) else None
    return cohen_kappa(first, second, weights=weights, categories=codes)


def both_ways(frame: Frame, found: Comparison) -> tuple[Numbers, Numbers]:
    """Return the two sides of all pairs without N/A; of experts, each pair both ways round."""
    first, second = _stacked(frame, found)
    if found.panel.expert:
        return np.concatenate([first, second]), np.concatenate([second, first])
    return first, second


def ratings(frame: Frame, found: Comparison, asked: Sequence[int]) -> Numbers:
    """Return ratings, judges by units: poem and question, or a machine judge's pair with an expert.

    N/A is missing, as no point of a scale.
    """
    if not found.panel.expert:
        return np.stack(_stacked(frame, found))
    rows = answered(frame, found.panel, asked)
    rows = rows[~frame.na[rows]]
    _, unit = np.unique(cell(frame, rows), return_inverse=True)
    _, judge = np.unique(frame.judge[rows], return_inverse=True)
    table = np.full((judge.max(initial=-1) + 1, unit.max(initial=-1) + 1), np.nan)
    table[judge, unit] = frame.number[rows]
    return table


def _stacked(frame: Frame, found: Comparison) -> tuple[Numbers, Numbers]:
    first, second = found.pairs.first, found.pairs.second
    kept = frame.scored[first] & frame.scored[second]
    return frame.number[first][kept], frame.number[second][kept]


def _mixed(method: str) -> Estimate:
    return undefined(MIXED, method=method, level="rating")
