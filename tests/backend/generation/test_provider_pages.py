"""The pages about providers: keys are named, never kept or shown; addresses are looked at."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from backend.generation.forms.providers import ProviderForm
from backend.generation.models import LanguageModel, Provider
from tests.backend.generation.conftest import StartRun, shown_text, write_all
from tests.language_models import provider_at

pytestmark = pytest.mark.django_db

FILLED = {
    "name": "Ollama",
    "wire": "openai",
    "base_url": "http://localhost:11434/v1/",
    "key_variable": "SOME_KEY",
}


def test_a_provider_is_added_and_changed(researcher: Client) -> None:
    researcher.post(reverse("provider-new"), FILLED | {"parallel": "4"})
    provider = Provider.objects.get()
    assert (provider.base_url, provider.parallel) == ("http://localhost:11434/v1", 4)
    assert provider.requests_a_minute is None
    changed = FILLED | {"name": "Mine", "requests_a_minute": "60", "tokens_a_minute": "90000"}
    researcher.post(reverse("provider-edit", args=[provider.pk]), changed)
    provider.refresh_from_db()
    assert (provider.name, provider.parallel) == ("Mine", None)
    assert (provider.requests_a_minute, provider.tokens_a_minute) == (60, 90_000)


@pytest.mark.parametrize(
    ("wire", "url", "kept"),
    [
        ("openai", "http://localhost/v1/chat/completions", "http://localhost/v1"),
        ("anthropic", "http://localhost/v1/messages", "http://localhost/v1"),
        ("gemini", "http://localhost/v1beta/models/", "http://localhost/v1beta"),
    ],
)
def test_what_the_format_adds_is_left_out_of_the_address(
    researcher: Client, wire: str, url: str, kept: str
) -> None:
    researcher.post(reverse("provider-new"), FILLED | {"wire": wire, "base_url": url})
    assert Provider.objects.get().base_url == kept


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
    response = researcher.post(reverse("provider-new"), FILLED | {"key_variable": key})
    assert response.status_code == 422
    assert "looks like a key itself" in response.text
    assert key not in response.text
    assert not Provider.objects.exists()


@pytest.mark.parametrize("name", ["some_key", "1KEY", "SOME KEY", "SOME-KEY", "$KEY"])
def test_a_variable_has_a_variables_name(researcher: Client, name: str) -> None:
    response = researcher.post(reverse("provider-new"), FILLED | {"key_variable": name})
    assert response.status_code == 422
    assert "capital letters, digits and underscores" in response.text


@pytest.mark.parametrize(
    "name",
    [
        "BLINDVERSE_SECRET_KEY", "DJANGO_SECRET_KEY", "DATABASE_URL", "REDIS_URL", "PGPASSWORD",
        "POSTGRES_PASSWORD", "PATH", "HOME", "KEY", "KEY2", "OPENAI_API_KEY_OLD",
    ],
)  # fmt: skip
def test_a_variable_of_the_sites_own_is_no_key(
    researcher: Client, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "what-nobody-may-read")
    response = researcher.post(reverse("provider-new"), FILLED | {"key_variable": name})
    assert response.status_code == 422
    assert "does not begin with BLINDVERSE_" in response.text
    assert not Provider.objects.exists()
    # Kept by an earlier version: not even whether it is set is said.
    provider_at("http://127.0.0.1:9/v1", key_variable=name)
    assert "not set here" in shown_text(researcher, reverse("providers"))


@pytest.mark.parametrize("field", ["name", "base_url"])
def test_a_key_in_any_other_field_is_refused_and_not_repeated_either(
    researcher: Client, field: str
) -> None:
    given = {"name": "sk-hunter2abcdefghijklm", "base_url": "http://a.org/sk-hunter2abcdefghijklm"}
    response = researcher.post(reverse("provider-new"), FILLED | {field: given[field]})
    assert response.status_code == 422
    assert "hunter2" not in response.text


def test_of_two_who_take_one_name_at_once_one_is_told(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    researcher.post(reverse("provider-new"), FILLED)
    # As if the other had come after the look for the name.
    monkeypatch.setattr(ProviderForm, "clean_name", lambda form: form.cleaned_data["name"])
    refused = researcher.post(reverse("provider-new"), FILLED)
    assert refused.status_code == 422
    assert "There is a provider named “Ollama” already" in refused.text


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "_KEY", "SKY_KEY", "PK_KEY", "HF_TOKEN", ""])
def test_any_such_name_will_do(researcher: Client, name: str) -> None:
    response = researcher.post(reverse("provider-new"), FILLED | {"key_variable": name})
    assert response.status_code == 302


@pytest.mark.parametrize(
    "url",
    [
        "api.example.org/v1",
        "ftp://api.example.org",
        "https://",
        "https://user:hunter2@api.example.org/v1",
        "https://api.example.org/v1?key=hunter2",
        "https://api.example.org:x/v1",
        "https://[::1",
        "https://api.example.org/a b",
        "https://☃.example/v1",
        "https://a.example/\x7f/v1",
        "https://[v1.a]/v1",
        "https://exa\u00admple.org/v1",
        # Where clouds keep what a machine may do, and what is no one machine.
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/v1",
        "http://0.0.0.0:8000/v1",
        "http://224.0.0.1/v1",
    ],
)
def test_an_address_is_whole_carries_no_secret_and_leads_to_no_forbidden_place(
    researcher: Client, url: str
) -> None:
    response = researcher.post(reverse("provider-new"), FILLED | {"base_url": url})
    assert response.status_code == 422
    assert "hunter2" not in response.text
    assert not Provider.objects.exists()


def test_where_hosts_are_named_no_other_is_taken(researcher: Client, settings: Any) -> None:
    settings.MODEL_HOSTS = ["localhost"]
    elsewhere = FILLED | {"base_url": "http://127.0.0.1:11434/v1"}
    refused = researcher.post(reverse("provider-new"), elsewhere)
    assert "BLINDVERSE_MODEL_HOSTS" in refused.text
    assert researcher.post(reverse("provider-new"), FILLED).status_code == 302


def test_whether_a_key_is_set_is_said_and_its_value_never(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = provider_at("http://127.0.0.1:9/v1", key_variable="SOME_KEY")
    pages = [reverse("providers"), reverse("provider-edit", args=[provider.pk])]
    monkeypatch.delenv("SOME_KEY", raising=False)
    assert "not set here" in shown_text(researcher, pages[0])
    assert "is not set where this page runs" in shown_text(researcher, pages[1])
    monkeypatch.setenv("SOME_KEY", "key-0123456789")
    shown = "".join(shown_text(researcher, page) for page in pages)
    assert ">set here" in shown
    assert "is set where this page runs" in shown
    assert "key-0123456789" not in shown


def test_a_provider_whose_model_has_written_stays_where_it_is(
    researcher: Client, start: StartRun
) -> None:
    write_all(start("ok"))
    provider = Provider.objects.get()
    before = (provider.wire, provider.base_url)
    changed = FILLED | {"wire": "gemini", "name": "New name"}
    researcher.post(reverse("provider-edit", args=[provider.pk]), changed)
    provider.refresh_from_db()
    assert provider.name == "New name"
    assert (provider.wire, provider.base_url) == before


def test_two_providers_cannot_have_one_name(researcher: Client) -> None:
    researcher.post(reverse("provider-new"), FILLED)
    again = researcher.post(reverse("provider-new"), FILLED)
    assert "There is a provider named “Ollama” already" in again.text


def test_a_provider_is_deleted_once_confirmed_but_not_with_models(researcher: Client) -> None:
    provider = provider_at("http://127.0.0.1:9/v1")
    model = LanguageModel.objects.create(name="m", provider=provider, model_id="m")
    delete = reverse("provider-delete", args=[provider.pk])
    kept = researcher.post(delete, follow=True)
    assert "has language models. Delete or move them first." in kept.text
    model.delete()
    assert "Delete it" in shown_text(researcher, delete)
    assert Provider.objects.exists()
    researcher.post(delete)
    assert not Provider.objects.exists()


def test_a_list_without_providers_says_what_to_do(researcher: Client) -> None:
    assert "No provider yet." in shown_text(researcher, reverse("providers"))
