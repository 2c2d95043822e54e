"""What tests of real processes have to wait for: a port, an answer, something to come true."""

import json
import socket
import time
from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from tests.services.keeper import Kept

PATIENCE = 60.0  # seconds, for the slowest machine


def soon(holds: Callable[[], bool], within: float = PATIENCE) -> bool:
    """Whether something comes true in time."""
    give_up = time.monotonic() + within
    while time.monotonic() < give_up:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def free_port() -> int:
    """Return a port that nobody on this machine listens to now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answer(url: str, server: Kept) -> tuple[int, Any]:
    """Return the status and JSON that a server, which may still be starting, answers with."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up and server.exit_code() is None:
        try:
            with urlopen(url, timeout=10) as response:  # noqa: S310  (an http address of ours)
                return response.status, json.load(response)
        except HTTPError as error:
            return error.code, json.load(error)
        except (URLError, OSError):
            time.sleep(0.05)
    raise AssertionError(f"no answer from {url}:\n{server.said()[-4000:]}")
