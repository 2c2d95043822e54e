"""A thread of a worker that sends the next messages, soon after work ends or when a gate opens."""

import threading
import time
from collections.abc import Callable
from datetime import datetime

from django.db import Error, connection
from django.utils import timezone
from kombu.exceptions import OperationalError as NoBroker

DEAL_EVERY = 0.2  # seconds
# Of a processor, at most so much goes into dealing, however long the queue is.
DEALING_SHARE = 0.1
LONGEST_PAUSE = 0.5  # seconds between two deals while work ends
LONGEST_SLEEP = 15.0  # seconds; by then the sweep has come round


class Waker:
    """Deals in a thread of this process, which begins when it is first woken.

    Parameters
    ----------
    deal : callable
        Sends the messages that are due; returns when to look again, if that is known.
    name : str
        Of the thread.
    """

    def __init__(self, deal: Callable[[], datetime | None], name: str) -> None:
        self._send = deal
        self._name = name
        self._woken = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Let it deal soon."""
        if self._thread is None or not self._thread.is_alive():
            with self._starting:
                if self._thread is None or not self._thread.is_alive():
                    self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                    self._thread.start()
        self._woken.set()

    def _run(self) -> None:
        sleep = LONGEST_SLEEP
        while True:
            self._woken.wait(sleep)
            self._woken.clear()
            sleep = self._deal()

    def _deal(self) -> float:
        """Deal, wait a moment, and return how long to sleep if nobody wakes it."""
        begun, again_at = time.thread_time(), None
        try:
            again_at = self._send()
        except (Error, NoBroker):
            pass  # what is away comes back, and the sweep with it
        finally:
            connection.close()
        pause = (time.thread_time() - begun) / DEALING_SHARE
        time.sleep(min(max(DEAL_EVERY, pause), LONGEST_PAUSE))
        if again_at is None:
            return LONGEST_SLEEP
        left = (again_at - timezone.now()).total_seconds()
        return min(max(left, 0.0), LONGEST_SLEEP)
