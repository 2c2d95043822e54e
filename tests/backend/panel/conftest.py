"""A study with experts who have addresses, and the letters that are sent to them."""

from datetime import timedelta

import pytest
from django.test import Client

from annotation.studies import links
from annotation.studies.models import Judge, Study
from backend.panel import services, tasks
from backend.panel.models import Letter
from tests.annotation.panel import open_study
from tests.studies import coordinator


@pytest.fixture
def study(db: None) -> Study:
    study = open_study()
    study.title = "Verse & “Voice”"
    study.contact = "Dr Vera Lang <vera@university.example>"
    study.save()
    return study


@pytest.fixture
def ada(study: Study) -> Judge:
    return links.invite(study, name="Ada", email="ada@reader.example").invitation.judge


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that workers are woken, in place of a broker."""
    woken: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: woken.append("now"))
    return woken


def letter(judge: Judge, kind: str = "invitation", **fields: object) -> Letter:
    return Letter.objects.create(judge=judge, kind=kind, **fields)


def send_all() -> None:
    """Send what waits, once."""
    for key in Letter.objects.unfinished().order_by("pk").values_list("pk", flat=True):
        services.send(key)


def long_ago(judge: Judge, days: float) -> None:
    """Let all that happened to a judge be so many days older."""
    age = timedelta(days=days)
    for row in judge.invitations.all():
        judge.invitations.filter(pk=row.pk).update(
            created_at=row.created_at - age,
            expires_at=row.expires_at - age,
            first_used_at=row.first_used_at and row.first_used_at - age,
        )
    for row in Judge.objects.filter(pk=judge.pk, active_at__isnull=False):
        Judge.objects.filter(pk=row.pk).update(active_at=row.active_at - age)
    for row in judge.assignments.all():
        judge.assignments.filter(pk=row.pk).update(given_at=row.given_at - age)
    for row in Letter.objects.filter(judge=judge):
        Letter.objects.filter(pk=row.pk).update(asked_at=row.asked_at - age)
