"""Hidden repeats and tests of attention: given as planned, never counted, never noticed."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.services import keyed
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies import leases
from annotation.studies import services as ledger
from annotation.studies.conflicts import codes
from annotation.studies.counting import counts
from annotation.studies.giving import repeats_due, repeats_owed
from annotation.studies.history import history
from annotation.studies.models import Assignment, Item, Judge, Study
from tests.annotation.panel import expert, open_study
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    holders,
    reader,
    shaped,
    waiting,
)

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
WAYS = pytest.mark.parametrize("dealing", Study.Dealing.values)


def days_pass(judge, days):
    """Let everything the judge did have been so many days earlier."""
    if again(judge).active_at:
        Judge.objects.filter(pk=judge.pk).update(active_at=again(judge).active_at - days * DAY)
    for column in ("answered_at", "given_at"):
        for one in Assignment.objects.of(judge).exclude(**{column: None}):
            Assignment.objects.filter(pk=one.pk).update(
                **{column: getattr(one, column) - days * DAY}
            )


def of(judge, purpose):
    return list(Assignment.objects.of(judge).filter(purpose=purpose).order_by("position"))


def read_a_set(judge):
    """Deal and answer until a set is done. Return how many items were given."""
    given = ledger.deal(again(judge))
    answer(judge)
    while again(judge).row:
        given += ledger.deal(again(judge))
        answer(judge)
    return given


@pytest.fixture
def study():
    return shaped(strata=2, each=10, batch=4, repeats=2, repeat_after_days=7)


@WAYS
def test_an_item_is_asked_again_after_so_many_days_and_not_before(dealing, study):
    Study.objects.update(dealing=dealing, repeats=1)
    judge = reader(Study.objects.get(pk=study.pk))
    assert read_a_set(judge) == 4
    first = of(judge, "main")[0]
    days_pass(judge, 6)
    assert read_a_set(judge) == 4
    assert of(judge, "repeat") == []
    days_pass(judge, 1)
    assert read_a_set(judge) == 5
    assert [one.item_id for one in of(judge, "repeat")] == [first.item_id]


@WAYS
def test_it_is_known_when_an_item_will_be_asked_again_until_all_were(dealing):
    study = shaped(strata=1, each=4, batch=4, dealing=dealing, repeats=1, repeat_after_days=7)
    judge = reader(study)
    assert ledger.more_later(judge) is None
    read_a_set(judge)
    (first, *_) = sorted(one.answered_at for one in of(judge, "main"))
    assert ledger.more_later(judge) == first + 7 * DAY
    assert repeats_owed(study, first + 6.9 * DAY) == {}
    assert repeats_owed(study, first + 7 * DAY) == {judge.pk: first + 7 * DAY}
    days_pass(judge, 7)
    ledger.deal(again(judge))
    assert ledger.more_later(judge) is None
    assert repeats_owed(study, timezone.now()) == {}


def test_who_is_to_be_asked_again_is_found_in_few_queries_and_none_of_a_conflict(
    study, django_assert_max_num_queries
):
    for number, item in enumerate(study.items.all()):
        item.conflicts = codes(study.conflict_salt, f"Poet Number{number}")
        item.save()
    judges = [reader(study) for _ in range(4)]
    for judge in judges:
        read_a_set(judge)
        days_pass(judge, 8)
    every = "\n".join(f"Poet Number{number}" for number in range(20))
    for judge, names in zip(judges[1:3], (every, "Nobody Here"), strict=True):
        ledger.tell_background(again(judge), practice=[], years="", languages=[], conflicts=names)
    with django_assert_max_num_queries(3):
        owed = repeats_owed(study, timezone.now())
    begun = {judge.pk: ledger.more_later(again(judge)) for judge in judges}
    assert begun.pop(judges[1].pk) is None
    assert owed == begun
    assert repeats_owed(shaped(), timezone.now()) == {}


def test_no_more_items_are_asked_again_than_said_and_none_twice(study):
    judge = reader(study)
    for _ in range(5):
        days_pass(judge, 8)
        read_a_set(judge)
    repeated = [one.item_id for one in of(judge, "repeat")]
    assert len(repeated) == len(set(repeated)) == 2
    assert len(of(judge, "main")) == 20


@WAYS
def test_nothing_is_asked_again_that_a_conflict_was_declared_with_since(dealing, study):
    Study.objects.update(dealing=dealing)
    for number, item in enumerate(Item.objects.filter(study=study).order_by("pk")):
        item.conflicts = codes(study.conflict_salt, f"Poet Number{number}")
        item.save()
    judge = reader(Study.objects.get(pk=study.pk))
    read_a_set(judge)
    mine = {one.item_id for one in of(judge, "main")}
    names = [f"Poet Number{n}" for n, item in enumerate(study.items.order_by("pk"))
             if item.pk in mine]  # fmt: skip
    days_pass(judge, 8)
    assert repeats_due(judge, study, history(judge, study))
    ledger.tell_background(
        again(judge), practice=[], years="", languages=[], conflicts="\n".join(names)
    )
    assert not repeats_due(judge, study, history(judge, study))
    read_a_set(judge)
    assert of(judge, "repeat") == []


def test_a_set_never_begins_with_a_repeat_or_a_test():
    for _ in range(12):
        study = shaped(batch=3, each=6, repeats=3, repeat_after_days=0, attention=4,
                       attention_every=2)  # fmt: skip
        judge = reader(study)
        for batch in (1, 2, 3):
            read_a_set(judge)
            in_order = Assignment.objects.of(judge).filter(batch=batch).order_by("position")
            assert in_order[0].purpose == "main"


def test_a_repeat_takes_no_place_and_is_no_judgment_of_the_analysis(study):
    judge = reader(study)
    read_a_set(judge)
    days_pass(judge, 7)
    read_a_set(judge)
    assert len(of(judge, "repeat")) == 1
    assert Judgment.objects.count() == 9
    assert Judgment.objects.counted(study).count() == 8
    assert sum(holders(study).values()) == 8
    assert counts(study).total.done == 8
    assert_books_agree(study)


def test_a_repeated_pair_stands_the_other_way_round():
    study = open_study(instrument="pair-choice", second="Another text,\nof two lines.", batch=3)
    Study.objects.filter(pk=study.pk).update(repeats=1, repeat_after_days=0)
    judge = again(expert(study))
    key = study.instrument.questions[0].key
    ledger.deal(judge)
    for one in waiting(judge):
        one.judge = judge
        submit(one, {key: "1"}, milliseconds=1)
    ledger.deal(again(judge))
    (repeat,) = of(judge, "repeat")
    (before,) = [one for one in of(judge, "main") if one.item_id == repeat.item_id]
    assert repeat.flipped != before.flipped


@WAYS
def test_a_test_of_attention_comes_after_so_many_items_and_each_test_once(dealing):
    study = shaped(strata=2, each=12, batch=4, dealing=dealing, attention=3, attention_every=6)
    judge = reader(study)
    for items, tests in ((4, 0), (8, 1), (12, 2), (16, 2), (20, 3), (24, 3)):
        read_a_set(judge)
        assert (len(of(judge, "main")), len(of(judge, "attention"))) == (items, tests)
    assert len({one.item_id for one in of(judge, "attention")}) == 3
    assert {one.item.attention for one in of(judge, "attention")} == {True}
    assert Judgment.objects.counted(study).count() == 24
    assert_books_agree(study)


def test_tests_are_for_everybody_and_take_nobody_a_place():
    study = shaped(batch=4, attention=1, attention_every=4, judges_per_item=2)
    for _ in range(3):
        judge = reader(study)
        assert read_a_set(judge) == 5
    assert Item.objects.get(attention=True).places_taken == 0


def test_whoever_comes_back_to_a_set_is_given_its_tests_again_and_no_others():
    study = shaped(batch=4, each=10, attention=5, attention_every=4, repeats=1,
                   repeat_after_days=0)  # fmt: skip
    judge = reader(study)
    read_a_set(judge)
    ledger.deal(again(judge))
    before = {(one.item_id, one.purpose) for one in waiting(judge)}
    assert len(before) == 6
    days_pass(judge, 100)
    leases.expire(timezone.now())
    assert waiting(judge) == []
    assert ledger.deal(again(judge)) == 6
    now = {(one.item_id, one.purpose) for one in waiting(judge)}
    assert {one for one in now if one[1] != "attention"} == {
        one for one in before if one[1] != "attention"
    }
    answer(judge)
    # Eight items: two tests, as always.
    assert len([one for one in of(judge, "attention") if one.answered_at]) == 2


def test_where_there_is_nothing_else_to_read_no_test_of_attention_comes_alone():
    study = shaped(strata=1, each=4, batch=4, attention=5, attention_every=1)
    judge = reader(study)
    read_a_set(judge)
    assert ledger.deal(again(judge)) == 0
    assert not ledger.more_to_give(again(judge))


@WAYS
def test_where_nothing_else_is_left_the_repeats_that_are_due_are_a_last_set(dealing):
    study = shaped(strata=1, each=6, batch=6, dealing=dealing, repeats=3, repeat_after_days=7,
                   attention=9, attention_every=1)  # fmt: skip
    judge = reader(study)
    read_a_set(judge)
    assert ledger.deal(again(judge)) == 0
    assert not ledger.more_to_give(again(judge))
    days_pass(judge, 7)
    assert ledger.more_to_give(again(judge))
    assert ledger.deal(again(judge)) == 3
    assert {one.purpose for one in waiting(judge)} == {"repeat"}
    assert {one.batch for one in waiting(judge)} == {2}
    answer(judge)
    assert ledger.deal(again(judge)) == 0
    assert not ledger.more_to_give(again(judge))
    assert_books_agree(study)


@WAYS
def test_repeats_are_spread_over_later_sets_and_never_two_together(dealing):
    study = shaped(strata=2, each=30, batch=12, dealing=dealing, repeats=5, repeat_after_days=7)
    judge = reader(study)
    read_a_set(judge)
    days_pass(judge, 7)
    for _ in range(3):
        read_a_set(judge)
    assert len(of(judge, "repeat")) == 5
    in_order = Assignment.objects.of(judge).order_by("position")
    purposes = list(in_order.values_list("purpose", flat=True))
    assert ("repeat", "repeat") not in set(pairwise(purposes))
    per_set = Counter(in_order.filter(purpose="repeat").values_list("batch", flat=True))
    assert max(per_set.values()) <= 3
    assert len(per_set) > 1


def test_where_items_are_drawn_a_repeat_can_come_after_any_of_a_set():
    places = set()
    for _ in range(40):
        study = shaped(strata=2, each=4, batch=4, dealing=Study.Dealing.DRAW, repeats=1)
        judge = reader(study)
        read_a_set(judge)
        days_pass(judge, 7)
        read_a_set(judge)
        (repeat,) = of(judge, "repeat")
        places.add(repeat.position)
    # After any of the fifth to eighth: all of these in forty draws, but for 4 * 0.75 ** 40.
    assert places == {6, 7, 8, 9}


def test_language_models_are_given_neither():
    study = shaped(strata=2, each=3, repeats=2, repeat_after_days=0, attention=2, attention_every=1)
    machine = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name="Alpha")
    assert ledger.give_all(machine) == 6
    answer(machine)
    assert ledger.give_all(machine) == 0
    logged = Entry.objects.get(subject=keyed(machine.log_key, f"judge {machine.pk}"))
    assert (logged.kind, logged.details) == ("lease.given", {"items": 6, "machine": True})
    assert {one.purpose for one in Assignment.objects.of(machine)} == {"main"}
    assert not Assignment.objects.of(machine).filter(item__attention=True).exists()
