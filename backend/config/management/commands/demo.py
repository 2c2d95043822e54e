"""``manage.py demo``: everything that `make run` starts, stopped together."""

import os
import signal
import socket
import subprocess
import sys
import time
from types import FrameType
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from backend.config import demo, environment
from backend.generation.models import Run

START_SECONDS, WRITE_SECONDS = 60, 300


class Stopped(Exception):
    """Somebody asked for an end: Ctrl-C, a TERM signal, or a closed terminal."""


class Command(BaseCommand):
    help = (
        "Starts Blindverse on this machine with its sample study: database, web server and worker. "
        "Prints the address and a sign-in link for each part. PORT chooses the port (8000). "
        "DATABASE_URL and REDIS_URL, if set, put PostgreSQL and Redis in the place of SQLite and "
        "the in-process worker. Ctrl-C stops everything; the data stay in var/."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DEPLOYED:
            raise CommandError("BLINDVERSE_MODE is deployed; the demo is for local use only.")
        if not settings.DEMO:
            # Settings and addresses are read once, at the start: begin again, as a demo.
            demo_environment = {**os.environ, "BLINDVERSE_DEMO": "True"}
            os.execve(sys.executable, [sys.executable, *sys.argv], demo_environment)  # noqa: S606
        port = environment.number("PORT", 8000)
        _refuse_taken(port)
        call_command("migrate", verbosity=0, interactive=False)
        run = demo.queue_sample()
        for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(stop, _stop)
        # Ctrl-C reaches this process alone, which then stops the others in good order: the quick
        # stop that the terminal's own signal means to a web server can lock up in a busy moment.
        children = [
            subprocess.Popen(each, env=_environment(port), start_new_session=True)
            for each in _programs()
        ]
        try:
            self._welcome(port, run, children)
            while all(child.poll() is None for child in children):
                time.sleep(0.5)
            raise CommandError("A part of Blindverse stopped by itself; see the lines above.")
        except Stopped:
            self.stdout.write("\nStopping. The data stay in " + str(settings.DATA))
        finally:
            _end(children)

    def _welcome(self, port: int, run: Run, children: list[subprocess.Popen[bytes]]) -> None:
        address = f"http://localhost:{port}"
        _wait(f"http://127.0.0.1:{port}/healthz", children)
        self.stdout.write(f"\nBlindverse is at {address}/")
        if run.generations.all().unfinished().exists():
            self.stdout.write("Writing the sample's machine poems …")
        give_up = time.monotonic() + WRITE_SECONDS
        while run.generations.all().unfinished().exists() and time.monotonic() < give_up:
            time.sleep(0.3)
        study = demo.open_sample(run)
        self.stdout.write("Sign in (these links work in this demo only):")
        for link in demo.links(study):
            self.stdout.write(f"  {link.who:<14} {address}{link.path}")
        self.stdout.write("Ctrl-C stops everything.")
        self.stdout.flush()


def _programs() -> list[list[str]]:
    server = [sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn"]
    programs = [[*server, "backend.config.wsgi:application"]]
    if settings.REDIS_URL:
        celery = [sys.executable, "-m", "celery", "-A", "backend.config", "--quiet"]
        programs.append([*celery, "worker", "-P", "threads", "--loglevel", "WARNING"])
        programs.append([*celery, "beat", "--loglevel", "WARNING"])
    return programs


def _environment(port: int) -> dict[str, str]:
    inside = str(not settings.REDIS_URL)
    return {**os.environ, "PORT": str(port), "BLINDVERSE_WORKER_INSIDE": inside}


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} is in use; choose another: PORT={port + 1} make run"
            ) from error


def _wait(url: str, children: list[subprocess.Popen[bytes]]) -> None:
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up:
        if any(child.poll() is not None for child in children):
            break
        try:
            with urlopen(url, timeout=2):  # noqa: S310  (an http address made above)
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise CommandError("The web server did not start; see the lines above.")


def _end(children: list[subprocess.Popen[bytes]]) -> None:
    for child in children:
        child.terminate()
    for child in children:
        try:
            child.wait(timeout=15)
        except subprocess.TimeoutExpired:
            child.kill()


def _stop(signum: int, frame: FrameType | None) -> None:
    raise Stopped
