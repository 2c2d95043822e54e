"""One poem: claimed, asked for, cleaned, held against known poems, kept."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string

from backend.corpus.lines import Finding
from backend.generation import (
    calling,
    capping,
    holding,
    providers,
    reaching,
    reciting,
    statements,
)
from backend.generation.calling import NotNow, Unanswered
from backend.generation.cleaning import Found, NoPoem, find_poem
from backend.generation.models import NOTHING_FOUND, Call, Generation, LanguageModel, Recital
from backend.generation.patience import patiently
from backend.generation.providers import ProviderRefused, ProviderUnavailable
from backend.generation.work import outlasting

# A row is held longer than its call: for what is done before and after that.
AROUND = timedelta(seconds=60)
CALLS_AT_MOST = 40  # of one row, however friendly it is asked to wait each time
STORING_SECONDS = 60.0

Counted = TypeVar("Counted", bound=Model)


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
    request, identity = _request(generation, generation.turn)
    return patiently(
        lambda: calling.make(
            request,
            model=generation.model,
            identity=identity,
            generation=generation,
            run=generation.run,
            ask=ask,
        )
    )


def _request(generation: Generation, turn: int) -> tuple[providers.Request, str]:
    """Return what is asked in this turn, and its identity."""
    run = generation.run
    request = reaching.request_for(
        generation.model,
        generation.brief.text,
        temperature=run.temperature,
        max_tokens=run.max_tokens,
        seed=reaching.seed_of(generation.model, run.seed, generation.sample, turn),
    )
    return request, providers.identity(request, sample=generation.sample, turn=turn)


class _Outcome:
    """Writes what became of a claimed row, if the lease still holds."""

    def __init__(self, generation: Generation, lease: str) -> None:
        self._row = generation
        self._lease = lease

    def waits(self, wait: NotNow) -> None:
        if wait.why == "cap" and self._is_stopped(wait):
            return
        until = wait.until if wait.why == "same call" else None
        # What the cap stopped before is not stopped by it now.
        was = self._row if self._row.error_kind != "cap" else Generation()
        self._put_back(until, {"error_kind": was.error_kind, "error": was.error})

    def _is_stopped(self, wait: NotNow) -> bool:
        return _lasting(
            lambda: capping.stop(self._row, self._lease, needs=wait.needs, said=str(wait))
        )

    def _put_back(self, until: datetime | None, said: dict[str, str]) -> None:
        _lasting(
            lambda: Generation.objects.put_back(
                self._row.pk, self._lease, until=until, error_kind=said["error_kind"],
                error=said["error"],
            )
        )  # fmt: skip

    def unavailable(self, trouble: Unanswered) -> None:
        outcome = {"error_kind": trouble.kind, "error": str(trouble)}
        if self._since_queued(self._row.calls.all(), "started_at").count() >= CALLS_AT_MOST:
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
            if problem.kind == "refused" and not self._declined_before():
                self._ask_anew("refused", str(problem))
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
        exact = self._row.recitals.filter(kind=Recital.Kind.EXACT)
        before = self._since_queued(exact, "found_at").values("call").distinct().count()
        if before < run.turns:
            return self._ask_anew("recited", reciting.named(recited))
        message = f"{reciting.named(recited)} It was asked for anew {before} times."
        return self._finish(status="failed", error_kind="recited", error=message, **kept)

    def _declined_before(self) -> bool:
        """Whether the answer of the turn before this was that the model declines."""
        if not self._row.turn:
            return False
        identity = _request(self._row, self._row.turn - 1)[1]
        answered = Call.objects.filter(identity=identity, state=Call.State.ANSWERED)
        before = self._since_queued(answered, "ended_at").first()
        return before is not None and _declines(before, self._row.brief.text)

    def _since_queued(self, rows: QuerySet[Counted], at: str) -> QuerySet[Counted]:
        """Of these, return those since the row was queued afresh, if it was: then it had ended."""
        since = self._row.finished_at
        return rows.filter(**{f"{at}__gte": since}) if since else rows

    def _ask_anew(self, kind: str, message: str) -> bool:
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
            **NOTHING_FOUND,
        )

    def _finish(self, **fields: Any) -> bool:
        return _lasting(
            lambda: Generation.objects.finish(
                self._row.pk, self._lease, finished_at=timezone.now(), **fields
            )
        )


def _declines(answer: Call, prompt: str) -> bool:
    try:
        find_poem(answer.text, finish=answer.finish, prompt=prompt)
    except NoPoem as problem:
        return problem.kind == "refused"
    return False


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
