"""The row is the queue: one worker at a time, killed ones succeeded, late ones without effect."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from backend.generation import controlling, tasks, writing
from backend.generation.dealing import FORGOTTEN
from backend.generation.models import Generation, Run
from backend.generation.providers import Reply, Request
from backend.generation.work import ATTEMPTS, LEASE
from tests.backend.generation.conftest import StartRun, forget_worker, only
from tests.backend.generation.fake_provider import POEM, FakeProvider

HELD_FOR = LEASE + timedelta(seconds=1)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that a sweep sends, in place of a broker."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.write_poem, "delay", sent.append)
    return sent


def age(run: Run, **ages: timedelta) -> None:
    """Let time fields of the run's rows be so long ago."""
    now = timezone.now()
    run.generations.update(**{name: now - ago for name, ago in ages.items()})


@pytest.mark.django_db(transaction=True)
def test_eight_workers_on_one_row_ask_once(start: StartRun, provider: FakeProvider) -> None:
    key = only(start("slow")).pk

    def write() -> None:
        writing.write_poem(key)
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        for written in [pool.submit(write) for _ in range(8)]:
            written.result()
    assert provider.asked("slow") == 1
    row = Generation.objects.get(pk=key)
    assert (row.status, row.attempts, row.calls.count()) == ("done", 1, 1)


@pytest.mark.django_db
def test_a_running_row_is_nobody_elses_until_its_lease_has_run_out(start: StartRun) -> None:
    run = start("ok")
    key = only(run).pk
    assert Generation.objects.claim(key)
    assert not Generation.objects.claim(key)
    age(run, leased_until=timedelta(seconds=1))
    assert Generation.objects.claim(key)


@pytest.mark.django_db
def test_a_killed_workers_row_is_told_of_again_and_written(
    start: StartRun, told: list[int], provider: FakeProvider
) -> None:
    run = start("ok")
    tasks.sweep()
    key = only(run).pk
    assert Generation.objects.claim(key)  # and here the worker was killed
    run.generations.exclude(pk=key).update(status="failed")
    told.clear()
    tasks.sweep()
    assert told == []
    age(run, leased_until=timedelta(seconds=1), nudged_at=HELD_FOR)
    tasks.sweep()
    assert told == [key]
    writing.write_poem(key)
    assert (only(run).status, only(run).attempts) == ("done", 2)
    assert provider.asked("ok") == 1


@pytest.mark.django_db
def test_a_late_twin_cannot_write(start: StartRun) -> None:
    run = start("ok")
    key = only(run).pk

    def succeeded_meanwhile(request: Request) -> Reply:
        forget_worker(run)
        writing.write_poem(key)  # a second worker takes over and is done first
        return Reply("Too\nlate\n\nnow", "stop", "{}")

    writing.write_poem(key, ask=succeeded_meanwhile)
    row = only(run)
    assert (row.status, row.text, row.attempts) == ("done", POEM, 2)
    calls = row.calls.order_by("pk")
    assert [(call.state, call.response == "{}") for call in calls] == [
        ("lost", True), ("answered", False),
    ]  # fmt: skip
    assert row.answer == calls[1]


@pytest.mark.parametrize("reply", ["", "I'm sorry, but no."])
@pytest.mark.django_db
def test_a_late_twin_cannot_spoil_a_poem_by_failing(start: StartRun, reply: str) -> None:
    run = start("ok")
    key = only(run).pk

    def succeeded_meanwhile(request: Request) -> Reply:
        forget_worker(run)
        writing.write_poem(key)
        return Reply(reply, "stop", "{}")

    writing.write_poem(key, ask=succeeded_meanwhile)
    assert (only(run).status, only(run).reply, only(run).error) == ("done", POEM, "")


@pytest.mark.django_db
def test_what_kills_its_worker_every_time_fails_in_the_end(
    start: StartRun, told: list[int]
) -> None:
    run = start("ok")
    run.generations.exclude(pk=only(run).pk).update(status="failed")
    for _ in range(ATTEMPTS):
        assert Generation.objects.claim(only(run).pk)
        age(run, leased_until=timedelta(seconds=1), nudged_at=HELD_FOR)
    assert not Generation.objects.claim(only(run).pk)
    tasks.sweep()
    assert told == []
    assert (only(run).status, only(run).error_kind) == ("failed", "lost")
    assert controlling.retry_failed(run) == 3


@pytest.mark.django_db
def test_a_sweep_tells_of_each_row_once_and_again_when_the_message_must_be_lost(
    start: StartRun, told: list[int]
) -> None:
    run = start("ok")
    keys = list(run.generations.values_list("pk", flat=True))
    tasks.sweep()
    assert told == keys
    tasks.sweep()
    assert told == keys
    age(run, nudged_at=FORGOTTEN + timedelta(seconds=1))
    tasks.sweep()
    assert told == keys * 2


@pytest.mark.django_db
def test_a_start_after_messages_ended_with_their_process_tells_of_every_row_at_once(
    start: StartRun, told: list[int]
) -> None:
    run = start("ok")
    keys = list(run.generations.values_list("pk", flat=True))
    tasks.sweep()
    tasks.sweep(messages_lost=True)
    assert told == keys * 2


@pytest.mark.django_db
def test_a_row_that_waits_is_told_of_when_its_pause_is_over(
    start: StartRun, told: list[int]
) -> None:
    run = start("broken")
    run.generations.exclude(pk=only(run).pk).update(status="failed")
    tasks.sweep()
    writing.write_poem(only(run).pk)
    told.clear()
    tasks.sweep()
    assert told == []
    age(run, not_before=timedelta(seconds=1))
    tasks.sweep()
    assert told == [only(run).pk]


@pytest.mark.parametrize("state", ["paused", "cancelled"])
@pytest.mark.django_db
def test_a_row_of_a_run_that_does_not_run_is_claimed_by_nobody(start: StartRun, state: str) -> None:
    run = start("ok")
    Run.objects.update(state=state)
    assert not Generation.objects.claim(only(run).pk)


@pytest.mark.django_db
def test_a_row_that_changed_since_it_was_read_is_not_claimed(start: StartRun) -> None:
    run = start("ok")
    run.generations.update(turn=1)
    assert not Generation.objects.claim(only(run).pk, turn=0)
    assert Generation.objects.claim(only(run).pk, turn=1)


@pytest.mark.django_db(transaction=True)
def test_the_database_is_let_go_of_while_a_model_thinks(start: StartRun) -> None:
    during = []

    def ask(request: Request) -> Reply:
        during.append(connection.connection is not None)
        return Reply(POEM, "stop", "{}")

    run = start("ok")
    writing.write_poem(only(run).pk, ask=ask)
    assert during == [False]
    assert only(run).status == "done"
