"""The page of machine judges: put to, counted, asked again; nothing of authorship on it."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.studies.models import Study
from backend.generation.models import LanguageModel
from backend.generation.services import built_in_models
from backend.judging import services, tasks
from backend.judging.models import Hearing, MachineJudge
from tests.annotation.panel import open_study
from tests.backend.judging.judge_server import SURVEY, judge_server
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


@pytest.fixture
def study() -> Study:
    return open_study(items=3)


def body(client: Client, study: Study) -> str:
    answer = client.get(reverse("judging", args=[study.slug]))
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return " ".join(answer.content.decode().split())


def test_a_study_is_put_to_the_chosen_models(client, study):
    page = body(client, study)
    assert "No language model judges this study yet" in page
    assert "baseline-judge" in page
    model = services.built_in_judge()
    there = reverse("judging", args=[study.slug])
    answer = client.post(there, {"models": [model.pk], "temperature": "0.5"})
    assert (answer.status_code, answer["Location"]) == (302, there)
    machine = MachineJudge.objects.get()
    assert (machine.model, machine.temperature) == (model, 0.5)
    assert Hearing.objects.filter(machine=machine, status="queued").count() == 3


def test_models_known_by_imported_poems_only_are_not_offered(client, study):
    imported = LanguageModel.objects.create(name="Imported", reach=LanguageModel.Reach.IMPORTED)
    assert "Imported" not in body(client, study)
    answer = client.post(reverse("judging", args=[study.slug]), {"models": [imported.pk]})
    assert answer.status_code == 422
    assert not Hearing.objects.exists()


@pytest.mark.parametrize("typed", [{}, {"models": ["x"]}, {"models": [], "temperature": "3"}])
def test_a_wrong_choice_is_refused(client, study, typed):
    answer = client.post(reverse("judging", args=[study.slug]), typed)
    assert answer.status_code == 422
    assert not Hearing.objects.exists()


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_a_study_that_is_not_open_is_put_to_nobody(client, study, state):
    fingerprint = "" if state == "draft" else study.fingerprint
    Study.objects.update(state=state, fingerprint=fingerprint)
    assert "Start judging" not in body(client, study)
    model = services.built_in_judge()
    answer = client.post(reverse("judging", args=[study.slug]), {"models": [model.pk]})
    assert answer.status_code == 422
    assert not Hearing.objects.exists()


def cells(page: str, name: str) -> list[str]:
    """Return the numbers in the row of a machine judge."""
    row = page.split(f'<th scope="row">{name}</th>')[1].split("</tr>")[0]
    return re.findall(r'<td class="number"[^>]*>(\d+)</td>', row)


def test_done_waiting_failed_and_unreadable_are_counted(client, study):
    with judge_server("four", "<b>five</b>", SURVEY) as script:
        services.put_to(study, [script.model()])
        first, second, third = Hearing.objects.order_by("pk")
        for hearing in (first, first, second):
            services.hear(hearing.pk)
        page = body(client, study)
    #                                 poems, judged, running, waiting, failed, unreadable replies
    assert cells(page, "Scripted judge") == ["3", "1", "0", "1", "1", "2"]
    assert f"poem {first.assignment.position}:" in page
    assert f"poem {second.assignment.position}:" not in page
    assert f"poem {third.assignment.position}:" not in page
    assert "&lt;b&gt;five&lt;/b&gt;" in page
    assert "The reply holds no JSON object" in page


def test_what_failed_is_asked_again(client, study):
    with judge_server("four") as script:
        services.put_to(study, [script.model()])
        hearing = Hearing.objects.order_by("pk")[0]
        services.hear(hearing.pk)
        services.hear(hearing.pk)
    answer = client.post(reverse("ask-again", args=[study.slug]), follow=True)
    assert "What failed (1) is put to its judges again" in answer.content.decode()
    hearing.refresh_from_db()
    assert (hearing.status, hearing.attempts, hearing.error) == ("queued", 0, "")


def test_another_studys_machine_judges_are_not_shown(client, study):
    other = open_study(items=2)
    services.put_to(other, [services.built_in_judge()])
    assert "No language model judges this study yet" in body(client, study)
    assert cells(body(client, other), "baseline-judge (built-in, counts words)")[0] == "2"


def test_a_page_that_follows_is_told_the_counts_it_shows(client, study):
    with judge_server("four", SURVEY) as script:
        machine = services.put_to(study, [script.model()])[0]
        services.hear(Hearing.objects.order_by("pk")[0].pk)
        services.hear(Hearing.objects.order_by("pk")[1].pk)
        told = client.get(reverse("judging-progress", args=[study.slug])).json()
    counts = {"done": 1, "failed": 0, "running": 0, "waiting": 2, "total": 3, "unreadable": 1}
    assert told == {"rows": {str(machine.pk): counts, "all": counts}, "unfinished": 2}
    assert "js/progress.js" in body(client, study)


def test_a_broker_that_is_down_stops_no_judging(
    client, study, monkeypatch, django_capture_on_commit_callbacks
):
    def down() -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(tasks.sweep, "delay", down)
    chosen = {"models": [services.built_in_judge().pk]}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(reverse("judging", args=[study.slug]), chosen).status_code == 302
        assert client.post(reverse("ask-again", args=[study.slug])).status_code == 302
    assert Hearing.objects.filter(status="queued").count() == 3


def test_the_built_in_writers_are_not_offered_as_judges(client, study):
    writers = built_in_models()
    page = body(client, study)
    assert "baseline-judge" in page
    assert not [writer.name for writer in writers if writer.name in page]
