"""Which rows get a message now: as many as the gates let through and a little more, fairly."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import islice

from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from backend.generation import capping, gates
from backend.generation.models import Gate, Generation, LanguageModel, Provider, Run

# A message that was not acted on for so long is taken for lost; a double does no harm.
FORGOTTEN = timedelta(seconds=30)
# Messages under way at once: so many for each row that is being written, at least so many.
MESSAGES, FOR_EACH = 64, 3
AHEAD = 2  # for so many calls at once, one more row is told of: it begins when one ends
PACE = timedelta(seconds=2)  # where there is a limit by the minute, so far ahead

Pair = tuple[int, int]  # of a model and a run


@dataclass
class Dealt:
    """The rows to tell of, in this order; and when to look again, if that is known."""

    keys: list[int] = field(default_factory=list)
    again_at: datetime | None = None


@dataclass(frozen=True)
class _Load:
    """What is under way of one model in one run, and whether anything waits."""

    told: int
    running: int
    waiting: int
    next_at: datetime | None

    @property
    def busy(self) -> int:
        return self.told + self.running


class _Room:
    """How many rows more may be told of: for each model, provider, and model under a run's cap."""

    def __init__(self) -> None:
        self.of_models: dict[int, int] = {}
        self.of_providers: dict[int, int] = {}
        self.of_pairs: dict[Pair, int] = {}
        self.providers: dict[int, int | None] = {}  # by model

    def left(self, pair: Pair) -> int:
        room = self.of_models.get(pair[0], 0)
        at = self.providers.get(pair[0])
        if at is not None:
            room = min(room, self.of_providers.get(at, room))
        return min(room, self.of_pairs.get(pair, room))

    def take(self, pair: Pair) -> None:
        self.of_models[pair[0]] -= 1
        if pair in self.of_pairs:
            self.of_pairs[pair] -= 1
        at = self.providers.get(pair[0])
        if at in self.of_providers:
            self.of_providers[at] -= 1


def deal(now: datetime, *, model: LanguageModel | None = None) -> list[int]:
    """Return the rows that a message shall tell of now; they count as told."""
    return look(now, model=model).keys


def look(
    now: datetime,
    *,
    model: LanguageModel | None = None,
    run: Run | None = None,
    most: int | None = None,
) -> Dealt:
    """Return the rows to tell of now, which count as told, and when to look again.

    Only rows of runs that are running, the oldest first, in turn by model and by run; `most` of
    them, or as many as keep the workers busy.
    """
    rows = Generation.objects.filter(run__state=Run.State.RUNNING)
    rows = rows.filter(model=model) if model else rows
    rows = rows.filter(run=run) if run else rows
    loads = _loads(rows.unfinished(), now)
    told = sum(load.told for load in loads.values())
    running = sum(load.running for load in loads.values())
    room, opens = _room(loads, now)
    room.of_pairs = capping.room({pair: load.busy for pair, load in loads.items()}, now)
    if 0 in room.of_pairs.values():
        opens.append(now + capping.MOMENT)
    opens += [load.next_at for load in loads.values() if load.next_at]
    again_at = min(opens, default=None)
    free = max(MESSAGES, FOR_EACH * running) - told if most is None else most
    pairs = [pair for pair, load in loads.items() if load.waiting and room.left(pair) > 0]
    if not pairs or free <= 0:
        return Dealt(again_at=again_at)
    most = min(free, max(room.left(pair) for pair in pairs))
    waiting = _oldest(pairs, now, most)
    keys = list(islice(_in_turn(loads, waiting, room), free))
    return Dealt(_tell(keys, now), again_at)


def room_of(models: Iterable[LanguageModel], now: datetime) -> dict[int, tuple[int, int]]:
    """Return how many more calls to each of these models could begin, and how many are a half.

    By the models' keys. The half of what the gate lets through is at least one if it is open.
    """
    models = list(models)
    found = {gate.model_id: gate for gate in Gate.objects.filter(model__in=models)}
    under_way = _under_way(now)
    widths = {model.pk: _width(found.get(model.pk), model, now) for model in models}
    return {key: (width - under_way[key][0], (width + 1) // 2) for key, width in widths.items()}


def free_cancelled(now: datetime) -> int:
    """Queue what a dead worker left of runs that were cancelled, where it ends. Return how many."""
    left = Generation.objects.filter(status="running", leased_until__lt=now)
    cancelled = Run.objects.filter(pk=OuterRef("run_id"), state=Run.State.CANCELLED)
    return left.filter(Exists(cancelled)).update(status="queued", lease="", leased_until=None)


def _quiet(now: datetime) -> Q:
    return Q(nudged_at=None) | Q(nudged_at__lt=now - FORGOTTEN)


def _loads(rows: QuerySet[Generation], now: datetime) -> dict[Pair, _Load]:
    queued = Q(status="queued")
    ready = queued & (Q(not_before=None) | Q(not_before__lte=now)) & _quiet(now)
    left = Q(status="running", leased_until__lt=now)
    found = (
        rows.order_by()
        .values_list("model_id", "run_id")
        .annotate(
            told=Count("pk", filter=queued & ~_quiet(now)),
            running=Count("pk", filter=Q(status="running", leased_until__gte=now)),
            waiting=Count("pk", filter=ready | left),
            later=Min("not_before", filter=queued & Q(not_before__gt=now)),
            # One that the cap refused a moment ago speaks for all of its model and run.
            capped=Count("pk", filter=queued & Q(error_kind="cap", not_before__gt=now)),
        )
    )
    return {
        (model, run): _Load(told, running, 0 if capped else waiting, later)
        for model, run, told, running, waiting, later, capped in found
    }


def _room(loads: Mapping[Pair, _Load], now: datetime) -> tuple[_Room, list[datetime]]:
    """Return how many rows more may be told of, as far as gates go; and when shut ones open."""
    models = LanguageModel.objects.select_related("provider").in_bulk({key for key, _ in loads})
    at = {model.provider_id for model in models.values()}
    both = Gate.objects.filter(Q(model__in=models) | Q(provider__in=at - {None}))
    found = {(gate.provider_id, gate.model_id): gate for gate in both}
    under_way = _under_way(now)
    busy = {key: under_way[key][1] for key in models}
    for (model_id, _), load in loads.items():
        busy[model_id] += load.busy
    room = _Room()
    opens: list[datetime] = []
    for model in models.values():
        gate = found.get((None, model.pk))
        width = _width(gate, model, now)
        free = width - busy[model.pk] + (max(1, width // AHEAD) if width > 1 else 0)
        room.providers[model.pk] = model.provider_id
        for limits, its in ((model, gate), (model.provider, found.get((model.provider_id, None)))):
            if limits and its:
                pace = gates.paced(its, limits, now, ahead=PACE)
                free = min(free, pace - busy[model.pk])
                opens += _opening(its, limits, now)
        room.of_models[model.pk] = free
    room.of_providers = _room_of_providers(models.values(), busy)
    return room, opens


def _width(gate: Gate | None, model: LanguageModel, now: datetime) -> int:
    if gate and gate.held_until and gate.held_until > now:
        return 0
    return gates.width_of(gate, gates.limit_of(model))


def _opening(gate: Gate, limits: LanguageModel | Provider, now: datetime) -> Iterator[datetime]:
    """Name the time at which a gate that is shut now opens."""
    if gate.held_until and gate.held_until > now:
        yield gate.held_until
    opens = gates.opens_at(gate, limits)
    if opens > gates.microseconds(now):
        yield gates.at_microseconds(opens)


def _room_of_providers(models: Iterable[LanguageModel], busy: Mapping[int, int]) -> dict[int, int]:
    """Return how many rows more may be told of for all models of each provider with a limit."""
    room: dict[int, int] = {}
    for model in models:
        at = model.provider
        if at and at.parallel:
            room.setdefault(at.pk, at.parallel + max(1, at.parallel // AHEAD))
            room[at.pk] -= busy[model.pk]
    return room


def _under_way(now: datetime) -> dict[int, tuple[int, int]]:
    """Return how many calls to each model are open, and how many of these are for no poem."""
    counts = (
        gates.in_flight(now)
        .order_by()
        .values_list("model_id")
        .annotate(all=Count("pk"), other=Count("pk", filter=Q(generation=None)))
    )
    return defaultdict(lambda: (0, 0), {model: (n, other) for model, n, other in counts})


def _oldest(pairs: list[Pair], now: datetime, most: int) -> dict[Pair, list[int]]:
    """Return the keys of the oldest rows that wait, so many for each model and run."""
    models, runs = ({pair[side] for pair in pairs} for side in (0, 1))
    ranked = (
        Generation.objects.filter(model__in=models, run__in=runs)
        .due(now)
        .filter(Q(status="running") | _quiet(now))
        .annotate(
            rank=Window(RowNumber(), partition_by=[F("model"), F("run")], order_by=F("pk").asc())
        )
        .filter(rank__lte=most)
        .order_by("pk")
    )
    found: dict[Pair, list[int]] = defaultdict(list)
    for key, model_id, run_id in ranked.values_list("pk", "model_id", "run_id"):
        found[model_id, run_id].append(key)
    return found


def _in_turn(
    loads: Mapping[Pair, _Load], waiting: Mapping[Pair, list[int]], room: _Room
) -> Iterator[int]:
    """Name the rows in turn, as long as there is room: next is who has the fewest under way."""
    rows = {pair: iter(keys) for pair, keys in waiting.items()}
    # Among equals by chance: in any order of theirs, the last would never have a turn.
    turns = [(loads[pair].busy, random.random(), pair) for pair in rows]  # noqa: S311
    heapify(turns)
    while turns:
        busy, _, pair = heappop(turns)
        key = next(rows[pair], None) if room.left(pair) > 0 else None
        if key is not None:
            room.take(pair)
            yield key
            heappush(turns, (busy + 1, random.random(), pair))  # noqa: S311


def _tell(keys: list[int], now: datetime) -> list[int]:
    """Mark these rows told, and return those that nobody else has told of meanwhile."""
    quiet = Generation.objects.filter(pk__in=keys).filter(
        Q(status="running", leased_until__lt=now) | Q(status="queued") & _quiet(now)
    )
    if not quiet.update(nudged_at=now):
        return []
    mine = set(Generation.objects.filter(pk__in=keys, nudged_at=now).values_list("pk", flat=True))
    return [key for key in keys if key in mine]
