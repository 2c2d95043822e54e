"""Two who draw and leave at the same moment do not wait for each other for ever."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection

from annotation.judgments.leaving import stop
from annotation.studies import cells
from annotation.studies import services as ledger
from annotation.studies.cells import Reserved
from annotation.studies.models import Assignment, Item, Judge, Study
from tests.annotation.studies.panels import again, assert_books_agree, reader, shaped
from tests.services.waiting import soon

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite has one writer at a time"),
]


@pytest.fixture
def study():
    """Texts of stratum s0 for one judge, of s1 for three; cells in the order of their strata."""
    study = shaped(dealing=Study.Dealing.DRAW, strata=2, each=2, judges_per_item=3, batch=2)
    study.items.filter(stratum="s0").update(places=1)
    cells.prepare(study)
    return study


def had(judge, item, slot):
    Assignment.objects.create(judge=judge, item=item, position=1, batch=1, slot=slot)
    Item.objects.filter(pk=item.pk).update(places_taken=1)
    cells.fill(item.study_id, [Reserved(0, item.stratum, slot)])


def is_to_draw(judge, stratum):
    Judge.objects.filter(pk=judge.pk).update(row=[[0, stratum, 1]])
    cells.fill(judge.study_id, [Reserved(0, stratum, 1)])


def test_one_draws_from_another_stratum_while_another_gives_back_a_row(study, monkeypatch):
    leaver, drawer, done = (reader(study) for _ in range(3))
    one, two = study.items.filter(stratum="s0").order_by("pk")
    had(leaver, one, 1)
    had(done, two, 0)
    # The leaver empties s1 at slot 1, then s0; the drawer finds s0 dry, and goes on to s1.
    is_to_draw(leaver, "s1")
    is_to_draw(drawer, "s0")
    assert_books_agree(study)
    emptied = Event()
    empty = cells.empty

    def empty_slowly(*args):
        if emptied.is_set():
            soon(somebody_waits, within=20)
        empty(*args)
        emptied.set()

    monkeypatch.setattr(cells, "empty", empty_slowly)

    def leave():
        try:
            return stop(again(leaver))
        finally:
            connection.close()

    def draw():
        try:
            assert emptied.wait(20)
            return ledger.deal(again(drawer))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        left, drawn = pool.submit(leave), pool.submit(draw)
        assert (left.result(), drawn.result()) == (1, 1)
    assert_books_agree(study)


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0
