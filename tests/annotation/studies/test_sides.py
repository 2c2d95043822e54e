"""Of two texts each stands first as often as the other, for every pair."""

import pytest
from django.utils import timezone

from annotation.judgments.drafting import save_draft
from annotation.studies import amending
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Judge
from tests.annotation.panel import expert, open_study

pytestmark = pytest.mark.django_db


def pairs(*, items=6, judges_per_item=5):
    return open_study(
        instrument="pair-choice",
        second="Another text",
        items=items,
        judges_per_item=judges_per_item,
        batch=items,
    )


def imbalance(study, kind=Judge.Kind.EXPERT):
    """Return, for each item, by how many one side was first more often than the other."""
    standing = Assignment.objects.filter(
        item__study=study, judge__kind=kind, given_back_at=None
    ).values_list("item_id", "flipped")
    return [
        abs(sum(1 if flipped else -1 for item, flipped in standing if item == pk))
        for pk in study.items.values_list("pk", flat=True)
    ]


def test_after_every_judge_the_sides_are_even_within_one():
    study = pairs()
    for so_far in range(1, 6):
        ledger.deal(expert(study))
        assert imbalance(study) == [so_far % 2] * 6


def test_a_side_that_was_given_back_is_given_to_the_next():
    study = pairs(judges_per_item=4)
    judges = [expert(study) for _ in range(4)]
    for judge in judges:
        ledger.deal(judge)
    # The first and the third had the same sides.
    for judge in (judges[0], judges[2]):
        ledger.revoke(judge)
    assert imbalance(study) == [2] * 6
    for _ in range(2):
        ledger.deal(expert(study))
    assert imbalance(study) == [0] * 6


def test_what_is_given_again_stands_the_other_way_than_what_another_was_given_meanwhile():
    study = pairs(judges_per_item=2)
    one, two = expert(study), expert(study)
    ledger.deal(one)
    before = dict(Assignment.objects.of(one).values_list("item", "token"))
    sides = dict(Assignment.objects.of(one).values_list("item", "flipped"))
    ledger.give_back_waiting(one)
    ledger.deal(two)
    ledger.deal(Judge.objects.get(pk=one.pk))
    assert imbalance(study) == [0] * 6
    for now in Assignment.objects.of(one):
        # A page that shows it the other way round is no page of it any more.
        assert (now.token == before[now.item_id]) == (now.flipped == sides[now.item_id])


def test_what_was_begun_keeps_its_side_and_its_token_when_it_is_given_again():
    study = pairs(judges_per_item=2)
    one, two = expert(study), expert(study)
    ledger.deal(one)
    begun = {}
    for assignment in Assignment.objects.of(one):
        assignment.judge = one
        save_draft(assignment, {study.instrument.questions[0].key: "1"}, version=0, milliseconds=1)
        begun[assignment.item_id] = assignment.flipped, assignment.token
    ledger.give_back_waiting(one)
    ledger.deal(two)
    ledger.deal(Judge.objects.get(pk=one.pk))
    assert begun == {
        now.item_id: (now.flipped, now.token) for now in Assignment.objects.of(one)
    }  # fmt: skip


def test_language_models_are_balanced_apart_from_experts():
    study = pairs()
    ledger.deal(expert(study))
    for name in ("Alpha", "Beta", "Gamma"):
        judge = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name=name)
        assert ledger.give_all(judge) == 6
    assert imbalance(study, Judge.Kind.MACHINE) == [1] * 6


def test_the_side_that_comes_first_differs_from_pair_to_pair():
    study = pairs(items=64)
    ledger.deal(expert(study))
    flipped = Assignment.objects.filter(flipped=True).count()
    # 64 fair coins: outside of 8..56 once in more than 10**9 studies.
    assert 8 <= flipped <= 56


def test_a_single_text_has_no_sides():
    study = open_study(items=64, batch=64)
    ledger.deal(expert(study))
    assert Item.objects.exclude(second="").count() == 0
    assert not Assignment.objects.filter(flipped=True).exists()


def test_sides_are_even_among_those_whose_answers_are_analysed():
    study = pairs(judges_per_item=2)
    first, second = expert(study), expert(study)
    for judge in (first, second):
        ledger.deal(judge)
    turned = dict(Assignment.objects.of(first).values_list("item", "flipped"))
    Assignment.objects.of(second).update(answered_at=timezone.now())
    amending.withdraw(second, "knew the poets")
    third = expert(study)
    ledger.deal(third)
    now = dict(Assignment.objects.of(third).values_list("item", "flipped"))
    assert now == {item: not flipped for item, flipped in turned.items()}
