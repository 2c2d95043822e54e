"""Reminders by the rules: to whom, when, how often, and never to whom not."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from annotation.judgments.models import Draft
from annotation.judgments.services import save_draft, submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.panel import reminding, tasks
from backend.panel.models import Letter, PanelRules
from backend.panel.reminding import Silence, is_due, is_losing_poems
from tests.annotation.panel import expert, survey
from tests.backend.panel.conftest import letter, long_ago, send_all

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.parametrize(
    ("since", "written", "expires", "reminders", "due"),
    [
        # days since a sign of life, since the last letter, until the link expires; reminders had
        (7, 7, 30, 0, True),
        (6.9, 7, 30, 0, False),
        (7, 6.9, 30, 0, False),
        (30, 30, 30, 1, True),
        (30, 30, 30, 2, False),
        (30, 30, 0, 0, False),
        (30, 30, -1, 0, False),
        (1, 8, 3, 0, True),
        (1, 8, 3.1, 0, False),
        (1, 6, 3, 0, False),
        (1, 8, 3, 2, False),
    ],
)
def test_the_rules_say_when(since, written, expires, reminders, due):
    rules = PanelRules(remind_after_days=7)  # at most 2, and 3 days before the link expires
    silence = Silence(ago(since), ago(written), ago(-expires), reminders)
    assert is_due(silence, rules, NOW) is due


@pytest.mark.parametrize(
    ("ends", "written", "reminders", "due"),
    [
        # days until the lease ends, since the last letter; reminders had
        (2, 1, 0, True),
        (2.1, 1, 0, False),
        (0.5, 1.4, 0, False),  # that letter went out within the notice
        (0.5, 1.6, 0, True),
        (0, 6, 0, False),
        (-1, 6, 0, False),
        (2, 1, 2, True),  # it is none of those at most
    ],
)
def test_a_lease_about_to_end_is_told_of_once_however_lately_a_letter_went(
    ends, written, reminders, due
):
    rules = PanelRules(remind_after_days=7)  # and 2 days before the lease ends
    silence = Silence(ago(1), ago(written), ago(-30), reminders, ago(-ends))
    assert is_losing_poems(silence, rules, NOW) is due
    # Whatever the rules say of silence, and nowhere else.
    assert is_losing_poems(silence, PanelRules(), NOW) is due
    assert not is_due(silence, rules, NOW)
    rules.remind_before_lease_days = 0
    assert not is_losing_poems(silence, rules, NOW)


def test_by_a_link_that_has_expired_nobody_saves_their_poems():
    assert not is_losing_poems(Silence(ago(9), ago(9), ago(0), 0, ago(-1)), PanelRules(), NOW)


@pytest.mark.parametrize(
    "rules",
    [
        PanelRules(),
        PanelRules(remind_after_days=7, reminders_at_most=0),
    ],
)
def test_rules_that_are_off_remind_nobody(rules):
    assert not is_due(Silence(ago(90), ago(90), ago(-1), 0), rules, NOW)


def test_without_notice_of_expiry_only_silence_counts():
    rules = PanelRules(remind_after_days=7, remind_before_expiry_days=0)
    assert not is_due(Silence(ago(1), ago(8), ago(-0.01), 0), rules, NOW)


def with_address(judge: Judge) -> Judge:
    judge.email = f"{judge.code.lower()}@reader.example"
    judge.save()
    return judge


def at_work(study: Study) -> Judge:
    """Return an expert with three poems waiting."""
    judge = with_address(expert(study))
    ledger.deal(judge)
    return judge


def left(study: Study) -> list[Judge]:
    return reminding.with_something_left(study, timezone.now())


@pytest.mark.django_db
def test_poems_left_or_not_having_begun_is_something_left(study, ada):
    busy = at_work(study)
    done = at_work(study)
    for assignment in Assignment.objects.of(done):
        submit(assignment, survey(), milliseconds=None)
    opened = with_address(expert(study, agreed=False))
    opened.invitations.update(first_used_at=timezone.now())
    agreed = with_address(expert(study))
    study.judges.create(kind="machine", name="Machine", email="machine@reader.example")
    assert left(study) == [ada, busy, opened, agreed]


def asked_again_later(study: Study) -> Judge:
    """Return an expert who has answered all that waited, and is to be asked again in a week."""
    Study.objects.filter(pk=study.pk).update(repeats=1, repeat_after_days=7)
    study.refresh_from_db()
    judge = at_work(study)
    for assignment in Assignment.objects.of(judge):
        submit(assignment, survey(), milliseconds=None)
    return judge


@pytest.mark.django_db
def test_what_is_to_be_asked_again_is_something_left_once_it_is_due(
    study, django_assert_max_num_queries
):
    judges = [asked_again_later(study) for _ in range(4)]
    assert left(study) == []
    with django_assert_max_num_queries(4):
        found = reminding.with_something_left(study, timezone.now() + timedelta(days=7))
    assert found == judges


@pytest.mark.django_db
def test_whoever_is_to_be_asked_again_is_reminded_when_that_is_due(study, rules, mailoutbox):
    judge = asked_again_later(study)
    assert sweep(days=6.9) == 0
    assert sweep(days=7.1) == 1
    send_all()
    (message,) = mailoutbox
    assert message.to == [judge.email]
    assert "There may be more for you to read in the study" in message.body
    assert "You are invited" not in message.body


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["paused", "left", "no address", "stopped", "expired"])
def test_whoever_must_not_be_written_to_is_not_among_them(study, ada, change):
    now = timezone.now()
    match change:
        case "paused":
            ada.paused_at = now
        case "left":
            ada.left_at = now
        case "no address":
            ada.email = ""
        case "stopped":
            ledger.revoke(ada)
        case "expired":
            ada.invitations.update(expires_at=now)
    ada.save()
    assert left(study) == []


@pytest.fixture
def rules(study: Study) -> PanelRules:
    return PanelRules.objects.create(study=study, remind_after_days=7)


def sweep(days: float = 0) -> int:
    PanelRules.objects.update(checked_at=None)
    return reminding.queue_reminders(timezone.now() + timedelta(days=days))


@pytest.mark.django_db
def test_a_silent_expert_is_reminded_twice_a_week_apart_and_then_left_in_peace(
    study, rules, ada, mailoutbox
):
    reminded = []
    for day in range(40):
        if day:
            long_ago(ada, 1)
        reminded += [day] * sweep()
        send_all()
        Letter.objects.update(sent_at=None)  # its age is that of the asking
    assert reminded == [7, 14]
    assert len(mailoutbox) == 2
    assert {row.asked_by for row in Letter.objects.all()} == {None}


@pytest.mark.django_db
def test_a_sign_of_life_puts_the_reminder_off(study, rules):
    judge = at_work(study)
    long_ago(judge, 8)
    submit(Assignment.objects.of(judge).in_order()[0], survey(), milliseconds=None)
    assert sweep() == 0
    assert sweep(days=7.1) == 1


@pytest.mark.django_db
def test_whoever_opened_the_link_and_went_away_is_reminded_after_the_silence(study, rules, ada):
    long_ago(ada, 8)
    ada.invitations.update(first_used_at=timezone.now() - timedelta(days=6))
    assert sweep() == 0
    assert sweep(days=1.1) == 1


@pytest.mark.django_db
def test_a_reminder_that_could_not_be_sent_is_not_counted_but_not_repeated_at_once(
    study, rules, ada
):
    for _ in range(2):
        letter(ada, "reminder", status="failed")
    long_ago(ada, 6)
    assert sweep() == 0
    assert sweep(days=1.1) == 1


@pytest.mark.django_db
def test_reminders_are_counted_rightly_beside_many_poems_links_drafts_and_letters(study, rules):
    judge = at_work(study)
    for assignment in Assignment.objects.of(judge)[:2]:
        save_draft(assignment, survey(), version=0)
    links.link_for(judge)
    letter(judge, "reminder", status="done")
    for subject in "ab":
        letter(judge, "message", status="done", subject=subject)
    Draft.objects.update(saved_at=timezone.now() - timedelta(days=20))
    long_ago(judge, 20)
    assert sweep() == 1  # the second, and the last
    Letter.objects.update(status="done")
    long_ago(judge, 20)
    assert sweep() == 0


@pytest.mark.django_db
def test_a_letter_of_any_kind_puts_the_reminder_off(study, rules, ada):
    long_ago(ada, 8)
    letter(ada, "message", status="done", subject="s", body="b")
    assert sweep() == 0


@pytest.mark.django_db
def test_a_link_about_to_expire_is_told_of_to_whoever_is_busy(study, rules):
    judge = at_work(study)
    long_ago(judge, 20)
    judge.invitations.update(expires_at=timezone.now() + timedelta(days=2))
    Assignment.objects.of(judge).update(given_at=timezone.now())
    assert sweep() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["draft", "closed"])
def test_only_open_studies_remind(study, rules, ada, state):
    long_ago(ada, 8)
    Study.objects.update(state=state, fingerprint="" if state == "draft" else "f")
    assert sweep() == 0


@pytest.mark.django_db
def test_a_site_without_mail_queues_no_reminder(study, rules, ada, settings):
    settings.SENDS_MAIL = False
    long_ago(ada, 8)
    assert sweep() == 0


@pytest.mark.django_db
def test_two_sweeps_at_once_remind_once(study, rules, ada):
    long_ago(ada, 8)
    now = timezone.now()
    assert PanelRules.objects.take(rules.pk, now)
    assert not PanelRules.objects.take(rules.pk, now)
    assert reminding.queue_reminders(now) == 0
    assert reminding.queue_reminders(now + timedelta(minutes=11)) == 1


@pytest.mark.django_db
def test_rules_count_for_their_own_study_alone(study, rules, ada):
    from_elsewhere = links.invite(
        Study.objects.create(
            slug="other", title="Other", instrument_data=study.instrument_data, contact="c",
            judges_per_item=1, batch_size=1, seed=1, state="open", fingerprint="f",
        ),
        name="Eve", email="eve@reader.example",
    ).invitation.judge  # fmt: skip
    for judge in (ada, from_elsewhere):
        long_ago(judge, 8)
    assert sweep() == 1
    assert Letter.objects.get().judge == ada


@pytest.mark.django_db
def test_whoever_was_reminded_of_the_silence_is_told_again_before_the_lease_ends(study, rules):
    judge = at_work(study)  # a lease of fourteen days
    reminded = []
    for day in range(14):
        if day:
            long_ago(judge, 1)
        reminded += [day] * sweep()
        Letter.objects.update(status="done")
    assert reminded == [7, 12]


@pytest.mark.django_db
def test_a_sweep_ends_leases_that_are_over_and_reminds_nobody_of_what_is_gone(study, rules):
    judge = at_work(study)
    answered = at_work(study)
    for one in (judge, answered):
        submit(Assignment.objects.of(one).in_order()[0], survey(), milliseconds=None)
    long_ago(judge, 15)
    tasks.sweep()
    assert not Assignment.objects.of(judge).waiting().exists()
    assert Assignment.objects.of(answered).waiting().count() == 2
    assert sum(study.items.values_list("places_taken", flat=True)) == 1 + 3
    assert not Letter.objects.exists()


@pytest.mark.django_db
def test_where_nobody_set_rules_poems_still_do_not_go_back_unannounced(study, settings):
    settings.SENDS_MAIL = True
    judge = at_work(study)
    told = []
    for day in range(14):
        if day:
            long_ago(judge, 1)
        told += [day] * sweep()
        Letter.objects.update(status="done")
    assert told == [12]
    assert Letter.objects.get().kind == "reminder"


@pytest.mark.django_db
def test_a_reminder_before_poems_go_back_is_none_of_those_at_most(study, rules):
    rules.reminders_at_most = 1
    rules.save()
    judge = at_work(study)
    told = []
    for _ in range(3):
        for day in range(14):
            long_ago(judge, 1)
            told += [day] * sweep()
            Letter.objects.update(status="done")
        Judge.objects.filter(pk=judge.pk).update(active_at=timezone.now())
    # One for the first week of silence, and one before the end of every lease.
    assert len(told) == 4
    assert Letter.objects.filter(before_lease_ends=True).count() == 3
