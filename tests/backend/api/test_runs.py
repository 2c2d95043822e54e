"""Runs are estimated, started, followed and steered by programs of researchers."""

import pytest

from backend.generation.models import Generation, LanguageModel, Run
from tests.backend.design.material import material
from tests.language_models import model_at

pytestmark = pytest.mark.django_db


def model(name="Writer", **fields):
    return model_at("https://llm.example/v1", "writer-1", name=name, **fields)


def described(made, *models, **more):
    return {
        "collection": made.collection.pk,
        "template": "poemetric",
        "models": [model.pk for model in models],
        **more,
    }


@pytest.fixture
def run(vera, woken):
    made = material(poems=2)
    body = described(made, model(price_input=1, price_output=2), name="R")
    return vera.post("runs/", body).json()["run"]


def test_an_estimate_says_calls_and_cost_and_writes_nothing(vera):
    made, writer = material(poems=2), model(price_input=1, price_output=1000)
    body = described(made, writer, samples=3, max_tokens=100)
    before = Run.objects.count()
    told = vera.post("runs/estimate/", body).json()
    assert (told["calls"], told["to_ask"]) == (6, 6)
    (row,) = told["by_model"]
    assert (row["name"], row["tokens_output"]) == ("Writer", 600)
    assert 0.6 < float(row["cost"]) < 0.61
    assert told["cost"] == row["cost"]
    assert Run.objects.count() == before


def test_a_price_that_is_not_known_is_null(vera):
    told = vera.post("runs/estimate/", described(material(poems=1), model())).json()
    assert told["cost"] is None
    assert told["by_model"][0]["cost"] is None


def test_a_run_starts_with_cap_turns_and_fresh_samples(vera, woken):
    made, writer = material(poems=2), model(price_input=1, price_output=1)
    vera.post("runs/", described(made, writer, name="Before", samples=2))
    body = described(made, writer, name="Capped", cap="12.50", turns=0, fresh=True)
    run = vera.post("runs/", body).json()["run"]
    assert (run["cap"], run["turns"], run["first_sample"]) == ("12.500000", 0, 3)
    assert (run["state"], run["collection"]) == ("running", made.collection.pk)


def test_a_cap_where_a_price_is_not_known_is_refused_at_its_field(vera, woken):
    made = material(poems=1)
    before = Run.objects.count()
    refused = vera.post("runs/", described(made, model("Nobody knows"), name="C", cap="1"))
    assert refused.status_code == 409
    assert "Nobody knows" in refused.json()["errors"]["cap"][0]
    assert Run.objects.count() == before


def test_progress_says_counts_pace_money_and_why_it_waits(vera, run):
    vera.post(f"runs/{run['id']}/cap/", {"cap": "3"})
    vera.post(f"runs/{run['id']}/pause/")
    told = vera.get(f"runs/{run['id']}/progress/").json()
    assert told["state"] == "paused"
    assert told["overall"]["waiting"] == 2
    assert told["overall"]["recited"] == 0
    assert (told["poems_a_minute"], told["seconds_left"]) == (None, None)
    assert told["money"] == {
        "cap": "3.00000000",
        "spent": "0.00000000",
        "set_aside": "0.00000000",
        "unknown": 0,
    }
    (wait,) = told["waits"]
    assert wait == {"why": "waiting: the run is paused", "until": None, "count": 2}


def test_a_run_is_paused_resumed_cancelled_and_resumed_again(vera, run):
    states = [
        vera.post(f"runs/{run['id']}/{act}/").json()["state"]
        for act in ("pause", "resume", "cancel")
    ]
    assert states == ["paused", "running", "cancelled"]
    rows = Generation.objects.filter(run=run["id"])
    assert set(rows.values_list("status", "error_kind")) == {("failed", "cancelled")}
    assert vera.post(f"runs/{run['id']}/retry/").status_code == 409
    assert vera.post(f"runs/{run['id']}/resume/").json()["state"] == "running"
    assert set(rows.values_list("status", flat=True)) == {"queued"}


def test_some_kinds_of_failure_are_retried(vera, run):
    rows = Generation.objects.filter(run=run["id"]).order_by("pk")
    for row, kind in zip(rows, ("server", "refused"), strict=True):
        Generation.objects.filter(pk=row.pk).update(status="failed", error_kind=kind)
    address = f"runs/{run['id']}/retry/"
    assert vera.post(address, {"kinds": ["server"]}).json() == {"queued": 1}
    assert vera.post(address, {}).json() == {"queued": 1}


def test_models_are_added_and_one_that_writes_already_is_refused(vera, run):
    late = model("Late")
    address = f"runs/{run['id']}/models/"
    assert vera.post(address, {"models": [late.pk]}).json() == {"queued": 2}
    again = vera.post(address, {"models": [late.pk]})
    assert again.status_code == 400
    assert set(again.json()["errors"]) == {"models"}


def test_a_cap_is_taken_off(vera, run):
    address = f"runs/{run['id']}/cap/"
    assert vera.post(address, {"cap": "2.5"}).json()["cap"] == "2.500000"
    assert vera.post(address, {"cap": None}).json()["cap"] is None
    assert vera.post(address, {"cap": "-1"}).status_code == 400


def test_poems_come_with_where_they_came_from(vera):
    made = material(poems=1)
    first = Generation.objects.filter(run=made.run).order_by("pk")[0]
    call = first.calls.create(
        model=first.model,
        state="answered",
        request={},
        finish="stop",
        request_id="req-1",
        tokens_output=77,
        cost=None,
    )
    flags = [{"rule": "prose", "reason": "There is prose inside."}]
    Generation.objects.filter(pk=first.pk).update(answer=call, flags=flags)
    first.corrections.create(text_before="a", text_after=first.text, reason="why")
    shown, *others = vera.get(f"runs/{made.run.pk}/poems/").json()["results"]
    assert shown["answer"]["request_id"] == "req-1"
    assert (shown["answer"]["tokens_output"], shown["answer"]["cost"]) == (77, None)
    assert (shown["corrected"], shown["flags"]) == (True, flags)
    assert all(other["answer"] is None and not other["corrected"] for other in others)


def test_an_imported_run_is_not_steered(vera):
    imported = Run.objects.create(name="Imported", template="imported")
    for act in ("pause", "resume", "cancel"):
        assert vera.post(f"runs/{imported.pk}/{act}/").status_code == 409
    assert LanguageModel.objects.count() == 0
