"""Exactly K and balanced, in studies of any shape, whoever comes and goes."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotation.judgments.leaving import resume, stop
from annotation.studies import amending, leases, links
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Item, Judge, Study
from tests.annotation.studies.panels import (
    again,
    answer,
    assert_books_agree,
    holders,
    reader,
    shaped,
    spread,
    waiting,
)

WAYS = pytest.mark.parametrize("dealing", Study.Dealing.values)


def deal(judge):
    try:
        return ledger.deal(again(judge))
    except ledger.NotTakingPart:
        return 0


def read_on(judges):
    """Let judges deal and answer in turn until nobody can be given anything."""
    while sum(deal(judge) for judge in judges):
        for judge in judges:
            answer(judge)


class Life:
    """A panel that does what panels do, in an order drawn from a seed."""

    def __init__(self, study, seed):
        self.study, self.draw = study, Random(seed)
        self.judges = [reader(study) for _ in range(self.draw.randint(2, 5))]
        self.now = timezone.now()

    def step(self):
        judge = self.draw.choice(self.judges)
        deeds = [self.go_on] * 6 + [self.stop, self.idle, self.withdraw, self.come, self.replace]
        self.draw.choice(deeds)(judge)

    def go_on(self, judge):
        if Judge.objects.filter(pk=judge.pk, withdrawn_at=None).exists():
            deal(judge)
            answer(judge, self.draw.randint(0, 3))

    def stop(self, judge):
        stop(again(judge))
        if self.draw.random() < 0.5 and not judge.is_replaced:
            resume(again(judge))

    def idle(self, judge):
        """Nobody does anything for longer than a lease."""
        del judge
        leases.expire(timezone.now() + timedelta(hours=self.study.lease_hours + 1))

    def withdraw(self, judge):
        if self.draw.random() < 0.5 and not again(judge).withdrawn_at:
            amending.withdraw(again(judge), "by mistake")
        if self.draw.random() < 0.5:
            amending.restore(again(judge))
            if not again(judge).withdrawn_at:
                links.link_for(again(judge))  # who was withdrawn needs a new one to go on

    def come(self, judge):
        del judge
        self.judges.append(reader(self.study))

    def replace(self, judge):
        if len(self.judges) < 8:
            self.judges.append(reader(self.study, replaces=judge))
            stop(again(judge))

    def to_the_end(self):
        """Let as many fresh judges come as every item could want, and read all there is."""
        most = Item.objects.filter(study=self.study).order_by("-places")[0].places
        read_on([reader(self.study) for _ in range(most)])


@pytest.mark.django_db
@WAYS
@pytest.mark.parametrize("seed", range(12))
def test_the_books_agree_after_every_step_and_the_end_is_exactly_k(dealing, seed):
    draw = Random(seed)
    study = shaped(
        dealing=dealing, strata=draw.randint(1, 4), each=draw.randint(1, 4),
        judges_per_item=draw.randint(1, 3), batch=draw.randint(1, 6),
        per_brief=draw.choice([0, 1, 2]), apart=draw.randint(1, 3),
    )  # fmt: skip
    life = Life(study, seed)
    for _ in range(25):
        life.step()
        assert_books_agree(study)
    life.to_the_end()
    assert_books_agree(study)
    for judge in life.judges:
        stop(again(judge))
    life.to_the_end()
    assert_books_agree(study)
    assert holders(study) == {item.pk: item.places for item in study.items.all()}


@pytest.mark.django_db
def test_the_database_itself_refuses_one_judge_too_many():
    study = shaped(judges_per_item=1)
    item = study.items.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Item.objects.filter(pk=item.pk).update(places_taken=2)


@pytest.mark.django_db
@WAYS
def test_no_judge_reads_two_texts_on_a_brief_where_the_study_says_never(dealing):
    study = shaped(
        dealing=dealing, twins=Study.Twins.NEVER, strata=3, each=4, per_brief=1,
        judges_per_item=2, batch=3,
    )  # fmt: skip
    judges = [reader(study) for _ in range(6)]
    leases_end = timezone.now() + timedelta(hours=study.lease_hours + 1)
    for judge in judges[:3]:
        deal(judge)
        answer(judge, 1)
    leases.expire(leases_end)  # what they come back to must keep to it, too
    read_on(judges)
    had = Counter(
        Assignment.objects.filter(item__study=study).exclude(answered_at=None)
        .values_list("judge", "item__twin")
    )  # fmt: skip
    assert max(had.values()) == 1
    # Twelve texts, each for two judges, four to each of six judges.
    assert set(holders(study).values()) == {2}
    assert len(had) == 24


@pytest.mark.django_db
@WAYS
@pytest.mark.parametrize(("strata", "batch"), [(2, 4), (3, 3), (3, 6), (4, 4), (1, 5)])
def test_without_drop_outs_the_cells_of_a_slot_end_within_one(dealing, strata, batch):
    # Every judge reads everything, in full sets.
    study = shaped(
        dealing=dealing, strata=strata, each=2 * batch // strata, judges_per_item=5, batch=batch
    )
    read_on([reader(study) for _ in range(5)])
    assert set(holders(study).values()) == {5}
    assert spread(study, strata, slots=batch) <= 1


@pytest.mark.django_db
@WAYS
def test_what_drop_outs_gave_back_is_given_to_the_emptiest_cells(dealing):
    study = shaped(dealing=dealing, strata=4, each=40, judges_per_item=2, batch=4)
    judges = [reader(study) for _ in range(12)]
    for judge in judges:
        deal(judge)
        while len(waiting(judge)) and dealing == Study.Dealing.DRAW:
            answer(judge)
            if not again(judge).row:
                break
            deal(judge)
    assert spread(study, 4, slots=4) == 0  # twelve rows, three Latin squares
    for judge in judges[1::3]:
        amending.withdraw(again(judge), "read by a machine")
    for _ in range(4):
        judge = reader(study)
        deal(judge)
        while dealing == Study.Dealing.DRAW and again(judge).row:
            answer(judge)
            deal(judge)
    assert spread(study, 4, slots=4) == 0


@pytest.mark.django_db
@WAYS
def test_a_judge_of_a_group_is_given_its_items_alone_and_each_group_has_its_k(dealing):
    study = shaped(dealing=dealing, strata=2, each=6, groups=[("poets", 3), ("scholars", 1)])
    poets, scholars = study.groups.order_by("pk")
    panel = [reader(study, group=poets) for _ in range(4)]
    panel += [reader(study, group=scholars) for _ in range(2)]
    read_on(panel)
    for judge in panel:
        groups = Assignment.objects.of(judge).values_list("item__group", flat=True)
        assert set(groups) <= {judge.group_id}
    assert Counter(holders(study).values()) == {3: 6, 1: 6}
    assert_books_agree(study)


@pytest.mark.django_db(transaction=True)
@WAYS
def test_at_once_panels_come_and_go_and_every_item_has_exactly_k(dealing):
    at_once = 4 if connection.vendor == "sqlite" else 12
    study = shaped(dealing=dealing, strata=3, each=5, judges_per_item=3, batch=4)
    judges = [reader(study) for _ in range(at_once)]

    def live(number):
        judge = judges[number]
        draw = Random(number)
        try:
            for _ in range(12):
                deal(judge)
                answer(judge, draw.randint(0, 3))
                if draw.random() < 0.3:
                    stop(again(judge))
                    resume(again(judge))
            while deal(judge) or waiting(judge):
                answer(judge)
        finally:
            connection.close()

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(live, range(at_once)))
    read_on(judges)
    assert_books_agree(study)
    assert set(holders(study).values()) == {3}
    assert len(holders(study)) == 15


@pytest.mark.django_db
def test_a_deal_that_knows_of_no_cells_yet_forgets_nobody_who_is_drawing():
    study = shaped(dealing=Study.Dealing.DRAW, strata=2, each=4, batch=4)
    first, second = again(reader(study)), again(reader(study))
    ledger.deal(first)
    # Read before the first one's deal made the cells.
    assert not second.study.cells_ready
    ledger.deal(second)
    assert_books_agree(study)
