"""What happens as a study is closed, or as an expert deletes their answers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Event

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.judgments import leaving
from annotation.judgments.models import Judgment
from annotation.judgments.services import submit
from annotation.studies import links
from annotation.studies import services as ledger
from annotation.studies.models import Judge, Study
from backend.design import services as design
from tests.annotation.studies.panels import again, answer, reader, shaped, survey, waiting
from tests.annotation.test_two_at_once import Meeting, at_once, somebody_waits
from tests.services.waiting import soon

pytestmark = pytest.mark.django_db(transaction=True)
two_writers = pytest.mark.skipif(
    "connection.vendor == 'sqlite'", reason="SQLite has one writer at a time"
)


@two_writers
@pytest.mark.parametrize("late", Study.Late.values)
def test_an_answer_that_comes_before_a_study_could_be_closed_is_in_time(late):
    study = shaped(late=late)
    judge = reader(study)
    ledger.deal(again(judge))
    mine = waiting(judge)[0]
    mine.judge = again(judge)

    held = Event()

    def dealing():
        with transaction.atomic():
            Study.objects.hold(study.pk)
            held.set()
            assert soon(somebody_waits, within=20)
            with ThreadPoolExecutor(1) as pool:
                pool.submit(_alone, partial(submit, mine, survey(), milliseconds=1)).result()

    def closing():
        assert held.wait(20)
        design.close(again(judge).study)

    at_once(dealing, closing)
    now = Study.objects.get(pk=study.pk)
    one = Judgment.objects.get()
    assert not one.extra
    assert one.submitted_at <= now.closed_at
    assert list(Judgment.objects.counted(now)) == [one]


@pytest.mark.parametrize("late", Study.Late.values)
def test_an_answer_that_kept_its_place_is_counted_whatever_the_clock_says(late):
    study = shaped(late=late)
    judge = reader(study)
    ledger.deal(again(judge))
    answer(judge, 1)
    design.close(study)
    Judgment.objects.update(submitted_at=timezone.now() + timedelta(seconds=1))
    assert Judgment.objects.counted(Study.objects.get(pk=study.pk)).count() == 1


@two_writers
def test_an_expert_is_deleted_while_a_new_link_is_made_for_them(monkeypatch):
    judge = reader(shaped())
    meeting = Meeting()
    delete = meeting.at("one", leaving._delete_answers, before=True)
    monkeypatch.setattr(leaving, "_delete_answers", delete)
    monkeypatch.setattr(links, "token", meeting.at("other", links.token, before=True))
    leaver, invited = again(judge), again(judge)

    def invite():
        try:
            links.link_for(invited)
        except links.StaleLink:  # deleted first
            meeting.there["other"].set()

    at_once(lambda: leaving.delete(leaver), invite)
    assert not Judge.objects.filter(pk=judge.pk).exists()


def _alone(call):
    try:
        return call()
    finally:
        connection.close()
