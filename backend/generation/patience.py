"""What a thread waits for before it puts its work back: a gate that opens in a moment."""

import time
from collections.abc import Callable

from django.utils import timezone

from backend.generation.calling import NotNow
from backend.generation.models import Call
from backend.generation.work import let_go_of_database

PATIENCE = 3.0  # seconds
# Seconds between two looks: at a gate that is full, at a cap that calls under way use up.
LOOK_EVERY = {"full": 0.1, "cap pending": 0.3}


def patiently(make: Callable[[], Call]) -> Call:
    """Make a call, again and again while that has to wait for a moment only.

    Raises
    ------
    backend.generation.calling.NotNow
        If it has to wait for longer.
    """
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            return make()
        except NotNow as wait:
            pause = _worth_waiting(wait, give_up - time.monotonic())
            if not pause:
                raise
            let_go_of_database()
            time.sleep(pause)


def _worth_waiting(wait: NotNow, left: float) -> float:
    """Return how long to wait in this thread, 0 if the work is better left."""
    if left > (pause := LOOK_EVERY.get(wait.why, left)):
        return pause
    if wait.why == "rate" and wait.until:
        until = (wait.until - timezone.now()).total_seconds()
        return max(until, 0.001) if until < left else 0.0
    return 0.0
