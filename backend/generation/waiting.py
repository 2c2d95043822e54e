"""What the poems of a run wait for: the cap, a gate, a failure's pause, their turn."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, Q

from backend.generation.amounts import clock
from backend.generation.estimating import prices
from backend.generation.models import Gate, LanguageModel, Run


@dataclass(frozen=True)
class Wait:
    """Why some poems wait, as one says it after their number; and until when, if that is known."""

    why: str
    until: datetime | None
    count: int

    def __str__(self) -> str:
        return f"{self.count:,} {self.why}"


@dataclass(frozen=True)
class Waiting:
    """How many poems of one model wait: for the cap, after a failure, elsewhere, for their turn."""

    model_id: int
    model: str
    capped: int
    cap_said: str
    later: int
    later_until: datetime | None
    elsewhere: int
    elsewhere_until: datetime | None
    ready: int


def waiting_of(run: Run, now: datetime) -> list[Waiting]:
    """Count what is queued of a run, by model."""
    capped = Q(error_kind="cap", not_before__gt=now)
    # Nothing but a call that is under way elsewhere puts off what has not failed.
    elsewhere = Q(error_kind__in=("", "refused", "recited"), not_before__gt=now)
    later = Q(not_before__gt=now) & ~capped & ~elsewhere
    rows = (
        run.generations.filter(status="queued")
        .order_by("model__name")
        .values_list("model_id", "model__name")
        .annotate(
            capped=Count("pk", filter=capped),
            cap_said=Max("error", filter=capped),
            later=Count("pk", filter=later),
            later_until=Min("not_before", filter=later),
            elsewhere=Count("pk", filter=elsewhere),
            elsewhere_until=Min("not_before", filter=elsewhere),
            ready=Count("pk", filter=Q(not_before=None) | Q(not_before__lte=now)),
        )
    )
    return [Waiting(*row) for row in rows]


def all_capped(waiting: list[Waiting]) -> bool:
    """Whether the cap is what stops each of these models."""
    # One that the cap refused a moment ago speaks for all of its model.
    return bool(waiting) and all(row.capped for row in waiting)


def unpriced_of(waiting: Iterable[Waiting]) -> list[str]:
    """Return the names of the models that the cap stops since their price is not known."""
    capped = [row.model_id for row in waiting if row.capped]
    models = LanguageModel.objects.filter(pk__in=capped) if capped else ()
    return [model.name for model in models if prices(model) is None]


def waits_of(waiting: list[Waiting], now: datetime, *, is_quiet: bool) -> list[Wait]:
    """Say in words what these wait for; `is_quiet` is whether nothing was begun for a minute."""
    waits, turns = _by_reason(waiting, _held(waiting, now))
    if turns and is_quiet:
        said = "waiting; nothing was begun for a minute. Is a worker running?"
        waits.append(Wait(said, None, turns))
    return waits


def _held(waiting: Iterable[Waiting], now: datetime) -> Mapping[int, tuple[datetime, str]]:
    """Return until when the gates of these models are shut, and why, by the models' keys."""
    models = [row.model_id for row in waiting if row.ready]
    held = Gate.objects.filter(model__in=models, held_until__gt=now)
    rows = held.values_list("model_id", "held_until", "held_why")
    return {model: (until, why) for model, until, why in rows if model and until}


def _by_reason(
    waiting: Iterable[Waiting], held: Mapping[int, tuple[datetime, str]]
) -> tuple[list[Wait], int]:
    """Return the waits there is a reason for, and how many wait for nothing but their turn."""
    caps: Counter[str] = Counter()
    waits: list[Wait] = []
    turns = 0
    for row in waiting:
        if row.capped:
            caps[row.cap_said] += row.capped + row.ready
        elif row.model_id in held:
            until, why = held[row.model_id]
            said = f"waiting for {row.model}: {why}; next try {clock(until)}"
            waits.append(Wait(said, until, row.ready))
        else:
            turns += row.ready
        if row.later and row.later_until:
            said = (
                f"of {row.model} to be asked again from {clock(row.later_until)}, after a failure"
            )
            waits.append(Wait(said, row.later_until, row.later))
        if row.elsewhere and row.elsewhere_until:
            said = f"of {row.model} waiting: the very same call is under way elsewhere"
            waits.append(Wait(said, row.elsewhere_until, row.elsewhere))
    return [*(Wait(f"waiting: {said}", None, n) for said, n in caps.items()), *waits], turns
