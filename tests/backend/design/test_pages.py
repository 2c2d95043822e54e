"""The coordinator's way by the pages: build, look, open, invite, watch, close."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Invitation, Judge, Study
from backend.design import services
from tests.backend.design.material import AUTHOR, MODEL, SOURCE, TITLE, Material, draft, material
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db

SECRETS = (AUTHOR, SOURCE, TITLE, MODEL)


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def fields(of: Material, **changes: object) -> dict[str, object]:
    """Return the builder's form, filled in."""
    return {
        "title": "Spring study",
        "contact": "panel@university.example",
        "instrument": "poemetric-survey",
        "collection": of.collection.pk,
        "poems": "2",
        "runs": [of.run.pk],
        "models": [one.pk for one in of.models],
        "judges_per_item": "3",
        "batch_size": "4",
        "seed": "11",
        "consent": "Do you agree?",
        **changes,
    }


def body(client: Client, page: str, *args: object, query: str = "") -> str:
    response = client.get(reverse(page, args=args) + query)
    assert response.status_code == 200
    return response.content.decode()


def post(client: Client, page: str, *args: object, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(page, args=args), data, follow=True)


def test_a_study_is_built_from_every_field_of_the_form(client):
    shelf = material()
    answer = client.post(reverse("new-study"), fields(shelf))
    study = Study.objects.select_related("design").get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("study", args=[study.slug]))
    assert (study.title, study.contact) == ("Spring study", "panel@university.example")
    assert study.instrument.key == "poemetric-survey"
    assert (study.judges_per_item, study.batch_size, study.seed) == (3, 4, 11)
    assert (study.state, study.consent_text) == ("draft", "Do you agree?")
    assert study.items.count() == 6
    assert study.design.collection == shelf.collection
    assert list(study.design.runs.all()) == [shelf.run]
    assert set(study.design.models_chosen.all()) == set(shelf.models)
    assert study.design.shows_titles is False
    assert study.design.created_by is not None


def test_titles_are_shown_and_all_poems_taken_where_that_is_asked(client):
    client.post(reverse("new-study"), fields(material(), poems="", shows_titles="on", consent=""))
    study = Study.objects.get()
    assert study.items.count() == 9
    assert study.items.exclude(title="").count() == 9
    assert "panel@university.example" in study.consent_text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": ""}, "required"),
        ({"title": "x" * 121}, "at most 120"),
        ({"instrument": "none"}, "valid choice"),
        ({"collection": "0"}, "valid choice"),
        ({"poems": "0"}, "greater than or equal to 1"),
        ({"judges_per_item": "0"}, "greater than or equal to 1"),
        ({"judges_per_item": "101"}, "less than or equal to 100"),
        ({"batch_size": "-1"}, "greater than or equal to 1"),
        ({"seed": "x"}, "whole number"),
        ({"seed": str(10**30)}, "less than or equal to"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"runs": []}, "both the runs and the models"),
        ({"models": []}, "both the runs and the models"),
        ({"consent": "a\x00b"}, "Null characters"),
    ],
)
def test_a_wrong_form_is_shown_again_with_what_was_typed(client, changes, said):
    shelf = material()
    answer = client.post(reverse("new-study"), fields(shelf, **{"contact": "Kim", **changes}))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    assert 'value="Kim"' in page
    assert "Do you agree?" in page or "consent" in changes
    assert not Study.objects.exists()


def test_an_empty_form_is_refused_field_by_field(client):
    answer = client.post(reverse("new-study"))
    assert answer.status_code == 422
    assert answer.content.decode().count("This field is required") >= 6


def test_a_choice_without_poems_is_explained_beside_the_collection(client):
    shelf = material(poems=0)
    answer = client.post(reverse("new-study"), fields(shelf, runs=[], models=[]))
    assert answer.status_code == 422
    assert "holds no poem; import some first" in answer.content.decode()


def test_the_preview_shows_every_item_as_judges_see_it_and_nothing_of_its_origin(client):
    study = draft()
    pages = [body(client, "preview", study.slug, query=f"?page={n}") for n in range(1, 10)]
    for page, item in zip(pages, study.items.order_by("pk"), strict=True):
        assert item.text.split("\n")[0] in page
        assert "The poem is written by a human." in page
        assert not [secret for secret in SECRETS if secret in page]


def test_no_page_of_a_coordinator_tells_who_wrote_what(client):
    study = draft()
    seen = [body(client, "studies"), body(client, "study", study.slug)]
    seen.append(post(client, "open-study", study.slug).content.decode())
    seen.append(post(client, "invite", study.slug, name="Ada").content.decode())
    seen.append(body(client, "judging", study.slug))
    seen.append(post(client, "close-study", study.slug).content.decode())
    services.unblind(study, by=researcher())
    seen += [body(client, name, study.slug) for name in ("study", "judging")]
    for page in seen:
        assert not [secret for secret in SECRETS if secret in page]
        assert study.design.key_salt not in page
        assert not [item for item in study.items.all() if item.stratum in page]


def test_a_study_is_opened_under_its_fingerprint(client):
    study = draft()
    assert "given when the study opens" in body(client, "study", study.slug)
    page = post(client, "open-study", study.slug).content.decode()
    study.refresh_from_db()
    assert study.state == "open"
    assert study.fingerprint in page
    assert "Only a draft can be opened" in post(client, "open-study", study.slug).content.decode()


def test_a_draft_is_discarded_and_an_open_study_is_not(client):
    shelf = material()
    study = draft(shelf)
    assert "is discarded" in post(client, "discard-study", study.slug).content.decode()
    assert not Study.objects.exists()
    slug = services.open_study(draft(shelf)).slug
    assert "Only a draft" in post(client, "discard-study", slug).content.decode()
    assert Study.objects.count() == 1


def link(page: str) -> str:
    """Return the path of the personal link on a page."""
    found = re.search(r'value="http://testserver(/invitation/[^"]+/)"', page)
    assert found
    return found[1]


def test_an_invitation_shows_its_link_once(client):
    study = services.open_study(draft())
    answer = post(client, "invite", study.slug, name="Ada", email="ada@reader.example")
    secret = link(answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    assert Client().get(secret).status_code == 302
    page = body(client, "study", study.slug)
    assert "Ada" in page
    assert "ada@reader.example" in page
    assert secret.split("/")[2] not in page
    assert "link opened" in page


def test_one_address_is_invited_once(client):
    study = services.open_study(draft())
    post(client, "invite", study.slug, name="Ada", email="ada@reader.example")
    answer = post(client, "invite", study.slug, name="Ada B.", email="ADA@reader.example")
    assert answer.status_code == 422
    assert "is on the panel already" in answer.content.decode()
    assert 'value="Ada B."' in answer.content.decode()
    assert Judge.objects.count() == 1


@pytest.mark.parametrize(
    "typed",
    [
        {"name": ""},
        {"name": "x" * 121},
        {"name": "A", "email": "a"},
        {"name": "A", "email": "a" * 250 + "@reader.example"},
    ],
)
def test_a_wrong_invitation_is_refused_on_the_studys_page(client, typed):
    study = services.open_study(draft())
    answer = post(client, "invite", study.slug, **typed)
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


def test_a_new_link_stops_the_old_one(client):
    study = services.open_study(draft())
    old = link(post(client, "invite", study.slug, name="Ada").content.decode())
    code = Judge.objects.get().code
    new = link(post(client, "new-link", study.slug, code).content.decode())
    assert Client().get(old).status_code == 404
    assert Client().get(new).status_code == 302


def test_stopping_a_link_gives_unanswered_poems_back_and_keeps_what_was_answered(client):
    study = services.open_study(draft(instrument="proftap-probability"))
    secret = link(post(client, "invite", study.slug, name="Ada").content.decode())
    judge = Judge.objects.get()
    ledger.agree(judge)
    assert ledger.deal(judge) == 5
    first = Assignment.objects.of(judge).in_order()[0]
    submit(first, {"probability_human": "0,35"}, milliseconds=None)
    page = post(client, "revoke", study.slug, judge.code).content.decode()
    assert "poems that went back to the others: 4" in page
    assert "link stopped" in page
    assert Client().get(secret).status_code == 404
    assert sum(study.items.values_list("places_taken", flat=True)) == 1
    assert Assignment.objects.of(judge).answered().count() == 1


def test_progress_is_shown_while_answers_come_in(client):
    study = services.open_study(draft(instrument="proftap-probability"))
    judge = ledger.invite(study, name="Ada").invitation.judge
    ledger.agree(judge)
    ledger.deal(judge)
    for assignment in Assignment.objects.of(judge).in_order()[:2]:
        submit(assignment, {"probability_human": 0.5}, milliseconds=None)
    page = body(client, "study", study.slug)
    assert "2 of 18 judgments by experts are in" in " ".join(page.split())
    assert "agreed" in page
    assert "0.5" not in page


def test_a_closed_study_takes_no_more_judges_and_says_who_can_unseal(client):
    study = services.open_study(draft())
    page = post(client, "close-study", study.slug).content.decode()
    assert "Its key is still sealed" in page
    assert "A researcher can unseal it" in page
    assert "Invite an expert" not in page
    again = post(client, "close-study", study.slug).content.decode()
    assert "Only an open study can be closed" in again
