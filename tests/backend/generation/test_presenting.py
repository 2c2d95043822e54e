"""How far a run is, what it waits for, its pace and its money, in plain words."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from backend.generation import controlling, presenting
from backend.generation.amounts import dollars, lasting, plain
from backend.generation.models import Call, Gate, Generation, LanguageModel, Run
from backend.generation.presenting import PLAINLY, Counts, Money, progress
from tests.backend.generation.conftest import StartRun, shelf, write_all

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=timezone.get_fixed_timezone(0))


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noon, whenever anything is shown."""
    monkeypatch.setattr(presenting.timezone, "now", lambda: NOW)


def ago(**length: float) -> datetime:
    return NOW - timedelta(**length)


def rows(run: Run) -> list[Generation]:
    return list(run.generations.order_by("pk"))


def end(generation: Generation, at: datetime, status: str = "done", **fields: object) -> None:
    Generation.objects.filter(pk=generation.pk).update(
        status=status, finished_at=at, text="A poem", **fields
    )


def call(generation: Generation, state: str = "answered", **fields: object) -> Call:
    made = Call.objects.create(
        model=generation.model, generation=generation, state=state, request={}, **fields
    )
    Call.objects.filter(pk=made.pk).update(started_at=fields.get("started_at", NOW))
    return made


def test_each_poem_is_counted_in_one_place(start: StartRun) -> None:
    run = start("ok", samples=3)
    for row, (status, kind) in zip(
        rows(run),
        [
            ("done", ""),
            ("failed", "server"),
            ("failed", "truncated"),
            ("failed", "refused"),
            ("failed", "recited"),
            ("failed", "cancelled"),
            ("running", ""),
            ("queued", "refused"),
            ("queued", ""),
        ],
        strict=True,
    ):
        end(row, NOW, status, error_kind=kind)
    counts = progress(run).overall
    assert counts == Counts(
        total=9, done=1, failed=2, refused=1, recited=1, cancelled=1, waiting=2, running=1
    )
    assert (counts.unfinished, counts.unwritten) == (3, 5)


def test_the_pace_is_that_of_the_last_minutes_and_says_how_long_the_rest_takes(
    start: StartRun,
) -> None:
    run = start("ok", samples=10)
    made = rows(run)
    for row in made[:4]:
        end(row, ago(minutes=30))
    for number, row in enumerate(made[4:14]):
        end(row, ago(seconds=120 - number * 10))
    end(made[14], ago(seconds=5), "failed")
    found = progress(run)
    assert found.a_minute == pytest.approx(10 / 2)
    assert found.left == timedelta(minutes=15 * 2 / 11)


def test_what_is_asked_again_has_not_ended_lately(start: StartRun) -> None:
    run = start("ok", samples=10)
    made = rows(run)
    end(made[0], ago(seconds=120))
    end(made[1], ago(seconds=60))
    before = progress(run).left
    assert before == timedelta(minutes=28 * 2 / 2)
    controlling.cancel(run)
    controlling.resume(run)
    assert progress(run).left == before
    run.generations.filter(status="queued").update(status="failed", finished_at=ago(seconds=1))
    controlling.retry_failed(run)
    assert progress(run).left == before


def test_no_less_time_is_left_than_the_longest_wait_takes(start: StartRun) -> None:
    run = start("ok", "title")
    end(rows(run)[0], ago(seconds=30))
    Gate.objects.create(
        model=LanguageModel.objects.get(name="ok"),
        width=1,
        held_until=NOW + timedelta(hours=1),
        held_why="the provider asked to wait",
    )
    assert progress(run).left == timedelta(hours=1)


def test_a_first_answer_counts_from_when_its_call_began(start: StartRun) -> None:
    run = start("ok")
    (first, *_) = rows(run)
    end(first, ago(seconds=1), answer=call(first, started_at=ago(seconds=31)))
    assert progress(run).a_minute == pytest.approx(60 / 31)


def test_without_anything_written_lately_no_pace_is_made_up(start: StartRun) -> None:
    run = start("ok")
    end(rows(run)[0], ago(hours=1))
    found = progress(run)
    assert (found.a_minute, found.left) == (None, None)
    assert found.said()["left"] == "not known"


def test_a_paused_run_has_no_time_left_and_says_why(start: StartRun) -> None:
    run = start("ok")
    end(rows(run)[0], ago(seconds=60))
    controlling.pause(run)
    found = progress(run)
    assert (found.state, found.left) == ("paused", None)
    assert [str(wait) for wait in found.waits] == ["2 waiting: the run is paused"]


def test_what_was_spent_set_aside_and_not_known_is_told_apart(start: StartRun) -> None:
    run = start("ok", samples=2)
    made = rows(run)
    call(made[0], cost=Decimal("0.25"), reserved=Decimal("0.90"))
    call(made[1], cost=Decimal("0.5"))
    call(made[2], "open", reserved=Decimal("0.125"))
    call(made[3], "lost", reserved=Decimal("0.0625"))
    call(made[4], cost=None)
    call(made[5], "failed", reserved=Decimal(0))
    money = progress(run).money
    assert (money.spent, money.set_aside, money.unknown) == (
        Decimal("0.75"),
        Decimal("0.1875"),
        1,
    )
    assert str(money) == "$0.75, $0.19 set aside, and 1 call of unknown cost"


@pytest.mark.parametrize(
    ("money", "said"),
    [
        (Money(None, Decimal(0), Decimal(0), 0), "$0.00"),
        (Money(None, Decimal(0), Decimal(0), 1), "1 call of unknown cost"),
        (Money(None, Decimal(2), Decimal(0), 1), "$2.00, and 1 call of unknown cost"),
        (
            Money(Decimal(5), Decimal(0), Decimal(0), 1),
            "$0.00 of $5.00, and 1 call of unknown cost",
        ),
    ],
)
def test_nothing_known_to_be_spent_is_no_sum_where_nothing_is_known(
    money: Money, said: str
) -> None:
    assert str(money) == said


def test_an_answer_that_another_run_paid_for_costs_this_one_nothing(start: StartRun) -> None:
    early, later = start("ok"), start("title", name="Later")
    paid = call(rows(early)[0], cost=Decimal(1))
    end(rows(later)[0], NOW, answer=paid)
    assert progress(early).money.spent == 1
    assert progress(later).money.spent == 0


def test_a_gate_that_is_shut_says_why_and_until_when(start: StartRun) -> None:
    run = start("ok", "title")
    model = LanguageModel.objects.get(name="ok")
    until = NOW + timedelta(seconds=190)
    Gate.objects.create(
        model=model, width=1, held_until=until, held_why="the provider asked to wait"
    )
    (wait,) = progress(run).waits
    assert (wait.count, wait.until) == (3, until)
    assert str(wait) == "3 waiting for ok: the provider asked to wait; next try 12:03:10 UTC"
    Gate.objects.update(held_until=ago(seconds=1))
    assert progress(run).waits == []


def test_the_cap_speaks_for_all_that_waits_of_a_model(start: StartRun) -> None:
    run = start("ok")
    LanguageModel.objects.update(price_input=1, price_output=1)
    capped = {"error_kind": "cap", "error": "the run's cap is reached"}
    later = NOW + timedelta(seconds=20)
    Generation.objects.filter(pk=rows(run)[0].pk).update(not_before=later, **capped)
    found = progress(run)
    assert [str(wait) for wait in found.waits] == ["3 waiting: the run's cap is reached"]
    assert (found.capped, found.state) == (True, "cap reached")


def test_a_run_goes_on_as_long_as_one_of_its_models_is_not_stopped_by_the_cap(
    start: StartRun,
) -> None:
    run = start("ok", "title")
    LanguageModel.objects.update(price_input=1, price_output=1)
    capped = {"error_kind": "cap", "error": "the run's cap is reached"}
    later = NOW + timedelta(seconds=20)
    run.generations.filter(model__name="ok").update(not_before=later, **capped)
    assert (progress(run).capped, progress(run).state) == (False, "running")
    assert not presenting.is_capped(run)
    run.generations.filter(model__name="title").update(not_before=later, **capped)
    assert (progress(run).capped, progress(run).state) == (True, "cap reached")
    assert presenting.is_capped(run)
    Generation.objects.filter(pk=rows(run)[0].pk).update(status="running")
    assert (progress(run).capped, progress(run).state) == (False, "running")
    assert not presenting.is_capped(run)


def test_a_price_that_is_not_known_any_more_is_named_not_called_the_cap(start: StartRun) -> None:
    run = start("ok")
    Run.objects.update(cap=Decimal(5))
    later = NOW + timedelta(seconds=20)
    said = "the run has a cap, and what ok costs is not known"
    run.generations.update(not_before=later, error_kind="cap", error=said)
    found = progress(run)
    assert (found.capped, found.state, found.unpriced) == (True, "price not known", ["ok"])
    assert [str(wait) for wait in found.waits] == [f"3 waiting: {said}"]
    LanguageModel.objects.update(price_input=1, price_output=1)
    assert (progress(run).state, progress(run).unpriced) == ("cap reached", [])


def test_waiting_for_the_very_same_call_is_no_failure(start: StartRun) -> None:
    early, later = start("slow", name="Early"), start("slow-too", name="Later")
    for run, kind in ((early, ""), (later, "recited")):
        until = NOW + timedelta(seconds=10)
        Generation.objects.filter(pk=rows(run)[0].pk).update(not_before=until, error_kind=kind)
        (wait,) = progress(run).waits
        assert wait.why.endswith("waiting: the very same call is under way elsewhere")
        assert (wait.count, wait.until) == (1, until)


def test_a_pause_after_a_failure_says_when_it_is_over(start: StartRun) -> None:
    run = start("ok")
    later = NOW + timedelta(seconds=30)
    Generation.objects.filter(pk=rows(run)[0].pk).update(not_before=later, error_kind="server")
    (wait,) = progress(run).waits
    assert str(wait) == "1 of ok to be asked again from 12:00:30 UTC, after a failure"


def test_a_minute_without_any_start_asks_for_the_worker(start: StartRun) -> None:
    run = start("ok")
    Run.objects.update(started_at=ago(seconds=50))
    run.refresh_from_db()
    assert progress(run).waits == []
    Run.objects.update(started_at=ago(seconds=70))
    run.refresh_from_db()
    (wait,) = progress(run).waits
    assert "Is a worker running?" in wait.why
    call(rows(run)[0], started_at=ago(seconds=30))
    assert progress(run).waits == []


@pytest.mark.parametrize(
    ("state", "status", "said"),
    [
        ("running", "queued", "running"),
        ("running", "done", "ended"),
        ("paused", "queued", "paused"),
        ("paused", "done", "ended"),
        ("cancelled", "failed", "cancelled"),
    ],
)
def test_a_run_stands_as_its_rows_and_its_state_say(
    start: StartRun, state: str, status: str, said: str
) -> None:
    run = start("ok")
    Run.objects.update(state=state)
    run.generations.update(status=status, text="A poem")
    assert progress(run).state == said


def test_what_follows_a_run_on_its_page_is_told_in_words_and_numbers(start: StartRun) -> None:
    run = start("ok")
    write_all(run)
    told = progress(run).as_json()
    assert told["unfinished"] == 0
    assert told["rows"]["all"]["done"] == 3
    assert told["said"]["money"] == "3 calls of unknown cost"
    assert told["said"]["waits"] == []


def test_progress_takes_as_many_statements_for_thirty_models_as_for_one(
    start: StartRun,
    django_assert_max_num_queries,  # type: ignore[no-untyped-def]
) -> None:
    run = start("ok")
    more = [LanguageModel(name=f"M{n}", reach="imported") for n in range(29)]
    controlling.add_models(run, LanguageModel.objects.bulk_create(more))
    assert run.generations.count() == 90
    with django_assert_max_num_queries(6):
        progress(run)


def test_every_kind_of_failure_that_is_named_has_plain_words() -> None:
    named = {
        "no key", "key", "request", "address", "package", "unreachable", "timeout", "busy",
        "server", "truncated", "empty", "refused", "recited", "lost", "cancelled", "cap",
    }  # fmt: skip
    assert named == set(PLAINLY)


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (None, "not known"),
        ("0", "$0.00"),
        ("12.345", "$12.34"),
        ("1234567", "$1,234,567.00"),
        ("0.00456", "$0.0046"),
        ("0.00001", "under $0.0001"),
    ],
)
def test_a_sum_is_told_to_the_cent_or_to_what_says_something(amount: str | None, said: str) -> None:
    assert dollars(None if amount is None else Decimal(amount)) == said


@pytest.mark.parametrize(
    ("amount", "typed"),
    [
        (None, ""),
        ("20.000000", "20.00"),
        ("0.5", "0.50"),
        ("0.001200", "0.0012"),
        ("100", "100.00"),
    ],
)
def test_a_sum_in_a_field_is_as_one_types_it(amount: str | None, typed: str) -> None:
    assert plain(None if amount is None else Decimal(amount)) == typed


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min"), (180_000, "2 d 2 h")],
)
def test_a_length_of_time_is_told_in_its_two_largest_units(seconds: int, said: str) -> None:
    assert lasting(timedelta(seconds=seconds)) == said


def test_poems_left_out_are_named_by_reason(db: None) -> None:
    dawn, noon = shelf("Verse", "Dawn", "Noon").poems.order_by("pk")
    said = presenting.naming_left_out([(dawn, "it has no form"), (noon, "it has no form")])
    assert said == "Left out: “Dawn”, “Noon”: it has no form."
