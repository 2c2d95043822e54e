"""The test button: one real call, and what came back or what to do."""

import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from backend.generation import calling, providers, trials
from backend.generation.models import Call, LanguageModel
from tests.backend.generation.conftest import shown_text
from tests.endpoint import Behaviour, Endpoint
from tests.language_models import model_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    providers.forget_clients()
    found = Endpoint()
    yield found
    found.stop()
    providers.forget_clients()


def tried(client: Client, model: LanguageModel) -> str:
    page = client.post(reverse("model-test", args=[model.pk]), follow=True)
    assert page.status_code == 200
    return page.text


@pytest.mark.parametrize("wire", providers.WIRES)
def test_what_came_back_is_shown_whole(researcher: Client, endpoint: Endpoint, wire: str) -> None:
    price = {"price_input": Decimal(1), "price_output": Decimal(2), "priced_on": "2026-11-01"}
    model = model_at(endpoint.url_of(wire), "ok", wire=wire, **price)
    page = tried(researcher, model)
    call = Call.objects.get()
    assert "It answered" in page
    assert call.text.splitlines()[0] in page
    assert f"{call.tokens_output}" in page
    assert call.cost
    assert f"${call.cost.normalize():f}" in page
    assert trials.PROMPT in page
    assert call.url in page
    (asked,) = endpoint.requests
    assert asked.prompt == trials.PROMPT


def test_what_it_thought_and_what_is_not_known_is_said(
    researcher: Client, endpoint: Endpoint
) -> None:
    page = tried(researcher, model_at(endpoint.url_of("openai"), "reasoning"))
    assert "What it thought before" in page
    assert "<dt>Cost</dt><dd>unknown</dd>" in page


@pytest.mark.parametrize(("counted", "known"), [(1_000_000, True), (2**31 - 1, False)])
def test_a_cost_that_nothing_could_have_is_not_known(
    endpoint: Endpoint, counted: int, known: bool
) -> None:
    price = {"price_input": Decimal(1), "price_output": Decimal(900_000), "priced_on": "2026-11-01"}
    model = model_at(endpoint.url_of("openai"), "ok", **price)
    said = {
        "choices": [{"message": {"content": "A poem"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 0, "completion_tokens": counted},
    }
    endpoint.scenario = lambda _: Behaviour(raw=json.dumps(said))
    call = trials.try_out(model, now=timezone.now())
    assert (call.state, call.tokens_output) == ("answered", counted)
    assert call.cost == (Decimal(900_000) if known else None)


def test_a_second_test_within_the_minute_pays_for_nothing(endpoint: Endpoint) -> None:
    model = model_at(endpoint.url_of("openai"), "ok")
    now = timezone.now().replace(second=0)
    first = trials.try_out(model, now=now)
    assert trials.try_out(model, now=now.replace(second=59)) == first
    assert len(endpoint.requests) == 1
    assert trials.try_out(model, now=now + timedelta(minutes=1)) != first


def test_two_tests_are_not_made_at_once(endpoint: Endpoint) -> None:
    model = model_at(endpoint.url_of("openai"), "ok")
    now = timezone.now().replace(second=59)

    def meanwhile(request: providers.Request) -> providers.Reply:
        with pytest.raises(calling.NotNow, match="being tried out already"):
            trials.try_out(model, now=now + timedelta(seconds=1))
        return providers.ask(request)

    trials.try_out(model, now=now, ask=meanwhile)
    assert len(endpoint.requests) == 1


def test_a_test_waits_no_longer_than_a_minute_and_a_model_of_less_patience_less() -> None:
    waited = []

    def ask(request: providers.Request) -> providers.Reply:
        waited.append(request.reach.seconds)
        return providers.Reply("A line.", "stop", "{}")

    for name, seconds in (("slow", 600), ("quick", 10)):
        model = model_at("http://127.0.0.1:9/v1", name, seconds=seconds)
        trials.try_out(model, now=timezone.now(), ask=ask)
    assert waited == [60, 10]


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("no-key", "is it whole, still valid, and may it use this model?"),
        ("unknown", "Check the model’s id"),
        ("server", "The fault is the provider’s."),
        ("busy-seconds", "Wait a while. If it happens often, lower the limits"),
    ],
)
def test_what_went_wrong_is_said_with_what_to_do(
    researcher: Client, endpoint: Endpoint, behaviour: str, said: str
) -> None:
    page = tried(researcher, model_at(endpoint.url_of("openai"), behaviour))
    assert "It did not answer." in page
    assert said in page


def test_a_missing_key_and_a_dead_address_are_said_too(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    page = tried(researcher, model_at("http://127.0.0.1:9/v1", "m", key_variable="SOME_KEY"))
    assert "Set the variable in the environment of the web process and of the workers" in page
    page = tried(researcher, model_at("http://127.0.0.1:9/v1", "n"))
    assert "localhost is the container itself" in page


def test_a_model_that_is_held_is_not_asked_and_the_page_says_until_when(
    researcher: Client, endpoint: Endpoint
) -> None:
    model = model_at(endpoint.url_of("openai"), "busy-seconds")
    tried(researcher, model)
    page = tried(researcher, model)
    assert "Nothing was asked now" in page
    assert "Held until" in page
    assert len(endpoint.requests) == 1


def test_what_is_not_held_up_says_so(researcher: Client) -> None:
    model = model_at("http://127.0.0.1:9/v1", "m", parallel=4)
    page = shown_text(researcher, reverse("model-edit", args=[model.pk]))
    assert "Nothing holds it up." in page
    assert "0 calls under way; 4 may be at once now, 4 at most." in page


def test_an_imported_model_is_not_asked(researcher: Client) -> None:
    model = LanguageModel.objects.create(name="Jiuge", reach="imported")
    assert "Say first where it can be asked" in tried(researcher, model)


def test_a_test_of_another_model_is_not_shown(researcher: Client, endpoint: Endpoint) -> None:
    model, other = (model_at(endpoint.url_of("openai"), name) for name in ("ok", "fence"))
    tried(researcher, model)
    key = Call.objects.get().pk
    page = researcher.get(reverse("model-edit", args=[other.pk]), {"test": key})
    assert "It answered" not in page.text
