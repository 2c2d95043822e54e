"""The expert's API: a listed set of keys, one's own assignments, and nothing without the link."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judgments.models import Judgment
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge
from tests.annotation.panel import enter, expert, open_study, survey

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def study():
    return open_study(batch=6)


@pytest.fixture
def judge(study):
    judge = expert(study)
    ledger.deal(judge)
    return judge


@pytest.fixture
def assignment(judge):
    return Assignment.objects.of(judge).in_order().first()


@pytest.fixture
def reader(judge):
    return enter(Client(), judge)


@pytest.fixture
def address(reader, assignment):
    return f"/api/desk/{reader.key}/poem/{assignment.token}/"


def test_an_assignment_shows_its_text_and_questions_and_nothing_else(reader, address, assignment):
    shown = reader.get(address).json()
    assert set(shown) == {
        "token", "position", "of", "language", "title", "brief", "text", "second", "questions",
        "draft",
    }  # fmt: skip
    assert set(shown["draft"]) == {"answers", "version", "stage", "milliseconds"}
    common = {"key", "number", "kind", "text", "required"}
    for question in shown["questions"]:
        own = {"points", "na", "examples"} if question["kind"] == "likert" else set()
        assert set(question) == common | own
    assert shown["text"] == assignment.item.text
    assert (shown["token"], shown["of"]) == (assignment.token, 6)


def test_what_the_api_tells_is_kept_out_of_caches(reader, address):
    draft = {"answers": {"form": "4"}, "version": 0}
    replies = [reader.get(address), reader.put(f"{address}draft/", draft, content_type=JSON)]
    assert [reply.status_code for reply in replies] == [200, 200]
    assert all("no-store" in reply["Cache-Control"] for reply in replies)


def test_a_probability_question_shows_its_ends_and_nothing_else():
    judge = expert(open_study(instrument="proftap-probability"))
    ledger.deal(judge)
    token = Assignment.objects.of(judge).in_order().first().token
    reader = enter(Client(), judge)
    shown = reader.get(f"/api/desk/{reader.key}/poem/{token}/").json()
    assert shown["brief"] == ""  # ProFTAP shows no brief
    (question,) = shown["questions"]
    assert set(question) == {
        "key", "number", "kind", "text", "required", "low_label", "high_label", "cannot_tell",
    }  # fmt: skip


def test_a_saved_draft_answers_with_its_version_and_time_only(reader, address):
    body = {"answers": {"form": "3"}, "version": 0, "milliseconds": 2500}
    saved = reader.put(f"{address}draft/", body, content_type=JSON)
    assert saved.status_code == 200
    assert set(saved.json()) == {"version", "saved_at"}
    assert reader.get(address).json()["draft"] == {
        "answers": {"form": "3"}, "version": 1, "stage": 0, "milliseconds": 2500,
    }  # fmt: skip


def test_a_newer_draft_is_offered_not_overwritten(reader, address):
    for version, point in ((0, "1"), (1, "2")):
        body = {"answers": {"form": point}, "version": version}
        reader.put(f"{address}draft/", body, content_type=JSON)
    stale = reader.put(
        f"{address}draft/", {"answers": {"form": "5"}, "version": 1}, content_type=JSON
    )
    assert stale.status_code == 409
    assert (stale.json()["answers"], stale.json()["version"]) == ({"form": "2"}, 2)


def test_a_judgment_is_made_once_and_sending_it_again_is_no_error(reader, address):
    body = {"answers": survey(), "milliseconds": 5}
    first = reader.post(f"{address}judgment/", body, content_type=JSON)
    assert (first.status_code, set(first.json())) == (201, {"next"})
    again = reader.post(f"{address}judgment/", body, content_type=JSON)
    assert (again.status_code, again.json()) == (200, first.json())
    late = {"answers": {}, "version": 0}
    assert reader.put(f"{address}draft/", late, content_type=JSON).status_code == 409
    assert Judgment.objects.count() == 1


def test_other_answers_to_a_judged_poem_are_refused_and_lead_on(reader, address):
    first = reader.post(f"{address}judgment/", {"answers": survey()}, content_type=JSON)
    other = reader.post(f"{address}judgment/", {"answers": survey(form="1")}, content_type=JSON)
    assert other.status_code == 409
    assert other.json()["next"] == first.json()["next"]
    assert Judgment.objects.get().ratings.get(question="form").number == 4


def test_a_refused_judgment_names_each_question(reader, address):
    body = {"answers": survey(form="9", imagery="")}
    refused = reader.post(f"{address}judgment/", body, content_type=JSON)
    assert refused.status_code == 400
    assert set(refused.json()["answers"]) == {"form", "imagery"}


@pytest.mark.parametrize(
    "body",
    ["", "[]", "4", "{", '{"answers": 4, "version": 0}', '{"answers": {}}', '{"version": "x"}'],
)
def test_a_malformed_body_is_refused_and_nothing_breaks(reader, address, body):
    assert reader.put(f"{address}draft/", body, content_type=JSON).status_code == 400


def test_a_time_no_clock_can_show_is_refused(reader, address):
    body = {"answers": survey(), "milliseconds": 10**25}
    assert reader.post(f"{address}judgment/", body, content_type=JSON).status_code == 400
    assert not Judgment.objects.exists()


def test_anothers_assignment_is_not_found(study, reader, address):
    stranger = enter(Client(), expert(study))
    theirs = address.replace(reader.key, stranger.key)
    for answer in (
        stranger.get(theirs),
        stranger.put(f"{theirs}draft/", {"answers": {}, "version": 0}, content_type=JSON),
        stranger.post(f"{theirs}stage/", {"answers": {}}, content_type=JSON),
        stranger.post(f"{theirs}judgment/", {"answers": survey()}, content_type=JSON),
        stranger.get(theirs.removeprefix("/api")),
    ):
        assert answer.status_code == 404
    assert not Judgment.objects.exists()


def test_without_a_link_there_is_nothing_to_see(reader, address):
    forged = address.replace(reader.key, "forged")
    assert Client().get(forged).status_code == 403
    assert Client().get(address).status_code == 200  # the address is all that is needed


def test_a_stopped_link_shows_nothing_more(reader, judge, address):
    ledger.revoke(judge)
    assert reader.get(address).status_code == 403
    assert reader.get(f"/desk/{reader.key}/").status_code == 404


def test_an_answer_is_taken_without_any_cookie(judge, address):
    forgetful = Client(enforce_csrf_checks=True)
    body = {"answers": {"form": "2"}, "version": 0}
    assert forgetful.put(f"{address}draft/", body, content_type=JSON).status_code == 200
    body = {"answers": survey()}
    assert forgetful.post(f"{address}judgment/", body, content_type=JSON).status_code == 201
    assert not forgetful.cookies


def test_whoever_reads_by_the_api_renews_their_lease(reader, judge, address):
    for ask in (reader.get, lambda _: reader.post(f"/api/desk/{reader.key}/next/")):
        long_ago = timezone.now() - timedelta(days=2)
        Judge.objects.filter(pk=judge.pk).update(active_at=long_ago)
        assert ask(address).status_code == 200
        assert Judge.objects.get(pk=judge.pk).active_at > long_ago + timedelta(days=1)
