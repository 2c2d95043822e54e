"""A study is opened while what its fingerprint binds is being changed."""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.studies.models import Study
from backend.design import freezing, services
from backend.generation.forms.models import LanguageModelForm
from tests.annotation.test_two_at_once import Meeting, at_once
from tests.backend.design.material import draft
from tests.studies import researcher

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time"),
]


def test_the_fingerprint_binds_the_names_that_models_have_after_the_opening(monkeypatch):
    study = draft()
    writer = study.design.models_chosen.first()
    form = {"name": "Another", "max_tokens_name": "max_tokens", "seconds": 60}
    client = Client()
    client.force_login(researcher("ida"))
    meeting = Meeting()
    content_of = meeting.at("one", freezing.content_of, before=False)
    monkeypatch.setattr(freezing, "content_of", content_of)
    save = meeting.at("other", LanguageModelForm.save, before=True)
    monkeypatch.setattr(LanguageModelForm, "save", save)
    at_once(
        lambda: services.open_study(Study.objects.get(pk=study.pk)),
        lambda: client.post(reverse("model-edit", args=[writer.pk]), form),
    )
    opened = Study.objects.get(pk=study.pk)
    monkeypatch.undo()
    assert freezing.fingerprint(opened) == opened.fingerprint
