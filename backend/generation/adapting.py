"""What a gate learns from how calls end: wider, narrower, held, given up."""

import random
from datetime import datetime, timedelta

from django.db import transaction

from backend.generation import statements
from backend.generation.gates import limit_of, width_of
from backend.generation.models import Gate, LanguageModel
from backend.generation.providers import ProviderUnavailable

NARROWER = 0.7
LONGEST_REQUESTED = timedelta(minutes=15)
SHORTEST_REQUESTED = timedelta(milliseconds=500)
FIRST_BACKOFF, LONGEST_BACKOFF = timedelta(seconds=1), timedelta(minutes=1)
# Failures in a row after which an endpoint counts as dead, and how long it is left alone then.
DEAD_AFTER = 5
FIRST_HOLD, LONGEST_HOLD = timedelta(seconds=15), timedelta(minutes=5)
GIVE_UP_AFTER = timedelta(hours=2)
HOLDS_WITHOUT_ANY_ANSWER = 3
ASKED_TO_WAIT = "the provider asked to wait"
SEEN_EVERY = timedelta(seconds=5)


def note_answer(model: LanguageModel, *, now: datetime) -> None:
    """Let more through after an answer: twice as many in a round trip at first, later one more."""
    statements.widen(model.pk, limit_of(model), now=now, unless_seen_since=now - SEEN_EVERY)


def note_life(model: LanguageModel) -> None:
    """Note that something is there, though it did not answer: it refused the request."""
    failing = Gate.objects.filter(model=model, failures__gt=0)
    failing.update(failures=0, holds=0, failing_since=None)


@transaction.atomic
def note_trouble(
    model: LanguageModel, trouble: ProviderUnavailable, *, started_at: datetime, now: datetime
) -> str:
    """Let fewer through, or none for a while, after a call that was not answered.

    Returns
    -------
    str
        Whom it tells against: "row", the one call; "model", whose endpoint is busy or dead; or
        "hopeless", if so much was tried that what waits for the model need not wait on.
    """
    gate = Gate.objects.select_for_update().filter(model=model).first()
    if gate is None:
        return "row"
    verdict = (
        _busy(gate, model, trouble, started_at, now)
        if trouble.kind == "busy"
        else _failed(gate, trouble, started_at, now)
    )
    gate.save()
    return verdict


def _busy(
    gate: Gate, model: LanguageModel, trouble: ProviderUnavailable, started: datetime, now: datetime
) -> str:
    # Those that were under way together are refused together: that is one refusal.
    another = gate.narrowed_at is None or started >= gate.narrowed_at
    pause = _requested(trouble) or (_backoff(gate) if another else None)
    # Whoever asks to wait is there.
    _forget_failures(gate)
    if another:
        gate.width = max(1, int(width_of(gate, limit_of(model)) * NARROWER))
        gate.climbing, gate.streak, gate.narrowed_at = False, 0, now
    if pause:
        gate.held_until = max(gate.held_until or now, now + pause)
        gate.held_why = ASKED_TO_WAIT
    return "model"


def _failed(gate: Gate, trouble: ProviderUnavailable, started: datetime, now: datetime) -> str:
    if _was_left_alone(gate, started):
        _forget_failures(gate)
    gate.failures += 1
    if pause := _requested(trouble):
        gate.held_until = max(gate.held_until or now, now + pause)
        gate.held_why = ASKED_TO_WAIT
    if gate.failures < DEAD_AFTER:
        return "row"
    # What was under way when the endpoint was found dead tells nothing new.
    if gate.narrowed_at is None or not gate.holds or started >= gate.narrowed_at:
        gate.holds += 1
        gate.failing_since = gate.failing_since or now
        gate.narrowed_at = now
        hold = min(FIRST_HOLD * 2 ** min(gate.holds - 1, 10), LONGEST_HOLD)
        gate.held_until = max(gate.held_until or now, now + hold)
        gate.held_why = {
            "unreachable": "the endpoint cannot be reached",
            "timeout": "the endpoint does not answer in time",
        }.get(trouble.kind, "the endpoint fails")
        if _is_hopeless(gate, now):
            # Whoever asks again after this has a fresh try.
            _forget_failures(gate)
            gate.held_until = None
            return "hopeless"
    return "model"


def _forget_failures(gate: Gate) -> None:
    gate.failures, gate.holds, gate.failing_since = 0, 0, None


def _was_left_alone(gate: Gate, started: datetime) -> bool:
    """Whether nobody tried for so long after a hold that its failures tell nothing any more."""
    return bool(gate.holds and gate.held_until and started - gate.held_until > LONGEST_HOLD)


def _is_hopeless(gate: Gate, now: datetime) -> bool:
    if gate.answered_at is None:
        return gate.holds >= HOLDS_WITHOUT_ANY_ANSWER
    return gate.failing_since is not None and now - gate.failing_since >= GIVE_UP_AFTER


def _requested(trouble: ProviderUnavailable) -> timedelta | None:
    if trouble.retry_after is None:
        return None
    asked = timedelta(seconds=min(trouble.retry_after, LONGEST_REQUESTED.total_seconds()))
    return max(asked, SHORTEST_REQUESTED)


def _backoff(gate: Gate) -> timedelta:
    """Return a pause twice as long as the one before, if nothing was answered since."""
    pause = FIRST_BACKOFF
    before = gate.narrowed_at
    if before and gate.held_until and not (gate.answered_at and gate.answered_at > before):
        pause = min(max((gate.held_until - before) * 2, FIRST_BACKOFF), LONGEST_BACKOFF)
    # Not all at the same moment, if several processes or models wait for one endpoint.
    return pause * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
