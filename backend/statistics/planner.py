"""How wide the interval of an area will be, for so many titles, judges and judgments per poem."""

import math
from dataclasses import dataclass

import numpy as np

from backend.statistics import clusters
from backend.statistics.clusters import Parts
from backend.statistics.detection import placements
from backend.statistics.many import Scores
from backend.statistics.many.areas import count
from backend.statistics.many.intervals import variances
from backend.statistics.many.scores import HUMAN


@dataclass(frozen=True)
class Components:
    """Variance of an area in a study of some size, by what it comes from.

    Attributes
    ----------
    title, judge, cell : float
        As ``first``, ``second`` and ``both`` of `clusters.parts`: between titles, between judges,
        and between cells of the two. ``nan`` where `reason` is given.
    n_titles, n_judges : int
        Size of that study.
    per_poem : float
        How many judges each poem had, on average.
    reason : str
        Why they are undefined; empty if they are not.
    area : float
        The area itself; ``nan`` if it is not known.
    """

    title: float
    judge: float
    cell: float
    n_titles: int
    n_judges: int
    per_poem: float
    reason: str = ""
    area: float = math.nan


# Of a simulated study of 110 titles and 13 judges, two for each poem, with an area of about .61 and
# judges whose skills move it by .075 (one standard deviation). Fitted to 21 simulated designs of 50
# to 203 titles, 5 to 40 judges and 2 or 5 per poem, whose standard errors it gives within .003.
DEFAULT = Components(
    title=0.000705, judge=0.000961, cell=0.000523, n_titles=110, n_judges=13, per_poem=2, area=0.61
)


@dataclass(frozen=True)
class Planned:
    """What to expect of the interval of one area.

    Attributes
    ----------
    half_width : float
        How far its bounds will be from the area; ``nan`` where it is undefined.
    error : float
        Standard error of the area.
    n : int
        Judgments it rests on: of the human poems and of one model's.
    method, level : str
        Words for the methods section; what one unit is.
    reason : str
        Why it is undefined; empty if it is not.
    notes : tuple of str
        Cautions for the reader.
    """

    half_width: float
    error: float
    n: int
    method: str
    level: str
    reason: str = ""
    notes: tuple[str, ...] = ()


def components_of(scores: Scores, model: int) -> Components:
    """Variance components of one model's area in a study that has judgments, as in a pilot.

    Parameters
    ----------
    scores : Scores
        Judgments of human poems and of models' poems.
    model : int
        From 1 on.

    Returns
    -------
    Components
        ``nan``, with the reason, if a kind of poem has no judgment, there are fewer than two
        titles or judges, or the scores leave no variation.

    Raises
    ------
    ValueError
        If there is no such model.

    References
    ----------
    As in `clusters.parts`.
    """
    if not 1 <= model <= scores.n_models:
        raise ValueError(f"there is no model {model} among 1 to {scores.n_models}")
    chosen = (scores.author == HUMAN) | (scores.author == model)
    alone = Scores(
        (scores.author[chosen] == model).astype(np.intp),
        scores.score[chosen],
        scores.title[chosen],
        scores.judge[chosen],
        n_models=1,
    )
    poems = np.unique(alone.author * alone.n_titles + alone.titles).size
    per_poem = alone.n / poems if poems else math.nan
    size = alone.n_titles, alone.n_judges, per_poem
    counted = count(alone)
    if not counted.totals.all():
        missing = placements.missing(*counted.totals.tolist())
        return _undefined(f"no {missing} was judged", *size)
    found = next(variances(alone, counted))
    reason = clusters.too_few(alone.n_titles, alone.n_judges)
    if not reason and found.error < clusters.NO_VARIATION:
        reason = clusters.NOTHING_VARIES
    if reason:
        return _undefined(reason, *size)
    area = float(counted.areas[0])
    return Components(found.first, found.second, found.both, *size, area=area)


def _undefined(reason: str, n_titles: int, n_judges: int, per_poem: float) -> Components:
    return Components(math.nan, math.nan, math.nan, n_titles, n_judges, per_poem, reason)


def half_width(
    components: Components = DEFAULT,
    *,
    titles: int,
    judges: int,
    per_poem: float,
    confidence: float = 0.95,
) -> Planned:
    """How far the bounds of one area's interval will be from it, in a study of this size.

    From a study with T titles, J judges and K judges for each poem,
    ``V = (V_title - V_cell) T / T' + (V_judge - V_cell) J / J' + V_cell T K / (T' K')`` is the
    variance with T', J' and K'.
    A part between titles or judges that comes out below zero counts as zero. For the size of that
    study V is then the variance of its own interval, unless both parts are below zero: it is
    V_cell then, a little more. The half width is ``t(J' - 1) * sqrt(V)``.

    Parameters
    ----------
    components : Components
        From a pilot, or the default: simulated judgments, which are no one's in particular.
    titles, judges : int
        How many there will be. Each title has a human poem and one of the model.
    per_poem : float
        How many of the judges will judge each poem, on average.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Planned
        Undefined, with the reason, where `components` are, or for fewer than two titles or
        judges. A note says where the area is so near the end of its scale that the bounds will
        not be even.

    Raises
    ------
    ValueError
        If a number is below 1, ``nan`` or infinite, a poem would have more judges than there are,
        or `confidence` is not between 0 and 1.

    References
    ----------
    Gallas, B. D., Brown, D. G. (2008). Reader studies for validation of CAD systems. Neural
    Networks 21(2): the components of an area's variance scale with their own numbers.
    """
    clusters.check_confidence(confidence)
    if not all(1 <= number < math.inf for number in (titles, judges, per_poem)):
        raise ValueError("there must be a title, a judge, and a judge for each poem")
    if per_poem > judges:
        raise ValueError(f"{per_poem:g} judges for each poem, but there are only {judges}")
    n, level = round(2 * titles * per_poem), "judgment"
    method = f"expected half width: {clusters.design(confidence, two_way=True)}"
    reason = components.reason or clusters.too_few(titles, judges)
    if reason:
        return Planned(math.nan, math.nan, n, method, level, reason)
    parts = _scaled(components, titles, judges, per_poem)
    reach = clusters.reach(parts.error, parts.df, confidence)
    notes = (*clusters.cautions(titles, judges), *_near_the_end(components))
    return Planned(reach, parts.error, n, method, level, notes=notes)


def _near_the_end(components: Components) -> tuple[str, ...]:
    # The interval of such an area is reached on the logit scale.
    near = clusters.NEAR_THE_END
    # Of an area that is not known, neither is true.
    if components.area > near or components.area < 1 - near:
        return (
            f"the area is above {near:g} or below {1 - near:g}: the bounds will not be even, and "
            "one of them farther off than the half width",
        )
    return ()


def _scaled(components: Components, titles: int, judges: int, per_poem: float) -> Parts:
    cell = components.cell * components.n_titles * components.per_poem / (titles * per_poem)
    title = (components.title - components.cell) * components.n_titles / titles
    judge = (components.judge - components.cell) * components.n_judges / judges
    # As in `Parts.error`: what is estimated below zero is taken for none.
    return Parts(max(0.0, title) + cell, max(0.0, judge) + cell, cell, titles, judges)
