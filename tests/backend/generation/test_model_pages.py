"""The pages about language models: what a model is, how it is asked, and what it costs."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from backend.design.freezing import fingerprint
from backend.design.services import open_study
from backend.generation import removing, services
from backend.generation.forms.models import LanguageModelForm
from backend.generation.models import Call, LanguageModel, Provider
from tests.backend.design.material import draft
from tests.backend.generation.conftest import (
    AddModel,
    StartRun,
    shown_text,
    write_all,
)
from tests.backend.generation.fake_provider import FakeProvider
from tests.language_models import provider_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(db: None) -> dict[str, str]:
    """A form as it is filled in, with a provider that is there."""
    return {
        "name": "GPT-4o",
        "provider": str(provider_at("http://127.0.0.1:9/v1").pk),
        "model_id": "gpt-4o",
        "max_tokens_name": "max_tokens",
        "seconds": "180",
        "thinks": "unknown",
    }


def test_the_built_in_writers_are_there_and_named_for_what_they_are(researcher: Client) -> None:
    page = shown_text(researcher, reverse("models"))
    assert "ngram-2 (built-in n-gram model)" in page
    assert "it understands nothing" in page


def test_a_model_is_added_and_changed(researcher: Client, filled: dict[str, str]) -> None:
    researcher.post(reverse("model-new"), filled)
    model = LanguageModel.objects.get(name="GPT-4o")
    assert (model.reach, model.model_id, model.thinks) == ("endpoint", "gpt-4o", None)
    assert (model.price_input, model.parameters) == (None, {})
    known = {
        "name": "GPT", "parameters": '{"temperature": 0.9}', "family": "GPT", "size": "8B",
        "weights": "closed", "thinks": "true", "price_input": "2.5", "price_output": "10",
        "priced_on": "2026-11-01", "requests_a_minute": "500", "parallel": "8",
        "max_tokens_name": "max_completion_tokens",
    }  # fmt: skip
    researcher.post(reverse("model-edit", args=[model.pk]), filled | known)
    model.refresh_from_db()
    assert (model.name, model.parameters) == ("GPT", {"temperature": 0.9})
    assert (model.weights, model.thinks, model.max_tokens_name) == (
        "closed", True, "max_completion_tokens",
    )  # fmt: skip
    assert (model.price_input, model.price_output) == (Decimal("2.5"), Decimal(10))
    assert (model.requests_a_minute, model.parallel) == (500, 8)


def test_the_list_stands_by_provider_with_prices_and_limits(
    researcher: Client, filled: dict[str, str]
) -> None:
    researcher.post(reverse("model-new"), filled)
    priced = {"price_input": "2.5", "price_output": "10", "priced_on": "2026-11-01"}
    more = {"name": "Other", "tokens_a_minute": "30000"} | priced
    researcher.post(reverse("model-new"), filled | more)
    Provider.objects.create(name="Idle", base_url="http://127.0.0.1:9/v2")
    page = shown_text(researcher, reverse("models"))
    assert "openai at http://127.0.0.1:9/v1</h2>" in page
    assert '<span class="muted">unknown</span>' in page
    assert "$2.5 in, $10 out" in page
    assert "1 Nov 2026" in page
    assert "At most 30000 tokens a minute." in page
    assert "Without language models yet:" in page


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"price_input": "1"}, "price_output"),
        ({"price_output": "1", "priced_on": "2026-11-01"}, "price_input"),
        ({"price_input": "1", "price_output": "1"}, "priced_on"),
        ({"priced_on": "2026-11-01"}, "price_input"),
        ({"price_input": "-1", "price_output": "1", "priced_on": "2026-11-01"}, "price_input"),
        ({"price_input": "NaN", "price_output": "1", "priced_on": "2026-11-01"}, "price_input"),
    ],
)
def test_a_price_is_whole_or_unknown(
    researcher: Client, filled: dict[str, str], given: dict[str, str], field: str
) -> None:
    refused = researcher.post(reverse("model-new"), filled | given)
    assert refused.status_code == 422
    assert list(refused.context["form"].errors) == [field]


def test_a_key_among_the_parameters_is_refused_and_not_repeated(
    researcher: Client, filled: dict[str, str]
) -> None:
    for given in (
        '{"user": "sk-hunter2abcdefghijklm"}',
        '{"user": "sk-hunter2abcdefghijklm"',
        '{"extra": {"api_key": "hunter2"}}',
    ):
        refused = researcher.post(reverse("model-new"), filled | {"parameters": given})
        assert refused.status_code == 422
        assert "hunter2" not in refused.text
    assert not LanguageModel.objects.filter(name="GPT-4o").exists()


@pytest.mark.parametrize("field", ["name", "model_id", "description", "family"])
def test_a_key_in_any_other_field_is_refused_and_not_repeated(
    researcher: Client, filled: dict[str, str], field: str
) -> None:
    given = filled | {field: "sk-proj-hunter2abcdefghijklmnop"}
    refused = researcher.post(reverse("model-new"), given)
    assert refused.status_code == 422
    assert "hunter2" not in refused.text
    assert list(refused.context["form"].errors) == [field]


def test_of_two_who_take_one_name_at_once_one_is_told(
    researcher: Client, filled: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    researcher.post(reverse("model-new"), filled)
    # As if the other had come after the look for the name.
    monkeypatch.setattr(LanguageModelForm, "clean_name", lambda form: form.cleaned_data["name"])
    refused = researcher.post(reverse("model-new"), filled)
    assert refused.status_code == 422
    assert "There is a model named “GPT-4o” already" in refused.text


def test_a_provider_that_is_deleted_as_a_model_is_added_is_said_to_be_gone(
    db: None, filled: dict[str, str]
) -> None:
    data = QueryDict(mutable=True)
    data.update(filled)
    form = LanguageModelForm(data)
    assert form.is_valid()
    removing.remove_provider(int(filled["provider"]))
    assert form.save() is None
    assert form.errors["provider"] == ["It was deleted a moment ago; choose another."]


def test_what_somebody_else_has_just_deleted_is_not_found(
    researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = provider_at("http://127.0.0.1:9/v1")
    model = LanguageModel.objects.create(name="m", provider=provider, model_id="m")
    # As if the other had come after the page looked for it.
    with monkeypatch.context() as patched:
        patched.setattr(removing, "remove_model", missing(removing.remove_model))
        assert researcher.post(reverse("model-delete", args=[model.pk])).status_code == 404
    model.delete()
    monkeypatch.setattr(removing, "remove_provider", missing(removing.remove_provider))
    assert researcher.post(reverse("provider-delete", args=[provider.pk])).status_code == 404


def missing(remove: Callable[[int], None]) -> Callable[[int], None]:
    return lambda key: remove(key + 1)


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


def test_a_model_that_has_written_stays_what_it_is(
    researcher: Client, start: StartRun, filled: dict[str, str]
) -> None:
    write_all(start("ok"))
    model = LanguageModel.objects.get(name="ok")
    at = model.provider
    changed = filled | {"name": "New name", "parameters": '{"top_k": 1}', "family": "Known"}
    researcher.post(reverse("model-edit", args=[model.pk]), changed)
    model.refresh_from_db()
    assert (model.name, model.family) == ("New name", "Known")
    assert (model.provider, model.model_id, model.parameters) == (at, "ok", {})


def test_a_model_keeps_the_name_under_which_a_study_with_its_poems_was_opened(
    researcher: Client, filled: dict[str, str]
) -> None:
    study = draft()
    model = study.design.models_chosen.get(name__contains="Alpha")
    edit = reverse("model-edit", args=[model.pk])
    assert researcher.post(edit, filled | {"name": "Renamed"}).status_code == 302
    opened = open_study(study)
    page = shown_text(researcher, edit)
    assert "Fixed, for a study with its poems was opened under this name" in page
    refused = researcher.post(edit, filled | {"name": "Renamed again"})
    assert refused.status_code == 422
    assert "add another model for another name" in refused.text
    assert fingerprint(opened) == opened.fingerprint
    kept = filled | {"name": "Renamed", "description": "Asked in spring."}
    assert researcher.post(edit, kept).status_code == 302
    model.refresh_from_db()
    assert (model.name, model.description) == ("Renamed", "Asked in spring.")


def test_an_imported_model_stays_so_until_it_is_said_where_it_is_asked(
    researcher: Client, filled: dict[str, str]
) -> None:
    model = LanguageModel.objects.create(name="Jiuge", reach="imported")
    edit = reverse("model-edit", args=[model.pk])
    about = filled | {"name": "Jiuge", "description": "Of 2019."}
    researcher.post(edit, about | {"provider": "", "model_id": ""})
    model.refresh_from_db()
    assert (model.reach, model.description) == ("imported", "Of 2019.")
    for half in ("provider", "model_id"):
        assert researcher.post(edit, about | {half: ""}).status_code == 422
    researcher.post(edit, about)
    model.refresh_from_db()
    assert (model.reach, model.model_id) == ("endpoint", "gpt-4o")


def test_two_models_cannot_have_one_name(
    researcher: Client, add_model: AddModel, filled: dict[str, str]
) -> None:
    add_model("ok", name="GPT-4o")
    response = researcher.post(reverse("model-new"), filled)
    assert "There is a model named “GPT-4o” already" in response.text


def test_a_built_in_model_cannot_be_changed_or_deleted(researcher: Client) -> None:
    key = services.built_in_models()[0].pk
    for page in ("model-edit", "model-delete"):
        assert researcher.get(reverse(page, args=[key])).status_code == 404
    assert researcher.post(reverse("model-delete", args=[key])).status_code == 404


def test_a_model_without_poems_is_deleted_once_confirmed_and_what_it_was_asked_stays(
    researcher: Client, add_model: AddModel, start: StartRun, provider: FakeProvider
) -> None:
    model = add_model("think")
    researcher.post(reverse("model-test", args=[model.pk]))
    delete = reverse("model-delete", args=[model.pk])
    assert "Delete it" in shown_text(researcher, delete)
    assert LanguageModel.objects.filter(pk=model.pk).exists()
    researcher.post(delete)
    assert not LanguageModel.objects.filter(pk=model.pk).exists()
    assert Call.objects.get().request["model"] == "think"
    start("ok")
    queued = LanguageModel.objects.get(name="ok")
    kept = researcher.post(reverse("model-delete", args=[queued.pk]), follow=True)
    assert "so it stays" in kept.text
    assert LanguageModel.objects.filter(pk=queued.pk).exists()
