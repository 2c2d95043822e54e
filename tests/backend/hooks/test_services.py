"""Adding, stopping, starting and deleting hooks, and what stays of them."""

import base64
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.sql import DeleteQuery
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import Kind
from backend.hooks import services
from backend.hooks.models import KEPT_FOR, Delivery, Event, Hook
from backend.hooks.queueing import queue
from tests.annotation.panel import open_study
from tests.annotation.test_between_reads import meanwhile
from tests.backend.hooks.conftest import happened, seal
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


def test_a_hook_keeps_what_it_was_made_with_and_a_secret_of_its_own(study, receiver):
    kim = coordinator()
    asked = ["study.closed", "judgment.submitted", "study.closed"]
    made = services.add(study, receiver.url, asked, by=kim)
    kept = Hook.objects.get()
    assert kept.events == ["judgment.submitted", "study.closed"]
    assert (kept.made_by, kept.secret, kept.active) == (kim, made.secret, True)
    assert len(base64.b64decode(made.secret.removeprefix("whsec_"))) == 32
    other = services.add(open_study(), receiver.url, asked, by=kim)
    assert other.secret != made.secret


@pytest.mark.parametrize("events", [[], ["ping"], ["study.closed", "study.burnt"]])
def test_an_event_that_there_is_not_is_refused_with_those_there_are(study, receiver, events):
    with pytest.raises(services.UnknownEvent, match=r"study\.complete"):
        services.add(study, receiver.url, events, by=None)
    assert not Hook.objects.exists()


def test_an_address_is_told_once_for_each_study(study, hook, receiver):
    with pytest.raises(services.AlreadyTold):
        services.add(study, receiver.url, Event.values, by=None)
    assert Hook.objects.count() == 1


def test_stopping_and_starting_say_whether_they_changed_anything(hook):
    assert services.stop(hook)
    assert not services.stop(hook)
    assert services.start(hook)
    assert not services.start(hook)


def test_the_log_keeps_who_added_and_deleted_a_hook_and_of_the_address_its_host_alone(
    study, receiver
):
    kim = coordinator()
    made = services.add(study, f"{receiver.url}/their-secret", ["study.closed"], by=kim)
    services.remove(made.hook, by=kim)
    added, removed = Entry.objects.of_study(study.slug).filter(kind__startswith="hook.")
    assert (added.kind, removed.kind) == (Kind.HOOK_ADDED, Kind.HOOK_REMOVED)
    for entry in (added, removed):
        assert entry.actor == "kim"
        assert entry.details == {"to": "127.0.0.1", "events": ["study.closed"]}


def test_deleting_a_hook_deletes_what_it_told_and_nothing_of_the_log(study, hook, receiver):
    entry = happened(study)
    seal()
    queue()
    services.ping(hook)
    services.remove(hook)
    assert not Hook.objects.exists()
    assert not Delivery.objects.exists()
    entry.refresh_from_db()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
def test_a_hook_that_is_tried_while_it_is_deleted_is_gone(study, hook, monkeypatch):
    stale = Hook.objects.get()
    tried = meanwhile(
        monkeypatch, DeleteQuery, "delete_batch", lambda: services.ping(stale), before=True
    )
    services.remove(hook)
    with pytest.raises(services.Removed):
        tried[0].result()
    assert not Hook.objects.exists()
    assert not Delivery.objects.exists()


def test_what_arrived_long_ago_is_cleared_but_nothing_is_told_again(study, hook):
    happened(study, Kind.STUDY_OPENED)
    happened(study)
    seal()
    queue()
    now = timezone.now()
    recent, old = (now - KEPT_FOR + timedelta(minutes=each) for each in (1, -1))
    hook.deliveries.create(event=Event.STUDY_COMPLETE, answered=2, places=2)
    hook.deliveries.update(status="done", answered_at=recent)
    assert Delivery.objects.all().clear_old(now) == 0
    hook.deliveries.update(status="failed", answered_at=old)
    assert Delivery.objects.all().clear_old(now) == 0

    hook.deliveries.update(status="done")
    assert Delivery.objects.all().clear_old(now) == 2

    assert queue() == 0
    assert [one.event for one in hook.deliveries.all()] == [Event.STUDY_COMPLETE]
