"""The web server starts with what the environment says, and can carry the worker inside."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.services import errand_wsgi
from tests.services.keeper import Keeper, Kept
from tests.services.waiting import answer, free_port, soon

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def serve(keeper: Keeper, tmp_path: Path, port: int) -> Callable[..., Kept]:
    """Start gunicorn on a database file of its own, without Redis."""

    def start(**environment: str) -> Kept:
        foreign = ("DATABASE_URL", "REDIS_URL")
        mine = {name: value for name, value in os.environ.items() if name not in foreign}
        return keeper.start(
            *(sys.executable, "-m", "gunicorn", "-c", "python:backend.config.gunicorn"),
            f"{errand_wsgi.__name__}:application",
            log=tmp_path / "gunicorn.log",
            env=mine
            | {"PORT": str(port), "BLINDVERSE_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
            | environment,
        )

    return start


def _errand(port: int, server: Kept, path: Path, seconds: float = 0) -> int:
    # An errand is not sent out twice because a server that still starts lets the first ask wait.
    answer(f"http://127.0.0.1:{port}/healthz", server)
    query = urlencode({"path": path, "seconds": seconds})
    _, found = answer(f"http://127.0.0.1:{port}/errand?{query}", server)
    return int(found["pid"])


def test_without_redis_the_web_process_does_the_work_itself(
    serve: Callable[..., Kept], port: int, tmp_path: Path
) -> None:
    server = serve()
    path = tmp_path / "note"

    pid = _errand(port, server, path)

    assert soon(lambda: path.exists() and path.read_text() == f"done by {pid}")
    assert server.stop() == 0


def test_work_inside_does_not_hold_up_the_pages(
    serve: Callable[..., Kept], port: int, tmp_path: Path
) -> None:
    server = serve(BLINDVERSE_WORKER_THREADS="2")
    for number in range(4):
        _errand(port, server, tmp_path / f"note-{number}", seconds=600)
    assert soon((tmp_path / "note-1").exists)

    assert answer(f"http://127.0.0.1:{port}/healthz", server) == (200, {"status": "ok"})


def test_the_server_stops_in_the_middle_of_work(
    serve: Callable[..., Kept], port: int, tmp_path: Path
) -> None:
    server = serve()
    path = tmp_path / "note"
    _errand(port, server, path, seconds=600)
    assert soon(path.exists)

    os.kill(server.pid, signal.SIGTERM)

    assert server.exit_code(within=9) == 0
    assert "the next start takes it up again" in server.said()


def test_work_can_be_left_to_others(serve: Callable[..., Kept], port: int, tmp_path: Path) -> None:
    server = serve(BLINDVERSE_WORKER_INSIDE="False")
    path = tmp_path / "note"

    _errand(port, server, path)

    assert not soon(path.exists, within=1)


def test_no_request_is_written_down(serve: Callable[..., Kept], port: int) -> None:
    server = serve()

    answer(f"http://127.0.0.1:{port}/healthz?personal-link", server)

    server.stop()
    assert "personal-link" not in server.said()


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "http"), ("BLINDVERSE_WEB_WORKERS", "0"), ("BLINDVERSE_WORKER_INSIDE", "yes")],
)
def test_a_wrong_setting_stops_the_server_with_one_line(
    serve: Callable[..., Kept], name: str, value: str
) -> None:
    server = serve(**{name: value})

    assert server.exit_code(within=60) == 1
    assert server.said().startswith(f"gunicorn: {name} is {value!r}; set it to ")
    assert server.said().count("\n") == 1
