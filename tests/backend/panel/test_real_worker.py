"""Letters through a real Celery worker over Redis: each is written once, as a file."""

import os
import time
from pathlib import Path

import pytest

from annotation.studies import links
from backend.panel import services, tasks
from backend.panel.models import Letter
from tests.annotation.panel import open_study
from tests.letters import letters_in
from tests.services.keeper import Kept

pytestmark = [pytest.mark.workers, pytest.mark.slow]

PATIENCE = 90.0  # seconds


def test_a_worker_sends_each_letter_of_a_panel_once(
    celery_worker: Kept, transactional_db: None
) -> None:
    study = open_study()
    judges = [
        links.invite(study, name=f"Expert {n}", email=f"e{n}@worker.example").invitation.judge
        for n in range(12)
    ]
    services.write(judges, Letter.Kind.INVITATION, by=None)
    for _ in range(3):
        tasks.sweep.delay()
    give_up = time.monotonic() + PATIENCE
    while Letter.objects.unfinished().exists():
        if time.monotonic() > give_up:
            pytest.fail(
                f"not within {PATIENCE} s; the worker said:\n{celery_worker.said()[-3000:]}"
            )
        time.sleep(0.05)
    assert set(Letter.objects.values_list("status", "attempts")) == {("done", 1)}
    letters = letters_in(Path(os.environ["BLINDVERSE_DATA"]) / "mail")
    sent = [letter["To"] for letter in letters if "@worker.example" in letter["To"]]
    assert sorted(sent) == sorted(judge.email for judge in judges)
    assert "@worker.example" not in celery_worker.said()
