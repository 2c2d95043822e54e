"""A run that is worked through in one process, whatever happens meanwhile."""

import threading
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from backend.generation import dealing, foreground, holding, services, writing
from backend.generation.models import Gate, LanguageModel, Run
from backend.generation.presenting import Progress
from tests.backend.generation.conftest import shelf
from tests.endpoint import Endpoint

# Its threads have connections of their own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

AddModel = Callable[..., LanguageModel]
# A call that may have 1,000 tokens of answer sets a dollar aside, and costs about two cents.
PRICES = {"price_input": Decimal(0), "price_output": Decimal(1000)}


def begun(*models: LanguageModel, poems: int = 3, **options: object) -> Run:
    collection = shelf("Verse", *(f"Poem {number}" for number in range(poems)))
    asked = {"template": "poemetric", "max_tokens": 1000, **options}
    return services.start_run(name="R", collection=collection, models=models, **asked).run


def work(
    run: Run, *, threads: int = 4, stop: threading.Event | None = None
) -> tuple[str, list[str]]:
    """Return why it ended, and what was said besides."""
    said: list[str] = []

    def tell(now: Progress) -> None:
        assert now.overall.total

    stop = stop or threading.Event()
    late = threading.Timer(100, stop.set)
    late.start()
    try:
        return foreground.work_through(
            run, threads=threads, tell=tell, say=said.append, stop=stop
        ), said
    finally:
        late.cancel()


def test_a_cap_that_lets_nothing_through_ends_it_however_much_is_left(
    add: AddModel, endpoint: Endpoint
) -> None:
    run = begun(add("ok", **PRICES), add("title", **PRICES), poems=40, cap=Decimal("0.5"))
    assert work(run)[0] == "cap"
    assert endpoint.requests == []


def test_what_the_cap_holds_is_written_though_all_at_once_would_not_fit(
    add: AddModel, endpoint: Endpoint
) -> None:
    run = begun(add("ok", **PRICES), poems=12, cap=Decimal("3"))
    assert work(run, threads=8)[0] == "done"


def test_a_model_that_is_held_is_waited_for_though_another_is_stopped_by_the_cap(
    add: AddModel,
) -> None:
    dear, held = add("ok", **PRICES), add("title", price_input=0, price_output=0)
    run = begun(dear, held, cap=Decimal("0.5"))
    until = timezone.now() + timedelta(seconds=3)
    Gate.objects.create(model=held, width=4, held_until=until, held_why="asked to wait")
    assert work(run)[0] == "cap"
    assert timezone.now() > until
    assert run.generations.filter(model=held, status="done").count() == 3


def test_a_database_that_is_away_for_a_while_is_outlasted_and_it_is_said(
    add: AddModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, looked = dealing.look, []

    def away_at_first(*arguments: Any, **options: Any) -> dealing.Dealt:
        looked.append(1)
        if len(looked) < 3:
            raise OperationalError("the connection is lost")
        return look(*arguments, **options)

    monkeypatch.setattr(dealing, "look", away_at_first)
    monkeypatch.setattr(foreground, "TRY_EVERY", 0.05)
    why, said = work(begun(add("ok")))
    assert why == "done"
    assert said == [
        "The database does not answer. Waiting for it; Ctrl-C stops.",
        "The database answers again.",
    ]


def test_whoever_waits_for_the_database_can_stop(
    add: AddModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = threading.Event()

    def away(*_: object, **__: object) -> None:
        stop.set()
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(dealing, "look", away)
    assert work(begun(add("ok")), stop=stop)[0] == "stopped"


def test_a_database_that_stays_away_ends_it(add: AddModel, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(dealing, "look", away)
    monkeypatch.setattr(foreground, "AWAY_AT_MOST", 0.2)
    monkeypatch.setattr(foreground, "TRY_EVERY", 0.05)
    with pytest.raises(OperationalError):
        work(begun(add("ok")))


def test_a_restart_of_postgresql_costs_no_poem(add: AddModel, endpoint: Endpoint) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite is not restarted")

    def cut() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.close()

    run = begun(add("slow", parallel=4), poems=16)
    restart = threading.Timer(1.5, cut)
    restart.start()
    assert work(run)[0] == "done"
    restart.join()
    assert set(endpoint.written.values()) == {1}


def test_an_error_breaks_off_one_poem_which_is_taken_up_again(
    add: AddModel, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    find, found = writing.find_poem, []

    def broken_at_first(*arguments: Any, **options: Any) -> Any:
        found.append(1)
        if len(found) == 1:
            raise RuntimeError("an error of our own")
        return find(*arguments, **options)

    monkeypatch.setattr(writing, "find_poem", broken_at_first)
    monkeypatch.setattr(holding, "LEASE", timedelta(seconds=2))
    run = begun(add("ok"))
    why, said = work(run)
    assert why == "done"
    assert said == [
        "A poem was broken off by an error (RuntimeError); it is taken up again in a minute."
    ]
    assert run.generations.filter(status="done").count() == 3
    assert set(endpoint.written.values()) == {1}
