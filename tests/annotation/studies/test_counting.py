"""The ledger in figures, against what was done by hand."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.judgments.services import submit
from annotation.studies import amending, leases
from annotation.studies import services as ledger
from annotation.studies.counting import counts
from annotation.studies.models import Assignment, Judge, Study
from tests.annotation.panel import survey
from tests.annotation.studies.panels import answer, reader, shaped, waiting

pytestmark = pytest.mark.django_db


def figures(row):
    return (row.planned, row.leased, row.done, row.withdrawn, row.extra, row.free)


def test_a_study_that_nobody_reads_yet_has_all_its_places_free():
    study = shaped(strata=2, each=3, judges_per_item=2, attention=2)
    found = counts(study)
    assert found.total.items == 6
    assert figures(found.total) == (12, 0, 0, 0, 0, 12)
    assert [(row.code, *figures(row)) for row in found.by_stratum] == [
        ("s0", 6, 0, 0, 0, 0, 6),
        ("s1", 6, 0, 0, 0, 0, 6),
    ]
    assert [(row.code, row.items) for row in found.by_form] == [("f0", 4), ("f1", 2)]
    assert found.by_slot == ()


def test_a_study_without_items_counts_to_nothing():
    assert figures(counts(shaped(strata=0)).total) == (0,) * 6


@pytest.fixture
def study():
    """Every case once: each judge is given all four texts.

    Ada answers two, and two wait. Bo answers one, and was idle: three go back, one of them is
    answered late. Cy answers three, and is withdrawn. Dee answered nothing and stopped.
    """
    study = shaped(strata=2, each=2, judges_per_item=4, batch=4, lease_hours=24)
    ada, bo, cy, dee = (reader(study) for _ in range(4))
    for judge in (ada, bo, cy, dee):
        ledger.deal(judge)
    answer(bo, 1)
    long_ago = timezone.now() - timedelta(days=3)
    Judge.objects.filter(pk=bo.pk).update(active_at=long_ago)
    Assignment.objects.of(bo).update(given_at=long_ago)
    late = waiting(bo)[0]
    assert leases.expire(timezone.now()) == 3
    late.judge = Judge.objects.get(pk=bo.pk)
    submit(late, survey(), milliseconds=1)
    answer(ada, 2)
    answer(cy, 3)
    amending.withdraw(Judge.objects.get(pk=cy.pk), "by mistake")
    ledger.revoke(dee)
    machine = Judge.objects.create(study=study, kind=Judge.Kind.MACHINE, name="Alpha")
    ledger.give_all(machine)
    answer(machine)
    return study


def test_every_place_is_in_one_column(study):
    # Ada 2 + 2, Bo 1; withdrawn: Cy 3; extra: Bo 1; free: 16 - 2 - 3.
    assert figures(counts(study).total) == (16, 2, 3, 3, 1, 11)


def test_each_cut_adds_up_to_the_whole(study):
    found = counts(study)
    for cut in (found.by_stratum, found.by_form, found.by_group):
        sums = [sum(column) for column in zip(*map(figures, cut), strict=True)]
        assert tuple(sums) == figures(found.total)
    for column in ("leased", "done", "withdrawn", "extra"):
        by_slot = sum(getattr(row, column) for row in found.by_slot)
        assert by_slot == getattr(found.total, column)


def test_slots_count_from_one_in_their_order(study):
    assert [row.code for row in counts(study).by_slot] == ["1", "2", "3", "4"]


def test_a_text_is_counted_in_its_own_stratum(study):
    one = Assignment.objects.filter(item__study=study, judge__kind="expert", withdrawn_at=None)
    done = one.filter(given_back_at=None).exclude(answered_at=None)
    for row in counts(study).by_stratum:
        assert row.done == done.filter(item__stratum=row.code).count()


def test_an_answer_that_comes_after_the_study_closed_is_extra(study):
    before = counts(study).total
    one = Assignment.objects.waiting().filter(judge__study=study, judge__kind="expert")
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED, closed_at=timezone.now())
    submit(one.select_related("judge__study")[0], survey(), milliseconds=1)
    now = counts(study).total
    assert (now.leased, now.done, now.extra) == (before.leased - 1, before.done, before.extra + 1)


def test_groups_are_counted_under_their_names():
    study = shaped(strata=2, each=4, groups=[("poets", 3), ("scholars", 1)])
    ledger.deal(reader(study, group=study.groups.get(name="poets")))
    assert [(row.code, row.items, *figures(row)) for row in counts(study).by_group] == [
        ("poets", 4, 12, 4, 0, 0, 0, 8),
        ("scholars", 4, 4, 0, 0, 0, 0, 4),
    ]


def test_strata_of_different_size_are_not_counted_apart_since_their_size_tells_whose_they_are():
    study = shaped(strata=2, each=3)
    study.items.filter(stratum="s1").last().delete()
    found = counts(study)
    assert found.by_stratum == ()
    assert found.total.items == 5
    assert found.by_form
