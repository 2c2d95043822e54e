"""What every call asks of the database, written down once: see `annotation.prepared`.

Some of it need not be on the disk at once. What a crash of PostgreSQL takes of these is as if it
had not been done: a claim, which is then made anew; what a gate let through, before anything was
sent. So no lock that others wait for is held while the disk writes.
"""

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from annotation.prepared import Prepared, execute
from backend.generation.models import Call, Gate, Generation
from backend.generation.work import ATTEMPTS

NOBODY = -1  # no row has this key

_CLAIM = f"""
UPDATE generation_generation
SET status = 'running', lease = %s, leased_until = %s, attempts = attempts + 1, not_before = NULL
WHERE id = %s AND attempts = %s AND turn = %s AND (
    status = 'queued' AND (not_before IS NULL OR not_before <= %s)
    OR status = 'running' AND leased_until < %s AND attempts < {ATTEMPTS}
) AND EXISTS (
    SELECT 1 FROM generation_run
    WHERE generation_run.id = generation_generation.run_id AND generation_run.state = 'running'
)
"""  # noqa: S608 - no values
_COUNT = """
SELECT count(*) FILTER (WHERE generation_call.model_id = %s), count(*) {}
FROM generation_call
JOIN generation_languagemodel ON generation_languagemodel.id = generation_call.model_id
WHERE generation_call.state = 'open' AND generation_call.expires_at > %s
    AND (generation_call.model_id = %s OR generation_languagemodel.provider_id = %s)
"""
_KEEP_OPEN = """
UPDATE generation_call SET expires_at = %s WHERE id = %s AND identity = %s AND state = 'open'
"""
_WIDER = """
UPDATE generation_gate SET
    width = CASE WHEN streak + 1 < width THEN width
                 WHEN climbing AND width * 2 < %s THEN width * 2
                 WHEN NOT climbing AND width + 1 < %s THEN width + 1
                 WHEN width < %s THEN %s
                 ELSE width END,
    streak = CASE WHEN streak + 1 < width THEN streak + 1 ELSE 0 END,
    held_until = CASE WHEN holds > 0 THEN NULL ELSE held_until END,
    failures = 0, holds = 0, failing_since = NULL, answered_at = %s
WHERE model_id = %s
    AND (width < %s OR failures > 0 OR holds > 0 OR answered_at IS NULL OR answered_at < %s)
"""
_NO_WAIT = "set_config('synchronous_commit', 'off', true)"

read_generation: Prepared[Generation] = Prepared(
    lambda key: (
        Generation.objects.select_related("model__provider", "brief__poem", "run")
        .filter(pk=key)
        .order_by()
    ),
    key=7_531_902_468,
)
locked_gates: Prepared[Gate] = Prepared(
    lambda model, provider: (
        Gate.objects.select_for_update(no_key=True)
        .filter(Q(model=model) | Q(provider=provider))
        .order_by("pk")
    ),
    model=7_531_902_468,
    provider=8_642_013_579,
)


def claim(row: Generation, lease: str, *, until: datetime, now: datetime) -> bool:
    """Take a due row, if it is as it was read, as `Generation.objects.claim` does."""
    moment = _moment(now)
    values = [lease, _moment(until), row.pk, row.attempts, row.turn, moment, moment]
    return bool(execute(_without_waiting(_CLAIM), values)[0])


def under_way(model_id: int, provider_id: int | None, *, now: datetime) -> tuple[int, int]:
    """Return how many calls to this model are open, and how many to all of its provider's.

    The transaction in which this is asked is not waited for by the disk.
    """
    sql = _COUNT.format(f", {_NO_WAIT}" if connection.vendor == "postgresql" else "")
    provider = NOBODY if provider_id is None else provider_id
    _, rows = execute(sql, [model_id, _moment(now), model_id, provider])
    return rows[0][0], rows[0][1]


def keep_open(call: Call, *, until: datetime) -> bool:
    """Let an open call stay so, on the disk. False if it is not there any longer."""
    values = [_moment(until), call.pk, call.identity]
    return bool(execute(_KEEP_OPEN, values)[0])


def wait_for_no_disk() -> None:
    """Let the disk be waited for by nobody when this transaction ends."""
    if connection.vendor == "postgresql":
        execute(f"SELECT {_NO_WAIT}", [])


def widen(model_id: int, limit: int, *, now: datetime, unless_seen_since: datetime) -> None:
    """Note an answer at the gate, if there is anything to note."""
    seen = _moment(unless_seen_since)
    values = [limit, limit, limit, limit, _moment(now), model_id, limit, seen]
    execute(_without_waiting(_WIDER), values)


def _without_waiting(update: str) -> str:
    return f"{update} RETURNING {_NO_WAIT}" if connection.vendor == "postgresql" else update


def _moment(at: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(at)
