"""The pages about runs: started, followed, retried, looked into."""

import pytest
from django.test import Client
from django.urls import reverse

from backend.corpus.models import Collection
from backend.generation import services, tasks
from backend.generation.models import Generation, LanguageModel, Run
from tests.backend.generation.conftest import (
    AddModel,
    StartRun,
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
        "seed": "0",
        **more,
    }


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


def test_progress_is_counted_by_model(researcher: Client, start: StartRun) -> None:
    run = start("ok", "refusal", "busy")
    write_all(run)
    begun = run.generations.filter(status="queued").earliest("pk").pk
    Generation.objects.filter(pk=begun).update(not_before=None)
    assert Generation.objects.claim(begun)
    keys = {model.name: str(model.pk) for model in LanguageModel.objects.all()}
    none = {"total": 3, "done": 0, "failed": 0, "waiting": 0, "running": 0}
    assert researcher.get(reverse("run-progress", args=[run.pk])).json() == {
        "unfinished": 3,
        "rows": {
            "all": {"total": 9, "done": 3, "failed": 3, "waiting": 2, "running": 1},
            keys["ok"]: none | {"done": 3},
            keys["refusal"]: none | {"failed": 3},
            keys["busy"]: none | {"waiting": 2, "running": 1},
        },
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


def test_failures_are_told_in_plain_words_with_the_next_try(
    researcher: Client, start: StartRun
) -> None:
    run = start("busy", "refusal")
    write_all(run)
    page = shown_text(researcher, reverse("run", args=[run.pk]))
    assert "The provider asked to wait." in page
    assert "Asked again at " in page
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


def test_a_generation_shows_brief_poem_reply_cuts_and_calls(
    researcher: Client, start: StartRun
) -> None:
    run = start("title")
    write_all(run)
    generation = run.generations.earliest("pk")
    page = shown_text(researcher, reverse("generation", args=[generation.pk]))
    for shown in (
        "Theme: dawn",
        "by Author of Dawn",
        '<p class="poem-title">The River</p>',
        '<span class="line" data-line="1">The river keeps the light</span>',
        "Certainly! Here is a poem:",
        "cut the closing words: I hope you like it!",
        "&quot;model&quot;: &quot;title&quot;",
        "chat.completion",
    ):
        assert shown in page


def test_markup_in_a_reply_is_shown_not_followed(researcher: Client, start: StartRun) -> None:
    run = start("html")
    write_all(run)
    address = reverse("generation", args=[run.generations.earliest("pk").pk])
    assert "&lt;html&gt;" in shown_text(researcher, address)
