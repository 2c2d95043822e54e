"""Leases are short and renewed while their holder lives; limits hold between threads."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from backend.generation import calling, holding, providers, reaching, writing
from backend.generation.models import Call, Generation
from backend.generation.providers import Reply, Request
from tests.backend.generation.conftest import StartRun, only
from tests.endpoint import Endpoint, Scenario
from tests.language_models import model_at
from tests.services.waiting import soon

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Renew leases often, by a keeper of this test's own."""
    monkeypatch.setattr(holding, "RENEW_EVERY", 0.05)
    monkeypatch.setattr(holding, "_keeper", holding._Keeper())


def test_what_is_under_way_is_renewed_and_what_ended_is_not(quick: None, start: StartRun) -> None:
    run = start("ok")
    renewed = []

    def slow(request: Request) -> Reply:
        early = timezone.now() + timedelta(seconds=1)
        Generation.objects.filter(status="running").update(leased_until=early)
        Call.objects.filter(state="open").update(expires_at=early)
        connection.close()
        renewed.append(
            soon(lambda: only(run).leased_until > early and Call.objects.get().expires_at > early)
        )
        return Reply("A poem\nof two lines", "stop", "{}")

    writing.write_poem(only(run).pk, ask=slow)
    assert renewed == [True]
    assert (only(run).status, only(run).leased_until) == ("done", None)


def test_a_lease_that_another_took_over_is_not_renewed(quick: None, start: StartRun) -> None:
    run = start("ok")
    row = only(run)
    lease = Generation.objects.claim(row.pk)
    soon_over = timezone.now() + timedelta(seconds=1)
    run.generations.filter(pk=row.pk).update(lease="another's", leased_until=soon_over)
    other = run.generations.latest("pk")
    other_lease = Generation.objects.claim(other.pk, lasting=timedelta(seconds=1))
    hour = timedelta(hours=1)
    with holding.kept(row, lease, at_most=hour), holding.kept(other, other_lease, at_most=hour):
        before = timezone.now() + timedelta(seconds=30)
        assert soon(lambda: run.generations.get(pk=other.pk).leased_until > before)
        assert only(run).leased_until == soon_over


def test_sixteen_threads_keep_to_a_limit_of_three() -> None:
    providers.forget_clients()
    endpoint = Endpoint(Scenario(latency=0.05, parallel=3))
    model = model_at(endpoint.url_of("openai"), "ok", parallel=3)
    turned_away = threading.Event()

    def ask(sample: int) -> None:
        request = reaching.request_for(model, "Write.")
        identity = providers.identity(request, sample=sample)
        while True:
            try:
                calling.make(request, model=model, identity=identity)
            except calling.NotNow:
                turned_away.set()
                connection.close()
                continue
            connection.close()
            return

    try:
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(ask, range(16)))
        assert turned_away.is_set()
        assert endpoint.most_at_once <= 3
        assert len(endpoint.requests) == Call.objects.filter(state="answered").count() == 16
    finally:
        endpoint.stop()
        providers.forget_clients()
