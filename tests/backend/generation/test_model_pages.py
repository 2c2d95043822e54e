"""The pages about language models: keys are named, never kept and never shown."""

import pytest
from django.test import Client
from django.urls import reverse

from backend.design.freezing import fingerprint
from backend.design.services import open_study
from backend.generation import services
from backend.generation.models import LanguageModel
from tests.backend.design.material import draft
from tests.backend.generation.conftest import (
    AddModel,
    StartRun,
    shown_text,
    write_all,
)
from tests.backend.generation.fake_provider import FakeProvider

pytestmark = pytest.mark.django_db


FILLED = {
    "name": "GPT-4o",
    "base_url": "http://ollama:11434/v1/",
    "model_id": "gpt-4o",
    "key_variable": "SOME_KEY",
}


def test_the_built_in_writers_are_there_and_named_for_what_they_are(researcher: Client) -> None:
    page = shown_text(researcher, reverse("models"))
    assert "ngram-2 (built-in n-gram model)" in page
    assert "it understands nothing" in page


def test_a_model_is_added_and_changed(researcher: Client) -> None:
    researcher.post(reverse("model-new"), FILLED)
    model = LanguageModel.objects.get(name="GPT-4o")
    assert (model.reach, model.base_url) == ("endpoint", "http://ollama:11434/v1")
    changed = FILLED | {"name": "GPT"}
    researcher.post(reverse("model-edit", args=[model.pk]), changed)
    model.refresh_from_db()
    assert model.name == "GPT"


@pytest.mark.parametrize(
    "key",
    [
        "sk-abc123",
        "sk-proj-Abc_123",
        "sk_live_abc123",
        "gsk_abc123",
        "AKIAIOSFODNN7EXAMPLE",
        "d41d8cd98f00b204e9800998ecf8427e",
    ],
)
def test_a_key_itself_is_refused_and_not_repeated(researcher: Client, key: str) -> None:
    response = researcher.post(reverse("model-new"), FILLED | {"key_variable": key})
    assert response.status_code == 422
    assert "looks like a key itself" in response.content.decode()
    assert key not in response.content.decode()
    assert not LanguageModel.objects.filter(name="GPT-4o").exists()


@pytest.mark.parametrize("name", ["some_key", "1KEY", "SOME KEY", "SOME-KEY", "$KEY"])
def test_a_variable_has_a_variables_name(researcher: Client, name: str) -> None:
    response = researcher.post(reverse("model-new"), FILLED | {"key_variable": name})
    assert response.status_code == 422
    assert "capital letters, digits and underscores" in response.content.decode()


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "_KEY", "KEY2", "SKY_KEY", "PK_KEY", ""])
def test_any_such_name_will_do(researcher: Client, name: str) -> None:
    response = researcher.post(reverse("model-new"), FILLED | {"key_variable": name})
    assert response.status_code == 302


@pytest.mark.parametrize(
    "url",
    [
        "api.example.org/v1",
        "ftp://api.example.org",
        "https://",
        "https://user:secret@api.example.org/v1",
        "https://api.example.org/v1?key=secret",
        "https://api.example.org:x/v1",
        "https://[::1",
        "https://api.example.org/a b",
    ],
)
def test_an_address_is_whole_and_carries_no_secret(researcher: Client, url: str) -> None:
    response = researcher.post(reverse("model-new"), FILLED | {"base_url": url})
    assert response.status_code == 422
    assert not LanguageModel.objects.filter(name="GPT-4o").exists()


def test_whether_a_key_is_set_is_said_and_its_value_never(
    researcher: Client, add_model: AddModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = add_model("ok", key_variable="SOME_KEY")
    monkeypatch.delenv("SOME_KEY", raising=False)
    edit = reverse("model-edit", args=[model.pk])
    assert "not set here" in shown_text(researcher, reverse("models"))
    assert "is not set where this page runs" in shown_text(researcher, edit)
    monkeypatch.setenv("SOME_KEY", "key-0123456789")
    pages = shown_text(researcher, reverse("models")) + shown_text(researcher, edit)
    assert ">set here" in pages
    assert "is set where this page runs" in pages
    assert "key-0123456789" not in pages


def test_a_model_that_has_written_stays_where_it_is(
    researcher: Client, start: StartRun, provider: FakeProvider
) -> None:
    write_all(start("ok"))
    model = LanguageModel.objects.get(name="ok")
    changed = FILLED | {"name": "New name"}
    researcher.post(reverse("model-edit", args=[model.pk]), changed)
    model.refresh_from_db()
    assert (model.name, model.base_url, model.model_id) == ("New name", provider.url, "ok")


def test_a_model_keeps_the_name_under_which_a_study_with_its_poems_was_opened(
    researcher: Client,
) -> None:
    study = draft()
    model = study.design.models_chosen.get(name__contains="Alpha")
    edit = reverse("model-edit", args=[model.pk])
    assert researcher.post(edit, FILLED | {"name": "Renamed"}).status_code == 302
    opened = open_study(study)
    page = shown_text(researcher, edit)
    assert "Fixed, for a study with its poems was opened under this name" in page
    refused = researcher.post(edit, FILLED | {"name": "Renamed again"})
    assert refused.status_code == 422
    assert "add another model for another name" in refused.content.decode()
    assert fingerprint(opened) == opened.fingerprint
    kept = FILLED | {"name": "Renamed", "description": "Asked in spring."}
    assert researcher.post(edit, kept).status_code == 302
    model.refresh_from_db()
    assert (model.name, model.description) == ("Renamed", "Asked in spring.")


def test_two_models_cannot_have_one_name(researcher: Client, add_model: AddModel) -> None:
    add_model("ok", name="GPT-4o")
    response = researcher.post(reverse("model-new"), FILLED)
    assert "There is a model named “GPT-4o” already" in response.content.decode()


def test_a_built_in_model_cannot_be_changed(researcher: Client) -> None:
    key = services.built_in_models()[0].pk
    assert researcher.get(reverse("model-edit", args=[key])).status_code == 404
