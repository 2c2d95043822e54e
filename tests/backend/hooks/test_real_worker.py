"""Messages through a real Celery worker over Redis: from a sealed log to a receiver, each once."""

import time

import pytest

from annotation.activity import sealing
from annotation.activity.services import Kind
from backend.hooks import services, tasks
from backend.hooks.models import Delivery, Event
from tests.annotation.panel import open_study
from tests.backend.hooks.conftest import happened
from tests.backend.hooks.receiving import Receiver
from tests.services.keeper import Kept

pytestmark = [pytest.mark.workers, pytest.mark.slow]

PATIENCE = 90.0  # seconds


def test_a_worker_tells_each_event_once(
    celery_worker: Kept, receiver: Receiver, transactional_db: None
) -> None:
    study = open_study()
    hook = services.add(study, receiver.url, Event.values, by=None).hook
    happened(study, Kind.STUDY_OPENED)
    for _ in range(10):
        happened(study)
    sealing.seal_all()
    for _ in range(3):
        tasks.sweep.delay()
    give_up = time.monotonic() + PATIENCE
    while len(receiver.received) < 11 or Delivery.objects.unfinished().exists():
        if time.monotonic() > give_up:
            pytest.fail(
                f"not within {PATIENCE} s; the worker said:\n{celery_worker.said()[-3000:]}"
            )
        time.sleep(0.05)
    assert set(Delivery.objects.values_list("status", "attempts", "tries")) == {("done", 1, 0)}
    assert sorted(receiver.ids) == sorted(
        str(uid) for uid in Delivery.objects.values_list("uid", flat=True)
    )
    assert len(receiver.received) == 11
    assert all(one.signed_with(hook.secret) for one in receiver.received)
    assert hook.secret not in celery_worker.said()
