"""The expert's API: a listed set of keys, one's own assignments, and nothing without CSRF."""

import pytest
from django.test import Client

from annotation.judgments.models import Judgment
from annotation.studies import services as ledger
from annotation.studies.models import Assignment
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
def address(assignment):
    return f"/api/assignments/{assignment.token}/"


@pytest.fixture
def reader(judge):
    return enter(Client(), judge)


def test_an_assignment_shows_its_text_and_questions_and_nothing_else(reader, address, assignment):
    shown = reader.get(address).json()
    assert set(shown) == {
        "token", "position", "of", "language", "title", "brief", "text", "questions", "draft",
    }  # fmt: skip
    assert set(shown["draft"]) == {"answers", "version"}
    common = {"key", "number", "kind", "text", "required"}
    for question in shown["questions"]:
        own = {"points", "na", "examples"} if question["kind"] == "likert" else set()
        assert set(question) == common | own
    assert shown["text"] == assignment.item.text
    assert (shown["token"], shown["of"]) == (assignment.token, 6)


def test_a_probability_question_shows_its_ends_and_nothing_else():
    judge = expert(open_study(instrument="proftap-probability"))
    ledger.deal(judge)
    token = Assignment.objects.of(judge).in_order().first().token
    shown = enter(Client(), judge).get(f"/api/assignments/{token}/").json()
    assert shown["brief"] == ""  # ProFTAP shows no brief
    (question,) = shown["questions"]
    assert set(question) == {
        "key", "number", "kind", "text", "required", "low_label", "high_label",
    }  # fmt: skip


def test_a_saved_draft_answers_with_its_version_and_time_only(reader, address):
    body = {"answers": {"form": "3"}, "version": 0}
    saved = reader.put(f"{address}draft/", body, content_type=JSON)
    assert saved.status_code == 200
    assert set(saved.json()) == {"version", "saved_at"}
    assert reader.get(address).json()["draft"] == {"answers": {"form": "3"}, "version": 1}


def test_a_newer_draft_is_offered_not_overwritten(reader, address):
    for version, point in ((0, "1"), (1, "2")):
        body = {"answers": {"form": point}, "version": version}
        reader.put(f"{address}draft/", body, content_type=JSON)
    stale = reader.put(
        f"{address}draft/", {"answers": {"form": "5"}, "version": 1}, content_type=JSON
    )
    assert stale.status_code == 409
    assert (stale.json()["answers"], stale.json()["version"]) == ({"form": "2"}, 2)


def test_a_judgment_is_made_once(reader, address):
    body = {"answers": survey(), "milliseconds": 5}
    assert reader.post(f"{address}judgment/", body, content_type=JSON).status_code == 201
    assert reader.post(f"{address}judgment/", body, content_type=JSON).status_code == 409
    late = {"answers": {}, "version": 0}
    assert reader.put(f"{address}draft/", late, content_type=JSON).status_code == 409
    assert Judgment.objects.count() == 1


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


def test_anothers_assignment_is_not_found(study, address):
    stranger = enter(Client(), expert(study))
    for answer in (
        stranger.get(address),
        stranger.put(f"{address}draft/", {"answers": {}, "version": 0}, content_type=JSON),
        stranger.post(f"{address}judgment/", {"answers": survey()}, content_type=JSON),
        stranger.get(address.replace("/api/assignments/", "/poem/")),
    ):
        assert answer.status_code == 404
    assert not Judgment.objects.exists()


def test_without_a_link_there_is_nothing_to_see(address):
    assert Client().get(address).status_code in (401, 403)


def test_a_revoked_judge_sees_nothing_more(reader, judge, address):
    ledger.revoke(judge)
    assert reader.get(address).status_code in (401, 404)
    assert reader.get(f"/desk/{judge.code}/").status_code == 404


def test_nothing_is_written_without_the_csrf_token(judge, address):
    strict = enter(Client(enforce_csrf_checks=True), judge)
    body = {"answers": survey(), "version": 0}
    assert strict.put(f"{address}draft/", body, content_type=JSON).status_code == 403
    assert strict.post(f"{address}judgment/", body, content_type=JSON).status_code == 403
    assert strict.post(address.replace("/api/assignments/", "/poem/"), survey()).status_code == 403
    assert not Judgment.objects.exists()
