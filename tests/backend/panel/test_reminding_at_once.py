"""Reminders by the rules while others write to the same experts, delete them or set the rules."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotation.judgments import leaving
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Study
from backend.panel import reminding
from backend.panel.models import Letter, PanelRules
from tests.annotation.panel import open_study
from tests.annotation.studies.panels import again
from tests.annotation.test_between_reads import meanwhile
from tests.backend.panel.conftest import long_ago, send_all
from tests.studies import coordinator

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time"),
]


@pytest.fixture
def silent(ada):
    """An expert whom the rules want to remind, of the first of two studies that remind."""
    other = links.invite(open_study(), name="Ben", email="ben@reader.example").invitation.judge
    for judge in (ada, other):
        long_ago(judge, 8)
        PanelRules.objects.create(study=judge.study, remind_after_days=7)
    return ada


@pytest.mark.parametrize("end", [leaving.delete, ledger.revoke])
def test_whoever_leaves_while_it_is_looked_who_is_due_ends_no_round(silent, end, monkeypatch):
    ended = meanwhile(monkeypatch, reminding, "with_something_left", lambda: end(again(silent)))
    assert reminding.queue_reminders(timezone.now()) == 2
    ended[0].result()
    left = {"Ben"} if end is leaving.delete else {"Ada", "Ben"}
    assert set(Letter.objects.values_list("judge__name", flat=True)) == left


@pytest.mark.parametrize("read", ["with_something_left", "_silences"])
def test_whoever_is_just_being_reminded_by_hand_is_reminded_once(silent, read, monkeypatch):
    kim = coordinator()

    def remind():
        reminding.remind([again(silent)], by=kim)
        send_all()

    reminded = meanwhile(monkeypatch, reminding, read, remind)
    reminding.queue_reminders(timezone.now())
    reminded[0].result()
    assert Letter.objects.filter(judge=silent).count() == 1


def test_rules_that_were_just_changed_count_as_they_are_now(silent, monkeypatch):
    def change():
        (rules,) = PanelRules.objects.filter(study=silent.study)
        rules.remind_after_days = 30
        reminding.keep_rules(rules)

    changed = meanwhile(monkeypatch, Study.objects, "hold", change, before=True)
    assert reminding.queue_reminders(timezone.now() + timedelta(seconds=1)) == 1
    changed[0].result()
    assert Letter.objects.get().judge.name == "Ben"
