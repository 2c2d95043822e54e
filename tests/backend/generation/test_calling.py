"""A call is written down before it is made, paid for once, and what came is kept."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, OperationalError
from django.utils import timezone

from backend.corpus.models import Collection
from backend.generation import calling, providers, reaching
from backend.generation.calling import STORING
from backend.generation.models import Call, Gate, LanguageModel, Run
from backend.generation.providers import (
    ProviderRefused,
    ProviderUnavailable,
    Reply,
    Request,
    Usage,
)
from tests.backend.generation.conftest import StartRun, only
from tests.endpoint import Endpoint
from tests.language_models import model_at

pytestmark = pytest.mark.django_db

WIRES = ("openai", "anthropic", "gemini")
BODY = '{"choices": []}'


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    providers.forget_clients()
    server = Endpoint()
    yield server
    server.stop()
    providers.forget_clients()


@pytest.fixture
def model() -> LanguageModel:
    """A model whose price is known."""
    return model_at(
        "http://127.0.0.1:9/v1", "m", price_input=Decimal("2.5"), price_output=Decimal(10)
    )


@pytest.fixture
def run() -> Run:
    return Run.objects.create(
        name="Run",
        template="poemetric",
        max_tokens=1000,
        collection=Collection.objects.create(name="Verse"),
    )


def make(model: LanguageModel, ask: calling.Ask = providers.ask, *, sample: int = 1,
         run: Run | None = None) -> Call:  # fmt: skip
    request = reaching.request_for(model, "Write.", max_tokens=1000)
    identity = providers.identity(request, sample=sample)
    return calling.make(request, model=model, identity=identity, run=run, ask=ask)


def answering(text: str = "A poem", **said: object) -> calling.Ask:
    return lambda request: Reply(text, "stop", BODY, **said)  # type: ignore[arg-type]


def failing(error: Exception) -> calling.Ask:
    def ask(request: Request) -> Reply:
        raise error

    return ask


def never(request: Request) -> Reply:
    pytest.fail("it was asked")


def committed(run: Run) -> Decimal:
    return Run.objects.get(pk=run.pk).committed.normalize()


def test_all_that_came_is_kept_with_the_call(model: LanguageModel) -> None:
    call = make(
        model,
        answering(
            reasoning="Hm.",
            usage=Usage(100, 40, 10, 5),
            request_id="req-1",
            served_model="m-2026",
        ),
    )
    call.refresh_from_db()
    assert (call.state, call.text, call.response, call.reasoning) == (
        "answered", "A poem", BODY, "Hm.",
    )  # fmt: skip
    assert (call.tokens_input, call.tokens_output, call.tokens_reasoning, call.tokens_cached) == (
        100, 40, 10, 5,
    )  # fmt: skip
    assert (call.request_id, call.served_model, call.finish) == ("req-1", "m-2026", "stop")
    assert call.request["max_tokens"] == 1000
    assert call.url == "http://127.0.0.1:9/v1/chat/completions"
    assert (call.price_input, call.price_output) == (Decimal("2.5"), 10)
    assert call.cost == Decimal("0.00065")  # 100 at 2.50 and 40 at 10 a million
    assert call.started_at <= call.ended_at
    assert call.milliseconds >= 0


@pytest.mark.parametrize("usage", [Usage(), Usage(input=100), Usage(output=40)])
def test_what_was_not_counted_has_no_cost_rather_than_none(
    model: LanguageModel, usage: Usage
) -> None:
    assert make(model, answering(usage=usage)).cost is None


def test_an_unknown_price_is_an_unknown_cost(model: LanguageModel) -> None:
    model.price_output = None
    assert make(model, answering(usage=Usage(100, 40))).cost is None


@pytest.mark.parametrize("wire", WIRES)
def test_the_same_call_is_made_once_and_answered_twice(endpoint: Endpoint, wire: str) -> None:
    model = model_at(endpoint.url_of(wire), "ok", wire=wire)
    first = make(model)
    assert make(model) == first
    assert make(model, sample=2) != first
    assert len(endpoint.requests) == sum(endpoint.written.values()) == 2


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_kept_as_sent_is_what_was_sent_with_its_identity(
    endpoint: Endpoint, wire: str
) -> None:
    model = model_at(endpoint.url_of(wire), "ok", wire=wire)
    call = make(model)
    [asked] = endpoint.requests
    assert (call.request, call.identity) == (asked.body, asked.idempotency_key)
    assert call.url.endswith(asked.path)


def test_the_call_is_in_the_database_before_it_is_made(model: LanguageModel) -> None:
    def ask(request: Request) -> Reply:
        open_call = Call.objects.get()
        assert (open_call.state, open_call.identity) == ("open", request.idempotency_key)
        assert open_call.expires_at > timezone.now()
        return Reply("A poem", "stop", BODY)

    assert make(model, ask).state == "answered"


def test_while_it_is_under_way_nobody_else_makes_it(model: LanguageModel) -> None:
    def ask(request: Request) -> Reply:
        with pytest.raises(calling.NotNow) as wait:
            make(model, never)
        assert wait.value.why == "same call"
        return Reply("A poem", "stop", BODY)

    assert make(model, ask).text == "A poem"


def test_a_call_that_was_lost_with_its_worker_is_made_again(model: LanguageModel) -> None:
    def killed(request: Request) -> Reply:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(model, killed)
    with pytest.raises(calling.NotNow):
        make(model, never)
    Call.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert make(model, answering()).state == "answered"
    assert list(Call.objects.order_by("pk").values_list("state", flat=True)) == [
        "lost", "answered",
    ]  # fmt: skip


@pytest.mark.parametrize("error", [ProviderUnavailable, ProviderRefused])
def test_what_was_not_answered_is_kept_with_its_reason_and_may_be_made_again(
    model: LanguageModel, error: type[Exception]
) -> None:
    said = error("server", "It failed", "<html>", status=502, request_id="req-2")
    with pytest.raises(error):
        make(model, failing(said))
    call = Call.objects.get()
    assert (call.state, call.error_kind, call.error) == ("failed", "server", "It failed")
    assert (call.response, call.status, call.request_id) == ("<html>", 502, "req-2")
    assert make(model, answering()).state == "answered"


def test_what_has_to_wait_leaves_no_call_and_sets_nothing_aside(
    model: LanguageModel, run: Run
) -> None:
    until = timezone.now() + timedelta(seconds=30)
    Gate.objects.create(model=model, width=16, held_until=until, held_why="told to wait")
    with pytest.raises(calling.NotNow, match="told to wait") as wait:
        make(model, never, run=run)
    assert (wait.value.why, wait.value.until) == ("held", until)
    assert not Call.objects.exists()
    assert committed(run) == 0


def test_a_cap_is_never_exceeded_even_while_calls_are_under_way(
    model: LanguageModel, run: Run
) -> None:
    made = []
    run.cap = Decimal("0.05")  # each call is set aside a little more than a cent for
    run.save()

    def ask(request: Request) -> Reply:
        made.append(1)
        assert committed(run) <= run.cap
        with pytest.raises((calling.NotNow, ProviderUnavailable)):
            make(model, ask, sample=len(made) + 1, run=run)
        raise ProviderUnavailable("timeout", "No answer")

    with pytest.raises(ProviderUnavailable):
        make(model, ask, run=run)
    assert 2 <= len(made) <= 5
    with pytest.raises(calling.NotNow) as wait:
        make(model, never, sample=99, run=run)
    assert wait.value.why == "cap"
    assert committed(run) <= run.cap


def test_what_a_call_did_not_need_is_given_back(model: LanguageModel, run: Run) -> None:
    reserved = []

    def ask(request: Request) -> Reply:
        reserved.append(committed(run))
        return Reply("A poem", "stop", BODY, usage=Usage(100, 40))

    make(model, ask, run=run)
    assert reserved[0] >= Decimal("0.01")  # a thousand tokens at ten dollars a million
    assert committed(run) == Decimal("0.00065")


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (ProviderUnavailable("busy", "Wait", status=429), False),
        (ProviderUnavailable("server", "It failed", status=500), False),
        (ProviderUnavailable("unreachable", "No connection"), False),
        (ProviderRefused("key", "No", status=401), False),
        (ProviderUnavailable("timeout", "No answer in time"), True),
        (ProviderUnavailable("server", "No completion", "<html>", status=200), True),
    ],
)
def test_what_may_have_been_paid_for_stays_set_aside_and_nothing_else(
    model: LanguageModel, run: Run, error: Exception, kept: bool
) -> None:
    with pytest.raises(type(error)):
        make(model, failing(error), run=run)
    assert bool(committed(run)) is kept
    assert committed(run) == Call.objects.get().reserved.normalize()


def test_what_is_set_aside_for_a_call_of_unknown_cost_stays_so(
    model: LanguageModel, run: Run
) -> None:
    call = make(model, answering(), run=run)
    assert call.cost is None
    assert committed(run) == call.reserved.normalize() > 0


def test_an_earlier_answer_costs_nothing_more(model: LanguageModel, run: Run) -> None:
    make(model, answering(usage=Usage(100, 40)))
    make(model, never, run=run)
    assert committed(run) == 0


def test_under_a_cap_a_model_without_a_price_is_not_asked(model: LanguageModel, run: Run) -> None:
    model.price_output = None
    run.cap = Decimal(1)
    run.save()
    with pytest.raises(calling.NotNow, match="not known"):
        make(model, never, run=run)


@pytest.mark.django_db(transaction=True)
def test_a_call_to_what_is_not_there_any_longer_ends_and_asks_nobody(
    model: LanguageModel,
) -> None:
    model.pk = 999_999
    with pytest.raises(IntegrityError):
        make(model, never)
    assert not Call.objects.exists()


def broken_at_first(times: int, real: Callable[..., bool]) -> Callable[..., bool]:
    """Let the database be away the first times that this is done."""
    left = [times]

    def do(*args: object) -> bool:
        if left[0]:
            left[0] -= 1
            raise OperationalError("the connection is closed")
        return real(*args)

    return do


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_stored_though_the_database_is_away_when_it_comes(
    model: LanguageModel, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "_store", broken_at_first(3, calling._store))
    make(model, answering(usage=Usage(100, 40)), run=run)
    call = Call.objects.get()
    assert (call.state, call.text) == ("answered", "A poem")
    assert committed(run) == Decimal("0.00065")


@pytest.mark.django_db(transaction=True)
def test_a_call_that_was_stored_though_the_database_went_away_is_made_once(
    model: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = calling._Opening._opened
    times = []

    def gone_after(self: calling._Opening) -> Call:
        call = opened(self)
        times.append(call.pk)
        raise OperationalError("the connection was lost after the commit")

    monkeypatch.setattr(calling._Opening, "_opened", gone_after)
    assert make(model, answering()).state == "answered"
    assert len(times) == Call.objects.count() == 1


def test_what_a_crash_left_unsettled_is_settled_once(model: LanguageModel, start: StartRun) -> None:
    run = start("ok")
    row = only(run)
    now = timezone.now()
    Call.objects.create(
        model=model, generation=row, state="answered", request={}, ended_at=now - STORING * 2,
        reserved=Decimal("0.5"), cost=Decimal("0.2"),
    )  # fmt: skip
    Run.objects.update(committed=Decimal("0.5"))
    assert [calling.settle_ended(now) for _ in range(2)] == [1, 0]
    assert committed(run) == Decimal("0.2")


def test_a_late_answer_is_kept_beside_the_one_that_was_asked_for_meanwhile(
    model: LanguageModel, run: Run
) -> None:
    def slow(request: Request) -> Reply:
        Call.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        make(model, answering("The second"), run=run)
        return Reply("The first", "stop", BODY)

    assert make(model, slow, run=run).text == "The second"
    first, second = Call.objects.order_by("pk")
    assert [(call.state, call.text) for call in (first, second)] == [
        ("lost", "The first"), ("answered", "The second"),
    ]  # fmt: skip
    assert committed(run) == (first.reserved + second.reserved).normalize()


def test_a_late_answer_that_nobody_asked_for_again_counts(model: LanguageModel) -> None:
    def slow(request: Request) -> Reply:
        Call.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        calling.mark_lost(timezone.now())
        return Reply("Late", "stop", BODY)

    assert make(model, slow).text == "Late"
    assert Call.objects.get().state == "answered"
