"""The expert's pages: consent, poems in their order, refused answers kept, one judgment."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judgments.models import Judgment
from annotation.judgments.templatetags.verse import Line, stanzas
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Consent, Invitation, Study
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
    ledger.agree(judge)
    return reader.post(f"/desk/{judge.code}/next/")["Location"]


def test_a_link_leaves_its_secret_out_of_every_later_address(judge):
    link = ledger.link_for(judge)
    reader = Client()
    arrived = reader.get(f"/invitation/{link.secret}/")
    assert (arrived.status_code, arrived["Location"]) == (302, f"/desk/{judge.code}/")
    assert link.secret not in reader.get(arrived["Location"]).content.decode()


def test_a_new_link_ends_what_was_begun_with_the_old_one(judge, reader):
    desk = f"/desk/{judge.code}/"
    assert reader.get(desk).status_code == 200
    other = enter(Client(), judge)
    assert (reader.get(desk).status_code, other.get(desk).status_code) == (404, 200)


def test_a_link_that_expires_under_its_readers_hands_ends_nothing(judge, reader):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert reader.get(f"/desk/{judge.code}/").status_code == 200


def test_a_stale_link_is_a_plain_page_that_says_what_to_do():
    page = Client().get("/invitation/forged/")
    assert page.status_code == 404
    assert b"link" in page.content


def test_no_poem_is_shown_before_consent(judge, reader):
    assert reader.post(f"/desk/{judge.code}/next/").status_code == 409
    assert not Assignment.objects.exists()


def test_consent_needs_the_tick(judge, reader):
    assert reader.post(f"/desk/{judge.code}/consent/").status_code == 422
    assert not Consent.objects.exists()
    assert reader.post(f"/desk/{judge.code}/consent/", {"agree": "yes"}).status_code == 302
    assert Consent.objects.get().text == judge.study.consent_text


def test_the_consent_page_shows_the_words_and_the_fingerprint(judge, reader):
    page = reader.get(f"/desk/{judge.code}/consent/").content.decode()
    assert judge.study.consent_text in page
    assert judge.study.fingerprint in page


def test_submitting_leads_from_poem_to_poem_and_then_to_the_desk(judge, reader, first_poem):
    seen, address = [], first_poem
    while address.startswith("/poem/"):
        seen.append(address)
        address = reader.post(address, {**survey(), "milliseconds": "4000"})["Location"]
    assert (len(set(seen)), address) == (3, f"/desk/{judge.code}/")
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
    second = reader.post(first_poem, survey(quality="1"))
    assert first["Location"] == second["Location"]
    assert Judgment.objects.count() == 1
    back = reader.get(first_poem)
    assert back.status_code == 200
    assert b"<form" not in back.content or b'name="quality"' not in back.content


def test_an_answer_to_a_place_that_was_given_back_is_not_asked_for_again(judge, reader, first_poem):
    ledger.revoke(judge)
    enter(reader, judge)
    reader.post(first_poem, survey())
    assert Judgment.objects.get().extra
    assert b'name="quality"' not in reader.get(first_poem).content


def test_a_closed_study_says_so_and_gives_nothing_more(judge, reader):
    ledger.agree(judge)
    Study.objects.update(state=Study.State.CLOSED)
    assert reader.get(f"/desk/{judge.code}/").status_code == 200
    assert reader.post(f"/desk/{judge.code}/next/").status_code == 409


def test_a_desk_is_only_for_its_own_judge(judge):
    other = expert(judge.study)
    assert enter(Client(), other).get(f"/desk/{judge.code}/").status_code == 404


def test_one_browser_can_hold_two_links_without_mixing_them(judge, reader):
    other = expert(judge.study)
    enter(reader, other)
    for each in (judge, other):
        assert reader.get(f"/desk/{each.code}/").status_code == 200


def test_every_page_of_an_expert_is_kept_out_of_caches(judge, reader, first_poem):
    for address in (f"/desk/{judge.code}/", f"/desk/{judge.code}/consent/", first_poem):
        assert "no-store" in reader.get(address)["Cache-Control"]


def test_every_page_forbids_inline_scripts_and_other_hosts(judge, reader, first_poem):
    policy = reader.get(first_poem)["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_poem_keeps_its_lines_indents_and_stanzas():
    assert stanzas("A line,\n    deep  inside\n\n\u3000\u3000床前\n\ttab") == [
        [Line(0, "A line,"), Line(4, "deep  inside")],
        [Line(4, "床前"), Line(4, "tab")],
    ]
