"""A letter is sent once; a refusal is told, and trouble with the connection is tried again."""

import smtplib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest
from django.core.mail import EmailMessage
from django.db import connections, transaction
from django.utils import timezone

from annotation.judgments import leaving
from annotation.studies import links
from annotation.studies.models import Judge
from backend.generation.work import FORGOTTEN
from backend.panel import services, tasks
from backend.panel.models import Letter
from tests.backend.panel.conftest import letter, send_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def trouble(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Let the mail server answer with this error from now on."""

    def answer(error: Exception) -> None:
        def refuse(self: EmailMessage, **_: object) -> int:
            raise error

        monkeypatch.setattr(EmailMessage, "send", refuse)

    return answer


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that a sweep sends, in place of a broker."""
    sent: list[int] = []
    monkeypatch.setattr(tasks.send_letter, "delay", sent.append)
    return sent


def test_a_letter_is_sent_and_noted_once(ada, mailoutbox):
    waiting = letter(ada)
    services.send(waiting.pk)
    services.send(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.error, waiting.attempts) == ("done", "", 1)
    assert waiting.sent_at is not None
    assert [message.to for message in mailoutbox] == [["ada@reader.example"]]


def test_whoever_is_deleted_leaves_no_letter_and_gets_none(study, ada, mailoutbox):
    ben = links.invite(study, name="Ben", email="ben@reader.example").invitation.judge
    kept, key = letter(ben), letter(ada).pk
    letter(ada, "message", status="done", subject="To Ada", body="Dear Ada")
    leaving.delete(ada)
    services.send(key)
    assert list(Letter.objects.all()) == [kept]
    assert mailoutbox == []


def test_whoever_paused_after_it_was_asked_for_gets_nothing_and_the_log_says_why(ada, mailoutbox):
    waiting = letter(ada)
    ada.paused_at = timezone.now()
    ada.save()
    services.send(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.sent_at) == ("failed", None)
    assert "has paused" in waiting.error
    assert mailoutbox == []


REFUSED = {"ada@reader.example": (550, b"5.1.1 No such\r\n user")}
GREY = {"ada@reader.example": (451, b"4.7.1 Try again later")}


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            smtplib.SMTPRecipientsRefused(REFUSED),
            "failed",
            "refused the address: 550 5.1.1 No such user",
        ),
        (smtplib.SMTPRecipientsRefused(GREY), "queued", "451 4.7.1 Try again later"),
        (smtplib.SMTPDataError(554, b"Looks like spam"), "failed", "refused the letter: 554 Looks"),
        (smtplib.SMTPDataError(452, b"Disk full"), "queued", "452 Disk full"),
        (smtplib.SMTPSenderRefused(550, b"Not you", "x@y.example"), "failed", "550 Not you"),
        (smtplib.SMTPAuthenticationError(535, b"Wrong"), "failed", "site's password: 535 Wrong"),
        (smtplib.SMTPNotSupportedError("no STARTTLS"), "failed", "no STARTTLS"),
        (smtplib.SMTPConnectError(554, b"Busy"), "queued", "Busy"),
        (smtplib.SMTPServerDisconnected("gone"), "queued", "cannot be reached: gone"),
        (ConnectionRefusedError("refused"), "queued", "cannot be reached: refused"),
        (TimeoutError("timed out"), "queued", "cannot be reached: timed out"),
        (ValueError("Invalid address"), "failed", "cannot be written: Invalid address"),
    ],
)
def test_a_refusal_ends_it_and_a_passing_trouble_is_tried_again(ada, trouble, error, status, said):
    trouble(error)
    waiting = letter(ada)
    services.send(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.status == status
    assert said in waiting.error
    assert (waiting.not_before is not None) == (status == "queued")


def test_it_is_tried_four_times_over_hours_then_given_up(ada, trouble):
    trouble(ConnectionRefusedError("refused"))
    waiting, waits = letter(ada), []
    for _ in range(4):
        services.send(waiting.pk)
        waiting.refresh_from_db()
        if waiting.not_before:
            waits.append(round((waiting.not_before - timezone.now()).total_seconds() / 60))
        Letter.objects.update(not_before=None)
    assert waits == [1, 20, 240]
    assert (waiting.status, waiting.attempts) == ("failed", 4)


def test_a_letter_that_failed_is_tried_again_on_request(ada, trouble, monkeypatch, mailoutbox):
    waiting = letter(ada)
    with monkeypatch.context() as broken:
        broken.setattr(EmailMessage, "send", lambda self: (_ for _ in ()).throw(ValueError("x")))
        services.send(waiting.pk)
    assert services.again(waiting)
    assert not services.again(waiting)
    services.send(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.error) == ("done", "")
    assert len(mailoutbox) == 1


def test_a_failed_letter_waits_not_beside_its_like(ada):
    failed = letter(ada, status="failed")
    letter(ada)
    assert not services.again(failed)


def test_the_same_letter_is_not_queued_twice(study, ada):
    ben = links.invite(study, name="Ben", email="ben@reader.example").invitation.judge
    assert services.write([ada], "invitation", by=None) == 1
    assert services.write([ada, ben], "invitation", by=None) == 1
    assert services.write([ada], "reminder", by=None) == 1
    assert services.write([ada], "message", by=None, subject="A", body="b") == 1
    assert services.write([ada], "message", by=None, subject="A", body="b") == 0
    assert services.write([ada], "message", by=None, subject="A", body="c") == 1
    send_all()
    assert services.write([ada], "invitation", by=None) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["message", "invitation"])
def test_the_same_letter_asked_for_twice_at_once_is_queued_and_counted_once(ada, kind):
    words = {"subject": "News", "body": "Good news."} if kind == "message" else {}

    def ask() -> int:
        try:
            return services.write([ada], kind, by=None, **words)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            assert services.write([ada], kind, by=None, **words) == 1
            second = threads.submit(ask)
            assert not wait([second], timeout=0.5).done  # it waits for the first
        assert second.result(20) == 0
    assert Letter.objects.count() == 1


def test_whoever_was_deleted_meanwhile_is_written_nothing_and_not_counted(study, ada):
    ben = links.invite(study, name="Ben", email="ben@reader.example").invitation.judge
    leaving.delete(Judge.objects.get(pk=ada.pk))
    assert services.write([ada, ben], "message", by=None, subject="A", body="b") == 1


def test_a_sweep_tells_of_each_letter_once_and_again_when_the_message_must_be_lost(ada, told):
    waiting = letter(ada)
    letter(ada, "reminder", status="done")
    tasks.sweep()
    tasks.sweep()
    assert told == [waiting.pk]
    Letter.objects.update(nudged_at=timezone.now() - FORGOTTEN - timedelta(seconds=1))
    tasks.sweep()
    assert told == [waiting.pk] * 2
    tasks.sweep(messages_lost=True)
    assert told == [waiting.pk] * 3


def test_a_killed_workers_letter_is_told_of_again(ada, told, mailoutbox):
    waiting = letter(ada)
    assert Letter.objects.claim(waiting.pk)  # and here the worker was killed
    tasks.sweep()
    assert told == []
    Letter.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    tasks.sweep()
    assert told == [waiting.pk]
    services.send(waiting.pk)
    assert len(mailoutbox) == 1
