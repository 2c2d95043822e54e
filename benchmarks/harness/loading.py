"""A server under load: PostgreSQL that writes to disk, the web processes, and asking experts.

Web server, database and load share the machine. The load is one process and one thread that speaks
just enough HTTP, so that it takes as little from the others as it can.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.services import postgres
from tests.services.keeper import Keeper

HOST, PORT = "127.0.0.1", 8997
ROOT = Path(__file__).resolve().parents[2]


class Asker:
    """One expert's connection, which stays open as a browser's does."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.cookie = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        sent = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}:{PORT}\r\nContent-Length: {len(sent)}\r\n"
        if self.cookie:
            head += f"Cookie: {self.cookie}\r\n"
        message = head.encode() + b"Content-Type: application/json\r\n\r\n" + sent
        for last in (False, True):
            try:
                return await self._ask(message)
            except (ConnectionError, asyncio.IncompleteReadError):
                # Idle for long: a browser opens a new one, too.
                self._streams = None
                if last:
                    raise
        raise AssertionError

    async def _ask(self, message: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(HOST, PORT)
        reader, writer = self._streams
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        length, closes = 0, False
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            closes = closes or (name.lower() == b"connection" and b"close" in value.lower())
        content = await reader.readexactly(length) if length else b""
        if closes:
            writer.close()
            self._streams = None
        return int(head[9:12]), content


@dataclass
class Times:
    """How long each request of one kind took, in seconds, and how many were refused."""

    taken: list[float] = field(default_factory=list)
    refused: int = 0

    def p(self, percent: int) -> float:
        """Return a percentile in milliseconds."""
        if len(self.taken) < 2:
            return float("nan")
        return statistics.quantiles(self.taken, n=100, method="inclusive")[percent - 1] * 1000

    async def time(self, asked: Awaitable[bool]) -> bool:
        start = time.perf_counter()
        good = await asked
        self.taken.append(time.perf_counter() - start)
        self.refused += not good
        return good


def row(name: str, rate: float, times: Times, baseline: float) -> None:
    """Print a row of the table: requests a second, milliseconds, the ratio to the baseline."""
    cells = (
        f"{rate:.0f}", f"{times.p(50):.1f}", f"{times.p(95):.1f}", f"{rate / baseline:.3f}",
        times.refused,
    )  # fmt: skip
    print(f"{name:<34}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


def heads(first: str) -> None:
    """Print the heads of the table."""
    named = ("per second", "median ms", "p95 ms", "ratio", "refused")
    print(f"{first:<34}" + "".join(f"{head:>12}" for head in named))


async def health(asker: Asker) -> bool:
    """Ask for what Django answers when it has nothing to do: the baseline of every ratio."""
    return (await asker.ask("GET", "/healthz"))[0] == 200


async def baseline_of(askers: list[Asker], *, seconds: float = 5.0) -> float:
    """Measure the baseline, print its row, and return it in requests a second."""
    idle = Times()

    async def asked(asker: Asker) -> None:
        await idle.time(health(asker))

    took = await for_a_while(askers, asked, seconds=seconds)
    rate = len(idle.taken) / took
    row("/healthz (baseline)", rate, idle, rate)
    return rate


Work = Callable[[Asker], Awaitable[None]]


async def for_a_while(
    askers: list[Asker], work: Work, *, seconds: float, every: float = 0.0
) -> float:
    """Let each asker work again and again, at once or `every` so many seconds. Return the time."""
    started = time.perf_counter()
    end = started + seconds

    async def go(asker: Asker, place: int) -> None:
        await asyncio.sleep(every * place / len(askers))
        while (begin := time.perf_counter()) < end:
            await work(asker)
            if every:
                await asyncio.sleep(max(0.0, begin + every - time.perf_counter()))

    await asyncio.gather(*(go(asker, place) for place, asker in enumerate(askers)))
    return time.perf_counter() - started


@dataclass(frozen=True)
class Site:
    """A running Blindverse to be asked."""

    env: dict[str, str]
    database: str

    def shell(self, script: str) -> list[str]:
        """Run a script inside Blindverse and return the words that it prints."""
        command = [sys.executable, str(ROOT / "manage.py"), "shell", "-v0", "-c", script]
        made = subprocess.run(command, env=self.env, check=True, capture_output=True, text=True)
        return made.stdout.split()


@contextmanager
def site() -> Iterator[Site]:
    """Start PostgreSQL and two web processes, and stop them afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="blindverse-bench-", dir="/tmp"))
    folder.chmod(0o711)
    keeper = Keeper(folder)
    try:
        database = postgres.start(keeper)
        _write_to_disk(database.url)
        env = {
            **os.environ,
            "DATABASE_URL": database.url,
            "BLINDVERSE_DATA": str(folder / "data"),
            "PYTHONPATH": str(ROOT),
            "PORT": str(PORT),
            "BLINDVERSE_WEB_WORKERS": "2",
            "BLINDVERSE_WORKER_INSIDE": "False",
        }
        env.pop("REDIS_URL", None)
        manage = [sys.executable, str(ROOT / "manage.py")]
        subprocess.run([*manage, "migrate", "-v0"], env=env, check=True)
        _serve(keeper, folder, env)
        yield Site(env, database.name)
    finally:
        keeper.close()


def _write_to_disk(url: str) -> None:
    """Turn on what the tests turn off: an answer is on disk before it is acknowledged."""
    server = urlsplit(url)._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as link:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            link.execute(sql.SQL("ALTER SYSTEM SET {} = on").format(sql.Identifier(name)))
        link.execute("SELECT pg_reload_conf()")
        link.execute("CREATE DATABASE blindverse")


def _serve(keeper: Keeper, folder: Path, env: dict[str, str]) -> None:
    command = (sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn")
    server = keeper.start(*command, "backend.config.wsgi", log=folder / "web.log", env=env)
    for _ in range(200):
        try:
            link = HTTPConnection(HOST, PORT, timeout=2)
            link.request("GET", "/readyz")
            if link.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the web server does not answer:\n{server.said()}")
