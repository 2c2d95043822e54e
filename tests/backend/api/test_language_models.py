"""Language models and providers are read and set up by programs of researchers alone."""

import json
from typing import Any

import pytest

from backend.api.scopes import Scope
from backend.design.services import open_study
from backend.generation.forms.models import LanguageModelForm
from backend.generation.forms.providers import ProviderForm
from backend.generation.models import Generation, LanguageModel, Provider
from tests.backend.api.calling import Program, program
from tests.backend.design.material import draft, material
from tests.language_models import model_at
from tests.studies import researcher

pytestmark = pytest.mark.django_db

PROVIDER = {"name": "Mine", "base_url": "http://localhost:8000/v1", "key_variable": "MY_KEY"}


def added(vera: Program, **more: Any) -> Any:
    provider = vera.post("providers/", PROVIDER).json()["id"]
    return vera.post(
        "language-models/", {"name": "A", "provider": provider, "model_id": "a", **more}
    )


def test_a_provider_and_a_model_are_added_read_and_changed(vera: Program) -> None:
    made = added(vera, parameters={"temperature": 0.9}, thinks=True, parallel=4)
    assert made.status_code == 201, made.json()
    model = made.json()
    assert (model["reach"], model["parameters"]) == ("endpoint", {"temperature": 0.9})
    assert (model["price_input"], model["weights"], model["thinks"]) == (None, "", True)
    price = {"price_input": "2.5", "price_output": "10", "priced_on": "2026-11-01"}
    changed = vera.patch(f"language-models/{model['id']}/", price).json()
    assert (changed["price_input"], changed["priced_on"]) == ("2.500000", "2026-11-01")
    assert (changed["parallel"], changed["parameters"]) == (4, {"temperature": 0.9})
    (provider,) = vera.get("providers/").json()["results"]
    assert (provider["wire"], provider["key_variable"]) == ("openai", "MY_KEY")
    changed = vera.patch(f"providers/{provider['id']}/", {"requests_a_minute": 60}).json()
    assert (changed["requests_a_minute"], changed["name"]) == (60, "Mine")
    assert vera.get(f"providers/{provider['id']}/").json() == changed


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"key_variable": "sk-abc123"}, "key_variable"),
        ({"key_variable": "BLINDVERSE_SECRET_KEY"}, "key_variable"),
        ({"name": "sk-abcdefghijklmnop1234"}, "name"),
        ({"base_url": "http://169.254.169.254/v1"}, "base_url"),
        ({"base_url": "https://user:hunter2@api.example.org"}, "base_url"),
        ({"wire": "smoke"}, "wire"),
        ({"parallel": 0}, "parallel"),
    ],
)
def test_a_provider_keeps_the_rules_of_its_page(
    vera: Program, body: dict[str, object], field: str
) -> None:
    refused = vera.post("providers/", PROVIDER | body)
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == [field]
    assert not Provider.objects.exists()


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"parameters": {"stream": True}}, "parameters"),
        ({"parameters": {"x": "\x00"}}, "parameters"),
        ({"parameters": {"x": json.loads("[" * 100 + "]" * 100)}}, "parameters"),
        ({"price_input": "1"}, "price_output"),
        ({"provider": 999_999}, "provider"),
    ],
)
def test_a_model_keeps_the_rules_of_its_page(
    vera: Program, more: dict[str, object], field: str
) -> None:
    refused = added(vera, **more)
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == [field]


def test_what_poems_rest_on_is_refused_and_the_rest_is_changed(vera: Program) -> None:
    made = material()
    model = model_at("http://localhost:8000/v1", "m", name="Writer")
    Generation.objects.filter(model=made.models[0]).update(model=model)
    assert model.provider
    for path, body in (
        (f"language-models/{model.pk}/", {"model_id": "other"}),
        (f"language-models/{model.pk}/", {"parameters": {}}),
        (f"providers/{model.provider.pk}/", {"base_url": "http://localhost:9/v1"}),
    ):
        assert vera.patch(path, body).status_code == 400
    assert vera.patch(f"language-models/{model.pk}/", {"family": "W"}).json()["family"] == "W"


def test_a_name_that_a_fingerprint_binds_stays(vera: Program) -> None:
    study = draft()
    model = study.design.models_chosen.all()[0]
    open_study(study)
    refused = vera.patch(f"language-models/{model.pk}/", {"name": "Another"})
    assert list(refused.json()["errors"]) == ["name"]


def test_a_built_in_model_cannot_be_changed(vera: Program) -> None:
    (model, *_) = vera.get("language-models/", reach="built-in").json()["results"]
    assert vera.patch(f"language-models/{model['id']}/", {"family": "x"}).status_code == 404


def test_coordinators_and_programs_that_only_read_change_nothing(kim: Program) -> None:
    model = LanguageModel.objects.create(name="A", reach="imported")
    reads = program(researcher("rea"), Scope.CORPUS_READ)
    for who in (kim, reads):
        assert who.patch(f"language-models/{model.pk}/", {"family": "x"}).status_code == 403
        assert who.post("providers/", PROVIDER).status_code == 403
    assert kim.get("providers/").status_code == 403


def test_of_two_who_take_one_name_at_once_one_is_told(
    vera: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = added(vera).json()
    # As if the other had come after the look for the name.
    for form in (ProviderForm, LanguageModelForm):
        monkeypatch.setattr(form, "clean_name", lambda self: self.cleaned_data["name"])
    again = {"name": "A", "provider": model["provider"], "model_id": "a"}
    other = vera.post("language-models/", again | {"name": "B"}).json()
    for refused in (
        vera.post("providers/", PROVIDER),
        vera.post("language-models/", again),
        vera.patch(f"language-models/{other['id']}/", {"name": "A"}),
    ):
        assert refused.status_code == 400
        assert list(refused.json()["errors"]) == ["name"]
