"""What to give next: pure, seeded, balanced over opaque codes.

A set is arranged first (which stratum stands at which slot), then filled with items. Slots and
strata make a rectangle of cells; each set puts one more text into one cell of every slot. Slots
are matched with strata a block at a time, a block having as many slots as there are strata, so
that the cells that are behind are filled. Where strata are equally large and every set is full,
all cells of a slot are equal within one after every set: the cells that are behind make a
bipartite graph in which every slot has the largest degree, and such a graph has a matching that
meets them all (Koenig, 1916). So sets are the rows of Latin squares. Where sets were taken back,
a flow plans the fewest sets after which no cell is two behind (`_catching_up`); so there are never
more of them than were taken back.
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil, floor
from random import Random
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

Stratum = TypeVar("Stratum", bound=Hashable)

# Each outweighs all that comes after it: the share of a stratum in the set, the distance to the
# text before it by the same author, the plan to catch up and the strata that are due in it, the
# cells, the stratum as a whole, chance.
_SHARE, _NEAR, _OFF, _DUE, _CELL, _WHOLE, _CHANCE = 1e9, 1e7, 3e5, 1e4, 1e3, 1.0, 1e-3
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
    if not sizes:
        return []
    return _Arrangement(sizes, cells, slots, before, apart, rng).made()


@dataclass
class _Arrangement(Generic[Stratum]):
    """A set that is being arranged, block by block."""

    sizes: Mapping[Stratum, int]
    cells: Mapping[tuple[Stratum, int], int]
    slots: Sequence[int]
    before: Sequence[Stratum]
    apart: int
    rng: Random
    strata: list[Stratum] = field(init=False)
    share: list[float] = field(init=False)
    ahead: list[float] = field(init=False)
    past: list[int] = field(init=False)
    chosen: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.strata = sorted(self.sizes, key=repr)
        whole = sum(self.sizes.values())
        self.share = [self.sizes[stratum] / whole for stratum in self.strata]
        # A judge may have had texts of strata that they are given none of now.
        index = {stratum: place for place, stratum in enumerate(self.strata)}
        self.past = [index.get(stratum, -1) for stratum in self.before[-self.apart :]]
        given = Counter[Stratum]()
        for (stratum, _), times in self.cells.items():
            given[stratum] += times
        so_far = sum(given.values())
        self.ahead = [
            given[one] - so_far * share for one, share in zip(self.strata, self.share, strict=True)
        ]

    def made(self) -> list[Stratum]:
        width = len(self.strata)
        for start in range(0, len(self.slots), width):
            self.chosen += self._block(self.slots[start : start + width])
        return [self.strata[index] for index in self.chosen]

    def _block(self, block: Sequence[int]) -> list[int]:
        """Match the slots of one block with strata."""
        filled = np.array([[self.cells.get((s, slot), 0) for s in self.strata] for slot in block])
        share = np.array(self.share)
        cell = _CELL * (filled - filled.sum(axis=1, keepdims=True) * share)
        if len(set(self.sizes.values())) == 1:
            cell += _catching_up(filled)
        past = self.past + self.chosen
        for row in range(min(self.apart - 1, len(block))):
            for index in {*past[max(0, len(past) + row - self.apart + 1) :]} - {-1}:
                cell[row, index] += _NEAR
        columns = self._columns(len(block))
        costs = cell[:, [index for index, _ in columns]] + np.array([cost for _, cost in columns])
        chance = [[self.rng.random() for _ in columns] for _ in block]
        _, matched = linear_sum_assignment(costs + _CHANCE * np.array(chance))
        return self._spread_out(past, [columns[column][0] for column in matched], cell)

    def _columns(self, places: int) -> list[tuple[int, float]]:
        """Return one column for each text that a stratum may have in this block, with its cost."""
        until, last = len(self.chosen) + places, len(self.chosen) + places == len(self.slots)
        used = Counter(self.chosen)
        sure = [floor(len(self.slots) * share + 1e-9) for share in self.share]
        columns: list[tuple[int, float]] = []
        more: list[tuple[int, float]] = []
        for index, share in enumerate(self.share):
            least = floor(until * share + 1e-9) - used[index]
            most = ceil(until * share - 1e-9) - used[index]
            for copy in range(min(places, max(most, sure[index] - used[index]))):
                ahead = self.ahead[index] + used[index] + copy
                cost = _WHOLE * max(-_MOST, min(_MOST, ahead))
                cost += _SHARE * ((copy >= most) - (copy < least))
                of_these = columns if used[index] + copy < sure[index] else more
                of_these.append((index, cost))
        # A share that is rounded up here must leave room for those that are not filled yet.
        room = len(self.slots) - sum(max(sure[i], used[i]) for i in range(len(sure)))
        return columns + (more if last else sorted(more, key=lambda one: one[1])[:room])

    def _spread_out(
        self, past: list[int], block: list[int], cell: NDArray[np.float64]
    ) -> list[int]:
        """Swap texts of a block as long as fewer then stand too near to one of their stratum."""
        while near := self._near(past, block):
            swaps = []
            for one, two in combinations(range(len(block)), 2):
                order = block.copy()
                order[one], order[two] = order[two], order[one]
                cost = sum(cell[row, index] for row, index in enumerate(order))
                swaps.append((self._near(past, order), float(cost), order))
            best = min(swaps, default=(near, 0.0, block))
            if best[0] >= near:
                break
            block = best[2]
        return block

    def _near(self, past: list[int], block: list[int]) -> int:
        order = past + block
        return sum(
            order[place] in order[max(0, place - self.apart + 1) : place]
            for place in range(len(past), len(order))
        )


def in_turn(strata: Sequence[Stratum], *, before: Sequence[Stratum] = (), apart: int) -> list[int]:
    """Return the places of these texts in the order in which they are to come.

    That is their own, unless some would come less than `apart` positions after one of their
    stratum. Then first, of those that stand far enough, comes one of whose stratum most are left;
    where none does, the first.
    """
    left, line = list(range(len(strata))), list(last(before, apart - 1))
    whole = [*line, *strata]
    places = range(len(line), len(whole))
    if all(whole[place] not in whole[max(0, place - apart + 1) : place] for place in places):
        return left
    order, many = [], Counter(strata)
    while left:
        near = last(line, apart - 1)
        free = [one for one in left if strata[one] not in near]
        chosen = max(free, key=lambda one: many[strata[one]], default=left[0])
        left.remove(chosen)
        many[strata[chosen]] -= 1
        line.append(strata[chosen])
        order.append(chosen)
    return order


def last(line: Sequence[Stratum], number: int) -> Sequence[Stratum]:
    """Return the last ones of a line, so many or fewer."""
    return line[max(0, len(line) - number) :]


def _catching_up(filled: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return what keeps a block on the shortest way to where no cell is two behind another.

    Every set adds one to each slot, and at most one to each stratum. `sets` of them are a plan if
    they fill whatever is two behind, leave the fullest cells alone, and leave no stratum more to
    catch up afterwards than a slot. A set of the plan has the strata that are due in all of it.
    """
    behind = filled.max() - filled
    missing = np.maximum(behind - 1, 0)
    if not missing.any():
        return np.zeros(filled.shape)
    fewest = max(missing.sum(axis=0).max(), missing.sum(axis=1).max())
    for sets in range(fewest, behind.sum(axis=1).min() + 1):
        plan = _plan(missing, behind, sets)
        if plan is not None:
            cost: NDArray[np.float64] = _OFF * (plan == 0) - _DUE * (plan.sum(axis=0) == sets)
            return cost
    return np.zeros(filled.shape)


def _plan(least: NDArray[np.int_], most: NDArray[np.int_], sets: int) -> NDArray[np.int_] | None:
    """Return how often so many sets fill each cell, between these bounds; None if they cannot."""
    slots, strata = least.shape
    # A flow from the slots through the strata; what is surely filled is taken off beforehand.
    source, free, sink = slots + strata, slots + strata + 1, slots + strata + 2
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    capacity[:slots, slots:source] = most - least
    capacity[source, :slots] = sets - least.sum(axis=1)
    upper = sets - least.sum(axis=0)
    later = most.sum(axis=1).max() - sets
    lower = np.clip(most.sum(axis=0) - later - least.sum(axis=0), 0, upper)
    capacity[slots:source, sink] = lower
    capacity[slots:source, free] = upper - lower
    capacity[free, sink] = max(0, capacity[source].sum() - lower.sum())
    flow = maximum_flow(csr_array(capacity), source, sink)
    if flow.flow_value < capacity[source].sum():
        return None
    through = np.asarray(flow.flow.toarray(), dtype=np.int_)
    return least + through[:slots, slots:source]


def pick(
    window: Sequence[Candidate],
    *,
    twins: Mapping[str, int],
    forms: Mapping[str, int],
    near: frozenset[str] = frozenset(),
    rng: Random,
) -> Candidate | None:
    """Return the candidate to give, or None if there is none.

    One whose twin (another text on its brief) this judge has not seen, or at least not just now
    (`near`); among those, the one that the fewest judges have; among those, one of the form that
    this judge has seen least; chance, from `rng`, decides the rest.
    """
    if not window:
        return None
    return min(
        window,
        key=lambda one: (
            one.twin in near,
            twins.get(one.twin, 0),
            one.taken,
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
