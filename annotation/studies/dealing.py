"""What to give next: pure, seeded, balanced over opaque codes.

A set is arranged first (which stratum stands at which slot), then filled with items. Slots and
strata make a rectangle of cells; each set puts one more text into one cell of every slot. Slots
are matched with strata a block at a time, a block having as many slots as there are strata, so
that the cells that are behind are filled. Where strata are equally large and every set is full,
all cells of a slot are equal within one after every set: the cells that are behind make a
bipartite graph in which every slot has the largest degree, and such a graph has a matching that
meets them all (Koenig, 1916). So sets are the rows of Latin squares, and stay so as rows are
taken back and dealt anew.
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from random import Random
from typing import TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

Stratum = TypeVar("Stratum", bound=Hashable)

# Each outweighs all that comes after it: the share of a stratum in the set, the distance to the
# text before it by the same author, the cells, the stratum as a whole, chance.
_SHARE, _NEAR, _CELL, _WHOLE, _CHANCE = 1e9, 1e6, 1e3, 1.0, 1e-3
_MOST = 1e2  # beyond which being behind as a whole counts no more


@dataclass(frozen=True)
class Candidate:
    """An item that could be given: its key, its opaque codes, the places already taken."""

    key: int
    stratum: str
    twin: str
    taken: int
    form: str = ""


def arrange(
    sizes: Mapping[Stratum, int],
    cells: Mapping[tuple[Stratum, int], int],
    slots: Sequence[int],
    *,
    before: Sequence[Stratum] = (),
    apart: int = 1,
    rng: Random,
) -> list[Stratum]:
    """Return the stratum for each slot of a set.

    Parameters
    ----------
    sizes : mapping of stratum to int
        How many items each stratum has: its share of every set, rounded up or down.
    cells : mapping of (stratum, slot) to int
        How often each cell was filled so far.
    slots : sequence of int
        The slots to fill, in order.
    before : sequence
        What the judge was given before, in order.
    apart : int
        From one text of a stratum to the next there are at least so many positions, as long as
        twice as many strata take part.
    """
    strata = sorted(sizes, key=repr)
    chosen: list[Stratum] = []
    if not strata:
        return chosen
    whole = sum(sizes.values())
    given = Counter[Stratum]()
    for (stratum, _), times in cells.items():
        given[stratum] += times
    width = len(strata)
    for start in range(0, len(slots), width):
        block = slots[start : start + width]
        chosen += _block(strata, sizes, whole, cells, given, block, chosen, before, apart, rng)
    return chosen


def _block(
    strata: list[Stratum],
    sizes: Mapping[Stratum, int],
    whole: int,
    cells: Mapping[tuple[Stratum, int], int],
    given: Mapping[Stratum, int],
    block: Sequence[int],
    chosen: Sequence[Stratum],
    before: Sequence[Stratum],
    apart: int,
    rng: Random,
) -> list[Stratum]:
    """Match the slots of one block with strata."""
    until = len(chosen) + len(block)
    used = Counter(chosen)
    # One column for each text that a stratum may have in this block; the first ones it should.
    columns: list[tuple[Stratum, float]] = []
    for stratum in strata:
        share = until * sizes[stratum] / whole
        least, most = floor(share + 1e-9) - used[stratum], ceil(share - 1e-9) - used[stratum]
        ahead = given[stratum] + used[stratum] - sum(given.values()) * sizes[stratum] / whole
        columns += [
            (stratum, -_SHARE * (copy < least) + _WHOLE * max(-_MOST, min(_MOST, ahead + copy)))
            for copy in range(most)
        ]
    # Rounding can leave fewer columns than slots: then whoever is most behind has one more.
    columns += [(strata[extra % len(strata)], _SHARE) for extra in range(len(block) - len(columns))]
    past = [*before, *chosen]
    at_slot = {slot: sum(cells.get((s, slot), 0) for s in strata) for slot in block}
    costs = np.empty((len(block), len(columns)))
    for row, slot in enumerate(block):
        near = set(past[max(0, len(past) + row - apart + 1) :]) if apart > row + 1 else set()
        for column, (stratum, cost) in enumerate(columns):
            behind = cells.get((stratum, slot), 0) - at_slot[slot] * sizes[stratum] / whole
            costs[row, column] = (
                cost + _CELL * behind + (_NEAR if stratum in near else 0.0) + _CHANCE * rng.random()
            )
    _, matched = linear_sum_assignment(costs)
    return [columns[column][0] for column in matched]


def pick(
    window: Sequence[Candidate],
    *,
    twins: Mapping[str, int],
    forms: Mapping[str, int],
    near: frozenset[str] = frozenset(),
    rng: Random,
) -> Candidate | None:
    """Return the candidate to give, or None if there is none.

    The one that the fewest judges have; among those, one whose twin (another text on its brief)
    this judge has not seen, or at least not just now (`near`); among those, one of the form that
    this judge has seen least; chance, from `rng`, decides the rest.
    """
    if not window:
        return None
    return min(
        window,
        key=lambda one: (
            one.taken,
            one.twin in near,
            twins.get(one.twin, 0),
            forms.get(one.form, 0),
            rng.random(),
        ),
    )


def side(seed: int, item: int, *, plain: int, flipped: int, balance: int = 0) -> bool:
    """Whether the second text of a pair stands first this time: the side that was so less often.

    Where both were so equally often, the side that this judge has had less often (`balance`:
    flipped minus plain); else `seed` decides, for each item anew.
    """
    if plain != flipped:
        return flipped < plain
    if balance:
        return balance < 0
    return bool(hashlib.sha256(f"{seed}/{item}".encode()).digest()[0] & 1)
