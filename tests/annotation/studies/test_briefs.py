"""Two texts on one brief for one expert: never, or only when nothing else is left."""

from collections import Counter
from itertools import pairwise

import pytest

from annotation.studies import choosing
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Study
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
WAYS = pytest.mark.parametrize("dealing", Study.Dealing.values)


def briefs(judge):
    return list(Assignment.objects.of(judge).in_order().values_list("item__twin", flat=True))


def read_all(judge):
    while ledger.deal(again(judge)):
        answer(judge)


@WAYS
def test_nobody_reads_a_second_text_on_a_brief_while_one_on_a_new_brief_is_free(dealing):
    # Four briefs with a text of each stratum on it, and sets of four.
    study = shaped(strata=2, each=4, judges_per_item=2, batch=4, per_brief=1, dealing=dealing)
    for _ in range(4):
        judge = reader(study)
        for _ in range(4 if dealing == "draw" else 1):
            ledger.deal(again(judge))
            answer(judge)
        assert len(set(briefs(judge))) == 4
    assert_books_agree(study)
    assert set(holders(study).values()) == {2}


@WAYS
def test_when_nothing_else_is_left_the_second_texts_come(dealing):
    study = shaped(strata=3, each=4, judges_per_item=1, batch=4, per_brief=1, dealing=dealing)
    judge = reader(study)
    read_all(judge)
    read = briefs(judge)
    assert len(set(read[:4])) == 4
    assert Counter(read) == dict.fromkeys(["t0", "t1", "t2", "t3"], 3)
    assert_books_agree(study)


def test_a_text_on_a_new_brief_comes_before_one_with_fewer_judges():
    study = shaped(strata=2, each=2, judges_per_item=3, batch=1, per_brief=1)
    judge = reader(study)
    ledger.deal(again(judge))
    (had,) = answer(judge)
    rest = Item.objects.filter(study=study).exclude(stratum=had.item.stratum)
    rest.exclude(twin=had.item.twin).update(places_taken=1)
    ledger.deal(again(judge))
    assert waiting(judge)[0].item.twin != had.item.twin


def test_a_new_brief_is_found_however_many_texts_on_old_ones_have_fewer_judges(monkeypatch):
    monkeypatch.setattr(choosing, "WINDOW", 2)
    # Eight texts on each of two briefs, in one stratum.
    study = shaped(strata=1, each=16, judges_per_item=2, batch=1, per_brief=8)
    judge = reader(study)
    ledger.deal(again(judge))
    (had,) = answer(judge)
    Item.objects.filter(study=study).exclude(twin=had.item.twin).update(places_taken=1)
    ledger.deal(again(judge))
    assert waiting(judge)[0].item.twin != had.item.twin


def test_second_texts_stand_as_far_apart_as_can_be():
    study = shaped(strata=2, each=3, judges_per_item=1, batch=6, per_brief=1, apart=2)
    judge = reader(study)
    read_all(judge)
    assert all(one != other for one, other in pairwise(briefs(judge)))


@WAYS
def test_where_it_is_never_nobody_ever_reads_two(dealing):
    study = shaped(
        strata=3, each=4, judges_per_item=1, batch=4, per_brief=1, dealing=dealing, twins="never"
    )
    judges = [reader(study) for _ in range(3)]
    for judge in judges:
        read_all(judge)
        assert set(Counter(briefs(judge)).values()) == {1}
    assert set(holders(study).values()) == {1}
    assert len(holders(study)) == 12
    assert_books_agree(study)
