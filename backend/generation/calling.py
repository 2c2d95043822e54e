"""One call to a language model: written down before it is made, paid for once, kept as it came."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.prepared import insert
from backend.generation import adapting, capping, estimating, gates, holding, providers, statements
from backend.generation.models import Call, Generation, LanguageModel, Run
from backend.generation.providers import ProviderRefused, ProviderUnavailable
from backend.generation.work import let_go_of_database, outlasting

Ask = Callable[[providers.Request], providers.Reply]

# After a call's own time is over: to store what came, even if the database is away meanwhile.
STORING = timedelta(seconds=60)
OPENING_SECONDS = 20.0  # to reach the database before a call
LATEST = 5_000  # calls that may not be settled yet, at the most
SAME_CALL = timedelta(seconds=10)
TOO_MUCH = Decimal(1_000_000)  # dollars for one call, which no database keeps and nobody bills


class NotNow(Exception):
    """Nothing was asked and nothing is written: the call has to wait.

    Attributes
    ----------
    why : str
        "held", "full", "rate", "same call", "cap", or "cap pending" while calls of the run are
        under way that may give something back.
    until : datetime or None
        Before which it is no use to try again, if that is known.
    needs : Decimal or None
        What would have been set aside for the call, if its price is known.
    """

    def __init__(
        self, why: str, until: datetime | None, said: str, *, needs: Decimal | None = None
    ) -> None:
        super().__init__(said)
        self.why = why
        self.until = until
        self.needs = needs


class Unanswered(ProviderUnavailable):
    """A call was made, and nothing came that is an answer.

    Attributes
    ----------
    verdict : str
        Whom it tells against: see `adapting.note_trouble`.
    """

    def __init__(self, trouble: ProviderUnavailable, verdict: str) -> None:
        Exception.__init__(self, str(trouble))
        self.__dict__.update(trouble.__dict__)
        self.verdict = verdict


def lasting(model: LanguageModel) -> timedelta:
    """Return how long a call to this model may be open: its own time and that to store it."""
    return timedelta(seconds=model.seconds) + STORING


def make(
    request: providers.Request,
    *,
    model: LanguageModel,
    identity: str,
    generation: Generation | None = None,
    run: Run | None = None,
    ask: Ask = providers.ask,
) -> Call:
    """Make a call and return it answered, or the earlier one of this identity if it was answered.

    The call is in the database before anything is sent. What comes back is stored before anything
    else is done, and if the database is away, it is tried until the call's time is over.

    Raises
    ------
    NotNow
        If the call has to wait; nothing was asked.
    Unanswered
        If no answer came; it is a `ProviderUnavailable`.
    backend.generation.providers.ProviderRefused
        If the provider will not answer this.
    """
    call = outlasting(
        _Opening(request, model, identity, generation, run).open, seconds=OPENING_SECONDS
    )
    if call.state == Call.State.ANSWERED:
        return call
    let_go_of_database()
    with holding.kept_open(call, at_most=lasting(model)):
        kept = _asked(call, replace(request, idempotency_key=identity), model, run, ask)
    outlasting(lambda: _learn(call, model), seconds=OPENING_SECONDS)
    return kept


def _asked(
    call: Call, request: providers.Request, model: LanguageModel, run: Run | None, ask: Ask
) -> Call:
    begun = time.monotonic()
    try:
        reply = ask(request)
    except ProviderUnavailable as trouble:
        _end(call, run, begun, _failure(call, trouble))
        raise Unanswered(trouble, _verdict(model, call, trouble)) from trouble
    except ProviderRefused as refusal:
        _end(call, run, begun, _failure(call, refusal))
        outlasting(lambda: adapting.note_life(model), seconds=OPENING_SECONDS)
        raise
    return _end(call, run, begun, _answer(call, reply))


def mark_lost(now: datetime) -> int:
    """Note which calls ended with their worker. What was set aside for them stays so."""
    dead = Call.objects.filter(state=Call.State.OPEN, expires_at__lt=now)
    return dead.update(
        state=Call.State.LOST,
        error_kind="lost",
        error="The worker was lost in the middle of this call; it may have been answered.",
        ended_at=now,
    )


class _Opening:
    """Writes a call down, if the cap and the gates let it through."""

    def __init__(
        self,
        request: providers.Request,
        model: LanguageModel,
        identity: str,
        generation: Generation | None,
        run: Run | None,
    ) -> None:
        self._request = request
        self._model = model
        self._identity = identity
        self._generation = generation
        self._run = run
        self._written: Call | None = None

    def open(self) -> Call:
        """Return the open call, or an answered one of the same identity."""
        if self._written and (found := self._found_after_all(self._written)):
            return found
        refused = 0
        while True:
            try:
                call = self._opened()
            except IntegrityError:
                if earlier := self._earlier():
                    return earlier
                refused += 1
                # No other call is in the way: something that this one names is not there.
                if refused > 1:
                    raise
            else:
                # What was let through may not be on the disk; before anything is sent, it is.
                if statements.keep_open(call, until=timezone.now() + holding.LEASE):
                    return call

    def _opened(self) -> Call:
        now = timezone.now()
        prices = estimating.prices(self._model) or (None, None)
        call = Call(
            model=self._model,
            generation=self._generation,
            identity=self._identity,
            url=self._request.url[:500],
            request=self._request.body,
            price_input=prices[0],
            price_output=prices[1],
            version=_version(),
            started_at=now,
            expires_at=now + holding.LEASE,
        )
        call.reserved = estimating.reserve(self._model, self._request.body)
        with transaction.atomic():
            insert([call])
            self._written = call
            shut = self._run and capping.set_aside(self._run, call, self._model, now=now)
            shut = shut or gates.enter(self._model, tokens=_tokens(self._request), now=now)
            if shut:
                raise NotNow(shut.why, shut.until, shut.said, needs=call.reserved)
        return call

    def _earlier(self) -> Call | None:
        """Return the answered call of this identity, or None if none is in the way any longer."""
        now = timezone.now()
        earlier = Call.objects.filter(
            identity=self._identity, state__in=(Call.State.OPEN, Call.State.ANSWERED)
        ).first()
        if earlier is None or earlier.state == Call.State.ANSWERED:
            return earlier
        if earlier.expires_at and earlier.expires_at > now:
            until = min(earlier.expires_at, now + SAME_CALL)
            raise NotNow("same call", until, "the very same call is under way")
        mark_lost(now)
        return None

    def _found_after_all(self, written: Call) -> Call | None:
        """Return the call, if it was stored though the database went away as it was."""
        return Call.objects.filter(
            pk=written.pk,
            identity=self._identity,
            state=Call.State.OPEN,
            started_at=written.started_at,
        ).first()


def _end(call: Call, run: Run | None, begun: float, fields: dict[str, Any]) -> Call:
    """Store how the call ended, then settle what was set aside for it. Return it as it stands."""
    fields["milliseconds"] = round((time.monotonic() - begun) * 1000)
    fields["ended_at"] = timezone.now()
    seconds = STORING.total_seconds()
    stored = outlasting(lambda: _store(call, fields), seconds=seconds)
    for name, value in fields.items():
        setattr(call, name, value)
    if run and call.reserved:
        takes = _takes(call)
        outlasting(lambda: _settle(call.pk, run.pk, call.reserved, takes), seconds=seconds)
        call.reserved = takes
    return call if stored else _another(call)


def _store(call: Call, fields: dict[str, Any]) -> bool:
    """Store it. False if another call of the same identity has been made meanwhile."""
    if Call.objects.filter(pk=call.pk, state=Call.State.OPEN).update(**fields):
        return True
    lost = Call.objects.filter(pk=call.pk, state=Call.State.LOST)
    try:
        with transaction.atomic():
            lost.update(**fields)
    except IntegrityError:
        # It came so late that it was asked for again. What came is kept beside that.
        lost.update(**{name: value for name, value in fields.items() if name != "state"})
        return False
    return True


def settle_ended(now: datetime) -> int:
    """Settle what a crash of the database, or of a worker, left unsettled. Return how many."""
    newest = Call.objects.aggregate(newest=Max("pk"))["newest"] or 0
    ended = (
        Call.objects.filter(pk__gt=newest - LATEST, ended_at__lt=now - STORING)
        .filter(state__in=(Call.State.ANSWERED, Call.State.FAILED), reserved__gt=0)
        .exclude(cost=F("reserved"))
        .exclude(generation=None)
        .select_related("generation")
    )
    settled = 0
    for call in ended:
        if call.generation and call.reserved != (takes := _takes(call)):
            _settle(call.pk, call.generation.run_id, call.reserved, takes)
            settled += 1
    return settled


def _takes(call: Call) -> Decimal:
    """Return what an ended call takes of what was set aside for it: what it cost, if known."""
    if call.cost is not None:
        return call.cost
    if call.state == Call.State.FAILED and not _may_cost(call.error_kind, call.status):
        return Decimal(0)
    return call.reserved or Decimal(0)


def _settle(call_id: int, run_id: int, reserved: Decimal | None, takes: Decimal) -> None:
    """Set aside of the run's money what a call took, no more. Done twice, it changes nothing."""
    if reserved is None or reserved == takes:
        return
    with transaction.atomic():
        statements.wait_for_no_disk()
        if Call.objects.filter(pk=call_id, reserved=reserved).update(reserved=takes):
            less = F("committed") - (reserved - takes)
            Run.objects.filter(pk=run_id).update(committed=less)


def _another(call: Call) -> Call:
    """Return the answered call of the same identity, which is the one that counts."""
    other = Call.objects.filter(identity=call.identity, state=Call.State.ANSWERED).first()
    if other is None:
        raise NotNow("same call", timezone.now() + SAME_CALL, "the very same call is under way")
    return other


def _answer(call: Call, reply: providers.Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "state": Call.State.ANSWERED,
        "response": reply.body,
        "text": reply.text,
        "reasoning": reply.reasoning,
        "finish": reply.finish[:40],
        "status": 200,
        "request_id": reply.request_id[:200],
        "served_model": reply.served_model[:200],
        "tokens_input": usage.input,
        "tokens_output": usage.output,
        "tokens_reasoning": usage.reasoning,
        "tokens_cached": usage.cached,
        "cost": _cost(call, usage),
        "error_kind": "",
        "error": "",
    }


def _failure(call: Call, trouble: ProviderUnavailable | ProviderRefused) -> dict[str, Any]:
    return {
        "state": Call.State.FAILED,
        "response": trouble.body,
        "status": trouble.status,
        "request_id": trouble.request_id[:200],
        "error_kind": trouble.kind,
        "error": str(trouble),
    }


def _cost(call: Call, usage: providers.Usage) -> Decimal | None:
    if call.price_input is None or call.price_output is None:
        return None
    prices = (call.price_input, call.price_output)
    cost = estimating.cost(prices, usage.input, usage.output)
    if cost is None:
        return None
    # As it is stored, so that what is settled is what the calls add up to.
    kept = cost.quantize(estimating.SMALLEST)
    return kept if kept < TOO_MUCH else None


def _may_cost(kind: str, status: int | None) -> bool:
    """Whether the provider may have answered all the same, and bills it."""
    return kind == "timeout" or status == 200


def _verdict(model: LanguageModel, call: Call, trouble: ProviderUnavailable) -> str:
    return outlasting(
        lambda: adapting.note_trouble(
            model, trouble, started_at=call.started_at, now=timezone.now()
        ),
        seconds=STORING.total_seconds(),
    )


def _learn(call: Call, model: LanguageModel) -> None:
    adapting.note_answer(model, now=timezone.now())
    limited = model.tokens_a_minute or (model.provider and model.provider.tokens_a_minute)
    if limited and call.tokens_input is not None and call.tokens_output is not None:
        more = call.tokens_input + call.tokens_output - _guessed(call.request)
        gates.correct_tokens(model, more=more)


def _tokens(request: providers.Request) -> int:
    return _guessed(request.body)


def _guessed(body: dict[str, Any]) -> int:
    """Return about how many tokens a call takes: prompt, and answer at its longest."""
    asked = next((body[name] for name in body if name.startswith("max_")), None)
    sent = estimating.tokens(json.dumps(body, ensure_ascii=False))
    return sent + (asked if isinstance(asked, int) else estimating.POEM)


@cache
def _version() -> str:
    try:
        return version("blindverse")[:40]
    except PackageNotFoundError:
        return ""
