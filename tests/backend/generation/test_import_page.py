"""The page that takes a file of machine poems."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from backend.corpus.models import Collection
from backend.generation.models import Run
from tests.backend.generation.conftest import (
    StartRun,
    shown_text,
)
from tests.backend.generation.fake_provider import POEM

pytestmark = pytest.mark.django_db


def upload(client: Client, content: bytes, **answers: str):  # type: ignore[no-untyped-def]
    file = SimpleUploadedFile("replies.csv", content)
    asked = {"run_name": "Imported", "template": "poemetric", "encoding": "utf-8", **answers}
    return client.post(reverse("run-import"), {"file": file, **asked}, follow=True)


def test_a_file_becomes_a_run(researcher: Client, collection: Collection) -> None:
    content = f'model,title,reply\nM,dawn,"{POEM}"\n'.encode()
    response = upload(researcher, content, collection=str(collection.pk))
    run = Run.objects.get()
    assert response.redirect_chain == [(reverse("run", args=[run.pk]), 302)]
    assert "1 reply added to “Imported”" in response.content.decode()
    assert "Imported" in shown_text(researcher, reverse("runs"))
    generation = reverse("generation", args=[run.generations.get().pk])
    assert "None: the reply was imported." in shown_text(researcher, generation)


def test_columns_can_be_named(researcher: Client) -> None:
    content = f'LLM,prompt,reply\nM,Go,"{POEM}"\n'.encode()
    assert upload(researcher, content).status_code == 422
    upload(researcher, content, **{"column-model": "LLM"})
    assert Run.objects.count() == 1


def test_problems_are_shown_with_line_reason_and_remedy_and_nothing_is_kept(
    researcher: Client, collection: Collection
) -> None:
    response = upload(researcher, b"model,title,reply\nM,Night,x\n", collection=str(collection.pk))
    page = response.content.decode()
    assert response.status_code == 422
    for shown in ("1 problem.", "No poem of “Verse” is titled “Night”", "column poem_key"):
        assert shown in page
    assert Run.objects.count() == 0


def test_a_name_that_a_run_has_is_refused(researcher: Client, start: StartRun) -> None:
    start("ok", name="Imported")
    response = upload(researcher, f'model,prompt,reply\nM,Go,"{POEM}"\n'.encode())
    assert response.status_code == 422
    assert "choose another name" in response.content.decode()
