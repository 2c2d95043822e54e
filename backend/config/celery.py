"""Background work: Celery over Redis, or over memory with a worker in the web process.

The database row is the truth and the message a nudge that carries its id, so whatever a lost
broker or worker forgets, the sweep finds again: at a worker's start and every few seconds.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_init, worker_ready
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.config.settings")

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

try:
    redis_url = settings.REDIS_URL
except ImproperlyConfigured as problem:
    # manage.py and gunicorn say it in one line themselves; the celery program would not.
    program = Path(sys.argv[0])
    if "celery" in (program.name, program.parent.name):
        sys.exit(f"celery: {problem}")
    raise

SWEEPS = ("generation.sweep", "judging.sweep", "panel.sweep", "activity.sweep", "hooks.sweep")
SWEEP_EVERY = 15.0  # seconds
# Calls to language models have a queue, and workers, of their own: they take seconds or minutes,
# and no sweep and no letter shall wait for one.
MAIN, CALLS = "blindverse", "calls"
TURN = 0.001  # seconds; Python's own is five times as long
TO_MODELS = ("generation.write_poem", "judging.hear")

app = Celery("blindverse")
app.conf.update(
    broker_url=redis_url or "memory://localhost",
    broker_connection_retry_on_startup=True,
    # memory:// polls once a second unless told otherwise; Redis repeats unacknowledged messages
    # only every unacked_restore_throttle x interval, and the row's claim makes repeats harmless.
    broker_transport_options=(
        {
            "visibility_timeout": 900,
            "unacked_restore_throttle": 1,
            "global_keyprefix": "blindverse:",
        }
        if redis_url
        else {"polling_interval": 0.05}
    ),
    task_default_queue=MAIN,
    task_queues=[Queue(name, routing_key=name) for name in (MAIN, CALLS)],
    task_routes={name: {"queue": CALLS, "routing_key": CALLS} for name in TO_MODELS},
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_concurrency=settings.WORKER_THREADS,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    timezone="UTC",
    beat_schedule={name: {"task": name, "schedule": SWEEP_EVERY} for name in SWEEPS},
    beat_scheduler="celery.beat:Scheduler",
)
app.autodiscover_tasks()


@worker_init.connect
def _take_short_turns(**_: Any) -> None:
    # Whoever holds a lock in the database has to wait for the other threads' turns to let it go.
    sys.setswitchinterval(TURN)


@worker_ready.connect
def _load_clients(sender: Any, **_: Any) -> None:
    # It takes a second, for which the first calls would all wait.
    if CALLS in {queue.name for queue in sender.task_consumer.queues}:
        importlib.import_module("openai.resources.chat")


@worker_ready.connect
def _sweep_at_start(**_: Any) -> None:
    # Messages over memory ended with the process that held them.
    lost = {"messages_lost": not redis_url}
    for name in SWEEPS:
        app.send_task(name, kwargs=lost)
