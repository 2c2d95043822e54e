"""The coordinator's way: add a hook, try it, see what became of its messages, delete it."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from backend.hooks import services, tasks
from backend.hooks.models import Delivery, Hook
from tests.annotation.panel import open_study
from tests.backend.hooks.conftest import happened, let_pauses_pass, send_due

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that workers are woken, in place of a broker."""
    woken: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: woken.append("now"))
    return woken


def page(client: Client, study: object) -> str:
    response = client.get(reverse("hooks", args=[study.slug]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def post(client: Client, name: str, *args: object, **data: object):  # type: ignore[no-untyped-def]
    return client.post(reverse(name, args=args), data, follow=True)


def test_without_hooks_the_page_says_what_to_do(client, study):
    assert "Nobody is told yet." in page(client, study)


def test_the_secret_is_shown_once_and_kept_in_no_cache(client, study, receiver):
    answer = post(client, "add-hook", study.slug, url=receiver.url, events=["study.closed"])
    hook = Hook.objects.get()
    assert hook.secret in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert hook.made_by.username == "kim"
    after = page(client, study)
    assert hook.secret not in after
    assert receiver.url in after
    assert "Nothing was sent yet." in after


@pytest.mark.parametrize(
    ("url", "events", "said"),
    [
        ("https://kim:pw@host.example/", ["study.closed"], "Leave name and password out"),
        ("gopher://host.example/", ["study.closed"], "Write an address that begins with"),
        ("", ["study.closed"], "This field is required."),
        ("http://127.0.0.1:9/", [], "Choose at least one."),
        ("http://127.0.0.1:9/", ["study.burnt"], "study.burnt is not one of the available"),
    ],
)
def test_a_hook_that_cannot_be_is_refused_at_its_field_with_what_was_typed(
    client, study, url, events, said
):
    answer = post(client, "add-hook", study.slug, url=url, events=events)
    shown = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert said in shown
    assert f'value="{url}"' in shown or not url
    assert "aria-invalid" in shown
    assert not Hook.objects.exists()


def test_the_same_address_again_is_refused(client, study, hook):
    answer = post(client, "add-hook", study.slug, url=hook.url, events=["study.closed"])
    assert answer.status_code == 422
    assert "has this address already" in answer.content.decode()


def test_a_test_message_arrives_and_its_answer_is_shown(client, study, hook, receiver, swept):
    with_commit = post(client, "ping-hook", study.slug, hook.pk)
    assert "on its way" in with_commit.content.decode()
    send_due()
    assert [one.said["event"] for one in receiver.received] == ["ping"]
    shown = page(client, study)
    assert str(Delivery.objects.get().uid) in shown
    assert "delivered" in shown
    assert "204" in shown


def test_the_workers_are_woken_by_a_test(
    client, study, hook, swept, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        post(client, "ping-hook", study.slug, hook.pk)
    assert swept == ["now"]


def test_a_hook_that_is_deleted_while_it_is_tried_is_not_found(client, study, hook, monkeypatch):
    real = services.ping

    def ping(found: Hook) -> Delivery:
        services.remove(hook)
        return real(found)

    monkeypatch.setattr(services, "ping", ping)
    assert post(client, "ping-hook", study.slug, hook.pk).status_code == 404
    assert not Delivery.objects.exists()


def test_a_message_that_failed_says_why_and_is_sent_again(client, study, hook, receiver):
    receiver.answers = [500]
    delivery = services.ping(hook)
    send_due()
    assert "It answered 500." in page(client, study)
    post(client, "deliver-again", study.slug, delivery.pk)
    let_pauses_pass()
    send_due()
    assert receiver.ids == [str(delivery.uid)] * 2
    answer = post(client, "deliver-again", study.slug, delivery.pk)
    assert "did not fail" in answer.content.decode()


def test_a_hook_is_stopped_with_a_reason_and_started(client, study, hook):
    post(client, "stop-hook", study.slug, hook.pk)
    assert "Stopped by hand." in page(client, study)
    post(client, "start-hook", study.slug, hook.pk)
    shown = page(client, study)
    assert "Stopped by hand." not in shown
    assert '<span class="badge open">active</span>' in shown


def test_a_hook_is_deleted_only_with_the_box_ticked(client, study, hook):
    happened(study)
    post(client, "delete-hook", study.slug, hook.pk)
    assert Hook.objects.exists()
    post(client, "delete-hook", study.slug, hook.pk, sure="yes")
    assert not Hook.objects.exists()
    assert hook.url not in page(client, study)


@pytest.mark.parametrize("name", ["ping-hook", "stop-hook", "start-hook", "delete-hook"])
def test_a_hook_is_reached_through_its_own_study_alone(client, hook, name):
    other = open_study()
    assert post(client, name, other.slug, hook.pk, sure="yes").status_code == 404
    assert Hook.objects.get().active


def test_a_message_is_reached_through_its_own_study_alone(client, hook):
    Delivery.objects.filter(pk=services.ping(hook).pk).update(status="failed")
    other = open_study()
    assert post(client, "deliver-again", other.slug, Delivery.objects.get().pk).status_code == 404
    assert Delivery.objects.get().status == "failed"


def test_whoever_is_not_signed_in_sees_nothing(study, hook):
    for name, args in (("hooks", ()), ("add-hook", ()), ("ping-hook", (hook.pk,))):
        answer = Client().post(reverse(name, args=[study.slug, *args]))
        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in/")
    assert not Delivery.objects.exists()


def test_what_the_page_tells_receivers_to_do_tells_true_messages_from_false(
    client, study, hook, receiver
):
    services.ping(hook)
    send_due()
    shown = client.get(reverse("hooks", args=[study.slug])).content.decode()
    code = re.search(r'<code id="checking">(.*?)</code>', shown, re.DOTALL)
    assert code
    known: dict[str, object] = {}
    exec(html.unescape(code[1]), known)  # noqa: S102
    (one,) = receiver.received
    genuine = known["genuine"]
    assert genuine(hook.secret, one.headers, one.body)
    assert not genuine(hook.secret, one.headers, one.body + b" ")
    assert not genuine("whsec_" + "A" * 44, one.headers, one.body)
    stale = {**one.headers, "Webhook-Timestamp": str(int(one.headers["Webhook-Timestamp"]) - 999)}
    assert not genuine(hook.secret, stale, one.body)
