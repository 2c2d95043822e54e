"""Experts who ask for their link are sent it: once for each time, and at most once an hour."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Judge
from backend.panel import resending, tasks
from backend.panel.models import Letter
from tests.backend.panel.conftest import letter, send_all
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


def want(judge: Judge, minutes_ago: float = 0) -> None:
    wanted_at = timezone.now() - timedelta(minutes=minutes_ago)
    Judge.objects.filter(pk=judge.pk).update(link_wanted_at=wanted_at)


def older(by: timedelta) -> None:
    """Let all letters be older."""
    for row in Letter.objects.all():
        sent_at = row.sent_at and row.sent_at - by
        Letter.objects.filter(pk=row.pk).update(asked_at=row.asked_at - by, sent_at=sent_at)


def queued(now: datetime | None = None) -> int:
    return resending.queue_wanted(now or timezone.now())


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that a sweep sends, in place of a broker."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.send_letter, "delay", sent.append)
    return sent


def test_one_sweep_sends_the_link_to_whoever_asked_and_to_nobody_else(study, ada, told, mailoutbox):
    links.invite(study, name="Ben", email="ben@reader.example")
    want(ada)
    tasks.sweep()
    made = Letter.objects.get()
    assert (made.judge, made.kind, made.asked_by, told) == (ada, "invitation", None, [made.pk])
    tasks.sweep()
    send_all()
    tasks.sweep()
    secret = links.secret_of(ada.invitations.get())
    assert [f"/invitation/{secret}/" in message.body for message in mailoutbox] == [True]


def test_asked_for_again_it_is_sent_again_but_not_within_the_hour(ada, mailoutbox):
    for _ in range(5):
        want(ada)
        queued()
        send_all()
    assert len(mailoutbox) == 1
    older(timedelta(minutes=61))
    assert queued() == 1
    send_all()
    older(timedelta(minutes=61))
    want(ada, minutes_ago=62)
    assert queued() == 0
    assert len(mailoutbox) == 2


def test_a_coordinators_invitation_answers_it_and_keeps_the_hour(ada):
    want(ada, minutes_ago=5)
    made = letter(ada, asked_by=coordinator(), status="done", sent_at=timezone.now())
    assert queued() == 0
    older(timedelta(minutes=30))
    want(ada)
    assert queued() == 0
    older(timedelta(minutes=31))
    assert queued() == 1
    assert Letter.objects.exclude(pk=made.pk).get().judge == ada


def test_a_reminder_or_a_message_does_not_answer_it(ada):
    want(ada)
    letter(ada, "reminder", status="done", sent_at=timezone.now())
    letter(ada, "message", subject="s", body="b")
    assert queued() == 1


def test_one_that_waits_for_the_mail_server_is_joined_by_no_other(ada):
    letter(ada, not_before=timezone.now() + timedelta(hours=4))
    older(timedelta(hours=2))
    want(ada)
    assert queued() == 0


def test_one_that_failed_is_not_tried_again_and_again(ada):
    want(ada, minutes_ago=300)
    letter(ada, status="failed", error="550")
    older(timedelta(hours=4))
    assert queued() == 0


@pytest.mark.parametrize("state", ["paused_at", "left_at"])
def test_whoever_paused_or_left_is_sent_it_too(ada, mailoutbox, state):
    Judge.objects.filter(pk=ada.pk).update(**{state: timezone.now()})
    want(ada)
    assert queued() == 1
    send_all()
    assert Letter.objects.get().status == "done"
    assert "/leave/" in mailoutbox[0].body


@pytest.mark.parametrize("ended", ["stopped", "expired"])
def test_a_link_that_ended_is_neither_sent_nor_renewed(ada, ended):
    if ended == "stopped":
        ledger.revoke(ada)
    else:
        ada.invitations.update(expires_at=timezone.now())
    want(ada)
    assert queued() == 0
    assert not ada.invitations.usable(timezone.now()).exists()


def test_without_an_address_or_without_mail_nothing_is_queued(study, ada, settings):
    nameless = links.invite(study, name="No address").invitation.judge
    want(nameless)
    assert queued() == 0
    settings.SENDS_MAIL = False
    want(ada)
    assert queued() == 0


def test_the_log_says_that_the_expert_asked(client, study, ada):
    want(ada)
    queued()
    page = client.get(f"/studies/{study.slug}/panel/").content.decode()
    assert "by the expert" in page
