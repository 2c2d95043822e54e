"""The guided page says how exact an AUC will be, and what to change where experts are too few."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.studies.models import Study
from backend.design import methods
from tests.backend.design.material import material
from tests.backend.design.test_builder import filled
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def test_how_exact_an_auc_will_be_follows_the_experts_who_are_expected(client):
    there, shelf = reverse("study-counts"), material(poems=6)
    few, many = (
        client.post(there, filled(shelf, twins="last", experts=number)).json()["precision"]
        for number in ("4", "40")
    )
    assert "4 experts" in few
    assert "40 experts" in many
    assert few != many
    page = client.post(reverse("new-study"), filled(shelf, count="yes", experts="8"))
    told = page.content.decode()
    assert '<th scope="row">8 <span class="small">as above</span></th>' in told
    assert "simulated studies of ProFTAP's size, not from your" in told
    assert 'name="experts" value="8"' in told
    client.post(reverse("new-study"), filled(shelf, experts="8"))
    assert Study.objects.count() == 1


def test_of_pairs_no_auc_is_promised(client):
    given = filled(material(), instrument="pair-choice", experts="8")
    answer = client.post(reverse("study-counts"), given).json()
    assert answer["items"] == 6
    assert "once your choices can be counted" in answer["precision"]


def test_fewer_experts_than_it_takes_are_said_to_be_too_few(client):
    answer = client.post(reverse("study-counts"), filled(material(), experts="3")).json()
    assert answer["experts"] == 6
    told = " ".join(answer["precision"].split())
    assert "3 experts are too few: it takes at least 6." in told
    assert "the 3 texts on one brief, with K = 2, take 6 judgments" in told
    for field in ("twins", "judges_per_item", "experts"):
        assert f'href="#id_{field}"' in told
    assert answer["half"] == "–"
    assert "±" not in told.split("<table")[0]


def test_too_few_experts_for_one_poem_are_told_so_without_a_word_on_briefs(client):
    given = filled(material(), experts="2", judges_per_item="3", twins="last")
    told = client.post(reverse("study-counts"), given).json()["precision"]
    assert "The judgments of one poem are each by another expert." in told
    assert "#id_twins" not in told


def test_of_groups_with_k_of_their_own_no_one_k_is_named(client):
    shelf = material()
    one = shelf.collection.poems.first()
    one.form = "limerick"
    one.save()
    groups = {"group_1_name": "Short", "group_1_forms": "limerick", "group_1_judges": "4",
              "group_2_name": "Rest"}  # fmt: skip
    told = client.post(reverse("study-counts"), filled(shelf, experts="3", **groups)).json()
    shown = told["precision"].split("<table")[0]
    assert "texts on one brief take up to 12 judgments" in shown
    assert "#id_judges_per_item" not in shown


def test_the_margin_is_linked_and_cells_narrow_enough_for_it_are_marked(client):
    given = filled(material(poems=12), twins="last", experts="20")
    there = reverse("study-counts")
    none = client.post(there, given | {"margin": "0.001"}).json()["precision"]
    assert "None of these is narrow enough" in none
    assert "no number of experts would make it narrow enough" in none
    some = client.post(there, given | {"margin": "0.12"}).json()["precision"]
    assert " ✓</td>" in some
    assert '<a href="#id_margin">margin</a>' in some
    assert "#id_margin" not in client.post(there, given).json()["precision"]


def test_proftap_begins_as_the_published_study_went(client):
    begins = methods.beginning("proftap")
    assert (begins["judges_per_item"], begins["twins"], begins["experts"]) == (2, "last", 13)
    # Eleven authors on each brief: apart, they would take 22 experts.
    shelf = material(poems=2, models=[f"Model {number}" for number in range(10)])
    given = filled(shelf, **begins)
    answer = client.post(reverse("study-counts"), given).json()
    assert answer["experts"] <= 13
    assert "too few" not in answer["precision"]
