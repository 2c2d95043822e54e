"""What a judge had, and what those left whom they replace, comes before anything else."""

import pytest

from annotation.studies import amending
from annotation.studies import services as ledger
from annotation.studies.history import history
from annotation.studies.models import Judge
from tests.annotation.studies.panels import again, answer, reader, ready, shaped, waiting

pytestmark = pytest.mark.django_db


def successor(judge):
    return ready(amending.replace(again(judge), name="Ida").invitation.judge)


def items_of(judge):
    return {one.item_id for one in waiting(judge)}


def test_what_one_left_passes_over_a_successor_who_was_given_nothing():
    study = shaped(strata=2, each=10, batch=4, judges_per_item=1)
    first = reader(study)
    ledger.deal(again(first))
    left = items_of(first)
    third = successor(successor(first))
    ledger.deal(again(third))
    assert items_of(third) == left


def test_what_a_successor_answered_is_not_given_again_as_what_the_first_left():
    study = shaped(strata=2, each=10, batch=4, judges_per_item=2)
    first = reader(study)
    ledger.deal(again(first))
    second = successor(first)
    ledger.deal(again(second))
    order = [one.item_id for one in waiting(second)]
    answer(second, 2)
    third = successor(second)
    assert history(again(third), study).again == order[2:]


def test_what_the_last_one_left_comes_before_what_the_first_one_did():
    study = shaped(strata=2, each=10, batch=4, judges_per_item=1)
    first, second = reader(study), reader(study)
    for judge in (first, second):
        ledger.deal(again(judge))
    lefts = [[one.item_id for one in waiting(judge)] for judge in (second, first)]
    Judge.objects.filter(pk=second.pk).update(replaces=first)
    ledger.give_back_waiting(again(first))
    third = successor(second)
    assert history(again(third), study).again == lefts[0] + lefts[1]


def test_judges_who_replace_each_other_in_a_circle_are_asked_only_so_often():
    study = shaped()
    first = reader(study)
    ledger.deal(again(first))
    left = items_of(first)
    second = successor(first)
    Judge.objects.filter(pk=first.pk).update(replaces=second)
    assert set(history(again(second), study).again) == left
