"""The pages about runs: started, followed, retried, looked into."""

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from backend.corpus.models import Collection
from backend.generation import services, tasks
from backend.generation.models import Generation, LanguageModel, Run
from tests.backend.generation.conftest import (
    AddModel,
    StartRun,
    forget_pauses,
    shelf,
    shown_text,
    write_all,
)
from tests.backend.generation.fake_provider import FakeProvider

pytestmark = pytest.mark.django_db


def filled_in(collection: Collection, *models: LanguageModel, **more: str) -> dict[str, object]:
    return {
        "name": "First",
        "collection": collection.pk,
        "template": "poemetric",
        "models": [model.pk for model in models],
        "samples": "1",
        "turns": "5",
        "seed": "0",
        **more,
    }


def test_what_nearly_everybody_fills_in_stands_first(
    researcher: Client, collection: Collection
) -> None:
    form = researcher.get(reverse("run-new")).context["form"]
    assert list(form.fields)[:7] == [
        "name", "collection", "template", "models", "number", "samples", "cap",
    ]  # fmt: skip


def test_a_run_is_started_and_workers_are_woken(
    researcher: Client, collection: Collection, swept: list[str], add_model: AddModel,
    django_capture_on_commit_callbacks,  # type: ignore[no-untyped-def]
) -> None:  # fmt: skip
    asked = filled_in(collection, add_model("ok"), samples="2", temperature="0")
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher.post(reverse("run-new"), asked, follow=True)
    run = Run.objects.get(name="First")
    assert response.redirect_chain == [(reverse("run", args=[run.pk]), 302)]
    assert "6 poems are asked for" in response.content.decode()
    assert (run.generations.count(), run.temperature, run.max_tokens) == (6, 0.0, None)
    assert run.started_by is not None
    assert swept == ["now"]


@pytest.mark.parametrize("key", [2**63, -(2**63) - 1, 10**30])
@pytest.mark.parametrize("name", ["collection", "models"])
def test_a_key_that_no_database_can_hold_is_refused(
    researcher: Client, collection: Collection, add_model: AddModel, name: str, key: int
) -> None:
    asked = filled_in(collection, add_model("ok")) | {name: str(key)}
    response = researcher.post(reverse("run-new"), asked)
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {name}
    assert not Run.objects.exists()


def test_a_broker_that_is_down_stops_no_run(
    researcher: Client, collection: Collection, add_model: AddModel,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,  # type: ignore[no-untyped-def]
) -> None:  # fmt: skip
    def down() -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.sweep, "delay", down)
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher.post(reverse("run-new"), filled_in(collection, add_model("ok")))
    assert response.status_code == 302


def test_some_poems_are_drawn_with_the_seed(
    researcher: Client, add_model: AddModel, swept: list[str]
) -> None:
    collection, model = shelf("Many", *(f"Poem {n}" for n in range(40))), add_model("ok")
    drawn = []
    for name, seed in (("A", "3"), ("B", "3"), ("C", "4")):
        asked = filled_in(collection, model, name=name, number="5", seed=seed)
        researcher.post(reverse("run-new"), asked)
        made = Generation.objects.filter(run__name=name)
        drawn.append(set(made.values_list("brief__poem", flat=True)))
    assert [len(poems) for poems in drawn] == [5, 5, 5]
    assert drawn[0] == drawn[1] != drawn[2]


def test_poems_left_out_are_named_with_the_reason(
    researcher: Client, collection: Collection, add_model: AddModel, swept: list[str]
) -> None:
    collection.poems.filter(title="Dusk").update(form="")
    collection.poems.filter(title="Noon").update(theme="")
    asked = filled_in(collection, add_model("ok"))
    page = researcher.post(reverse("run-new"), asked, follow=True).content.decode()
    assert "Left out: “Noon”: it has no theme; “Dusk”: it has no form." in page


def test_what_cannot_be_started_says_why_and_keeps_what_was_filled_in(
    researcher: Client, start: StartRun, collection: Collection
) -> None:
    start("ok", name="First")
    asked = filled_in(collection, LanguageModel.objects.get(name="ok"))
    response = researcher.post(reverse("run-new"), asked)
    assert response.status_code == 422
    assert "There is a run named &#x27;First&#x27; already" in response.content.decode()
    collection.poems.update(form="")
    page = researcher.post(reverse("run-new"), asked | {"name": "Second"}).content.decode()
    assert "can be put as a brief by this template: it has no form" in page
    assert 'value="Second"' in page
    page = researcher.post(reverse("run-new"), asked | {"models": []}).content.decode()
    assert "Choose at least one language model." in page


def test_only_models_that_write_and_can_be_asked_are_offered(
    researcher: Client, collection: Collection, add_model: AddModel
) -> None:
    add_model("ok", name="Reachable")
    LanguageModel.objects.create(name="Imported only", reach="imported")
    LanguageModel.objects.create(name="A judge", reach="built-in", model_id="baseline-judge")
    page = shown_text(researcher, reverse("run-new"))
    assert "Reachable" in page
    assert "ngram-4 (built-in n-gram model)" in page
    assert "Imported only" not in page
    assert "A judge" not in page


def test_progress_is_counted_by_model_each_poem_in_one_place(
    researcher: Client, start: StartRun
) -> None:
    run = start("ok", "refusal", "busy")
    write_all(run)
    forget_pauses(run)
    write_all(run)
    begun = run.generations.filter(status="queued").earliest("pk").pk
    Generation.objects.filter(pk=begun).update(not_before=None)
    assert Generation.objects.claim(begun)
    keys = {model.name: str(model.pk) for model in LanguageModel.objects.all()}
    told = researcher.get(reverse("run-progress", args=[run.pk])).json()
    assert (told["unfinished"], told["state"]) == (3, "running")
    none = dict.fromkeys(
        ("done", "failed", "refused", "recited", "cancelled", "waiting", "running"), 0
    )
    assert told["rows"] == {
        "all": {**none, "total": 9, "done": 3, "refused": 3, "waiting": 2, "running": 1},
        keys["ok"]: {**none, "total": 3, "done": 3},
        keys["refusal"]: {**none, "total": 3, "refused": 3},
        keys["busy"]: {**none, "total": 3, "waiting": 2, "running": 1},
    }


def test_the_script_follows_a_run_only_while_there_is_something_to_follow(
    researcher: Client, start: StartRun
) -> None:
    run = start("ok")
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert "js/progress.js" in page
    assert f'data-progress="{reverse("run-progress", args=[run.pk])}"' in page
    assert "without scripts" in page
    write_all(run)
    assert "js/progress.js" not in shown_text(researcher, reverse("run", args=[run.pk]))


def test_a_wait_and_a_failure_are_told_in_plain_words(researcher: Client, start: StartRun) -> None:
    run = start("busy", "refusal")
    write_all(run)
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert "waiting for busy: the provider asked to wait; next try " in page
    assert "The model declined." in page


def test_the_table_is_narrowed_by_status_and_model(researcher: Client, start: StartRun) -> None:
    run = start("ok", "refusal")
    write_all(run)
    address = reverse("run", args=[run.pk])
    model = LanguageModel.objects.get(name="refusal").pk
    for query, rows in {
        "": 6,
        "?status=done": 3,
        f"?model={model}": 3,
        f"?status=done&model={model}": 0,
        "?status=nonsense&model=x&page=99": 6,
    }.items():
        page = shown_text(researcher, address + query)
        assert page.count(reverse("generation", args=[1])[:-2]) == rows
    assert "Nothing here stands so" in shown_text(
        researcher, f"{address}?status=done&model={model}"
    )


def test_pages_keep_what_was_chosen(researcher: Client, add_model: AddModel) -> None:
    collection = shelf("Many", *(f"Poem {n}" for n in range(60)))
    run = services.start_run(
        name="R", collection=collection, models=[add_model("ok")], template="poemetric"
    ).run
    page = shown_text(researcher, reverse("run", args=[run.pk]) + "?status=queued")
    assert "Page 1 of 2" in page
    assert 'href="?status=queued&amp;model=&amp;page=2"' in page


def test_retry_asks_for_what_failed(
    researcher: Client, start: StartRun, provider: FakeProvider, swept: list[str],
    django_capture_on_commit_callbacks,  # type: ignore[no-untyped-def]
) -> None:  # fmt: skip
    run = start("ok", "heals")
    write_all(run)
    assert "Retry the 3 that failed" in shown_text(researcher, reverse("run", args=[run.pk]))
    with django_capture_on_commit_callbacks(execute=True):
        researcher.post(reverse("run-retry", args=[run.pk]))
    assert swept == ["now"]
    provider.healed = True
    write_all(run)
    assert (provider.asked("ok"), provider.asked("heals")) == (3, 6)
    assert "Retry the" not in shown_text(researcher, reverse("run", args=[run.pk]))


def test_a_run_that_nobody_works_on_asks_whether_there_is_a_worker(
    researcher: Client, start: StartRun
) -> None:
    run = start("ok")
    address = reverse("run", args=[run.pk])
    assert "Is a worker running" not in shown_text(researcher, address)
    Run.objects.update(started_at="2026-01-01T00:00Z")
    assert "Is a worker running" in shown_text(researcher, address)


def test_an_estimate_says_calls_tokens_and_cost_and_writes_nothing(
    researcher: Client, collection: Collection, add_model: AddModel
) -> None:
    priced = add_model("ok", name="Priced", price_input="1", price_output="1000")
    asked = filled_in(collection, priced, max_tokens="100", estimate="yes", cap="0.20")
    response = researcher.post(reverse("run-new"), asked)
    page = re.sub(r"\s+", " ", response.content.decode())
    assert response.status_code == 200
    assert "3 calls. About $0.30." in page
    assert "That is more than the cap" in page
    assert "each answer as long as it may be" in page
    assert 'value="First"' in page
    assert not Run.objects.exists()


def test_an_estimate_names_the_models_of_which_no_price_is_known(
    researcher: Client, collection: Collection, add_model: AddModel
) -> None:
    asked = filled_in(collection, add_model("ok", name="Nobody knows"), estimate="yes")
    page = re.sub(r"\s+", " ", researcher.post(reverse("run-new"), asked).content.decode())
    assert "What these cost is not known: Nobody knows." in page
    assert '<td class="number">not known</td>' in page


def test_a_cap_without_prices_is_refused_at_its_field(
    researcher: Client, collection: Collection, add_model: AddModel
) -> None:
    asked = filled_in(collection, add_model("ok", name="Nobody knows"), cap="5")
    response = researcher.post(reverse("run-new"), asked)
    assert response.status_code == 422
    assert "Nobody knows" in response.context["form"].errors["cap"][0]
    assert not Run.objects.exists()


def test_a_run_is_paused_resumed_and_cancelled_from_its_page(
    researcher: Client, start: StartRun, swept: list[str]
) -> None:
    run = start("ok")
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert ">Pause</button>" in page
    assert ">Resume</button>" not in page
    researcher.post(reverse("run-pause", args=[run.pk]))
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert "3 waiting: the run is paused" in page
    assert ">Resume</button>" in page
    researcher.post(reverse("run-resume", args=[run.pk]))
    assert "the run is paused" not in shown_text(researcher, reverse("run", args=[run.pk]))
    ask = shown_text(researcher, reverse("run-cancel", args=[run.pk]))
    assert "3 wait and will not be asked for." in ask
    run.refresh_from_db()
    assert run.state == "running"  # asking changes nothing
    page = researcher.post(reverse("run-cancel", args=[run.pk]), follow=True).content.decode()
    assert "Cancelled: 3 poems are not asked for any more." in page
    assert ">Cancel…</a>" not in page


def test_the_cap_is_changed_from_the_page(
    researcher: Client, start: StartRun, swept: list[str]
) -> None:
    run = start("ok")
    address = reverse("run-cap", args=[run.pk])
    refused = researcher.post(address, {"cap": "5"})
    assert refused.status_code == 422
    assert "A cap cannot be kept" in refused.content.decode()
    LanguageModel.objects.filter(name="ok").update(price_input=1, price_output=2)
    page = researcher.post(address, {"cap": "5"}, follow=True).content.decode()
    assert "Its cap is $5.00 now." in page
    assert "$0.00 of $5.00" in page
    researcher.post(address, {"cap": ""})
    run.refresh_from_db()
    assert run.cap is None


def test_models_are_added_from_the_page(
    researcher: Client, start: StartRun, add_model: AddModel, swept: list[str]
) -> None:
    run, late = start("ok"), add_model("ok", name="Latecomer")
    address = reverse("run-models", args=[run.pk])
    page = researcher.post(address, {"models": [late.pk]}, follow=True).content.decode()
    assert "3 poems more are asked for." in page
    assert run.generations.filter(model=late).count() == 3
    again = researcher.post(address, {"models": [late.pk]})
    assert again.status_code == 422
    assert run.generations.count() == 6


def test_what_failed_for_one_reason_is_retried_alone(
    researcher: Client, start: StartRun, swept: list[str]
) -> None:
    run = start("ok")
    keys = list(run.generations.values_list("pk", flat=True))
    run.generations.filter(pk=keys[0]).update(status="failed", error_kind="server")
    run.generations.filter(pk=keys[1]).update(status="failed", error_kind="refused")
    page = shown_text(researcher, reverse("run", args=[run.pk]) + "?status=failed:server")
    assert "failed: the provider failed (1)" in page
    assert "Retry all that failed for this reason" in page
    researcher.post(reverse("run-retry", args=[run.pk]), {"kind": "server"})
    left = run.generations.filter(status="failed").values_list("error_kind", flat=True)
    assert list(left) == ["refused"]


def test_the_poems_of_a_run_are_downloaded_with_where_they_came_from(
    researcher: Client, start: StartRun
) -> None:
    run = start("title")
    write_all(run)
    wanted = run.generations.select_related("answer").earliest("pk")
    file = researcher.get(reverse("run-csv", args=[run.pk]))
    rows = list(csv.DictReader(io.StringIO(b"".join(file.streaming_content).decode(), newline="")))
    assert file["Content-Disposition"] == 'attachment; filename="run.csv"'
    assert [row["poem_title"] for row in rows] == ["Dawn", "Noon", "Dusk"]
    assert (rows[0]["title"], rows[0]["text"]) == (wanted.title, wanted.text)
    assert (rows[0]["reply"], rows[0]["corrected"]) == (wanted.reply, "no")
    assert rows[0]["model_id"] == "title"
    assert rows[0]["cost_usd"] == ""  # not known, which is not 0
    file = researcher.get(reverse("run-jsonl", args=[run.pk]))
    lines = b"".join(file.streaming_content).decode().splitlines()
    assert [json.loads(line)["sample"] for line in lines] == [1, 1, 1]
    assert json.loads(lines[0])["cost_usd"] is None


def test_poems_to_look_at_are_counted_and_filtered(researcher: Client, start: StartRun) -> None:
    run = start("ok")
    write_all(run)
    flagged = run.generations.earliest("pk")
    run.generations.filter(pk=flagged.pk).update(flags=[{"rule": "x", "reason": "It looks odd."}])
    assert f'{reverse("run", args=[run.pk])}?status=look#poems">1</a>' in shown_text(
        researcher, reverse("runs")
    )
    page = shown_text(researcher, reverse("run", args=[run.pk]) + "?status=look")
    assert "It looks odd." in page
    assert page.count(">Dawn</a>") == 1
    assert ">Noon</a>" not in page


def test_an_imported_run_has_nothing_to_control(researcher: Client) -> None:
    run = Run.objects.create(name="Imported", template="imported")
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert "Change the cap" not in page
    for name in ("run-pause", "run-resume", "run-cancel"):
        said = researcher.post(reverse(name, args=[run.pk]), follow=True).content.decode()
        assert "nothing of it was asked for from here" in said
    run.refresh_from_db()
    assert run.state == "running"
