"""A Celery worker and its clock as threads of the web process, for a Blindverse without Redis."""

import logging
from threading import Event, Thread
from typing import Any

from celery.beat import Service
from celery.signals import worker_ready
from celery.worker import WorkController

from backend.config.celery import app

NAME = "inside@localhost"
START_SECONDS, STOP_SECONDS = 30.0, 5.0

logger = logging.getLogger("blindverse.worker")


class WorkerInside:
    """Does background work in threads of this process, from `start` to `stop`."""

    def __init__(self) -> None:
        self._ready = Event()
        # The bare controller: `celery worker` itself would take over signals and logging.
        self._worker: WorkController = app.WorkController(
            hostname=NAME,
            pool="threads",
            ready_callback=self._on_ready,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._thread = Thread(target=self._worker.start, name="worker", daemon=True)
        # As a thread: `celery worker --beat` forks a process, with which memory:// shares nothing.
        self._clock = Service(app, max_interval=1, scheduler_cls=app.conf.beat_scheduler)
        self._ticking = Thread(target=self._clock.start, name="clock", daemon=True)

    def start(self) -> None:
        """Take up work; return once messages are being read."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            raise TimeoutError("the worker inside the web process did not start")
        self._ticking.start()

    def stop(self) -> bool:
        """Take up no more work; return whether all that was begun is finished.

        What is not finished after a few seconds is left to the sweep of the next start.
        """
        self._clock.stop(wait=True)
        app.control.shutdown([NAME])
        self._thread.join(STOP_SECONDS)
        if self._thread.is_alive():
            logger.warning("Stopping in the middle of work; the next start takes it up again.")
            return False
        return True

    def _on_ready(self, consumer: Any) -> None:
        # `celery worker` sends this signal, the bare controller does not; the sweep waits for it.
        worker_ready.send(sender=consumer)
        self._ready.set()
