"""Rows are told of as gates let them through: fairly, in order, none twice, and none forgotten."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from backend.generation import adapting, dealing
from backend.generation.models import Call, Gate, Generation, LanguageModel, Provider, Run
from backend.generation.providers import ProviderUnavailable
from tests.backend.generation.conftest import StartRun

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


def models_of(keys: list[int]) -> list[str]:
    """Return the names of the models that these rows are for, in order."""
    names = dict(Generation.objects.values_list("pk", "model__name"))
    return [names[key] for key in keys]


def test_no_more_rows_are_told_of_than_the_gate_lets_through_and_a_few_ahead(
    start: StartRun,
) -> None:
    run = start("ok", samples=20)
    LanguageModel.objects.update(parallel=8)
    now = timezone.now()
    dealt = dealing.deal(now)
    assert dealt == list(run.generations.values_list("pk", flat=True))[: 8 + 4]
    assert dealing.deal(now + SECOND) == []


def test_what_ends_makes_room_for_as_many(start: StartRun) -> None:
    run = start("ok", samples=20)
    LanguageModel.objects.update(parallel=8)
    now = timezone.now()
    first = dealing.deal(now)
    run.generations.filter(pk__in=first[:3]).update(status="failed")
    assert len(dealing.deal(now)) == 3


def test_models_and_runs_take_turns(start: StartRun) -> None:
    start("ok", "title", name="One")
    start("fence", name="Two")
    LanguageModel.objects.update(parallel=2)
    dealt = models_of(dealing.deal(timezone.now()))
    assert set(dealt[:3]) == {"ok", "title", "fence"}
    assert Counter(dealt) == {"ok": 3, "title": 3, "fence": 3}


def test_a_later_run_of_the_same_model_does_not_wait_for_the_first_to_end(start: StartRun) -> None:
    first = start("ok", samples=30, name="First")
    second = start("title", name="Second")
    second.generations.update(model=first.generations.earliest("pk").model)
    dealt = dealing.deal(timezone.now())
    assert second.generations.filter(pk__in=dealt[:6]).count() == 3


@pytest.mark.parametrize("state", ["paused", "cancelled"])
def test_nothing_is_told_of_a_run_that_does_not_run(start: StartRun, state: str) -> None:
    start("ok")
    Run.objects.update(state=state)
    assert dealing.deal(timezone.now()) == []


def test_a_message_is_taken_for_lost_after_half_a_minute_and_not_before(start: StartRun) -> None:
    start("ok")
    now = timezone.now()
    first = dealing.deal(now)
    assert dealing.deal(now + 29 * SECOND) == []
    assert sorted(dealing.deal(now + 31 * SECOND)) == sorted(first)


def test_nothing_is_told_for_a_gate_that_is_shut_and_it_is_known_when_it_opens(
    start: StartRun,
) -> None:
    run = start("ok", "title")
    now = timezone.now()
    model = run.generations.filter(model__name="ok").first().model
    Gate.objects.create(model=model, width=16, held_until=now + 20 * SECOND)
    dealt = dealing.look(now)
    assert set(models_of(dealt.keys)) == {"title"}
    assert dealt.again_at == now + 20 * SECOND
    assert set(models_of(dealing.deal(now + 21 * SECOND))) == {"ok"}


def test_a_dead_endpoint_is_tried_with_one_row(start: StartRun) -> None:
    run = start("ok", samples=5)
    now = timezone.now()
    model = run.generations.first().model
    Gate.objects.create(model=model, width=16)
    gone = ProviderUnavailable("unreachable", "No connection")
    for _ in range(5):
        adapting.note_trouble(model, gone, started_at=now, now=now)
    assert len(dealing.deal(now + 16 * SECOND)) == 1


def test_a_limit_by_the_minute_is_dealt_for_the_next_moments_only(start: StartRun) -> None:
    run = start("ok", samples=20)
    LanguageModel.objects.update(requests_a_minute=60)
    now = timezone.now()
    Gate.objects.create(model=run.generations.first().model, width=16)
    assert 1 <= len(dealing.deal(now)) <= 5


def test_calls_of_judges_take_room_too(start: StartRun) -> None:
    run = start("ok", samples=20)
    LanguageModel.objects.update(parallel=8)
    now = timezone.now()
    for _ in range(6):
        Call.objects.create(
            model=run.generations.first().model, request={}, expires_at=now + 60 * SECOND
        )
    assert len(dealing.deal(now)) == 6


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_providers_few_places_go_to_all_of_its_models(start: StartRun, parallel: int) -> None:
    run = start("ok", "title", "fence", samples=20)
    Provider.objects.update(parallel=parallel)
    now, ended = timezone.now(), Counter()
    dealing.deal(now)
    for _ in range(60):
        first = run.generations.exclude(nudged_at=None).filter(status="queued").order_by(
            "nudged_at", "pk"
        )[0]  # fmt: skip
        Generation.objects.filter(pk=first.pk).update(status="failed")
        ended[first.model.name] += 1
        now += SECOND / 4
        dealing.deal(now)
        told = run.generations.exclude(nudged_at=None).filter(status="queued").count()
        assert told == parallel + 1
    assert min(ended[name] for name in ("ok", "title", "fence")) >= 8


def test_a_model_whose_messages_are_out_takes_its_providers_room_too(start: StartRun) -> None:
    start("ok", name="First", samples=1)
    Provider.objects.update(parallel=2)
    now = timezone.now()
    assert len(dealing.deal(now)) == 3
    start("title", name="Second")
    assert dealing.deal(now + SECOND) == []


def test_while_calls_hold_the_cap_no_more_rows_are_told_of_than_the_rest_suffices_for(
    start: StartRun,
) -> None:
    run = start("ok", "title", samples=20)
    now = timezone.now()
    row = run.generations.filter(model__name="ok").first()
    Run.objects.update(cap=5, committed=3)
    Call.objects.create(
        model=row.model, generation=row, request={}, reserved=1, expires_at=now + 60 * SECOND
    )
    Generation.objects.claim(row.pk, lasting=60 * SECOND)
    told = Counter(models_of(dealing.deal(now)))
    assert told == {"ok": 2, "title": 1}
    dealt = dealing.look(now + SECOND)
    assert dealt.keys == []
    assert dealt.again_at == now + 2 * SECOND


def test_what_the_cap_refused_a_moment_ago_speaks_for_its_model_and_run(start: StartRun) -> None:
    run = start("ok", "title")
    now = timezone.now()
    one = run.generations.filter(model__name="ok").first()
    run.generations.filter(pk=one.pk).update(error_kind="cap", not_before=now + 30 * SECOND)
    dealt = dealing.look(now)
    assert set(models_of(dealt.keys)) == {"title"}
    assert dealt.again_at == now + 30 * SECOND
    assert "ok" in models_of(dealing.deal(now + 31 * SECOND))


def test_what_a_dead_worker_left_is_told_of_when_its_lease_is_over(start: StartRun) -> None:
    run = start("ok")
    now = timezone.now()
    dealt = dealing.deal(now)
    assert Generation.objects.claim(dealt[0], lasting=40 * SECOND)
    run.generations.exclude(pk=dealt[0]).update(status="failed")
    assert dealing.deal(now + 35 * SECOND) == []
    assert dealing.deal(now + 41 * SECOND) == [dealt[0]]


def test_a_command_deals_for_its_own_run_and_no_more_than_it_can_do(start: StartRun) -> None:
    start("ok", name="Another")
    run = start("title", samples=10, name="Its own")
    dealt = dealing.look(timezone.now(), run=run, most=5)
    assert len(dealt.keys) == 5
    assert set(models_of(dealt.keys)) == {"title"}
