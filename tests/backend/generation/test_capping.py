"""Under a cap: calls under way are waited for; when it is used up, all that waits says so."""

import threading
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from backend.generation import calling, capping, controlling, patience, writing
from backend.generation.models import Call, Generation, LanguageModel, Run
from backend.generation.providers import Reply, Request, Usage
from tests.backend.generation.conftest import StartRun, only
from tests.backend.generation.fake_provider import POEM

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)


@pytest.fixture
def run(start: StartRun) -> Run:
    """A run of two models; each call is set aside a little more than a dollar for."""
    made = start("ok", "title", samples=4, max_tokens=1000)
    LanguageModel.objects.update(price_input=0, price_output=1000)
    return made


def never(request: Request) -> Reply:
    pytest.fail("it was asked")


def cheaply(request: Request) -> Reply:
    return Reply(POEM, "stop", "{}", usage=Usage(100, 10))


def cap(run: Run, dollars: str) -> None:
    controlling.set_cap(run, Decimal(dollars))


def of(run: Run, model: str) -> list[Generation]:
    return list(run.generations.filter(model__name=model).order_by("pk"))


def test_when_the_cap_is_reached_all_that_waits_of_the_model_says_so_at_once(run: Run) -> None:
    cap(run, "0.5")
    one, *others = of(run, "ok")
    later = timezone.now() + 90 * SECOND
    Generation.objects.filter(pk=others[0].pk).update(error_kind="server", not_before=later)
    writing.write_poem(one.pk, ask=never)
    rows = of(run, "ok")
    assert {(row.status, row.error_kind, row.attempts) for row in rows} == {("queued", "cap", 0)}
    assert {row.error for row in rows} == {"the run's cap is reached"}
    assert all(row.not_before > timezone.now() + 25 * SECOND for row in rows)
    assert rows[1].not_before == later
    assert {row.error_kind for row in of(run, "title")} == {""}


def test_while_calls_under_way_hold_the_cap_nothing_says_that_it_is_reached(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PATIENCE", 0.5)
    cap(run, "1.5")
    one, other, *_ = of(run, "ok")

    def meanwhile(request: Request) -> Reply:
        writing.write_poem(other.pk, ask=never)
        return cheaply(request)

    writing.write_poem(one.pk, ask=meanwhile)
    rows = of(run, "ok")
    assert [row.status for row in rows][:2] == ["done", "queued"]
    assert {row.error_kind for row in rows} == {""}
    assert (rows[1].attempts, rows[1].not_before) == (0, None)
    writing.write_poem(other.pk, ask=cheaply)
    assert of(run, "ok")[1].status == "done"


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_a_call_under_way_goes_on_as_it_ends(run: Run) -> None:
    cap(run, "1.5")
    one, other, *_ = of(run, "ok")
    begun = threading.Event()

    def slowly(request: Request) -> Reply:
        begun.set()
        time.sleep(0.8)
        return cheaply(request)

    def write() -> None:
        writing.write_poem(one.pk, ask=slowly)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    begun.wait(10)
    writing.write_poem(other.pk, ask=cheaply)
    thread.join()
    assert [row.status for row in of(run, "ok")][:2] == ["done", "done"]


def test_a_call_that_ended_a_moment_ago_may_still_give_something_back(run: Run) -> None:
    one, other, *_ = of(run, "ok")
    Run.objects.update(cap=Decimal("1.5"), committed=Decimal("1.2"))
    made = Call.objects.create(
        model=one.model, generation=one, request={}, state="answered", reserved=Decimal("1.2"),
        cost=Decimal("0.01"), ended_at=timezone.now(),
    )  # fmt: skip
    fresh = Call(model=one.model, generation=other, reserved=Decimal(1), request={})
    assert shut_for(run, fresh) == "cap pending"
    Call.objects.filter(pk=made.pk).update(reserved=Decimal("0.01"))
    assert shut_for(run, fresh) == "cap"


def shut_for(run: Run, call: Call) -> str:
    shut = capping.set_aside(run, call, call.model, now=timezone.now())
    return shut.why if shut else ""


def test_what_a_killed_worker_had_under_way_is_waited_for_until_its_lease_is_over(
    run: Run,
) -> None:
    one, other, *_ = of(run, "ok")
    Run.objects.update(cap=Decimal("1.5"), committed=Decimal(1))
    left = Call.objects.create(
        model=one.model, generation=one, request={}, reserved=1,
        expires_at=timezone.now() + 40 * SECOND,
    )  # fmt: skip
    fresh = Call(model=one.model, generation=other, reserved=Decimal(1), request={})
    assert shut_for(run, fresh) == "cap pending"
    Call.objects.filter(pk=left.pk).update(expires_at=timezone.now() - SECOND)
    assert shut_for(run, fresh) == "cap"


def test_a_cap_that_was_raised_meanwhile_stops_nothing(run: Run) -> None:
    cap(run, "0.5")
    row = only(run)
    lease = Generation.objects.claim(row.pk)
    cap(run, "5")
    assert not capping.stop(row, lease, needs=Decimal(1), said="the run's cap is reached")
    assert not run.generations.filter(error_kind="cap").exists()


def test_a_model_whose_price_was_taken_away_is_named(run: Run) -> None:
    cap(run, "5")
    LanguageModel.objects.filter(name="ok").update(price_input=None)
    writing.write_poem(of(run, "ok")[0].pk, ask=never)
    assert {(row.error_kind, row.error) for row in of(run, "ok")} == {
        ("cap", "the run has a cap, and what ok costs is not known")
    }


def test_without_a_cap_money_leaves_room_for_all(run: Run) -> None:
    assert capping.room({(row.model_id, run.pk): 0 for row in of(run, "ok")}, timezone.now()) == {}


def test_a_call_says_what_it_needs(run: Run) -> None:
    cap(run, "0.5")
    with pytest.raises(calling.NotNow) as wait:
        writing._called(Generation.objects.select_related("run").get(pk=only(run).pk), never)
    assert (wait.value.why, wait.value.needs >= 1) == ("cap", True)
