"""Places that nobody can fill, counted by hand in panels small enough for it."""

from collections import Counter

import pytest
from django.utils import timezone

from annotation.studies import conflicts
from annotation.studies import services as ledger
from annotation.studies.models import Background, Group, Study
from backend.panel.shortage import Expert, Shortage, Unit, missing, shortage
from tests.annotation.panel import expert, open_study


def unit(**free: int) -> Unit:
    """Return items with so many free places by group; `g0` is no group."""
    places = Counter({int(name[1:]): number for name, number in free.items()})
    return Unit(places, {group: [set()] for group in places})


@pytest.mark.parametrize(
    ("free", "groups", "had", "places"),
    [
        ({"g0": 2}, [0, 0], [], 0),
        ({"g0": 2}, [0], [], 1),
        ({"g0": 2}, [0, 0], [0], 1),
        ({"g0": 2}, [1, 1], [], 2),  # in a group, one judges nothing else
        ({"g1": 2, "g2": 1}, [1, 1, 2], [], 0),
        ({"g1": 2, "g2": 1}, [1, 0], [], 1),  # of 1 + 1 left, whoever is in no group fills one
        ({"g1": 1, "g2": 1}, [1, 1, 1], [], 1),
        ({"g0": 1, "g1": 1}, [1, 0], [], 0),
    ],
)
def test_whoever_is_in_a_group_fills_its_places_and_the_others_what_is_left(
    free, groups, had, places
):
    panel = {key: Expert(group) for key, group in enumerate(groups)}
    assert missing({"u": unit(**free)}, panel, {"u": set(had)}) == Shortage(places, places)


def test_the_experts_wanted_are_those_of_the_unit_that_lacks_most():
    units = {"a": unit(g0=3), "b": unit(g0=2), "c": unit(g0=1)}
    assert missing(units, {1: Expert()}, {}) == Shortage(2 + 1 + 0, 2)


def test_a_conflict_keeps_an_expert_from_a_unit_unless_something_of_it_is_free_of_it():
    one = Unit(Counter({0: 1}), {0: [{"x"}]})
    either = Unit(Counter({0: 1}), {0: [{"x"}, {"y"}]})
    panel = {1: Expert(avoided=frozenset({"x"}))}
    assert missing({"a": one, "b": either}, panel, {}) == Shortage(1, 1)


pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return open_study(items=4, judges_per_item=2, batch=4)  # twins: three on one brief, and one


def found(study: Study) -> Shortage:
    study.refresh_from_db()
    return shortage(study, timezone.now())


def test_an_empty_panel_lacks_k_experts(study):
    assert found(study) == Shortage(8, 2)


def test_what_waits_for_an_expert_is_filled_and_is_not_theirs_to_fill_again(study):
    ada = expert(study)
    assert found(study) == Shortage(4, 1)
    assert ledger.deal(ada) == 4
    assert found(study) == Shortage(4, 1)
    expert(study)
    assert found(study) == Shortage(0, 0)


def test_where_two_on_one_brief_are_never_given_a_brief_of_three_takes_six_experts(study):
    Study.objects.update(twins=Study.Twins.NEVER)
    expert(study)
    # Of the brief of three, one place of six is filled; of the other, one of two.
    assert found(study) == Shortage(5 + 1, 5)


def test_whoever_paused_left_or_has_no_link_fills_nothing(study):
    now = timezone.now()
    for change in ("paused_at", "left_at", "withdrawn_at"):
        judge = expert(study)
        setattr(judge, change, now)
        judge.save()
    ledger.revoke(expert(study))
    assert found(study) == Shortage(8, 2)


def test_a_declared_conflict_is_read_as_dealing_reads_it(study):
    judge = expert(study)
    Background.objects.create(judge=judge, conflicts="William Blake")
    item = study.items.first()
    item.conflicts = conflicts.codes(study.conflict_salt, "Blake")
    item.save()
    assert found(study) == Shortage(4 + 1, 2)


def test_items_of_a_group_want_experts_of_theirs_or_of_none(study):
    poets = Group.objects.create(study=study, name="poets", judges_per_item=2)
    study.items.update(group=poets)
    scholars = Group.objects.create(study=study, name="scholars", judges_per_item=1)
    judge = expert(study)
    judge.group = scholars
    judge.save()
    assert found(study) == Shortage(8, 2)
    judge.group = poets
    judge.save()
    assert found(study) == Shortage(4, 1)


def test_whoever_gave_back_may_have_it_again(study):
    judge = expert(study)
    ledger.deal(judge)
    ledger.give_back_waiting(judge)
    assert found(study) == Shortage(4, 1)
