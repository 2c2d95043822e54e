"""One poem: claimed, asked for, cleaned, held against known poems, kept."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import get_random_string

from backend.corpus.lines import Finding
from backend.generation import calling, holding, providers, reaching, reciting, statements
from backend.generation.calling import NotNow, Unanswered
from backend.generation.cleaning import Found, NoPoem, find_poem
from backend.generation.models import Call, Generation, LanguageModel, Recital
from backend.generation.providers import ProviderRefused, ProviderUnavailable
from backend.generation.work import let_go_of_database, outlasting

# A row is held longer than its call: for what is done before and after that.
AROUND = timedelta(seconds=60)
PATIENCE = 3.0  # seconds that a gate which is just full is waited for
LOOK_EVERY = 0.1  # seconds
CALLS_AT_MOST = 40  # of one row, however friendly it is asked to wait each time
UNTIL_CAP_IS_LOOKED_AT = timedelta(seconds=30)
STORING_SECONDS = 60.0


def write_poem(generation_id: int, *, ask: calling.Ask = providers.ask) -> None:
    """Write one queued poem: claim it, ask its model, keep what comes back.

    Safe to call twice and at once: only the caller that gets the claim asks, and only while it
    holds the lease can it write the outcome.
    """
    claimed = outlasting(lambda: _claim(generation_id), seconds=STORING_SECONDS)
    if claimed is None:
        return
    generation, lease = claimed
    at_most = calling.lasting(generation.model) + AROUND
    with holding.kept(generation, lease, at_most=at_most):
        _write(_Outcome(generation, lease), generation, ask)


def _write(outcome: "_Outcome", generation: Generation, ask: calling.Ask) -> None:
    try:
        call = _called(generation, ask)
    except NotNow as wait:
        outcome.waits(wait)
    except Unanswered as trouble:
        outcome.unavailable(trouble)
    except ProviderRefused as refusal:
        outcome.fails(refusal.kind, str(refusal))
    else:
        outlasting(lambda: outcome.answered(call), seconds=STORING_SECONDS)


def _claim(generation_id: int) -> tuple[Generation, str] | None:
    generation = statements.read_generation.first(key=generation_id)
    if generation is None:
        return None
    lease, now = get_random_string(24), timezone.now()
    if not statements.claim(generation, lease, until=now + holding.LEASE, now=now):
        return None
    generation.attempts += 1
    return generation, lease


def _called(generation: Generation, ask: calling.Ask) -> Call:
    run = generation.run
    request = reaching.request_for(
        generation.model,
        generation.brief.text,
        temperature=run.temperature,
        max_tokens=run.max_tokens,
        seed=reaching.seed_of(generation.model, run.seed, generation.sample, generation.turn),
    )
    identity = providers.identity(request, sample=generation.sample, turn=generation.turn)
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return calling.make(
                request,
                model=generation.model,
                identity=identity,
                generation=generation,
                run=run,
                ask=ask,
            )
        except NotNow as wait:
            pause = _worth_waiting(wait, give_up - time.monotonic())
            if not pause:
                raise
            let_go_of_database()
            time.sleep(pause)


def _worth_waiting(wait: NotNow, left: float) -> float:
    """Return how long to wait for a gate in this thread, 0 if it is better left."""
    if wait.why == "full" and left > LOOK_EVERY:
        return LOOK_EVERY
    if wait.why == "rate" and wait.until:
        until = (wait.until - timezone.now()).total_seconds()
        return max(until, 0.001) if until < left else 0.0
    return 0.0


class _Outcome:
    """Writes what became of a claimed row, if the lease still holds."""

    def __init__(self, generation: Generation, lease: str) -> None:
        self._row = generation
        self._lease = lease

    def waits(self, wait: NotNow) -> None:
        until = wait.until if wait.why == "same call" else None
        said = {"error_kind": self._row.error_kind, "error": self._row.error}
        if wait.why == "cap":
            until = timezone.now() + UNTIL_CAP_IS_LOOKED_AT
            said = {"error_kind": "cap", "error": str(wait)}
        self._put_back(until, said)

    def _put_back(self, until: datetime | None, said: dict[str, str]) -> None:
        _lasting(
            lambda: Generation.objects.put_back(
                self._row.pk, self._lease, until=until, error_kind=said["error_kind"],
                error=said["error"],
            )
        )  # fmt: skip

    def unavailable(self, trouble: Unanswered) -> None:
        outcome = {"error_kind": trouble.kind, "error": str(trouble)}
        if Call.objects.filter(generation=self._row.pk).count() >= CALLS_AT_MOST:
            self.fails(trouble.kind, str(trouble))
        elif trouble.verdict == "row":
            _lasting(
                lambda: Generation.objects.pause(
                    self._row.pk, self._lease, attempts=self._row.attempts, **outcome
                )
            )
        else:
            self._put_back(None, outcome)
            if trouble.verdict == "hopeless":
                give_up_model(self._row.model, trouble)

    def fails(self, kind: str, message: str, **fields: Any) -> None:
        self._finish(status="failed", error_kind=kind, error=message, **fields)

    def answered(self, call: Call) -> None:
        kept = {"answer": call, "reply": call.text}
        try:
            found = find_poem(call.text, finish=call.finish, prompt=self._row.brief.text)
        except NoPoem as problem:
            if problem.kind == "refused" and self._row.error_kind != "refused":
                self._ask_anew("refused", str(problem), **kept)
            else:
                self.fails(problem.kind, str(problem), **kept)
            return
        self._keep(found, call, kept)

    def _keep(self, found: Found, call: Call, kept: dict[str, Any]) -> None:
        recited = reciting.find(self._row, found.text)
        kept |= {"title": found.title[:300], "text": found.text, "trimmed": found.trimmed}
        kept["flags"] = reciting.flags(found.flags, recited)
        with transaction.atomic():
            if self._judge(recited, kept):
                Recital.objects.bulk_create(reciting.recitals(self._row, call, recited))

    def _judge(self, recited: Finding, kept: dict[str, Any]) -> bool:
        """Write whether the poem is done, or asked for anew. False if the lease is another's."""
        run = self._row.run
        if not recited.is_recited or not run.turns:
            return self._finish(status="done", error_kind="", error="", **kept)
        if self._row.turn < run.turns:
            return self._ask_anew("recited", reciting.named(recited), **kept)
        message = f"{reciting.named(recited)} It was asked for anew {self._row.turn} times."
        return self._finish(status="failed", error_kind="recited", error=message, **kept)

    def _ask_anew(self, kind: str, message: str, **fields: Any) -> bool:
        """Queue it again for another answer: the same call would only bring this one again."""
        return Generation.objects.finish(
            self._row.pk,
            self._lease,
            status="queued",
            turn=F("turn") + 1,
            attempts=0,
            nudged_at=None,
            error_kind=kind,
            error=message,
            **fields,
        )

    def _finish(self, **fields: Any) -> bool:
        return _lasting(
            lambda: Generation.objects.finish(
                self._row.pk, self._lease, finished_at=timezone.now(), **fields
            )
        )


def _lasting(write: Callable[[], bool]) -> bool:
    return outlasting(write, seconds=STORING_SECONDS)


def give_up_model(model: LanguageModel, trouble: ProviderUnavailable) -> int:
    """Let fail what waits for a model that nobody reaches. Return how many."""
    waiting = Generation.objects.filter(model=model, status="queued").of_running_runs()
    return waiting.update(
        status="failed",
        error_kind=trouble.kind,
        error=f"Given up, for the endpoint was tried long enough. {trouble}",
        finished_at=timezone.now(),
    )
