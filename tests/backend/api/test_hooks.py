"""Hooks are added, tried, stopped and deleted by programs."""

import pytest

from backend.hooks import receivers, services
from backend.hooks.models import Delivery, Hook
from tests.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask no name server whether a receiver is there."""
    monkeypatch.setattr(receivers, "find", lambda _: None)


def _add(kim, study):
    body = {"url": "https://host.example/told", "events": ["study.closed"]}
    return kim.post(f"studies/{study.slug}/hooks/", body)


def test_a_hook_is_added_and_its_secret_shown_this_once(kim, study):
    made = _add(kim, study)
    assert made.status_code == 201, made.json()
    secret = made.json()["secret"]
    listed = kim.get(f"studies/{study.slug}/hooks/").json()["results"]
    assert listed == [made.json()["hook"]]
    assert (listed[0]["events"], listed[0]["made_by"]) == (["study.closed"], "kim")
    assert secret not in str(listed)
    twice = _add(kim, study)
    assert twice.status_code == 409
    assert set(twice.json()["errors"]) == {"url"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"url": "ftp://host"}, "url"), ({"events": []}, "events"), ({"events": ["x"]}, "events.0")],
)
def test_a_hook_that_cannot_be_added_names_the_field(kim, study, changes, field):
    body = {"url": "https://host.example/told", "events": ["study.closed"], **changes}
    refused = kim.post(f"studies/{study.slug}/hooks/", body)
    assert refused.status_code == 400
    assert set(refused.json()["errors"]) == {field}


def test_a_hook_is_tried_stopped_started_and_deleted(kim, study):
    hook = _add(kim, study).json()["hook"]["id"]
    at = f"studies/{study.slug}/hooks/{hook}"
    sent = kim.post(f"{at}/ping/")
    assert (sent.status_code, sent.json()["event"]) == (201, "ping")
    assert kim.post(f"{at}/stop/").json()["active"] is False
    assert kim.post(f"{at}/start/").json()["active"] is True
    assert kim.get(f"{at}/").json()["id"] == hook
    assert kim.get(f"studies/{study.slug}/deliveries/", status="queued").json()["count"] == 1
    assert kim.delete(f"{at}/").status_code == 204
    assert not Hook.objects.exists()


def test_a_hook_that_is_deleted_while_it_is_tried_is_not_found(kim, study, monkeypatch):
    hook = Hook.objects.get(pk=_add(kim, study).json()["hook"]["id"])
    path, real = f"studies/{study.slug}/hooks/{hook.pk}/ping/", services.ping

    def ping(found):
        services.remove(hook)
        return real(found)

    monkeypatch.setattr(services, "ping", ping)
    assert kim.post(path).status_code == 404
    assert not Delivery.objects.exists()


def test_a_failed_message_is_delivered_again_for_its_own_study_only(kim, study):
    other = make_study(slug="other")
    hook = Hook.objects.get(pk=_add(kim, study).json()["hook"]["id"])
    failed = Delivery.objects.create(hook=hook, event="ping", answered=0, places=1, status="failed")
    assert kim.post(f"studies/{other.slug}/deliveries/{failed.pk}/again/").status_code == 404
    assert kim.get(f"studies/{other.slug}/hooks/{hook.pk}/").status_code == 404
    again = kim.post(f"studies/{study.slug}/deliveries/{failed.pk}/again/")
    assert again.json()["status"] == "queued"
    assert kim.post(f"studies/{study.slug}/deliveries/{failed.pk}/again/").status_code == 409
