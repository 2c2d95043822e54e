"""How well judges tell human from machine poems when no judge is compared with another."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.statistics import clusters
from backend.statistics.clusters import Codes, Floats
from backend.statistics.detection import placements
from backend.statistics.estimate import Estimate, undefined

_LEVEL = "judgment, compared inside one judge"


def within_judge_auc(
    human: ArrayLike,
    machine: ArrayLike,
    human_titles: ArrayLike,
    machine_titles: ArrayLike,
    human_judges: ArrayLike,
    machine_judges: ArrayLike,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """Chance that a judge scores a human poem more human than a machine poem of theirs.

    ``A = sum over judges of pairs won / sum over judges of pairs``, where a pair is a human and
    a machine score of the same judge and a tie is half a win. Judges weigh by their number of
    pairs. That one judge is sterner than another does not enter, as it does in the pooled area.

    For a human score ``psi = sum over the same judge's machine scores of (won - A) / pairs``,
    and the mirror for a machine score. Titles and cells of title by judge are treated as in
    `auc_interval`. A judge's own part is ``D_j = (pairs won - A * pairs of the judge) / pairs``:
    since every pair lies inside one judge, the human and the machine influences of a judge each
    sum to it, so it is half of their sum. ``V = V_title + V_judge - V_(title by judge)``, never
    below either of the first two, with ``t(J - 1)``; on the logit scale above 0.9 or below 0.1.

    Parameters
    ----------
    human, machine : array-like of int or float, shape (n_human,) and (n_machine,)
        As in `auc`.
    human_titles, machine_titles, human_judges, machine_judges : array-like, same shapes
        As in `auc_interval`.
    confidence : float
        Coverage asked for, between 0 and 1.

    Returns
    -------
    Estimate
        Between 0 and 1. ``counts``: ``n_pairs``; ``n_human`` and ``n_machine`` scores of the
        ``n_judges`` judges who scored both kinds; ``n_one_kind``, the judges who scored one
        kind only and are left out; ``n_dropped``, scores that were not given. Undefined if no
        judge scored both kinds; the interval alone is undefined, with the reason, if fewer than
        two titles or judges are left or nothing varies.

    Raises
    ------
    ValueError
        If titles or judges do not match the scores, judges are not given, or `confidence` is not
        between 0 and 1.

    References
    ----------
    DeLong et al. (1988), Obuchowski (1997) and Cameron et al. (2011), as in `auc_interval`.
    """
    clusters.check_confidence(confidence)
    if human_judges is None or machine_judges is None:
        raise ValueError("no judges were given: inside which judge to compare is not known")
    given = placements.sample(
        (("human", human), ("machine", machine)),
        (human_titles, machine_titles),
        (human_judges, machine_judges),
    )
    method = (
        f"{placements.METHOD}, inside each judge, pooled by number of pairs; "
        f"{clusters.share_design(confidence, two_way=True)}"
    )
    found = _compare(given)
    if not found.n_pairs:
        sizes = [side.size for side in given.sides]
        reason = "no judge scored both human and machine poems"
        if not all(sizes):
            reason = f"no {placements.missing(*sizes)} was judged"
        return undefined(reason, method=method, level=_LEVEL, counts=found.counts)
    area = Estimate(found.area, n=found.n, method=method, level=_LEVEL, counts=found.counts)
    kept = found.kept
    variance = clusters.parts(found.influences[kept], given.titles[kept], found.judges[kept])
    # Both sides of a judge sum to the judge's own part: together they would count it twice.
    area = clusters.with_interval(area, replace(variance, second=variance.second / 4), confidence)
    nothing = area.reason == clusters.NOTHING_VARIES
    return replace(area, reason=placements.no_variation(area.value)) if nothing else area


@dataclass(frozen=True)
class _Compared:
    """What comparing inside judges found; arrays are over all scores, human poems first."""

    area: float
    influences: Floats
    kept: NDArray[np.bool_]
    judges: Codes
    n_pairs: int
    counts: dict[str, int]

    @property
    def n(self) -> int:
        return self.counts["n_human"] + self.counts["n_machine"]


def _compare(given: placements.Sample) -> _Compared:
    human, machine = given.sides
    judges = np.zeros(0, dtype=np.intp) if given.judges is None else given.judges
    of_human, of_machine = judges[: human.size], judges[human.size :]
    both = np.intersect1d(of_human, of_machine)
    # Twice the wins of each score, and twice the pairs it is in.
    won, twice = np.zeros(judges.size), np.zeros(judges.size)
    n_pairs = twice_won = 0
    for judge in both:
        ours, theirs = np.flatnonzero(of_human == judge), np.flatnonzero(of_machine == judge)
        wins = placements.twice_below(human[ours], machine[theirs])
        won[ours], twice[ours] = wins, 2 * theirs.size
        losses = placements.twice_below(machine[theirs], human[ours])
        won[human.size + theirs] = 2 * ours.size - losses
        twice[human.size + theirs] = 2 * ours.size
        n_pairs += ours.size * theirs.size
        twice_won += int(wins.sum())
    area = twice_won / (2 * n_pairs) if n_pairs else float("nan")
    kept = twice > 0
    return _Compared(
        area=area,
        influences=(won - area * twice) / (2 * max(n_pairs, 1)),
        kept=kept,
        judges=judges,
        n_pairs=n_pairs,
        counts={
            "n_pairs": n_pairs,
            "n_human": int(kept[: human.size].sum()),
            "n_machine": int(kept[human.size :].sum()),
            "n_judges": both.size,
            "n_one_kind": np.unique(judges).size - both.size,
            "n_dropped": given.n_asked - given.n,
        },
    )
