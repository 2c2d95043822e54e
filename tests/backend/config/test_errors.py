"""What a domain error looks like to whoever meets it."""

import pytest
from django.test import Client

from annotation.studies import services as ledger
from annotation.studies.models import ItemQuerySet
from tests.annotation.panel import enter, expert, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(monkeypatch):
    """Return the client of somebody whose places are always gone a moment before."""
    monkeypatch.setattr(ItemQuerySet, "take_places", lambda self, keys: 0)
    judge = expert(open_study())
    with pytest.raises(ledger.PlacesGone):
        ledger.deal(judge)
    return enter(Client(), judge)


def test_whoever_lost_every_place_is_asked_on_a_page_to_try_again(reader):
    shown = reader.post(f"/desk/{reader.key}/next/")
    assert (shown.status_code, shown["Retry-After"]) == (503, "5")
    assert "Please try again in a moment" in shown.content.decode()
    assert f"/desk/{reader.key}/" in shown.content.decode()


def test_a_program_that_lost_every_place_is_told_when_to_try_again(reader):
    told = reader.post(f"/api/desk/{reader.key}/next/")
    assert (told.status_code, told["Retry-After"]) == (503, "5")
    assert told.json() == {"detail": "try again in a moment"}
