"""The coordinator's way by the pages: build, look, open, watch, close."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, ConsentWording, Study
from backend.design import services, unsealing
from tests.annotation.panel import desk, enter, expert
from tests.backend.design.material import (
    AUTHOR,
    MODEL,
    SOURCE,
    TITLE,
    Material,
    agree,
    draft,
    material,
)  # fmt: skip
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db

FIXED = "More questions follow. Once you go on, these answers are fixed."
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
        "consent_zh": "您同意吗?",
        "promise": "I promise.",
        "honorarium": "A book.",
        "asks_background": "on",
        "debriefs": "on",
        **changes,
    }


def body(client: Client, page: str, *args: object, query: str = "") -> str:
    response = client.get(reverse(page, args=args) + query)
    assert response.status_code == 200
    return response.content.decode()


def post(client: Client, page: str, *args: object, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(page, args=args), data, follow=True)


def looked_at(client: Client, study: Study) -> None:
    """Do what has to be done before a draft can be opened from its page."""
    body(client, "preview", study.slug)
    assert client.post(reverse("surface", args=[study.slug])).status_code == 302


def test_a_study_is_built_from_every_field_of_the_form(client):
    shelf = material()
    answer = client.post(reverse("new-study"), fields(shelf))
    study = Study.objects.select_related("design").get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("study", args=[study.slug]))
    assert (study.title, study.contact) == ("Spring study", "panel@university.example")
    assert study.instrument.key == "poemetric-survey"
    assert (study.judges_per_item, study.batch_size, study.seed) == (3, 4, 11)
    assert study.state == "draft"
    texts = ConsentWording.objects.values_list("version", "language", "text")
    assert set(texts) == {(1, "en", "Do you agree?"), (1, "zh-hans", "您同意吗?")}
    assert (study.promise, study.honorarium) == ("I promise.", "A book.")
    assert (study.asks_background, study.debriefs) == (True, True)
    assert study.items.count() == 6
    assert study.design.collection == shelf.collection
    assert list(study.design.runs.all()) == [shelf.run]
    assert set(study.design.models_chosen.all()) == set(shelf.models)
    assert study.design.shows_titles is False
    assert study.design.created_by is not None


def test_titles_are_shown_and_all_poems_taken_where_that_is_asked(client):
    empty = {"consent": "", "consent_zh": "", "promise": ""}
    form = fields(material(), poems="", shows_titles="on", **empty)
    client.post(
        reverse("new-study"),
        {
            name: value
            for name, value in form.items()
            if name not in ("asks_background", "debriefs")
        },
    )
    study = Study.objects.get()
    assert study.items.count() == 9
    assert study.items.exclude(title="").count() == 9
    assert (study.promise, study.asks_background, study.debriefs) == ("", False, False)
    texts = ConsentWording.objects.values_list("text", flat=True)
    assert len(texts) == 2
    assert all("panel@university.example" in text for text in texts)


def test_line_ends_of_a_form_are_stored_as_one_kind(client):
    client.post(reverse("new-study"), fields(material(), consent="One.\r\n\r\nTwo."))
    assert ConsentWording.objects.get(language="en").text == "One.\n\nTwo."


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
        ({"promise": "x" * 301}, "at most 300"),
        ({"honorarium": "x" * 201}, "at most 200"),
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


def test_the_preview_shows_pairs_side_by_side_and_counts_them(client):
    study = draft(instrument="pair-choice")
    for number, item in enumerate(study.items.order_by("pk"), start=1):
        page = body(client, "preview", study.slug, query=f"?page={number}")
        assert item.text.split("\n")[0] in page
        assert item.second.split("\n")[0] in page
        assert f"Pair {number} of 6" in page
        assert not [secret for secret in SECRETS if secret in page]
    assert "6 pairs, 2 judges for each" in body(client, "study", study.slug)


def test_the_preview_sets_between_two_stages_what_an_expert_reads_there(client):
    study = draft(instrument="recognised-probability")
    page = body(client, "preview", study.slug)
    places = [page.index(one) for one in ('name="overall_quality"', FIXED, 'id="q-probability')]
    assert places == sorted(places)
    assert page.count(FIXED) == 1
    judge = expert(services.open_study(study))
    ledger.deal(judge)
    reader = enter(Client(), judge)
    token = Assignment.objects.of(judge).in_order().first().token
    assert FIXED in reader.get(f"{desk(reader)}poem/{token}/").content.decode()


def test_the_preview_of_a_single_stage_speaks_of_no_more_questions(client):
    assert FIXED not in body(client, "preview", draft().slug)


@pytest.mark.parametrize(("instrument", "choices"), [("pair-choice", 1), ("poemetric-survey", 0)])
def test_a_comment_in_the_preview_names_text_a_or_b_of_a_pair(client, instrument, choices):
    page = body(client, "preview", draft(instrument=instrument).slug)
    assert page.count("<option>A</option><option>B</option>") == choices
    assert "data-comment" in page


def test_pairs_that_cannot_be_made_are_explained_beside_the_collection(client):
    answer = client.post(
        reverse("new-study"), fields(material(), instrument="pair-choice", runs=[], models=[])
    )
    assert answer.status_code == 422
    assert "Choose runs and models, too" in answer.content.decode()


def test_no_page_of_a_coordinator_tells_who_wrote_what(client):
    study = draft()
    seen = [body(client, "studies"), body(client, "study", study.slug)]
    looked_at(client, study)
    seen.append(body(client, "surface", study.slug))
    seen.append(post(client, "open-study", study.slug).content.decode())
    seen.append(post(client, "invite", study.slug, name="Ada").content.decode())
    seen += [body(client, name, study.slug) for name in ("study-consent", "panel", "judging")]
    seen.append(post(client, "close-study", study.slug).content.decode())
    unsealing.ask(study, by=researcher())
    seen += [body(client, name, study.slug) for name in ("study", "panel", "judging")]
    for page in seen:
        assert not [secret for secret in SECRETS if secret in page]
        assert study.design.key_salt not in page
        assert not [item for item in study.items.all() if item.stratum in page]


def test_a_study_is_opened_under_its_fingerprint(client):
    study = draft()
    assert "given when the study opens" in body(client, "study", study.slug)
    looked_at(client, study)
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


def test_the_study_page_says_what_experts_are_told_and_asked(client):
    study = draft(promise="I promise.", honorarium="A book.", asks_background=True, debriefs=True)
    page = " ".join(body(client, "study", study.slug).split())
    assert "Version 1, in en, zh-hans." in page
    for said in ("I promise.", "A book.", "once the key is unsealed", "暂停或退出研究"):
        assert said in page
    study.debriefs = False
    study.save()
    other = " ".join(body(client, "study", study.slug).split())
    assert "experts are not told who wrote what" in other


def test_a_new_consent_text_is_published_for_an_open_study_and_shown_with_its_hash(client):
    study = services.open_study(draft())
    there = reverse("study-consent", args=[study.slug])
    answer = client.post(there, {"text-en": "Read\r\nthis.", "text-zh-hans": ""}, follow=True)
    page = answer.content.decode()
    assert "Version 2 is published" in page
    # printf 'Read\nthis.' | sha256sum
    assert "1eae041278306d31dce57a01c7c817b520de96be6d0e457dcb8ed389b3b7ae98" in page
    assert ConsentWording.objects.get(version=2).language == "en"
    assert "Version 2, in en." in " ".join(body(client, "study", study.slug).split())


def test_a_consent_text_that_says_nothing_new_is_refused_and_shown_again(client):
    study = services.open_study(draft(consent="Same."))
    there = reverse("study-consent", args=[study.slug])
    for typed, said in (
        ({"text-en": "Same."}, "word for word"),
        ({"text-en": ""}, "at least one language"),
    ):
        answer = client.post(there, typed)
        assert answer.status_code == 422
        assert said in answer.content.decode()
    assert ConsentWording.objects.count() == 1


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_the_consent_text_of_a_study_that_is_not_open_is_only_shown(client, state):
    study = draft()
    if state == "closed":
        services.close(services.open_study(study))
    page = body(client, "study-consent", study.slug)
    assert "暂停或退出研究" in page
    assert "Publish a new version" not in page
    answer = client.post(reverse("study-consent", args=[study.slug]), {"text-en": "New."})
    assert answer.status_code == 422
    assert not ConsentWording.objects.filter(version=2).exists()


def test_progress_is_shown_while_answers_come_in(client):
    study = services.open_study(draft(instrument="proftap-probability"))
    judge = links.invite(study, name="Ada").invitation.judge
    agree(judge)
    ledger.deal(judge)
    for assignment in Assignment.objects.of(judge).in_order()[:2]:
        submit(assignment, {"probability_human": 0.5}, milliseconds=None)
    page = body(client, "study", study.slug)
    assert "2 of 18 judgments by experts are in" in " ".join(page.split())
    assert "0.5" not in page


def test_a_closed_study_takes_no_more_judges_and_says_who_can_unseal(client):
    study = services.open_study(draft())
    page = post(client, "close-study", study.slug).content.decode()
    assert "Its key is still sealed" in page
    assert "A researcher can unseal it" in page
    assert "Invite experts" not in page
    again = post(client, "close-study", study.slug).content.decode()
    assert "Only an open study can be closed" in again
