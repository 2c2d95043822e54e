"""The pages about language models, runs and machine poems are for researchers."""

import pytest
from django.test import Client
from django.urls import reverse

from backend.generation.models import LanguageModel, Run
from tests.backend.generation.conftest import (
    StartRun,
    shown_text,
    signed_in,
    write_all,
)

pytestmark = pytest.mark.django_db


def addresses(run: Run, model: LanguageModel) -> list[str]:
    generation = run.generations.first()
    assert generation is not None
    return [
        reverse("runs"),
        reverse("run-new"),
        reverse("run-import"),
        reverse("models"),
        reverse("model-new"),
        reverse("model-edit", args=[model.pk]),
        reverse("run", args=[run.pk]),
        reverse("run-progress", args=[run.pk]),
        reverse("generation", args=[generation.pk]),
    ]


def test_every_page_opens_for_a_researcher_and_for_nobody_less(start: StartRun) -> None:
    run = start("ok", "refusal", "busy")
    write_all(run)
    pages = addresses(run, LanguageModel.objects.get(name="ok"))
    for role, status in {"researcher": 200, "admin": 200, "coordinator": 403}.items():
        client = signed_in(role)
        assert {client.get(page).status_code for page in pages} == {status}
    for page in pages:
        assert Client().get(page)["Location"] == f"{reverse('sign-in')}?next={page}"


def test_a_coordinator_can_neither_start_nor_retry(start: StartRun) -> None:
    client, run = signed_in("coordinator"), start("ok")
    for page in (reverse("run-new"), reverse("run-retry", args=[run.pk]), reverse("run-import")):
        assert client.post(page).status_code == 403
    assert Run.objects.count() == 1


def test_empty_pages_say_what_to_do(researcher: Client) -> None:
    assert "No machine poems yet. Start a run" in shown_text(researcher, reverse("runs"))
    assert "There are no human poems yet" in shown_text(researcher, reverse("run-new"))
