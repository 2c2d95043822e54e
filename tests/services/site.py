"""A whole Blindverse of a test's own: servers, workers, clock, web, and an endpoint to be asked.

Each part is a process that can be killed, stopped and started again. Nothing of it is shared with
the other tests, and it ends with its asker, however that ends.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import psycopg
from psycopg import sql

from tests.services import postgres, redis
from tests.services.keeper import Keeper, Kept
from tests.services.postgres import Postgres
from tests.services.redis import RedisServer
from tests.services.waiting import answer, free_port, soon

ROOT = Path(__file__).resolve().parents[2]
# What is acknowledged is on disk, and tables are looked after, as on a real server.
AS_REAL = {
    "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on",
}  # fmt: skip


@dataclass(frozen=True)
class EndpointProcess:
    """The endpoint as a process of its own, and what it counted itself."""

    process: Kept
    url: str

    def count(self, *, keys: bool = False) -> dict[str, Any]:
        """Return its own count; with `keys`, for each key, too."""
        with urlopen(f"{self.url}/_count{'?keys' * keys}", timeout=30) as found:  # noqa: S310
            counted: dict[str, Any] = json.load(found)
            return counted

    def script(self, **scenario: Any) -> None:
        """Change how it behaves; see `tests.endpoint.Scenario`."""
        self._tell("_script", scenario)

    def forget(self) -> None:
        """Let it count from nothing again."""
        self._tell("_forget", {})

    def _tell(self, what: str, said: dict[str, Any]) -> None:
        body = json.dumps(said).encode()
        with urlopen(Request(f"{self.url}/{what}", body), timeout=30):  # noqa: S310
            pass


class Site:
    """A running Blindverse, part by part."""

    def __init__(self, keeper: Keeper, database: Postgres, broker: RedisServer) -> None:
        self.keeper = keeper
        self.database = database
        self.broker = broker
        self.port = free_port()
        self.env = {
            **{name: value for name, value in os.environ.items() if "BLINDVERSE_" not in name},
            "DATABASE_URL": database.url,
            "REDIS_URL": broker.url,
            "BLINDVERSE_DATA": str(keeper.folder / "data"),
            "BLINDVERSE_WEB_WORKERS": "1",
            "DJANGO_SETTINGS_MODULE": "backend.config.settings",
            "PORT": str(self.port),
            "PYTHONPATH": str(ROOT),
        }
        self._started = 0

    def worker(self, *queues: str, threads: int) -> Kept:
        """Start a worker on these queues; return it once it takes messages."""
        worker = self._celery(
            *("worker", "-P", "threads", "-c", str(threads), "-Q", ",".join(queues)),
            *("--without-gossip", "--without-mingle", "-l", "INFO"),
            named="worker",
        )
        return _ready(worker, " ready.")

    def clock(self) -> Kept:
        """Start the clock, which sends out the sweeps."""
        return _ready(self._celery("beat", "-l", "INFO", named="clock"), "beat: Starting...")

    def web(self) -> Kept:
        """Start the web server on `port`; return it once it answers."""
        server = self.keeper.start(
            *(sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn"),
            log=self._log("web"),
            env=self.env,
        )
        answer(f"http://127.0.0.1:{self.port}/readyz", server)
        return server

    def endpoint(self, *options: str) -> EndpointProcess:
        """Start an endpoint; `python -m tests.endpoint --help` names the options."""
        process = self.keeper.start(
            *(sys.executable, "-m", "tests.endpoint", *options),
            log=self._log("endpoint"),
            env=self.env,
        )
        _ready(process, "\n")
        return EndpointProcess(process, process.said().splitlines()[0])

    def run(self, script: str) -> str:
        """Run a script inside Blindverse and return what it prints."""
        command = [sys.executable, "-c", f"import django; django.setup()\n{script}"]
        made = subprocess.run(
            command, env=self.env, cwd=ROOT, capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise RuntimeError(made.stderr[-4000:])
        return made.stdout

    def manage(self, *words: str) -> None:
        """Run one of the commands of `manage.py`."""
        command = [sys.executable, str(ROOT / "manage.py"), *words]
        made = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        if made.returncode:
            raise RuntimeError(made.stderr[-4000:])

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database itself answers, past all code of Blindverse."""
        with psycopg.connect(self.database.url, autocommit=True) as link:
            return link.execute(query, values).fetchall()

    def _celery(self, *words: str, named: str) -> Kept:
        log = self._log(named)
        if named == "worker":
            words = (*words, "-n", f"{log.stem}@localhost")
        else:  # where it notes what it sent out last
            words = (*words, "-s", str(log.with_suffix(".schedule")))
        command = (sys.executable, "-m", "celery", "-A", "backend.config", *words)
        return self.keeper.start(*command, log=log, env=self.env)

    def _log(self, name: str) -> Path:
        self._started += 1
        return self.keeper.folder / f"{name}-{self._started}.log"


@contextmanager
def site(**settings: str) -> Iterator[Site]:
    """Start PostgreSQL, with settings besides those of a real server, and Redis; migrate."""
    folder = Path(tempfile.mkdtemp(prefix="blindverse-", dir="/tmp"))
    folder.chmod(0o711)  # PostgreSQL may run as another user and has to walk through
    keeper = Keeper(folder)
    try:
        database = postgres.start(keeper, **(AS_REAL | settings))
        server = urlsplit(database.url)._replace(path="/postgres").geturl()
        with psycopg.connect(server, autocommit=True) as link:
            link.execute(sql.SQL("CREATE DATABASE blindverse"))
        made = Site(keeper, database, redis.start(keeper))
        made.manage("migrate", "-v0")
        yield made
    finally:
        keeper.close()


def _ready(process: Kept, word: str) -> Kept:
    if not soon(lambda: word in process.said() or process.exit_code() is not None):
        raise RuntimeError(f"it does not start:\n{process.said()[-4000:]}")
    if process.exit_code() is not None:
        raise RuntimeError(f"it ended:\n{process.said()[-4000:]}")
    return process
