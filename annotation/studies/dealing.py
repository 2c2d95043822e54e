"""Which items to give a judge next: pure, seeded, balanced over opaque codes."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Candidate:
    """An item that could be given: its key, its opaque codes, the places already taken."""

    key: int
    stratum: str
    twin: str
    taken: int


def choose(
    candidates: Iterable[Candidate], size: int, *, seen_twins: Iterable[str], rng: Random
) -> list[Candidate]:
    """Return up to `size` candidates for one judge, in the order in which to show them.

    Items that the fewest judges have come first, so that no item lags; among those, items whose
    twin (another text on the same brief) this judge has not seen; among those, the stratum that
    the batch has least of; chance, from `rng`, decides the rest. The order shown is shuffled
    anew, so that a place in the batch tells nothing.
    """
    pool = sorted(candidates, key=lambda candidate: candidate.key)
    rng.shuffle(pool)
    chosen: list[Candidate] = []
    twins = Counter(seen_twins)
    strata: Counter[str] = Counter()
    while pool and len(chosen) < size:
        best = min(pool, key=lambda one: (one.taken, twins[one.twin], strata[one.stratum]))
        pool.remove(best)
        chosen.append(best)
        twins[best.twin] += 1
        strata[best.stratum] += 1
    rng.shuffle(chosen)
    return chosen


def side(seed: int, item: int, *, plain: int, flipped: int) -> bool:
    """Whether the second text of a pair stands first this time: the side that was so less often.

    Where both were so equally often, `seed` decides, for each item anew.
    """
    if plain != flipped:
        return flipped < plain
    return bool(hashlib.sha256(f"{seed}/{item}".encode()).digest()[0] & 1)
