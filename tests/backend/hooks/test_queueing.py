"""From the log to messages: each sealed event once, in order, to whoever wants it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from annotation.activity.services import Kind
from annotation.judgments import leaving
from annotation.judgments.services import submit
from annotation.studies import amending
from annotation.studies.models import Assignment, Item, Study
from annotation.studies.services import deal
from backend.hooks import services
from backend.hooks.models import Delivery, Event, Hook
from backend.hooks.progress import Progress, progress_of
from backend.hooks.queueing import queue
from tests.annotation.panel import expert, open_study, survey
from tests.backend.hooks.conftest import happened, seal

pytestmark = pytest.mark.django_db


def told(hook: Hook) -> list[str]:
    return list(hook.deliveries.order_by("pk").values_list("event", flat=True))


def answer_all(study: Study) -> None:
    judge = expert(study)
    assert deal(judge) == study.items.count()
    for assignment in Assignment.objects.of(judge):
        submit(assignment, survey(), milliseconds=1)


def test_each_event_is_told_once_and_in_order_after_it_was_sealed(study, hook):
    for kind in (Kind.STUDY_OPENED, Kind.JUDGMENT_SUBMITTED, Kind.STUDY_CLOSED):
        happened(study, kind)
    assert queue() == 0
    seal()
    assert queue() == 3
    assert queue() == 0
    assert told(hook) == ["study.opened", "judgment.submitted", "study.closed"]
    happened(study, Kind.STUDY_UNSEALED)
    seal()
    queue()
    assert told(hook)[3:] == ["study.unsealed"]


def test_what_is_sealed_in_many_blocks_is_all_told(study, hook):
    for _ in range(11):
        happened(study)
        seal()
    assert queue() == 11
    hook.refresh_from_db()
    assert hook.cursor == 11


def test_a_hook_is_told_only_what_it_wants_of_its_own_study(study, hook, receiver):
    Hook.objects.filter(pk=hook.pk).update(events=["study.closed"])
    other = open_study()
    elsewhere = services.add(other, receiver.url, ["study.closed"], by=None).hook
    happened(study)
    happened(study, Kind.STUDY_CLOSED)
    happened(study, Kind.LEASE_GIVEN)
    happened(study, Kind.RESULTS_VIEWED)
    seal()
    queue()
    assert told(hook) == ["study.closed"]
    assert told(elsewhere) == []


def test_what_was_done_before_the_hook_was_made_is_not_told_however_late_it_is_sealed(
    study, receiver
):
    happened(study)
    seal()
    happened(study)
    hook = services.add(study, receiver.url, Event.values, by=None).hook
    seal()
    assert queue() == 0
    happened(study)
    seal()
    assert queue() == 1
    assert told(hook) == ["judgment.submitted"]


def test_a_batch_is_done_when_the_answer_that_ended_it_says_so(study, hook):
    happened(study, batch_done=False)
    happened(study, batch_done=True)
    seal()
    queue()
    assert sorted(told(hook)) == ["batch.done", "judgment.submitted", "judgment.submitted"]


def test_a_study_is_complete_when_every_place_has_its_judgment_and_that_is_told_once(study, hook):
    happened(study)
    seal()
    queue()
    assert "study.complete" not in told(hook)
    answer_all(study)
    for _ in range(2):
        happened(study)
        seal()
        queue()
    complete = hook.deliveries.get(event="study.complete")
    assert (complete.answered, complete.places) == (2, 2)


def test_a_study_whose_k_was_raised_can_be_complete_again(study, hook):
    answer_all(study)
    happened(study)
    seal()
    queue()
    Item.objects.filter(study=study).update(places=2)
    happened(study)
    seal()
    queue()
    assert told(hook).count("study.complete") == 1
    answer_all(study)
    happened(study)
    seal()
    queue()
    assert [one.places for one in hook.deliveries.filter(event="study.complete")] == [4, 2]


@pytest.mark.parametrize("take_out", [amending.withdraw, leaving.delete], ids=["out", "deleted"])
def test_a_study_that_answers_were_taken_out_of_can_be_complete_again(study, hook, take_out):
    answer_all(study)
    sealed_and_queued()
    assert told(hook).count("study.complete") == 1
    judge = study.judges.get()
    take_out(judge, **({"reason": "Asked others."} if take_out is amending.withdraw else {}))
    sealed_and_queued()
    assert told(hook).count("study.complete") == 1
    answer_all(study)
    sealed_and_queued()
    happened(study)
    sealed_and_queued()
    complete = hook.deliveries.filter(event="study.complete").order_by("pk")
    assert [(one.places, one.emptied) for one in complete] == [(2, 0), (2, 1)]


def test_a_study_is_not_complete_again_because_somebody_without_answers_goes(study, hook):
    idle = expert(study)
    answer_all(study)
    sealed_and_queued()
    leaving.delete(idle)
    happened(study)
    sealed_and_queued()
    assert told(hook).count("study.complete") == 1


def sealed_and_queued() -> None:
    seal()
    queue()


def test_progress_counts_what_holds_a_place_and_came_in_time(study):
    answer_all(study)
    assert progress_of(study) == Progress(answered=2, places=2)
    first, second = study.items.order_by("pk")
    first.assignments.update(withdrawn_at=timezone.now())
    assert progress_of(study) == Progress(answered=1, places=2)
    second.assignments.update(given_back_at=timezone.now())
    assert progress_of(study) == Progress(answered=0, places=2)
    Item.objects.filter(pk=first.pk).update(attention=True)
    assert progress_of(study) == Progress(answered=0, places=1)


def test_a_late_answer_is_no_progress(study):
    judge = expert(study)
    deal(judge)
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    for assignment in Assignment.objects.of(judge):
        submit(assignment, survey(), milliseconds=1)
    assert progress_of(study) == Progress(answered=0, places=2)


def test_a_stopped_hook_is_told_nothing_and_later_only_what_came_after_its_start(study, hook):
    services.stop(hook)
    happened(study)
    seal()
    assert queue() == 0
    services.start(hook)
    assert queue() == 0
    happened(study, Kind.STUDY_CLOSED)
    seal()
    queue()
    assert told(hook) == ["study.closed"]


@pytest.mark.django_db(transaction=True)
def test_workers_that_look_at_the_same_time_queue_each_event_once(receiver):
    study = open_study(items=2)
    hook = services.add(study, receiver.url, ["judgment.submitted"], by=None).hook
    for number in range(30):
        happened(study)
        if number % 3 == 0:
            seal()
    seal()

    def look(_: int) -> int:
        try:
            return queue()
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        queued = sum(pool.map(look, range(4)))
    assert (queued, hook.deliveries.count()) == (30, 30)
    assert Delivery.objects.values("entry").distinct().count() == 30
