"""Texts of one stratum keep the distance that the study promises, whatever comes between."""

import pytest

from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Study
from tests.annotation.studies.panels import (
    again,
    assert_books_agree,
    reader,
    shaped,
    waiting,
)
from tests.annotation.studies.test_repeats import days_pass, of, read_a_set

pytestmark = pytest.mark.django_db
WAYS = pytest.mark.parametrize("dealing", Study.Dealing.values)
SEEDS = range(8)


def line(judge):
    """Return the strata of all that a judge was given, in order."""
    kept = Assignment.objects.of(judge).filter(given_back_at=None).order_by("position")
    return list(kept.values_list("item__stratum", flat=True))


def too_near(strata, apart):
    return [
        (one, strata[one])
        for one in range(len(strata))
        if strata[one] in strata[max(0, one - apart + 1) : one]
    ]


@WAYS
def test_what_stands_in_for_a_stratum_that_is_used_up_keeps_its_distance(dealing):
    for _ in SEEDS:
        study = shaped(strata=6, each=6, batch=6, judges_per_item=1, apart=3, dealing=dealing)
        Item.objects.filter(study=study, stratum="s0").update(places_taken=1)
        judge = reader(study)
        for _ in range(2):
            read_a_set(judge)
        assert len(line(judge)) == 12
        assert not too_near(line(judge), 3)


def test_where_the_distance_cannot_be_kept_a_set_is_full_all_the_same():
    study = shaped(strata=4, each=6, batch=8, judges_per_item=1, apart=2)
    Item.objects.filter(study=study).exclude(stratum="s0").update(places_taken=1)
    judge = reader(study)
    assert read_a_set(judge) == 6
    assert set(line(judge)) == {"s0"}


def test_what_is_given_again_keeps_its_distance_though_others_took_some_of_it():
    for _ in SEEDS:
        study = shaped(strata=6, each=6, batch=12, judges_per_item=1, apart=3)
        judge = reader(study)
        ledger.deal(again(judge))
        order = waiting(judge)
        ledger.give_back_waiting(again(judge))
        for one in order[1:12:4] + order[2:12:4]:
            Item.objects.take_place(one.item_id)
        ledger.deal(again(judge))
        assert len(waiting(judge)) == 12
        kept = {one.item_id for one in order} - {
            one.item_id for one in order[1:12:4] + order[2:12:4]
        }
        assert {one.item_id for one in waiting(judge)[:6]} == kept
        assert not too_near(line(judge), 3)


def test_what_is_given_again_whole_comes_in_the_order_that_it_had():
    study = shaped(strata=6, each=6, batch=12, judges_per_item=1, apart=3)
    judge = reader(study)
    ledger.deal(again(judge))
    order = [one.item_id for one in waiting(judge)]
    ledger.give_back_waiting(again(judge))
    ledger.deal(again(judge))
    assert [one.item_id for one in waiting(judge)] == order
    assert_books_agree(study)


@WAYS
@pytest.mark.parametrize("batch", [6, 12])
def test_what_is_asked_again_keeps_its_distance_from_what_is_new(dealing, batch):
    for _ in range(3):
        study = shaped(
            strata=6, each=6, batch=batch, repeats=4, repeat_after_days=7, apart=3,
            dealing=dealing, attention=3, attention_every=5,
        )  # fmt: skip
        judge = reader(study)
        for _ in range(36 // batch):
            read_a_set(judge)
            days_pass(judge, 8)
        repeats = len(of(judge, "repeat"))
        assert 2 <= repeats <= 4
        assert len(line(judge)) == 36 + repeats + 3
        # Each test of attention is of a stratum of its own, but not in this small panel.
        assert {stratum for _, stratum in too_near(line(judge), 3)} <= {"test"}


@WAYS
def test_where_no_distance_can_be_kept_items_are_asked_again_all_the_same(dealing):
    study = shaped(strata=2, each=10, batch=4, repeats=2, apart=2, dealing=dealing)
    judge = reader(study)
    for _ in range(4):
        read_a_set(judge)
        days_pass(judge, 8)
    assert len(of(judge, "repeat")) == 2


def test_a_set_of_repeats_alone_keeps_the_distance_too():
    for _ in SEEDS:
        study = shaped(strata=4, each=1, batch=4, repeats=4, repeat_after_days=7, apart=2)
        judge = reader(study)
        read_a_set(judge)
        days_pass(judge, 8)
        assert ledger.deal(again(judge)) == 4
        assert not too_near(line(judge), 2)
