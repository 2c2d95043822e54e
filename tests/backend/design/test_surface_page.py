"""The page of the surface check: figure, give-aways, and the reason above the limit."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity.models import Entry
from annotation.studies.models import Item
from backend.design.models import Design, SurfaceCheck
from backend.design.services import open_study
from backend.generation.models import Generation
from tests.backend.design.material import draft, material
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def body(client: Client, study) -> str:  # type: ignore[no-untyped-def]
    page = client.get(reverse("surface", args=[study.slug])).content.decode()
    return " ".join(page.split())


def test_a_check_is_made_logged_and_shown_with_what_gives_the_texts_away(client):
    shelf = material(poems=12, models=["Alpha"])
    for letter, one in zip("abcdefghijkl", Generation.objects.order_by("pk"), strict=True):
        one.text = f"One line;\nand another {letter};\nand a third;"
        one.save()
    study = draft(shelf)
    assert "No check was made yet" in body(client, study)
    client.post(reverse("surface", args=[study.slug]))
    page = body(client, study)
    assert "AUC 1.00" in page
    assert "above the limit of 0.60" in page
    assert "semicolons a line" in page
    assert "order of the items" in page
    assert SurfaceCheck.objects.get().made_by.username == "kim"
    assert Entry.objects.get(kind="surface.checked").details["auc"] == 1.0


def test_too_few_texts_give_no_figure_and_the_page_says_why(client):
    study = draft()
    client.post(reverse("surface", args=[study.slug]))
    page = body(client, study)
    assert "There is no figure: too few human texts" in page
    assert "not defined" in page


def test_a_check_of_other_texts_is_said_to_be_old(client):
    study = draft()
    client.post(reverse("surface", args=[study.slug]))
    Item.objects.filter(pk=study.items.first().pk).update(text="Another.")
    assert "make it again" in body(client, study)


def test_limit_and_reason_are_kept_in_a_draft_and_fixed_afterwards(client):
    study = draft()
    there = reverse("surface-limit", args=[study.slug])
    client.post(there, {"limit": "0.7", "reason": "So it is."})
    assert Design.objects.values_list("surface_limit", "surface_reason").get() == (0.7, "So it is.")
    assert client.post(there, {"limit": "2", "reason": ""}).status_code == 422
    open_study(study)
    answer = client.post(there, {"limit": "0.9", "reason": ""}, follow=True)
    assert "were fixed when the study was opened" in answer.content.decode()
    assert Design.objects.get().surface_limit == 0.7
    assert "So it is." in body(client, study)
