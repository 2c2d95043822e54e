"""The page of the key tells who asked and what follows, and only researchers may ask."""

import pytest
from django.test import Client

from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design.models import Design
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

PAGE = "/studies/known/unsealing/"
ASK = "/studies/known/unblind/"
TAKE_BACK = "/studies/known/unsealing/take-back/"


@pytest.fixture
def study() -> Study:
    made = make_study(unblinded=False)
    Design.objects.filter(study=made).update(unsealing_needs=2)
    return made


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(researcher(name))
    return client


def test_two_people_ask_and_both_are_named(study: Study) -> None:
    vera, wim = signed_in("vera"), signed_in("wim")
    assert "Nobody has asked yet" in vera.get(PAGE).content.decode()
    answer = vera.post(ASK, {"reason": "The panel <b>is</b> done"})
    assert answer["Location"] == PAGE
    mine, theirs = (client.get(PAGE).content.decode() for client in (vera, wim))
    assert "The panel &lt;b&gt;is&lt;/b&gt; done" in theirs
    assert "Take it back" in mine
    assert "Take it back" not in theirs
    assert "Unseal the key in my name" in theirs
    assert wim.post(ASK, {"reason": "Agreed"})["Location"] == "/studies/known/results/"
    page = vera.get(PAGE).content.decode()
    assert "wim unsealed the key" in " ".join(page.split())
    assert f'action="{ASK}"' not in page


def test_who_asked_and_is_no_researcher_any_more_is_said_not_to_count(study: Study) -> None:
    vera, wim = signed_in("vera"), signed_in("wim")
    vera.post(ASK)
    User.objects.filter(username="vera").update(role=User.Role.COORDINATOR)
    page = wim.get(PAGE).content.decode()
    assert "vera (no researcher any more: does not count)" in page
    assert "Ask for the key in my name" in page
    assert wim.post(ASK)["Location"] == PAGE


def test_who_asked_and_is_a_researcher_again_can_unseal_what_enough_have_asked_for(
    study: Study,
) -> None:
    vera, wim = signed_in("vera"), signed_in("wim")
    vera.post(ASK, {"reason": "All is in"})
    assert "as soon as somebody else asks as well" in vera.get(PAGE).content.decode()
    User.objects.filter(username="vera").update(role=User.Role.COORDINATOR)
    wim.post(ASK, {"reason": "Agreed"})
    assert "as soon as somebody else asks as well" in wim.get(PAGE).content.decode()
    User.objects.filter(username="vera").update(role=User.Role.RESEARCHER)
    for client in (vera, wim):
        page = client.get(PAGE).content.decode()
        assert "As many have asked as have to: you can unseal the key now." in page
        assert "Unseal the key in my name" in page
        assert 'name="reason"' not in page
        assert "Take it back" in page
        assert "somebody else asks" not in page
    assert Design.objects.get(study=study).unblinded_at is None
    assert wim.post(ASK)["Location"] == "/studies/known/results/"
    assert Design.objects.get(study=study).unblinded_by.username == "wim"
    assert study.design.unsealings.get(by__username="wim").reason == "Agreed"


def test_a_third_person_is_told_that_enough_have_asked(study: Study) -> None:
    for name in ("vera", "wim"):
        study.design.unsealings.create(by=researcher(name))
    page = signed_in("xenia").get(PAGE).content.decode()
    assert "you can unseal the key now" in page
    assert 'name="reason"' in page
    assert "Take it back" not in page


def test_who_asked_can_take_it_back(study: Study) -> None:
    vera = signed_in("vera")
    vera.post(ASK)
    assert vera.post(TAKE_BACK)["Location"] == PAGE
    page = vera.get(PAGE).content.decode()
    assert "Nobody has asked yet" in page
    assert "no longer asked for the key" in page


def test_an_open_study_offers_no_button(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(state="open")
    page = signed_in("vera").get(PAGE).content.decode()
    assert "Close the study first" in page
    assert f'action="{ASK}"' not in page


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("address", [PAGE, ASK, TAKE_BACK])
def test_a_coordinator_is_refused(study: Study, address: str, method: str) -> None:
    client = Client()
    client.force_login(coordinator())
    assert getattr(client, method)(address).status_code == 403


def test_a_reason_as_long_as_a_book_is_cut_and_not_refused(study: Study) -> None:
    signed_in("vera").post(ASK, {"reason": "x" * 9000})
    assert len(study.design.unsealings.get().reason) == 500


def test_the_page_of_a_study_that_is_not_there_is_not_found() -> None:
    assert signed_in("vera").get(PAGE).status_code == 404
