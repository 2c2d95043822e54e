"""What the pages of a study say of itself: its numbers, what can be done, who unsealed the key."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity.models import Entry
from annotation.studies import links
from annotation.studies.models import Study
from backend.design import opening, services, unsealing
from backend.design.models import Design
from backend.design.pilot import try_out
from backend.design.planning import AttentionPlan, GroupPlan
from backend.panel import raising
from tests.backend.design.material import draft, material
from tests.studies import coordinator, make_study, researcher

pytestmark = pytest.mark.django_db

TEST = {"attention": [AttentionPlan("Choose 5.", {"imagery": "5"})], "attention_every": 2}


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def body(client: Client, page: str, *args: object, query: str = "") -> str:
    answer = client.get(reverse(page, args=args) + query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def post(client: Client, page: str, study: Study) -> str:
    answer = client.post(reverse(page, args=[study.slug]), follow=True)
    return " ".join(answer.content.decode().split())


def test_a_test_of_attention_is_no_poem_in_any_number(client: Client) -> None:
    study = draft(**TEST)
    assert study.items.count() == 10
    assert '<td class="number">9</td>' in body(client, "studies")
    assert ": 9 poems, 2 judges for each." in body(client, "study", study.slug)
    assert Entry.objects.get(kind="study.built").details["items"] == 9


def test_a_test_of_attention_is_marked_for_staff_in_the_preview(client: Client) -> None:
    study = draft(**TEST)
    told = []
    for page, item in enumerate(study.items.order_by("pk"), start=1):
        shown = body(client, "preview", study.slug, query=f"?page={page}")
        assert ("This one tests attention." in shown) == item.attention
        told.append(shown.split('<p class="lead">')[1].split(",")[0])
    assert sorted(told) == [*(f"Poem {n} of 9" for n in range(1, 10)), "Test of attention 1 of 1"]


def test_how_many_judges_a_text_has_is_told_as_it_is(client: Client) -> None:
    study = draft(judges_per_item=2, groups=[GroupPlan("All", 1)])
    assert "9 poems, 1 judge for each." in body(client, "study", study.slug)
    services.open_study(study)
    study.items.filter(pk=study.items.first().pk).update(places=3)
    assert "9 poems, 1 to 3 judges for each." in body(client, "study", study.slug)
    assert '<td class="number">1 to 3</td>' in body(client, "studies")
    raising.raise_places(study, 4, group=study.groups.get(), reason="more came", by=researcher())
    assert "9 poems, 4 judges for each." in body(client, "study", study.slug)
    assert '<td class="number">4</td>' in body(client, "studies")


def test_a_draft_without_items_is_still_shown(client: Client) -> None:
    study = draft()
    for item in study.items.all():
        item.placement.delete()
        item.delete()
    assert "0 poems, 2 judges for each." in body(client, "study", study.slug)
    assert '<td class="number">2</td>' in body(client, "studies")
    assert "Poem 0 of 0" in body(client, "preview", study.slug)


def test_what_is_refused_is_not_offered_and_it_is_said_why(client: Client) -> None:
    shelf = material()
    tried, invited, free = (draft(shelf, title=name) for name in ("Tried", "Invited", "Free"))
    try_out(tried, briefs=1)
    links.invite(invited, name="Ada")
    button = "Discard the draft"
    assert button in body(client, "study", free.slug)
    consent = body(client, "study-consent", free.slug)
    assert "discard it and build it again." in consent
    for study, why in ((tried, "it was tried out"), (invited, "draft with an empty panel can be")):
        for name in ("study", "study-consent"):
            page = body(client, name, study.slug)
            assert button not in page
            assert "discard it" not in page
            assert why in page
            assert "build another" in page
        assert why in post(client, "discard-study", study)
    assert Study.objects.filter(state="draft").count() == 3


def test_opening_says_how_many_it_did_not_write_to_and_where_to_do_it(client: Client) -> None:
    shelf = material()
    study, empty = draft(shelf), draft(shelf, title="Empty")
    for name in ("Ada", "Ben"):
        links.invite(study, name=name)
    assert "Their links work only once the study is open." in body(client, "study", study.slug)
    for one in (study, empty):
        opening.previewed(one)
        opening.check_surface(one, by=None)
    page = post(client, "open-study", study)
    assert "2 experts are already on its panel: opening sends them no letter." in page
    assert f'<a href="/studies/{study.slug}/panel/#letters">Write to them</a>' in page
    assert '<h2 id="letters">' in body(client, "panel", study.slug)
    assert "The study is open. Now invite experts." in post(client, "open-study", empty)
    assert "only once the study is open" not in page


def test_two_who_unseal_are_both_named(client: Client) -> None:
    study = make_study(unblinded=False)
    assert "A researcher can unseal it" in body(client, "study", study.slug)
    Design.objects.filter(study=study).update(unsealing_needs=2)
    page = body(client, "study", study.slug)
    assert "2 researchers have to ask for it" in page
    assert "A researcher can unseal it" not in page
    vera, wim = researcher(), researcher("wim")
    unsealing.ask(study, by=vera)
    assert unsealing.named(study) == ""
    assert unsealing.ask(study, by=wim)
    assert "UTC by vera and wim." in body(client, "study", study.slug)
    client.force_login(vera)
    assert "UTC by vera and wim." in body(client, "unsealing", study.slug)


def test_one_who_unseals_is_named(client: Client) -> None:
    study = make_study(unblinded=False)
    unsealing.ask(study, by=researcher())
    assert "UTC by vera." in body(client, "study", study.slug)


def test_the_page_of_the_key_asks_for_no_reason_that_can_be_left_out(client: Client) -> None:
    study = make_study(unblinded=False)
    client.force_login(researcher())
    page = body(client, "unsealing", study.slug)
    assert "with your reason if you give one" in page
    assert 'name="reason" maxlength' in page
