"""The coordinator's letters by the page: invitations, reminders, messages, rules, and the log."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Study
from backend.panel.forms import RulesForm
from backend.panel.models import Letter, PanelRules
from tests.annotation.panel import expert, survey
from tests.backend.panel.conftest import letter, send_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("swept")]


def post(client: Client, page: str, *args: object, **data: object) -> str:
    response = client.post(reverse(page, args=args), data, follow=True)
    return " ".join(response.content.decode().split())


def body(client: Client, study: Study) -> str:
    return " ".join(client.get(reverse("panel", args=[study.slug])).content.decode().split())


def test_an_invitation_is_sent_again_with_the_same_link(client, study, ada, mailoutbox):
    secret = links.secret_of(ada.invitations.get())
    said = post(client, "send-invitation", study.slug, ada.code)
    assert "The invitation to Ada is on its way." in said
    send_all()
    assert f"/invitation/{secret}/" in mailoutbox[0].body


@pytest.mark.parametrize("ended", ["stopped", "expired"])
def test_an_invitation_by_a_link_that_ended_makes_a_new_one(client, study, ada, mailoutbox, ended):
    if ended == "stopped":
        ledger.revoke(ada)
    else:
        ada.invitations.update(expires_at=timezone.now())
    said = post(client, "send-invitation", study.slug, ada.code)
    assert "with a new link, since the old one had ended" in said
    send_all()
    new = links.secret_of(ada.invitations.usable(timezone.now()).get())
    assert f"/invitation/{new}/" in mailoutbox[0].body


def test_one_expert_is_reminded(client, study, ada, mailoutbox):
    assert "The reminder to Ada is on its way." in post(client, "remind", study.slug, ada.code)
    send_all()
    assert mailoutbox[0].subject.startswith("A reminder")
    assert Letter.objects.get().asked_by.username == "kim"


def test_all_who_have_poems_left_are_reminded_and_counted_before(client, study, ada):
    links.invite(study, name="No address")
    paused = links.invite(study, name="Paused", email="p@reader.example").invitation.judge
    paused.paused_at = timezone.now()
    paused.save()
    ben = expert(study, "Ben")
    ben.email = "ben@reader.example"
    ben.save()
    ledger.deal(ben)
    assert "Remind all who have poems left (2)" in body(client, study)
    assert "Reminders on their way: 2." in post(client, "remind-all", study.slug)
    assert {row.judge for row in Letter.objects.all()} == {ada, ben}


def test_a_message_goes_to_all_who_take_part_or_to_those_with_poems_left(client, study, ada):
    done = expert(study, "Done")
    done.email = "done@reader.example"
    done.save()
    ledger.deal(done)
    for assignment in Assignment.objects.of(done):
        submit(assignment, survey(), milliseconds=None)
    left = links.invite(study, name="Left", email="l@reader.example").invitation.judge
    left.left_at = timezone.now()
    left.save()
    words = {"subject": "News\r\nBcc: x", "body": "Good news."}
    assert "Messages on their way: 2." in post(
        client, "write-to-panel", study.slug, to="all", **words
    )
    assert "Messages on their way: 1." in post(
        client, "write-to-panel", study.slug, to="left", subject="More", body="More."
    )
    sent = {(row.judge.name, row.subject) for row in Letter.objects.all()}
    assert sent == {("Ada", "News Bcc: x"), ("Done", "News Bcc: x"), ("Ada", "More")}


@pytest.mark.parametrize(
    "typed",
    [
        {"to": "all", "subject": "", "body": "b"},
        {"to": "all", "subject": "s", "body": " "},
        {"to": "nobody", "subject": "s", "body": "b"},
        {"to": "all", "subject": "s" * 151, "body": "b"},
    ],
)
def test_a_wrong_message_is_shown_again(client, study, ada, typed):
    answer = client.post(reverse("write-to-panel", args=[study.slug]), typed)
    assert answer.status_code == 422
    assert not Letter.objects.exists()


def test_the_log_says_why_a_letter_was_not_sent_and_lets_it_be_tried_again(client, study, ada):
    failed = letter(
        ada, status="failed", attempts=1, error="The mail server refused the address: 550 gone"
    )
    page = body(client, study)
    assert "1 letter could not be sent" in page
    assert "refused the address: 550 gone" in page
    assert "is tried again" in post(client, "send-again", study.slug, failed.pk)
    failed.refresh_from_db()
    assert (failed.status, failed.error) == ("queued", "")
    assert "did not fail" in post(client, "send-again", study.slug, failed.pk)


def test_a_letter_of_another_study_is_not_found_here(client, study, ada):
    other = Study.objects.create(
        slug="other", title="Other", instrument_data=study.instrument_data, contact="c",
        judges_per_item=1, batch_size=1, seed=1,
    )  # fmt: skip
    failed = letter(ada, status="failed")
    there = reverse("send-again", args=[other.slug, failed.pk])
    assert client.post(there).status_code == 404
    assert "1 letter could not be sent" in body(client, study)
    assert "could not be sent" not in body(client, other)


def test_rules_are_kept_and_looked_at_anew(client, study, ada):
    PanelRules.objects.create(study=study, checked_at=timezone.now())
    assert "Reminders by themselves: only before poems go back to others" in body(client, study)
    said = post(
        client, "panel-rules", study.slug,
        remind_after_days="9", reminders_at_most="1", remind_before_expiry_days="0",
    )  # fmt: skip
    assert "after 9 days of silence, at most 1" in said
    rules = PanelRules.objects.get()
    assert (rules.remind_after_days, rules.reminders_at_most, rules.checked_at) == (9, 1, None)
    post(
        client, "panel-rules", study.slug,
        remind_after_days="", reminders_at_most="1", remind_before_expiry_days="0",
    )  # fmt: skip
    assert PanelRules.objects.get().remind_after_days is None


def test_rules_are_kept_where_a_sweep_adds_the_usual_ones_meanwhile(client, study, monkeypatch):
    valid = RulesForm.is_valid

    def meanwhile(form: RulesForm) -> bool:
        PanelRules.objects.add_missing()
        return valid(form)

    monkeypatch.setattr(RulesForm, "is_valid", meanwhile)
    said = post(
        client, "panel-rules", study.slug,
        remind_after_days="9", reminders_at_most="1", remind_before_expiry_days="0",
    )  # fmt: skip
    assert "after 9 days of silence, at most 1" in said
    assert PanelRules.objects.get().remind_after_days == 9


@pytest.mark.parametrize(("typed", "days"), [("5", 5), ("0", 0), ("", 2)])
def test_the_notice_before_a_lease_ends_is_kept_or_stays_as_it_was(client, study, typed, days):
    post(
        client, "panel-rules", study.slug,
        remind_after_days="9", reminders_at_most="1", remind_before_expiry_days="0",
        remind_before_lease_days=typed,
    )  # fmt: skip
    assert PanelRules.objects.get().remind_before_lease_days == days


def test_all_are_reminded_but_for_those_written_to_within_a_day(client, study, ada):
    letter(ada, status="done")
    said = post(client, "remind-all", study.slug)
    assert "Reminders on their way: 0. Left out, since a letter went to them" in said
    assert not Letter.objects.filter(kind="reminder").exists()


@pytest.mark.parametrize(
    "typed",
    [
        {"remind_after_days": "0"},
        {"remind_after_days": "x"},
        {"reminders_at_most": "11"},
        {"reminders_at_most": ""},
        {"remind_before_expiry_days": "61"},
        {"remind_before_lease_days": "61"},
    ],
)
def test_wrong_rules_are_refused(client, study, typed):
    rules = {"remind_after_days": "9", "reminders_at_most": "1", "remind_before_expiry_days": "3"}
    answer = client.post(reverse("panel-rules", args=[study.slug]), {**rules, **typed})
    assert answer.status_code == 422
    assert not PanelRules.objects.exists()
