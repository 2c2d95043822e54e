"""A draft is checked, tried out and opened by programs, and its versions are kept."""

import pytest

from annotation.activity.models import Entry
from annotation.studies.models import Study
from backend.design import opening
from tests.backend.design.material import AUTHOR, MODEL, material

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(kim) -> str:
    """The short name of a draft of one kind of poem alone, whose surface nobody can tell apart."""
    made = material(poems=2)
    made.collection.poems.filter(title__endswith="1").update(form="song, or so")
    body = {
        "title": "Voices",
        "contact": "vera@university.example",
        "instrument": "proftap-probability",
        "collection": made.collection.pk,
        "judges_per_item": 1,
        "seed": 7,
    }
    return kim.post("studies/", body).json()["slug"]


def test_the_checklist_says_what_stands_against_opening_without_naming_authors(kim, draft):
    told = kim.get(f"studies/{draft}/checklist/").json()
    assert told["ready"] is False  # nobody has looked at the preview
    assert {"items", "consent", "surface"} <= {one["key"] for one in told["checks"]}
    assert {one["state"] for one in told["checks"]} <= {"ok", "warn", "stop"}
    assert not any(secret in str(told) for secret in (AUTHOR, MODEL))


def test_a_surface_check_is_made_and_shown(kim, draft):
    path = f"studies/{draft}/surface/"
    assert kim.get(path).status_code == 404
    made = kim.post(path)
    assert made.status_code == 201
    assert kim.get(path).json() == made.json()
    kept = kim.put(path, {"limit": 0.8, "reason": "short poems"})
    assert (kept.json()["surface_limit"], kept.json()["surface_reason"]) == (0.8, "short poems")
    refused = kim.put(path, {"limit": 2})
    assert set(refused.json()["errors"]) == {"limit"}


def test_nobody_opens_what_nobody_has_looked_at_unless_they_say_so(kim, draft):
    kim.post(f"studies/{draft}/surface/")
    for body in (None, {}, {"without_preview": False}):
        refused = kim.post(f"studies/{draft}/open/", body)
        assert refused.status_code == 409
        assert set(refused.json()["errors"]) == {"preview"}
    assert Study.objects.get(slug=draft).state == "draft"
    assert kim.post(f"studies/{draft}/open/", {"without_preview": True}).status_code == 200
    entry = Entry.objects.get(kind="study.opened", study=draft)
    assert (entry.actor, entry.details["preview"]) == ("kim", "nobody looked at it")


def test_what_was_looked_at_is_opened_without_a_word(kim, draft):
    kim.post(f"studies/{draft}/surface/")
    opening.previewed(Study.objects.get(slug=draft))
    assert kim.post(f"studies/{draft}/open/").status_code == 200
    assert "preview" not in Entry.objects.get(kind="study.opened", study=draft).details


def test_opening_makes_the_first_version_and_raising_the_second(kim, draft):
    opened = kim.post(f"studies/{draft}/open/", {"without_preview": True})
    assert opened.status_code == 200, opened.json()
    raised = kim.post(
        f"studies/{draft}/places/", {"judges_per_item": 3, "reason": "more poets came"}
    )
    assert raised.status_code == 201, raised.json()
    versions = kim.get(f"studies/{draft}/versions/").json()["results"]
    assert [(one["number"], one["reason"]) for one in versions] == [
        (2, "more poets came"), (1, "")
    ]  # fmt: skip
    assert versions[0]["fingerprint"] != versions[1]["fingerprint"]
    assert versions[1]["fingerprint"] == opened.json()["fingerprint"]
    fewer = kim.post(f"studies/{draft}/places/", {"judges_per_item": 2, "reason": "fewer"})
    assert fewer.status_code == 409
    assert set(fewer.json()["errors"]) == {"judges_per_item"}
    missing = kim.post(
        f"studies/{draft}/places/", {"judges_per_item": 4, "group": "poets", "reason": "x"}
    )
    assert set(missing.json()["errors"]) == {"group"}


def test_what_stands_against_opening_is_named(kim, draft):
    Study.objects.get(slug=draft).consent_wordings.all().delete()
    refused = kim.post(f"studies/{draft}/open/")
    assert refused.status_code == 409
    assert "consent" in refused.json()["errors"]
    assert Study.objects.get(slug=draft).state == "draft"


def test_a_pilot_is_opened_beside_its_draft(kim, draft):
    made = kim.post(f"studies/{draft}/pilot/", {"briefs": 1})
    assert made.status_code == 201, made.json()
    assert made.json()["state"] == "open"
    assert kim.get(f"studies/{made.json()['slug']}/items/").json()["count"] == 1
    assert Study.objects.get(slug=draft).state == "draft"


def test_groups_and_tests_of_attention_are_built_from_a_plan(kim):
    made = material(poems=2)
    made.collection.poems.filter(title__endswith="1").update(form="song, or so")
    body = {
        "title": "Voices",
        "contact": "vera@university.example",
        "instrument": "poemetric-survey",
        "collection": made.collection.pk,
        "judges_per_item": 2,
        "groups": [{"name": "poets", "judges_per_item": 3, "forms": ["ballad", "song, or so"]}],
        "attention_every": 5,
        "attention": [{"text": "Answer 5 to imagery.", "expected": {"imagery": "5"}}],
        "late": "in",
        "unsealing_needs": 2,
    }
    built = kim.post("studies/", body)
    assert built.status_code == 201, built.json()
    shown = built.json()
    assert [(one["name"], one["judges_per_item"]) for one in shown["groups"]] == [("poets", 3)]
    assert (shown["late"], shown["unsealing_needs"], shown["attention_every"]) == ("in", 2, 5)
    items = Study.objects.get(slug=shown["slug"]).items
    assert items.filter(attention=True).count() == 1
    assert kim.get(f"studies/{shown['slug']}/items/").json()["count"] == 2
    wrong = {**body, "attention": [{"text": "Answer.", "expected": {"riddle": "5"}}]}
    refused = kim.post("studies/", wrong)
    assert set(refused.json()["errors"]) == {"attention.0.expected"}
