"""A study's activity page: plain words, nothing personal, and how to check the log."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity import sealing
from annotation.activity.models import Entry, Seal
from annotation.activity.services import Kind, record
from annotation.judgments.services import submit
from annotation.studies.models import Assignment
from annotation.studies.services import deal
from backend.panel import activity_views
from backend.panel.activity import WORDS
from tests.annotation.panel import expert, open_study, survey
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def page(client: Client, study, **asked: str) -> str:
    response = client.get(reverse("activity", args=[study.slug]), asked)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def told(shown: str) -> list[str]:
    """Return what the table says, line by line, without the facts below."""
    cells = re.findall(r'<td class="prose"> (.*?) (?:<br>|</td>)', shown)
    return [re.sub(r"<.*", "", cell).strip() for cell in cells]


def test_each_kind_has_its_words():
    assert set(WORDS) == set(Kind)
    assert all(words.by_somebody.count("{}") == 1 for words in WORDS.values())
    assert len({words.label for words in WORDS.values()}) == len(Kind)


def test_staff_read_what_was_done_newest_first(client, study):
    record(Kind.STUDY_OPENED, study=study.slug, actor="kim", fingerprint="f" * 64)
    record(Kind.JUDGMENT_SUBMITTED, study=study.slug, key="k", about="judgment 1", content=1)
    record(Kind.STUDY_UNSEALED, study=study.slug, actor="vera")
    record(Kind.UNSEALING_ASKED, study=study.slug, actor="vera", taken_back=True)
    record(Kind.JUDGE_WITHDRAWN, study=study.slug, actor="kim", reason="Ill <all> spring.")
    shown = page(client, study)
    assert told(shown) == [
        "kim took a judge&#x27;s answers out of the analysis.",
        "vera no longer asks for the key to be unsealed.",
        "vera unsealed the key.",
        "Answers to one item came in.",
        "kim opened the study.",
    ]
    assert "reason: Ill &lt;all&gt; spring." in shown
    assert f"fingerprint: {'f' * 64}" in shown


def test_entries_of_other_studies_and_of_none_are_not_shown(client, study):
    record(Kind.STUDY_OPENED, study=open_study().slug, actor="stranger")
    record(Kind.TOKEN_MADE, actor="stranger")
    shown = page(client, study)
    assert "stranger" not in shown
    assert "Nothing is in this study's log yet." in shown
    assert "<table" not in shown


def test_nothing_tells_who_answered_what(client, study):
    judge = expert(study, "Ada Expert")
    deal(judge)
    given = Assignment.objects.of(judge).waiting().first()
    judgment = submit(given, survey(), milliseconds=1)
    shown = page(client, study)
    assert "Answers to one item came in." in shown
    secrets = [judge.name, judge.code, judge.log_key, given.token, f"judgment {judgment.pk}"]
    for entry in Entry.objects.all():
        secrets += [text for text in (entry.subject, entry.digest) if text]
    assert len(secrets) > 6
    assert [one for one in secrets if one in shown] == []


def test_what_was_done_can_be_narrowed_by_kind_and_by_person(client, study):
    for kind, actor in (
        (Kind.STUDY_OPENED, "kim"), (Kind.EXPORT_MADE, "vera"), (Kind.RESULTS_VIEWED, "vera"),
        (Kind.JUDGE_INVITED, ""),
    ):  # fmt: skip
        record(kind, study=study.slug, actor=actor)
    assert told(page(client, study, kind="export.made")) == ["vera made an export."]
    assert len(told(page(client, study, actor="vera"))) == 2
    assert told(page(client, study, actor="(nobody)")) == ["A judge joined the panel."]
    nothing = page(client, study, kind="study.opened", actor="vera")
    assert "Nothing in this study's log is what you look for." in nothing
    assert f'href="{reverse("activity", args=[study.slug])}"' in nothing
    shown = page(client, study, kind="no.such")
    assert len(told(shown)) == 4
    assert "not one of the available choices" in shown


def test_long_logs_have_pages_that_keep_what_was_asked_for(client, study, monkeypatch):
    monkeypatch.setattr(activity_views, "ON_A_PAGE", 2)
    for number in range(5):
        record(Kind.EXPORT_MADE, study=study.slug, actor=f"vera{number}")
    shown = page(client, study, kind="export.made", page="2")
    assert told(shown) == ["vera2 made an export.", "vera1 made an export."]
    assert "Page 2 of 3" in shown
    assert 'href="?kind=export.made&amp;page=3" rel="next"' in shown


def test_the_head_of_the_chain_is_shown_with_how_to_check_it(client, study):
    shown = page(client, study)
    assert "manage.py verify_log --expect HEAD" in shown
    record(Kind.STUDY_OPENED, study=study.slug)
    sealing.seal()
    record(Kind.STUDY_CLOSED, study=study.slug)
    shown = page(client, study)
    head = Seal.objects.get().sha256
    assert f'<code class="hash">{head}</code>' in shown
    assert f"manage.py verify_log --expect {head}" in shown
    assert "entries that wait for the next: 1" in shown
    assert re.findall(r'<td class="number">(.*?)</td>', shown) == ["not yet", "1"]


def test_fields_are_labelled_and_the_table_has_caption_and_heads(client, study):
    record(Kind.STUDY_OPENED, study=study.slug)
    shown = page(client, study)
    for field in re.findall(r'<select[^>]* id="(\w+)"', shown):
        assert f'<label for="{field}"' in shown
    assert shown.count("<select") == 2
    assert "<caption>1 entry, newest first." in shown
    assert shown.count('<th scope="col"') == 3
    assert shown.count('<th scope="row"') == 1
    assert "style=" not in shown


@pytest.mark.parametrize("who", [coordinator, researcher])
def test_all_staff_may_read_it_and_nobody_else(who, study):
    address, visitor, staff = reverse("activity", args=[study.slug]), Client(), Client()
    staff.force_login(who())
    assert visitor.get(address)["Location"].startswith(reverse("sign-in"))
    answer = staff.get(address)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert staff.post(address).status_code == 405
    assert staff.get(reverse("activity", args=["no-such"])).status_code == 404
