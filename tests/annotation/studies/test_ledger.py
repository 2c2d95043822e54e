"""Exactly K judges per item, whoever comes, leaves or comes at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from annotation.judgments.services import submit
from annotation.studies import services as ledger
from annotation.studies.conflicts import codes
from annotation.studies.consenting import record_background
from annotation.studies.models import Assignment, Item, ItemQuerySet, Judge, Study
from tests.annotation.panel import expert, open_study, survey
from tests.annotation.studies.panels import assert_books_agree


def judges_per_item(study):
    counting = Assignment.objects.filter(item__study=study, counts=True, given_back_at=None)
    return Counter(counting.values_list("item_id", flat=True))


def finish_batch(judge):
    for assignment in Assignment.objects.of(judge).waiting():
        submit(assignment, survey(), milliseconds=1000)


@pytest.mark.django_db
def test_a_batch_has_its_size_and_the_next_waits_until_it_is_done():
    study = open_study(items=6, batch=3)
    judge = expert(study)
    assert ledger.deal(judge) == 3
    assert ledger.deal(judge) == 0
    finish_batch(judge)
    assert ledger.deal(judge) == 3
    finish_batch(judge)
    assert ledger.deal(judge) == 0
    assert not ledger.more_to_give(judge)


@pytest.mark.django_db
def test_every_item_gets_exactly_k_judges_and_no_judge_an_item_twice():
    study = open_study(items=7, judges_per_item=2, batch=3)
    judges = [expert(study) for _ in range(5)]
    while sum(ledger.deal(judge) for judge in judges):
        for judge in judges:
            finish_batch(judge)
    assert set(judges_per_item(study).values()) == {2}
    assert len(judges_per_item(study)) == 7
    assert not Item.objects.filter(study=study).exclude(places_taken=2).exists()


@pytest.mark.django_db
def test_a_judge_who_leaves_gives_unanswered_places_back_and_keeps_the_answers():
    study = open_study(items=3, judges_per_item=1, batch=3)
    leaver, stayer = expert(study), expert(study)
    ledger.deal(leaver)
    answered = Assignment.objects.of(leaver).waiting().in_order().first()
    submit(answered, survey(), milliseconds=1000)
    assert ledger.revoke(leaver) == 2
    assert ledger.deal(stayer) == 2
    assert set(judges_per_item(study).values()) == {1}
    assert Assignment.objects.of(leaver).answered().count() == 1


@pytest.mark.django_db
def test_revoking_twice_gives_nothing_back_twice():
    study = open_study(items=3, judges_per_item=1, batch=3)
    judge = expert(study)
    ledger.deal(judge)
    assert (ledger.revoke(judge), ledger.revoke(judge)) == (3, 0)
    assert set(study.items.values_list("places_taken", flat=True)) == {0}


@pytest.mark.django_db
def test_nothing_is_given_before_consent_nor_by_a_study_that_is_not_open():
    study = open_study()
    with pytest.raises(ledger.NoConsent):
        ledger.deal(expert(study, agreed=False))
    judge = expert(study)
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    with pytest.raises(ledger.NotOpen):
        ledger.deal(judge)


@pytest.mark.django_db
@pytest.mark.parametrize("since", ["paused_at", "left_at"])
def test_nothing_is_given_to_a_judge_who_paused_or_stopped(since):
    judge = expert(open_study())
    Judge.objects.update(**{since: timezone.now()})
    with pytest.raises(ledger.NotTakingPart):
        ledger.deal(judge)


@pytest.mark.django_db
def test_a_judge_is_not_given_poems_that_have_to_do_with_whom_they_named():
    study = open_study(items=6, judges_per_item=1, batch=6)
    theirs, others = list(study.items.all())[:2], list(study.items.all())[2:]
    for item in theirs:
        item.conflicts = codes(study.conflict_salt, "William Blake")
        item.save()
    judge = expert(study)
    record_background(judge, practice=[], years="", languages=[], conflicts="Keats\nBlake, W.")
    assert ledger.deal(judge) == 4
    assert set(Item.objects.filter(assignments__judge=judge)) == set(others)
    # What is left wants a judge, but not this one.
    assert not ledger.more_to_give(judge)
    assert ledger.more_to_give(expert(study))


@pytest.mark.django_db
def test_two_judges_know_one_item_by_different_tokens():
    study = open_study(items=1, judges_per_item=2, batch=1)
    for judge in (expert(study), expert(study)):
        ledger.deal(judge)
    tokens = Assignment.objects.filter(item__study=study).values_list("token", flat=True)
    assert len(set(tokens)) == 2
    assert all(len(token) >= 22 for token in tokens)


@pytest.mark.django_db(transaction=True)
def test_parallel_judges_never_take_more_than_k_places():
    at_once = 8 if connection.vendor == "sqlite" else 24
    study = open_study(items=20, judges_per_item=3, batch=5)
    judges = [expert(study) for _ in range(at_once)]

    def work(judge):
        try:
            while ledger.deal(judge):
                finish_batch(judge)
        finally:
            connection.close()

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(work, judges))
    assert judges_per_item(study) == dict.fromkeys(study.items.values_list("pk", flat=True), 3)


@pytest.mark.django_db(transaction=True)
def test_judges_may_leave_while_others_come():
    study = open_study(items=16, judges_per_item=30, batch=16)
    judges = [expert(study) for _ in range(8)]

    def come_and_go(judge):
        try:
            return ledger.deal(judge), ledger.revoke(judge)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(come_and_go, judges)) == [(16, 16)] * 8
    assert set(study.items.values_list("places_taken", flat=True)) == {0}


@pytest.mark.django_db(transaction=True)
def test_one_judge_in_many_tabs_gets_one_batch():
    study = open_study(items=12, judges_per_item=1, batch=4)
    judge = expert(study)

    def click(_):
        try:
            return ledger.deal(judge)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(click, range(8)))
    assert sorted(given) == [0] * 7 + [4]


@pytest.mark.django_db
@pytest.mark.parametrize("dealing", Study.Dealing.values)
def test_whoever_loses_a_place_at_the_last_moment_is_given_another(dealing, monkeypatch):
    study = open_study(items=6, batch=3)
    Study.objects.filter(pk=study.pk).update(dealing=dealing)
    judge = expert(Study.objects.get(pk=study.pk))
    take, times = ItemQuerySet.take_places, []

    def lose_once(self, keys):
        times.append(keys)
        return 0 if len(times) == 1 else take(self, keys)

    monkeypatch.setattr(ItemQuerySet, "take_places", lose_once)
    # The very first deal, too, of which the cells were to be made.
    assert ledger.deal(judge) == (3 if dealing == "batch" else 1)
    assert len(times) == 2
    assert_books_agree(study)
