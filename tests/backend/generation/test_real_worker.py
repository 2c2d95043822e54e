"""A run through real Celery workers over Redis, one of them killed in the middle."""

import time
from collections.abc import Callable

import pytest

from backend.generation import services, tasks
from backend.generation.models import Generation, Run
from tests.backend.generation.conftest import AddModel, forget_worker, shelf
from tests.backend.generation.fake_provider import FakeProvider
from tests.services.keeper import Kept

pytestmark = [pytest.mark.workers, pytest.mark.slow]

TITLES = [f"Poem {number}" for number in range(30)]
PATIENCE = 90.0  # seconds


def wait_until(true: Callable[[], bool], worker: Kept) -> None:
    give_up = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > give_up:
            pytest.fail(f"not within {PATIENCE} s; the worker said:\n{worker.said()[-3000:]}")
        time.sleep(0.05)


def done(run: Run) -> int:
    return run.generations.filter(status=Generation.Status.DONE).count()


def test_the_built_in_writer_writes_thirty_poems(
    celery_worker: Kept, transactional_db: None
) -> None:
    collection, writer = shelf("Verse", *TITLES), services.built_in_models()[0]
    run = services.start_run(
        name="Built in", collection=collection, models=[writer], template="poemetric"
    ).run
    tasks.sweep.delay()
    wait_until(lambda: not run.generations.unfinished().exists(), celery_worker)
    assert done(run) == 30
    assert {row.calls.count() for row in run.generations.all()} == {1}
    assert all(row.text.count("\n") >= 3 for row in run.generations.all())


def test_a_worker_killed_in_the_middle_loses_nothing_and_repeats_nothing_that_was_answered(
    start_worker: Callable[..., Kept], add_model: AddModel, provider: FakeProvider
) -> None:
    collection, writer = shelf("Verse", *TITLES), add_model("first-six")
    run = services.start_run(
        name="Killed", collection=collection, models=[writer], template="poemetric"
    ).run
    first = start_worker()
    tasks.sweep.delay()
    wait_until(lambda: done(run) == 6, first)
    first.kill_9()
    before = set(run.generations.filter(status="done").values_list("brief__text", flat=True))
    under_way = set(run.generations.filter(status="running").values_list("brief__text", flat=True))
    assert len(before) == 6
    forget_worker(run)
    provider.released.set()
    second = start_worker()  # sweeps when it starts
    wait_until(lambda: not run.generations.unfinished().exists(), second)

    assert done(run) == 30
    asked = [request.prompt for request in provider.requests]
    assert {asked.count(prompt) for prompt in before} == {1}
    again = {prompt for prompt in asked if asked.count(prompt) > 1}
    assert again <= under_way
    assert {asked.count(prompt) for prompt in again} <= {2}
