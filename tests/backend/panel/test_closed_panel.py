"""The panel page of a study that is closed."""

import pytest
from django.urls import reverse

from annotation.studies import links
from annotation.studies.models import OpenLink, Study
from tests.annotation.panel import expert

pytestmark = pytest.mark.django_db


def test_the_panel_of_a_closed_study_promises_nothing_of_an_open_one(client, study):
    expert(study, "Ada")
    there = reverse("panel", args=[study.slug])
    links.open_link(study, quota=3, label="Poets")
    page = client.get(there).text
    for words in ("whoever follows an open link", "Works until", "who needs a word", "or replace"):
        assert words in page
    Study.objects.update(state="closed")
    page = client.get(there).text
    for words in ("whoever follows", "Works until", "who needs a word", "or replace"):
        assert words not in page
    assert "nobody joins by an open link any more" in page
    assert "How far they came: the ledger" in page
    OpenLink.objects.all().delete()
    assert "pen link" not in client.get(there).text
