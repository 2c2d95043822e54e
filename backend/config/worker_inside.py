"""Celery workers and their clock as threads of the web process, for a Blindverse without Redis."""

import logging
from threading import Event, Thread
from time import monotonic
from typing import Any

from celery import Celery
from celery.beat import Service
from celery.signals import worker_ready
from celery.worker import WorkController
from django.conf import settings

from backend.config.celery import CALLS, MAIN, app

NAME, CALLS_NAME = "inside@localhost", "calls@localhost"
START_SECONDS, STOP_SECONDS = 30.0, 5.0

logger = logging.getLogger("blindverse.worker")


class _Worker:
    """A worker of one queue, in threads of this process."""

    def __init__(self, app: Celery, name: str, queue: str, threads: int) -> None:
        self._app = app
        self._name = name
        self._ready = Event()
        # The bare controller: `celery worker` itself would take over signals and logging.
        self._worker: WorkController = app.WorkController(
            hostname=name,
            queues=[queue],
            concurrency=threads,
            pool="threads",
            ready_callback=self._on_ready,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._thread = Thread(target=self._worker.start, name=f"worker of {queue}", daemon=True)

    def start(self) -> Any:
        """Take up work; return its consumer once messages are being read."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            raise TimeoutError("the worker inside the web process did not start")
        return self._consumer

    def stop(self) -> None:
        """Take up no more work."""
        self._app.control.shutdown([self._name])

    def ended(self, seconds: float) -> bool:
        """Whether all that was begun is finished within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _on_ready(self, consumer: Any) -> None:
        self._consumer = consumer
        self._ready.set()


class WorkerInside:
    """Does background work in threads of this process, from `start` to `stop`."""

    def __init__(self) -> None:
        # An application has one choice of queues, so the second worker has one of its own.
        apart = Celery("blindverse-calls", set_as_current=False)
        apart.config_from_object(app.conf.changes)
        self._workers = [
            _Worker(app, NAME, MAIN, settings.WORKER_THREADS),
            _Worker(apart, CALLS_NAME, CALLS, settings.CALL_THREADS),
        ]
        # As a thread: `celery worker --beat` forks a process, with which memory:// shares nothing.
        self._clock = Service(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler)
        self._ticking = Thread(target=self._clock.start, name="clock", daemon=True)

    def start(self) -> None:
        """Take up work; return once messages are being read."""
        # Calls first, for the sweep of the start sends some.
        consumer = [worker.start() for worker in reversed(self._workers)][-1]
        # `celery worker` sends this signal, the bare controller does not; the sweep waits for it.
        worker_ready.send(sender=consumer)
        self._ticking.start()

    def stop(self) -> bool:
        """Take up no more work; return whether all that was begun is finished.

        What is not finished after a few seconds is left to the sweep of the next start.
        """
        self._clock.stop(wait=True)
        for worker in self._workers:
            worker.stop()
        give_up = monotonic() + STOP_SECONDS
        left = [w for w in self._workers if not w.ended(max(0.0, give_up - monotonic()))]
        if left:
            logger.warning("Stopping in the middle of work; the next start takes it up again.")
            return False
        return True
