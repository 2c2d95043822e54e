"""Messages on their way to a real receiver: signed, at least once, and never for ever."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.activity.services import Kind
from annotation.studies.models import Study
from backend.hooks import posting, sending, services
from backend.hooks.models import FAILURES, Delivery, Hook
from backend.hooks.queueing import queue
from tests.annotation.panel import expert
from tests.backend.hooks.conftest import happened, let_pauses_pass, seal, send_due
from tests.backend.hooks.receiving import Receiver

pytestmark = pytest.mark.django_db


def tell(study: Study, kind: Kind = Kind.STUDY_CLOSED) -> Delivery:
    happened(study, kind)
    seal()
    queue()
    return Delivery.objects.latest("pk")


def fresh(delivery: Delivery) -> Delivery:
    return Delivery.objects.select_related("hook").get(pk=delivery.pk)


def test_a_message_is_signed_and_says_these_things_and_no_more(study, hook, receiver):
    judge = expert(study, "Ada Lovelace")
    entry = happened(study, Kind.STUDY_CLOSED, reason="secret reason")
    seal()
    queue()
    before = int(time.time())
    send_due()
    (one,) = receiver.received
    assert one.signed_with(hook.secret)
    assert not one.signed_with("whsec_" + "A" * 44)
    assert set(one.said) == {"id", "event", "study", "at", "progress"}
    assert one.said["event"] == "study.closed"
    assert one.said["study"] == study.slug
    assert one.said["at"] == entry.at.isoformat()
    assert one.said["progress"] == {"answered": 0, "places": 2}
    assert one.headers["Webhook-Id"] == one.said["id"]
    assert before <= int(one.headers["Webhook-Timestamp"]) <= time.time()
    assert one.headers["Content-Type"] == "application/json"
    assert one.headers["User-Agent"] == "Blindverse"
    everything = repr(one)
    for hidden in ("secret reason", "Ada", judge.code, entry.subject, "kim", hook.secret):
        assert hidden not in everything
    sent = Delivery.objects.get()
    assert (sent.status, sent.answered_status, sent.tries) == ("done", 204, 0)


def test_a_message_that_fails_is_sent_again_with_the_same_id_and_words(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = [500, 503]
    send_due()
    send_due()
    assert len(receiver.received) == 1
    failed = fresh(delivery)
    assert (failed.status, failed.tries, failed.answered_status) == ("queued", 1, 500)
    assert failed.error == "It answered 500."
    for _ in range(2):
        let_pauses_pass()
        send_due()
    assert [one.body for one in receiver.received] == [receiver.received[0].body] * 3
    assert all(one.signed_with(hook.secret) for one in receiver.received)
    assert fresh(delivery).status == "done"
    assert fresh(delivery).hook.failures == 0
    assert fresh(delivery).error == ""


def test_pauses_grow_and_after_the_last_the_message_fails(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = [500] * 7
    pauses = []
    for _ in range(6):
        sending.send(delivery.pk)
        later = fresh(delivery).not_before
        assert later
        pauses.append(round((later - timezone.now()) / timedelta(minutes=1)))
        let_pauses_pass()
    assert pauses == [1, 5, 30, 120, 480, 1440]
    sending.send(delivery.pk)
    assert fresh(delivery).status == "failed"
    let_pauses_pass()
    send_due()
    assert len(receiver.received) == 7
    assert fresh(delivery).hook.active


def test_a_failed_message_can_be_sent_again_by_hand_and_is_tried_as_often_anew(
    study, hook, receiver
):
    delivery = tell(study)
    assert not services.again(delivery)
    Delivery.objects.filter(pk=delivery.pk).update(status="failed", tries=7)
    assert services.again(delivery)
    assert fresh(delivery).tries == 0
    send_due()
    assert receiver.ids == [str(delivery.uid)]


def test_a_receiver_that_is_gone_is_told_nothing_more(study, hook, receiver):
    first, second = tell(study), tell(study)
    receiver.answers = [410]
    sending.send(first.pk)
    sending.send(second.pk)
    assert len(receiver.received) == 1
    hook.refresh_from_db()
    assert not hook.active
    assert "410" in hook.stopped_because
    assert [fresh(one).status for one in (first, second)] == ["failed", "failed"]


def test_a_redirect_is_not_followed(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = [302, 307]
    send_due()
    let_pauses_pass()
    send_due()
    assert [(one.method, one.path) for one in receiver.received] == [("POST", "/")] * 2
    assert "a redirect, which is not followed" in fresh(delivery).error


@pytest.mark.parametrize("slow", ["hang", "drip"])
def test_a_receiver_that_is_too_slow_is_left(study, hook, receiver, monkeypatch, slow):
    monkeypatch.setattr(posting, "ANSWER_SECONDS", 0.3)
    delivery = tell(study)
    receiver.answers = [slow]
    send_due()
    assert fresh(delivery).error == "It did not answer in time."
    assert fresh(delivery).status == "queued"


def test_an_answer_that_is_no_http_is_a_failure(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = ["noise"]
    send_due()
    assert fresh(delivery).error == "It answered something else than HTTP."


def test_while_a_receiver_fails_its_other_messages_wait_too(study, hook, receiver):
    first, second = tell(study), tell(study)
    receiver.answers = [500]
    sending.send(first.pk)
    sending.send(second.pk)
    assert receiver.ids == [str(first.uid)]
    let_pauses_pass()
    send_due()
    assert sorted(receiver.ids[1:]) == sorted(str(one.uid) for one in (first, second))


def test_a_worker_killed_in_the_middle_leaves_the_message_to_another_with_the_same_id(
    study, hook, receiver
):
    delivery = tell(study)
    assert Delivery.objects.claim(delivery.pk)
    send_due()
    assert receiver.received == []
    Delivery.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    send_due()
    assert receiver.ids == [str(delivery.uid)]
    assert fresh(delivery).status == "done"


def test_a_message_told_twice_over_the_broker_is_sent_once(study, hook, receiver):
    delivery = tell(study)
    for _ in range(3):
        sending.send(delivery.pk)
    assert len(receiver.received) == 1


def test_a_hook_that_is_deleted_while_its_message_is_on_its_way_takes_it_along(
    study, hook, receiver, monkeypatch
):
    delivery = tell(study)
    post = posting.post

    def deleted_meanwhile(*args: object) -> int:
        services.remove(Hook.objects.get(pk=hook.pk))
        return post(*args)

    monkeypatch.setattr(posting, "post", deleted_meanwhile)
    sending.send(delivery.pk)
    assert len(receiver.received) == 1
    assert not Delivery.objects.exists()
    sending.send(delivery.pk)
    assert len(receiver.received) == 1


def test_a_hook_that_fails_too_often_for_too_long_is_stopped_with_a_reason(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = [500, 500]
    since = timezone.now() - timedelta(days=3, minutes=1)
    Hook.objects.update(failures=FAILURES - 2, failing_since=since)
    sending.send(delivery.pk)
    assert fresh(delivery).hook.active
    let_pauses_pass()
    sending.send(delivery.pk)
    stopped = fresh(delivery)
    assert not stopped.hook.active
    assert stopped.hook.stopped_because == sending.FAILED_TOO_OFTEN
    assert stopped.status == "failed"


def test_many_failures_within_three_days_stop_nothing(study, hook, receiver):
    delivery = tell(study)
    receiver.answers = [500]
    since = timezone.now() - timedelta(days=2)
    Hook.objects.update(failures=FAILURES * 5, failing_since=since)
    sending.send(delivery.pk)
    assert fresh(delivery).hook.active


def test_a_ping_is_sent_once_even_where_the_hook_is_stopped(study, hook, receiver):
    services.stop(hook)
    receiver.answers = [500]
    delivery = services.ping(hook)
    send_due()
    let_pauses_pass()
    send_due()
    assert [one.said["event"] for one in receiver.received] == ["ping"]
    assert receiver.received[0].signed_with(hook.secret)
    assert fresh(delivery).status == "failed"
    assert fresh(delivery).hook.failures == 0


def test_a_receiver_that_nobody_runs_is_a_failure_that_names_itself(study, hook, receiver):
    Hook.objects.update(url="http://127.0.0.1:1/")
    delivery = tell(study)
    send_due()
    assert fresh(delivery).error.startswith("It cannot be reached: ")
    assert fresh(delivery).answered_status is None


def test_nobody_is_sent_what_was_queued_for_a_hook_that_was_then_stopped(
    study, hook, receiver: Receiver
):
    delivery = tell(study)
    services.stop(hook)
    send_due()
    assert receiver.received == []
    assert fresh(delivery).error == "The hook was stopped before this was delivered."
    assert not services.again(delivery)
    services.start(hook)
    assert services.again(delivery)
    send_due()
    assert len(receiver.received) == 1
