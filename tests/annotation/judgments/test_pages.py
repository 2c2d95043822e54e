"""The expert's pages: consent, poems in their order, refused answers kept, one judgment."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judgments import services
from annotation.judgments.models import Judgment
from annotation.studies import consenting, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Invitation, Study
from tests.annotation.panel import enter, expert, open_study, survey

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge():
    return expert(open_study(batch=3), agreed=False)


@pytest.fixture
def reader(judge):
    return enter(Client(), judge)


@pytest.fixture
def first_poem(judge, reader):
    consenting.agree(judge, wording=consenting.wording_for(judge.study, "en"))
    return reader.post(f"/desk/{reader.key}/next/")["Location"]


def test_a_link_leads_to_a_desk_that_needs_no_cookie(judge):
    link = links.link_for(judge)
    arrived = Client().get(f"/invitation/{link.secret}/")
    assert (arrived.status_code, arrived["Location"]) == (302, f"/desk/{link.secret}/")
    another_device = Client()
    assert another_device.get(arrived["Location"]).status_code == 200
    assert not another_device.cookies


def test_a_new_link_ends_what_was_begun_with_the_old_one(judge, reader):
    desk = f"/desk/{reader.key}/"
    assert reader.get(desk).status_code == 200
    other = enter(Client(), judge)
    assert reader.get(desk).status_code == 404
    assert other.get(f"/desk/{other.key}/").status_code == 200


def test_a_link_that_expires_under_its_readers_hands_lets_the_poem_be_finished(reader, first_poem):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    reader_desk = reader.get(f"/desk/{reader.key}/").content
    assert b"expired" in reader_desk
    assert b"/next/" not in reader_desk
    assert reader.post(f"/desk/{reader.key}/next/").status_code == 404
    assert reader.get(first_poem).status_code == 200
    assert reader.post(first_poem, survey()).status_code == 302
    assert Judgment.objects.count() == 1


def test_a_stale_link_is_a_plain_page_that_says_what_to_do():
    page = Client().get("/invitation/forged/")
    assert page.status_code == 404
    assert b"link" in page.content


def test_no_poem_is_shown_before_consent(judge, reader):
    assert reader.post(f"/desk/{reader.key}/next/").status_code == 409
    assert not Assignment.objects.exists()


def test_submitting_leads_from_poem_to_poem_and_then_to_the_desk(judge, reader, first_poem):
    seen, address = [], first_poem
    while "/poem/" in address:
        seen.append(address)
        address = reader.post(address, {**survey(), "milliseconds": "4000"})["Location"]
    assert (len(set(seen)), address) == (3, f"/desk/{reader.key}/")
    assert set(Judgment.objects.values_list("milliseconds", flat=True)) == {4000}


def test_a_refused_page_keeps_everything_that_was_typed(reader, first_poem):
    typed = survey(form="", quality="2", quality_comment='He said "<no>"\nand left.')
    page = reader.post(first_poem, typed)
    assert page.status_code == 422
    html = page.content.decode()
    assert "He said &quot;&lt;no&gt;&quot;\nand left." in html
    assert not Judgment.objects.exists()


def test_a_double_click_and_the_back_button_make_one_judgment(reader, first_poem):
    first = reader.post(first_poem, survey())
    assert reader.post(first_poem, survey())["Location"] == first["Location"]
    changed = reader.post(first_poem, survey(quality="1", quality_comment="Second thoughts."))
    assert changed.status_code == 409  # and a page on which they can still be saved
    html = changed.content.decode()
    assert "Second thoughts." in html
    assert f'action="{first_poem}change/"' in html
    assert Judgment.objects.get().ratings.get(question="quality").number == 4
    assert Judgment.objects.count() == 1
    back = reader.get(first_poem)
    assert back.status_code == 200
    assert b'name="quality"' not in back.content


def test_an_answer_to_a_place_that_was_given_back_is_not_asked_for_again(judge, reader, first_poem):
    old = reader.key
    ledger.revoke(judge)
    again = first_poem.replace(old, enter(reader, judge).key)
    reader.post(again, survey())
    assert Judgment.objects.get().extra
    assert b'name="quality"' not in reader.get(again).content


def test_a_closed_study_says_so_and_gives_nothing_more(judge, reader):
    consenting.agree(judge, wording=consenting.wording_for(judge.study, "en"))
    Study.objects.update(state=Study.State.CLOSED)
    assert reader.get(f"/desk/{reader.key}/").status_code == 200
    assert reader.post(f"/desk/{reader.key}/next/").status_code == 409


def test_one_browser_can_hold_two_links_without_mixing_them(judge, reader):
    other = expert(judge.study, "Ben")
    mine = reader.key
    theirs = enter(reader, other).key
    for key, name in ((mine, judge.name), (theirs, "Ben")):
        assert name in reader.get(f"/desk/{key}/").content.decode()


def test_every_page_of_an_expert_is_kept_out_of_caches(judge, reader, first_poem):
    for address in (f"/desk/{reader.key}/", f"/desk/{reader.key}/consent/", first_poem):
        assert "no-store" in reader.get(address)["Cache-Control"]


def test_every_page_forbids_inline_scripts_and_other_hosts(judge, reader, first_poem):
    policy = reader.get(first_poem)["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_without_a_script_a_newer_draft_is_shown_beside_what_was_typed(judge, reader, first_poem):
    assignment = Assignment.objects.of(judge).in_order().first()
    services.save_draft(assignment, survey(quality_comment="From a phone."), version=0)
    typed = {**survey(quality_comment="From a desk."), "done": "0"}
    page = reader.post(first_poem, typed)
    assert page.status_code == 409
    html = page.content.decode()
    assert "From a phone." in html
    assert "From a desk." in html
    assert 'name="done" value="1"' in html
    assert reader.post(first_poem, {**typed, "done": "1"}).status_code == 302
    assert Judgment.objects.get().ratings.get(question="quality_comment").text == "From a desk."


def test_a_number_and_cannot_tell_together_are_no_answer():
    judge = expert(open_study(instrument="recognised-probability"))
    reader = enter(Client(), judge)
    poem = reader.post(f"/desk/{reader.key}/next/")["Location"]
    reader.post(poem, {"recognition": "0", "overall_quality": "4", "emotional_resonance": "na",
                       "go": "0.0"})  # fmt: skip
    fixed = {"recognition": "0", "overall_quality": "4", "emotional_resonance": "2", "go": "0.0"}
    assert reader.post(poem, fixed).status_code == 302
    both = reader.post(poem, {"probability_human": ["0.93", "cannot_tell"]})
    assert both.status_code == 422
    assert not Judgment.objects.exists()
    assert reader.post(poem, {"probability_human": ["", "cannot_tell"]}).status_code == 302
