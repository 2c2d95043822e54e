"""What each language model and each provider lets through: in the rows, so all workers keep it.

Calls in flight are counted from the calls themselves, under the gate's lock, so nothing drifts
when a worker is killed. How many may be at once is found out, as TCP finds out what a line bears:
more after answers, fewer after a refusal. Locks are taken in the order calls, run, gates.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import F, QuerySet

from backend.generation import statements
from backend.generation.models import Call, Gate, LanguageModel, Provider

START = 16  # calls at once, while nothing is known; also the limit where none is set
MINUTE = 60_000_000  # microseconds
# What may go at once after a rest, as time: so much less is let through for the rest of a minute
# that no minute, wherever it begins, has more than the limit.
BURST = 2_000_000
MOMENT = timedelta(seconds=1)  # a gate that is full is likely open again by then


@dataclass(frozen=True)
class Shut:
    """Why nothing goes through now: "held", "full" or "rate"; until when, and in plain words."""

    why: str
    until: datetime | None
    said: str


@dataclass(frozen=True)
class GateState:
    """What stands between a model and the next call to it, for pages."""

    width: int
    limit: int
    in_flight: int
    held_until: datetime | None
    held_why: str
    failures: int
    answered_at: datetime | None
    next_request_at: datetime | None

    @property
    def room(self) -> int:
        """How many calls could begin now, as far as width goes."""
        return 0 if self.held_until else max(0, self.width - self.in_flight)


def limit_of(model: LanguageModel) -> int:
    """Return how many calls to this model may be under way at once at most."""
    at = model.provider
    return model.parallel or (at.parallel if at else None) or START


def width_of(gate: Gate | None, limit: int) -> int:
    """Return how many calls may be under way now. One, while nobody knows if anything answers."""
    if gate is None:
        return min(START, limit)
    return 1 if gate.holds else max(1, min(gate.width, limit))


def enter(model: LanguageModel, *, tokens: int, now: datetime) -> Shut | None:
    """Let one call to this model through, or say why not. Within a transaction that ends soon.

    The call's own row has been written in the same transaction.
    """
    at = model.provider if model.provider and _has_limits(model.provider) else None
    gates = _locked(model, at)
    own = next(gate for gate in gates if gate.model_id)
    if own.held_until and own.held_until > now:
        return Shut("held", own.held_until, own.held_why)
    # Asked only now that the gate is ours: what others wrote while it was theirs has to be seen.
    own_calls, all_calls = statements.under_way(model.pk, at.pk if at else None, now=now)
    if own_calls > width_of(own, limit_of(model)):
        return Shut("full", now + MOMENT, f"as many calls to {model} as it bears are under way")
    if at and at.parallel and all_calls > at.parallel:
        return Shut("full", now + MOMENT, f"as many calls to {at} as are allowed are under way")
    rates: list[tuple[Gate, LanguageModel | Provider]] = [
        (gate, model if gate.model_id or at is None else at) for gate in gates
    ]
    for gate, limits in rates:
        if shut := _too_soon(gate, limits, now):
            return shut
    for gate, limits in rates:
        _note_rate(gate, limits, tokens, now)
    return None


def in_flight(now: datetime) -> QuerySet[Call]:
    """Return the calls that are under way, or whose worker died a moment ago."""
    return Call.objects.filter(state=Call.State.OPEN, expires_at__gt=now)


def opens_at(gate: Gate, limits: LanguageModel | Provider) -> int:
    """Return when the next call may go, as far as rates go, in microseconds since 1970."""
    earliest = 0
    if limits.requests_a_minute:
        earliest = gate.requests_from - BURST
    if limits.tokens_a_minute:
        earliest = max(earliest, gate.tokens_from - BURST)
    return earliest


def paced(gate: Gate, limits: LanguageModel | Provider, now: datetime, *, ahead: timedelta) -> int:
    """Return how many calls could go between now and a little later, as far as rates go."""
    if not limits.requests_a_minute and not limits.tokens_a_minute:
        return START * START
    end = microseconds(now + ahead)
    if opens_at(gate, limits) > end:
        return 0
    if not limits.requests_a_minute:
        return START
    begin = max(gate.requests_from - BURST, microseconds(now) - BURST)
    return 1 + (end - begin) // _span(1, limits.requests_a_minute)


def microseconds(at: datetime) -> int:
    """Return the time in microseconds since 1970."""
    return round(at.timestamp() * 1_000_000)


def at_microseconds(at: int) -> datetime:
    """Return the time that is so many microseconds after 1970."""
    return datetime.fromtimestamp(at / 1_000_000, UTC)


def correct_tokens(model: LanguageModel, *, more: int) -> None:
    """Count tokens that an answer needed more, or if below 0 less, than was thought before."""
    for gates, limits in (
        (Gate.objects.filter(provider=model.provider_id), model.provider),
        (Gate.objects.filter(model=model), model),
    ):
        if limits and limits.tokens_a_minute and more:
            span = _span(more, limits.tokens_a_minute)
            gates.update(tokens_from=F("tokens_from") + span)


def state_of(model: LanguageModel, now: datetime) -> GateState:
    """Return what stands between this model and the next call to it."""
    gate = Gate.objects.filter(model=model).first()
    limit = limit_of(model)
    held = gate.held_until if gate and gate.held_until and gate.held_until > now else None
    rate = opens_at(gate, model) if gate else 0
    return GateState(
        width=width_of(gate, limit),
        limit=limit,
        in_flight=in_flight(now).filter(model=model).count(),
        held_until=held,
        held_why=gate.held_why if gate and held else "",
        failures=gate.failures if gate else 0,
        answered_at=gate.answered_at if gate else None,
        next_request_at=at_microseconds(rate) if rate > microseconds(now) else None,
    )


def _has_limits(at: Provider) -> bool:
    return bool(at.parallel or at.requests_a_minute or at.tokens_a_minute)


def _locked(model: LanguageModel, at: Provider | None) -> list[Gate]:
    """Return the gates of this model and its provider, locked in one order, made if need be."""
    keys = {"model": model.pk, "provider": at.pk if at else statements.NOBODY}
    gates = statements.locked_gates.all(**keys)
    if len(gates) == 1 + bool(at):
        return gates
    missing = [Gate(model=model, width=min(START, limit_of(model)))]
    missing += [Gate(provider=at, width=at.parallel or START)] if at else []
    Gate.objects.bulk_create(missing, ignore_conflicts=True)
    return statements.locked_gates.all(**keys)


def _span(number: int, a_minute: int) -> int:
    """Return how long so many take, in microseconds."""
    return number * (MINUTE + BURST) // a_minute + 1


def _too_soon(gate: Gate, limits: LanguageModel | Provider, now: datetime) -> Shut | None:
    opens = opens_at(gate, limits)
    if opens <= microseconds(now):
        return None
    return Shut("rate", at_microseconds(opens), f"as much as {limits} allows a minute was asked")


def _note_rate(gate: Gate, limits: LanguageModel | Provider, tokens: int, now: datetime) -> None:
    moment, noted = microseconds(now), {}
    if limits.requests_a_minute:
        noted["requests_from"] = max(gate.requests_from, moment) + _span(
            1, limits.requests_a_minute
        )
    if limits.tokens_a_minute:
        span = _span(tokens, limits.tokens_a_minute)
        noted["tokens_from"] = max(gate.tokens_from, moment) + span
    if noted:
        Gate.objects.filter(pk=gate.pk).update(**noted)
