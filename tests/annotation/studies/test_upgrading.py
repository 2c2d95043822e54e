"""A study that was open before there were leases: nobody loses items by the upgrade."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from annotation.studies import leases
from annotation.studies.models import Assignment, Judge, Study
from annotation.studies.services import deal
from tests.annotation.panel import expert, open_study

pytestmark = pytest.mark.django_db

upgrade = import_module("annotation.studies.migrations.0010_full_lease_at_upgrade")


def waiting_long(study: Study) -> Judge:
    """Return an expert who was given a set a year ago, and of whose doings nothing is known."""
    judge = expert(study)
    assert deal(judge)
    long_ago = timezone.now() - timedelta(days=365)
    Assignment.objects.of(judge).update(given_at=long_ago)
    Judge.objects.filter(pk=judge.pk).update(active_at=None)
    return Judge.objects.get(pk=judge.pk)


def test_whoever_has_items_waiting_has_a_full_lease_from_then_on() -> None:
    study = open_study()
    judge = waiting_long(study)
    now = timezone.now()
    upgrade.renew(apps, connection.schema_editor())
    assert leases.expire(timezone.now()) == 0
    judge.refresh_from_db()
    ends_at = leases.ends_at(judge)
    assert ends_at is not None
    assert ends_at >= now + timedelta(hours=study.lease_hours)
    assert leases.expire(ends_at) > 0


def test_nobody_else_is_touched() -> None:
    study = open_study()
    idle, machine = expert(study), study.judges.create(kind="machine", name="Machine")
    known = waiting_long(study)
    since = timezone.now() - timedelta(days=3)
    Judge.objects.filter(pk=known.pk).update(active_at=since)
    closed = open_study()
    late = waiting_long(closed)
    Study.objects.filter(pk=closed.pk).update(state="closed", closed_at=timezone.now())
    upgrade.renew(apps, connection.schema_editor())
    active = dict(Judge.objects.values_list("pk", "active_at"))
    assert active == {idle.pk: None, machine.pk: None, known.pk: since, late.pk: None}
