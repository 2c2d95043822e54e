"""How gunicorn serves Blindverse: ``python -m gunicorn -c python:backend.config.gunicorn ...``."""

import os
import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

try:
    from backend.config import environment, settings
    from backend.config.worker_inside import WorkerInside

    port = environment.number("PORT", 8000)
    # Without Redis, messages reach no other process: the worker has to live in this one.
    worker_inside = environment.flag("BLINDVERSE_WORKER_INSIDE", default=not settings.REDIS_URL)
    workers = environment.number("BLINDVERSE_WEB_WORKERS", 2 if settings.DEPLOYED else 1)
except ImproperlyConfigured as problem:
    sys.exit(f"gunicorn: {problem}")

if worker_inside:
    workers = 1

wsgi_app = "backend.config.wsgi:application"
worker_class = "gthread"
threads = 16
# Deployed, it stands in a container behind a proxy.
address = "0.0.0.0" if settings.DEPLOYED else "127.0.0.1"  # noqa: S104
bind = f"{address}:{port}"
# Each process listens for itself, and the kernel spreads connections evenly. Over one shared socket
# the process that is quicker for a moment takes most of them, and they stay with it.
reuse_port = workers > 1
# A page that saves drafts asks again every few seconds: let it keep its connection. But an ordered
# stop waits for kept ones, and whoever presses Ctrl-C does not want to.
keepalive = 20 if settings.DEPLOYED else 2
graceful_timeout = 30 if settings.DEPLOYED else 10
# No access log: an address may hold an expert's personal link, which is as good as a password.
accesslog = None
loglevel = "info" if settings.DEPLOYED else "warning"
# A worker's sign of life is a file; on a slow disk it would come too late.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
# Its address is one per user of the machine, and nothing here speaks to it.
control_socket_disable = True

TURN = 0.001  # seconds; Python's own is five times as long

_inside: list[WorkerInside] = []


def post_worker_init(worker: Any) -> None:
    """Begin background work once the web process can serve."""
    # A thread that waits for the database has to wait for the others' turns, too, each time that
    # an answer comes; with shorter turns, whoever holds a lock lets go of it sooner.
    sys.setswitchinterval(TURN)
    if worker_inside:
        _inside.append(WorkerInside())
        _inside[0].start()


def worker_exit(server: Any, worker: Any) -> None:
    """End background work with the web process."""
    if _inside and not _inside[0].stop():
        # Python would wait for the threads still at work; their rows are taken up again later.
        os._exit(0)
