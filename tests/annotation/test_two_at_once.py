"""Two at once never wait for each other for ever, whatever they do in one study."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection
from django.utils import timezone

from annotation.judgments import leaving
from annotation.judgments import services as answers
from annotation.studies import amending, cells, leases
from annotation.studies import services as ledger
from annotation.studies.conflicts import codes
from annotation.studies.models import Assignment, Item, Judge, Study
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    reader,
    shaped,
    survey,
    waiting,
)
from tests.services.waiting import soon

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite has one writer at a time"),
]


class Meeting:
    """Where two wait for each other, or for the database to let one of them wait."""

    def __init__(self):
        self.there = {"one": Event(), "other": Event()}

    def at(self, who, function, *, before):
        """Return the function, at which its caller waits for the other, first or afterwards."""
        (other,) = set(self.there) - {who}

        def met(*args, **kwargs):
            if not before:
                result = function(*args, **kwargs)
            self.there[who].set()
            assert soon(lambda: self.there[other].is_set() or somebody_waits(), within=20)
            return function(*args, **kwargs) if before else result

        return met


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0


def at_once(*calls):
    """Make the calls at once, each on a connection of its own. Return what they return."""

    def alone(call):
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [done.result() for done in [pool.submit(alone, call) for call in calls]]


def test_a_late_answer_crosses_a_deal_that_gives_the_same_item_again(monkeypatch):
    study = shaped(batch=2)
    judge = reader(study)
    ledger.deal(again(judge))
    long_ago = timezone.now() - timedelta(days=60)
    Assignment.objects.of(judge).update(given_at=long_ago)
    Judge.objects.filter(pk=judge.pk).update(active_at=long_ago)
    late = waiting(judge)[0]
    assert leases.expire(timezone.now()) == 2
    late.judge, dealer = again(judge), again(judge)
    meeting = Meeting()
    monkeypatch.setattr(answers, "renew", meeting.at("one", answers.renew, before=False))
    monkeypatch.setattr(ledger, "give", meeting.at("other", ledger.give, before=False))
    judgment, _ = at_once(
        lambda: answers.submit(late, survey(), milliseconds=1), lambda: ledger.deal(dealer)
    )
    assert_books_agree(study)
    assert Assignment.objects.get(pk=late.pk).answered_at == judgment.submitted_at


def test_an_expert_is_deleted_while_whoever_replaces_them_draws(monkeypatch):
    study = shaped(batch=4, dealing="draw", strata=1, each=1, judges_per_item=2)
    first = reader(study)
    ledger.deal(again(first))
    successor = reader(study, replaces=again(first))
    ledger.deal(again(first))
    Judge.objects.filter(pk=successor.pk).update(row=[[0, "s0", 1]])
    cells.fill(study.pk, [cells.Reserved(0, "s0", 1)])
    meeting = Meeting()
    delete = meeting.at("one", leaving._delete_answers, before=True)
    monkeypatch.setattr(leaving, "_delete_answers", delete)
    monkeypatch.setattr(ledger, "choose", meeting.at("other", ledger.choose, before=True))
    _, drawn = at_once(lambda: leaving.delete(again(first)), lambda: ledger.deal(again(successor)))
    assert drawn == 1
    assert again(successor).replaces is None
    assert_books_agree(study)


def deal_while(monkeypatch, judge, happens):
    """Deal, and let something be stored between what is read for it and the study being held."""
    hold, is_read, is_stored = ledger._hold_study, Event(), Event()

    def hold_later(held):
        if not is_read.is_set():
            is_read.set()
            assert is_stored.wait(20)
        return hold(held)

    def store():
        assert is_read.wait(20)
        try:
            happens()
        finally:
            is_stored.set()

    monkeypatch.setattr(ledger, "_hold_study", hold_later)
    dealer = again(judge)
    given, _ = at_once(lambda: ledger.deal(dealer), store)
    return given


def test_a_deal_keeps_to_a_conflict_that_is_declared_just_before_it(monkeypatch):
    study = shaped(strata=2, each=4, batch=8)
    Item.objects.filter(study=study, stratum="s0").update(
        conflicts=codes(study.conflict_salt, "Ann Smith")
    )
    judge = reader(study)
    told = {"practice": [], "years": "", "languages": [], "conflicts": "Ann Smith"}
    given = deal_while(monkeypatch, judge, lambda: ledger.tell_background(again(judge), **told))
    assert given == 4
    assert {one.item.stratum for one in waiting(judge)} == {"s1"}
    assert_books_agree(study)


def test_a_deal_keeps_to_a_group_that_is_chosen_just_before_it(monkeypatch):
    study = shaped(groups=(("a", 1), ("b", 1)))
    group = study.groups.order_by("pk").first()
    judge = reader(study)
    deal_while(monkeypatch, judge, lambda: amending.assign_group(again(judge), group))
    assert {one.item.group for one in waiting(judge)} == {group}
    assert_books_agree(study)


def test_an_expert_is_restored_while_another_draws_what_they_had(monkeypatch):
    study = shaped(batch=2, dealing="draw", strata=2, each=1, judges_per_item=3)
    first = reader(study)
    ledger.deal(again(first))
    (mine,) = answer(first)
    other = reader(study)
    amending.withdraw(again(first), "by mistake")
    # Nothing is left of the other stratum, so its place goes to the one that is restored, too.
    dry = Item.objects.get(study=study, stratum="s1" if mine.item.stratum == "s0" else "s0")
    Item.objects.filter(pk=dry.pk).update(places=0)
    Judge.objects.filter(pk=other.pk).update(row=[[0, dry.stratum, mine.slot]])
    cells.fill(study.pk, [cells.Reserved(0, dry.stratum, mine.slot)])
    meeting = Meeting()
    monkeypatch.setattr(cells, "fill", meeting.at("one", cells.fill, before=True))
    monkeypatch.setattr(ledger, "choose", meeting.at("other", ledger.choose, before=False))
    back, drawn = at_once(
        lambda: amending.restore(again(first)), lambda: ledger.deal(again(other))
    )  # fmt: skip
    assert (back, drawn) == (1, 1)
    assert_books_agree(study)


def test_an_expert_is_withdrawn_while_their_late_answer_arrives(monkeypatch):
    study = shaped(strata=1, each=2, late=Study.Late.IN, batch=2)
    judge = reader(study)
    ledger.deal(again(judge))
    late = waiting(judge)[0]
    leaving.stop(again(judge))
    late.judge = again(judge)
    meeting = Meeting()
    monkeypatch.setattr(answers, "insert", meeting.at("one", answers.insert, before=True))
    monkeypatch.setattr(amending, "take_back", meeting.at("other", amending.take_back, before=True))
    at_once(
        lambda: answers.submit(late, survey(), milliseconds=1),
        lambda: amending.withdraw(again(judge), "knew the poets"),
    )
    assert Assignment.objects.get(pk=late.pk).withdrawn_at
    assert_books_agree(study)
