"""Fifty experts at once, who leave, come late or are withdrawn: exactly K, and nothing lost."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.utils import timezone

from annotation.judgments import leaving
from annotation.judgments.models import Judgment, Rating
from annotation.judgments.services import submit
from annotation.studies import amending, cells, leases
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Cell, Item, Judge, Study
from tests.annotation.panel import expert, open_study, survey

K = 3


class Crowd:
    """Experts at work at once, and what was acknowledged to them."""

    def __init__(self, study, judges):
        self.study, self.judges = study, judges
        self.acknowledged = []
        self.late = []
        self.seen_over_k = []
        self.over = threading.Event()
        self.all_there = threading.Barrier(len(judges) + 1)  # and whoever watches over them

    def work(self, number):
        """Judge until nothing is left; every seventh leaves, every fifth is late once."""
        judge, chance = self.judges[number], Random(number)
        try:
            left_after = 1 + number % 3 if number % 7 == 3 else None
            late = number % 5 == 1
            done = 0
            if not self.over.is_set():
                # Each on a connection of their own, and none before all have something to do.
                self.deal(judge)
                self.all_there.wait(60)
            while True:
                if done == left_after:  # whether or not there was more for them
                    leaving.stop(judge)
                    return
                self.deal(judge)
                assignment = Assignment.objects.of(judge).waiting().in_order().first()
                if assignment is None:
                    return
                if late:
                    late = False
                    self.lose_the_lease(judge)
                self.answer(judge, assignment, chance)
                done += 1
        except ledger.NotTakingPart:  # was withdrawn meanwhile
            return
        finally:
            connection.close()

    def deal(self, judge):
        for _ in range(5):
            with suppress(ledger.PlacesGone):  # as a page says that asks to try again
                return ledger.deal(judge)
        return ledger.deal(judge)

    def answer(self, judge, assignment, chance):
        assignment.judge = judge
        answers = survey(quality=str(chance.randrange(1, 6)))
        judgment = submit(assignment, answers, milliseconds=1000)
        self.acknowledged.append((judgment.pk, answers["quality"]))
        if judgment.extra:
            self.late.append(judgment.pk)

    def lose_the_lease(self, judge):
        long_ago = timezone.now() - timedelta(hours=self.study.lease_hours + 1)
        Assignment.objects.of(judge).update(given_at=long_ago)
        Judge.objects.filter(pk=judge.pk).update(active_at=long_ago)
        leases.expire(timezone.now())

    def watch(self):
        """Count again and again how many hold a place of each item."""
        try:
            while not self.over.is_set():
                self.seen_over_k += over_k(self.study)
                self.over.wait(0.05)
        finally:
            connection.close()


def held(study):
    own = Assignment.objects.holding().filter(item__study=study)
    return Counter(own.order_by().values_list("item_id", flat=True))


def over_k(study):
    return [item for item, number in held(study).items() if number > K]


def figures_agree(study):
    """Whether items and cells say what the assignments say."""
    taken = dict(Item.objects.filter(study=study).values_list("pk", "places_taken"))
    assert {item: number for item, number in taken.items() if number} == dict(held(study))
    filled = Counter()
    for one in Assignment.objects.holding().filter(item__study=study).select_related("item"):
        filled[cells.place_of(one)] += 1
    for judge in Judge.objects.filter(study=study):
        filled.update(cells.reserved(judge))
    kept = {
        cells.Reserved(cell.group_id or 0, cell.stratum, cell.slot): cell.given
        for cell in Cell.objects.filter(study=study)
        if cell.given
    }
    assert kept == dict(filled)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("dealing", Study.Dealing.values)
def test_a_crowd_that_comes_and_goes_leaves_exactly_k_judgments_of_every_item(dealing):
    at_once, items = (8, 60) if connection.vendor == "sqlite" else (50, 300)
    study = open_study(items=items, judges_per_item=K, batch=6)
    rows = list(study.items.order_by("pk"))
    for number, item in enumerate(rows):
        item.stratum, item.twin = f"s{number % 5}", f"t{number // 5}"
    Item.objects.bulk_update(rows, ["stratum", "twin"])
    Study.objects.filter(pk=study.pk).update(dealing=dealing)
    crowd = Crowd(study, [expert(Study.objects.get(pk=study.pk)) for _ in range(at_once)])
    watcher = threading.Thread(target=crowd.watch)
    watcher.start()
    try:
        with ThreadPoolExecutor(at_once) as pool:
            working = [pool.submit(crowd.work, number) for number in range(at_once)]
            crowd.all_there.wait(60)
            amending.withdraw(crowd.judges[0], "answered at random", by="kim")
            for one in working:
                one.result()
    finally:
        crowd.over.set()
        watcher.join()
    # Whoever is still there takes what the last ones to leave gave back.
    for number in range(at_once):
        if number % 7 != 3 and number:
            crowd.work(number)
    assert crowd.seen_over_k == []
    assert held(study) == dict.fromkeys((item.pk for item in rows), K)
    figures_agree(study)
    counted = Judgment.objects.counted(study).order_by()
    per_item = Counter(counted.values_list("assignment__item_id", flat=True))
    assert per_item == dict.fromkeys((item.pk for item in rows), K)
    stored = Counter(
        Rating.objects.filter(question="quality", judgment__assignment__judge__study=study)
        .values_list("judgment_id", "number")
    )  # fmt: skip
    assert stored == {(pk, int(quality)): 1 for pk, quality in crowd.acknowledged}
    assert len(crowd.acknowledged) == len(set(crowd.acknowledged))
    # The crowd did what it is there for.
    assert crowd.late
    assert study.judges.exclude(left_at=None).exists()
