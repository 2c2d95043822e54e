"""A run that is paused, resumed, cancelled, retried, widened, capped while it is under way."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from backend.generation import controlling, writing
from backend.generation.controlling import RunCancelled, RunImported
from backend.generation.estimating import UnknownPrice
from backend.generation.models import Generation, LanguageModel, Run
from tests.backend.generation.conftest import AddModel, StartRun, write_all
from tests.backend.generation.fake_provider import FakeProvider

pytestmark = pytest.mark.django_db


def statuses(run: Run) -> list[str]:
    return list(run.generations.order_by("pk").values_list("status", flat=True))


def test_nothing_of_a_paused_run_begins_until_it_is_resumed(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok")
    assert controlling.pause(run)
    assert run.state == "paused"
    write_all(run)
    assert provider.asked("ok") == 0
    assert controlling.resume(run)
    write_all(run)
    assert statuses(run) == ["done"] * 3


def test_what_is_so_already_is_left_so(start: StartRun) -> None:
    run = start("ok")
    assert not controlling.resume(run)
    controlling.pause(run)
    assert not controlling.pause(run)
    controlling.cancel(run)
    assert not controlling.pause(run)
    assert controlling.cancel(run) == 0


def test_a_cancelled_run_keeps_what_is_written_and_asks_for_nothing_more(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok")
    writing.write_poem(run.generations.earliest("pk").pk)
    assert controlling.cancel(run) == 2
    write_all(run)
    assert statuses(run) == ["done", "failed", "failed"]
    assert set(run.generations.filter(status="failed").values_list("error_kind", flat=True)) == {
        "cancelled"
    }
    assert provider.asked("ok") == 1


def test_what_is_under_way_at_the_cancel_ends_and_is_kept(start: StartRun) -> None:
    run = start("ok")
    key = run.generations.earliest("pk").pk
    lease = Generation.objects.claim(key)
    assert controlling.cancel(run) == 2
    assert Generation.objects.finish(key, lease, status="done", text="It came.")
    assert statuses(run) == ["done", "failed", "failed"]


def test_what_is_queued_again_after_the_cancel_is_ended_by_the_sweep(start: StartRun) -> None:
    run, other = start("ok"), start("title", name="Other")
    key = run.generations.earliest("pk").pk
    lease = Generation.objects.claim(key)
    controlling.cancel(run)
    Generation.objects.put_back(key, lease)
    assert controlling.end_cancelled() == 1
    assert statuses(run) == ["failed"] * 3
    assert statuses(other) == ["queued"] * 3


def test_a_cancelled_run_that_is_resumed_asks_for_what_was_cancelled_and_for_no_other_failure(
    start: StartRun,
) -> None:
    run = start("ok")
    keys = list(run.generations.order_by("pk").values_list("pk", flat=True))
    run.generations.filter(pk=keys[0]).update(status="failed", error_kind="server")
    controlling.cancel(run)
    assert controlling.resume(run)
    assert statuses(run) == ["failed", "queued", "queued"]
    write_all(run)
    assert statuses(run) == ["failed", "done", "done"]


@pytest.mark.parametrize("kind", ["refused", "truncated", "empty", "recited"])
def test_an_answer_that_was_no_use_is_asked_for_anew_not_taken_again(
    start: StartRun, kind: str
) -> None:
    run = start("ok")
    run.generations.update(status="failed", error_kind=kind, turn=2)
    assert controlling.retry_failed(run) == 3
    assert set(run.generations.values_list("turn", "status")) == {(3, "queued")}


@pytest.mark.parametrize("kind", ["server", "timeout", "lost", "no key"])
def test_a_call_that_was_not_answered_is_made_again_as_it_was(start: StartRun, kind: str) -> None:
    run = start("ok")
    run.generations.update(status="failed", error_kind=kind, attempts=4)
    assert controlling.retry_failed(run) == 3
    assert set(run.generations.values_list("turn", "attempts")) == {(0, 0)}


def test_a_retry_of_some_kinds_leaves_the_others_and_what_is_done(start: StartRun) -> None:
    run = start("ok")
    done, server, empty = run.generations.order_by("pk")
    writing.write_poem(done.pk)
    Generation.objects.filter(pk=server.pk).update(status="failed", error_kind="server")
    Generation.objects.filter(pk=empty.pk).update(status="failed", error_kind="empty")
    assert controlling.retry_failed(run, ["server"]) == 1
    assert statuses(run) == ["done", "queued", "failed"]


def test_a_refused_poem_that_is_retried_is_asked_of_the_model_again(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("refusal")
    write_all(run)
    write_all(run)
    assert statuses(run) == ["failed"] * 3
    before = provider.asked("refusal")
    controlling.retry_failed(run)
    write_all(run)
    assert provider.asked("refusal") == before + 3


def test_nothing_of_a_cancelled_or_imported_run_is_asked_for(
    start: StartRun, add_model: AddModel
) -> None:
    run, late = start("ok"), add_model("ok", name="Late")
    controlling.cancel(run)
    with pytest.raises(RunCancelled):
        controlling.retry_failed(run)
    with pytest.raises(RunCancelled):
        controlling.add_models(run, [late])
    imported = Run.objects.create(name="Imported", template="imported")
    assert controlling.retry_failed(imported) == 0
    for act in (controlling.pause, controlling.resume, controlling.cancel):
        with pytest.raises(RunImported):
            act(imported)
    with pytest.raises(RunImported):
        controlling.add_models(imported, [late])
    with pytest.raises(RunImported):
        controlling.set_cap(imported, Decimal(1))


def test_a_model_that_is_added_writes_to_the_same_briefs_and_samples(
    start: StartRun, add_model: AddModel
) -> None:
    run = start("ok", samples=2)
    known, late = LanguageModel.objects.get(name="ok"), add_model("title")
    assert controlling.add_models(run, [known, late]) == 6
    asked = {
        model: set(run.generations.filter(model=model).values_list("brief", "sample"))
        for model in (known, late)
    }
    assert asked[known] == asked[late]
    assert controlling.add_models(run, [late]) == 0


def test_a_model_without_a_price_joins_no_run_with_a_cap(
    start: StartRun, add_model: AddModel
) -> None:
    run = start("ok")
    LanguageModel.objects.update(price_input=1, price_output=1)
    controlling.set_cap(run, Decimal(3))
    with pytest.raises(UnknownPrice, match="Unpriced"):
        controlling.add_models(run, [add_model("ok", name="Unpriced")])
    assert run.generations.count() == 3


def test_a_cap_is_refused_where_a_price_is_not_known_and_taken_off_anywhere(
    start: StartRun,
) -> None:
    run = start("ok")
    with pytest.raises(UnknownPrice, match="ok"):
        controlling.set_cap(run, Decimal(3))
    controlling.set_cap(run, None)
    run.refresh_from_db()
    assert run.cap is None


def test_nothing_is_asked_beyond_the_cap_and_all_of_it_when_the_cap_is_raised(
    start: StartRun, provider: FakeProvider
) -> None:
    run = start("ok", max_tokens=100)
    LanguageModel.objects.update(price_input=0, price_output=10_000)  # a dollar a call at most
    controlling.set_cap(run, Decimal("0.50"))
    write_all(run)
    assert provider.asked("ok") == 0
    assert statuses(run) == ["queued"] * 3
    assert set(run.generations.values_list("error_kind", flat=True)) == {"cap"}
    controlling.set_cap(run, Decimal(100))
    write_all(run)
    assert statuses(run) == ["done"] * 3


def test_raising_the_cap_waits_for_nothing_else_that_waits(start: StartRun) -> None:
    run = start("ok")
    LanguageModel.objects.update(price_input=1, price_output=1)
    later = timezone.now() + timedelta(hours=1)
    cap, server, _ = run.generations.order_by("pk")
    Generation.objects.filter(pk=cap.pk).update(error_kind="cap", not_before=later)
    Generation.objects.filter(pk=server.pk).update(error_kind="server", not_before=later)
    controlling.set_cap(run, Decimal(9))
    assert list(run.generations.order_by("pk").values_list("not_before", flat=True)) == [
        None,
        later,
        None,
    ]
