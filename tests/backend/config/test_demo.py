"""`make run`: one command, a running study, and nothing left behind when it is stopped."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from openai import DefaultHttpxClient

from tests.services.plugin import on_sqlite
from tests.services.waiting import free_port, soon

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 90.0
pytestmark = pytest.mark.slow


class Demo:
    """A running `manage.py demo`."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.port = free_port()
        kept = {k: v for k, v in os.environ.items() if not k.endswith(("_URL", "_SETTINGS_MODULE"))}
        self.log = data.with_suffix(f".{self.port}.log")
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "manage.py", "demo"],
            env={**kept, "BLINDVERSE_DATA": str(data), "PORT": str(self.port), **environment},
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ready(self) -> dict[str, str]:
        """Wait until the links are printed; return them by who they are for."""
        give_up = time.monotonic() + PATIENCE
        while "Ctrl-C stops everything" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < give_up, self.said()
            time.sleep(0.1)
        return {
            who.strip(): link
            for who, link in re.findall(r"^  (.{14}) (http\S+)$", self.said(), re.M)
        }

    def said(self) -> str:
        return self.log.read_text()

    def stop(self) -> int:
        """Press Ctrl-C, as a terminal does: the whole group is told."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=40)

    def parts(self) -> list[int]:
        """Return every process that it started, and what those started."""
        found, todo = [], [self.process.pid]
        while todo:
            asked = ["pgrep", "-P", str(todo.pop())]
            below = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
            found += (children := [int(pid) for pid in below.split()])
            todo += children
        return found

    def gone(self, parts: list[int]) -> bool:
        """Whether nothing listens on its port and none of its parts is left."""
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                return False
        return not any(_runs(pid) for pid in parts)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def demos() -> Iterator[list[Demo]]:
    started: list[Demo] = []
    yield started
    for demo in started:
        if demo.process.poll() is None:
            demo.process.terminate()
            demo.process.wait(timeout=40)


def test_one_command_brings_up_a_study_that_can_be_judged(data: Path, demos: list[Demo]) -> None:
    demo = Demo(data)
    demos.append(demo)
    links = demo.ready()
    assert list(links) == ["coordinator", "researcher", "First expert", "Second expert"]
    with DefaultHttpxClient(follow_redirects=True) as reader:
        assert "Sample study" in reader.get(links["First expert"]).text
        assert "What to do next" in reader.get(links["researcher"]).text
        home = reader.get(f"http://localhost:{demo.port}/").text
        assert all(_whom(link) in home for link in links.values())
    parts = demo.parts()
    assert len(parts) >= 2
    assert demo.stop() == 0
    assert soon(lambda: demo.gone(parts), within=20), demo.said()
    assert "Traceback" not in demo.said()

    again = Demo(data)
    demos.append(again)
    second = again.ready()
    assert "Writing the sample" not in again.said()  # no poem is written anew
    assert list(map(_whom, second.values())) == list(map(_whom, links.values()))
    again.stop()


def test_a_taken_port_is_one_line_with_the_remedy(data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = subprocess.run(
            [sys.executable, ROOT / "manage.py", "demo"],
            env={**os.environ, "BLINDVERSE_DATA": str(data), "PORT": str(port)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert refused.returncode == 1
    assert f"Port {port} is in use" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.workers
@pytest.mark.skipif(on_sqlite(), reason="needs PostgreSQL and Redis")
def test_the_same_command_runs_on_postgresql_and_redis(
    data: Path, demos: list[Demo], django_db_setup: None, transactional_db: None
) -> None:
    from tests.conftest import _address

    demo = Demo(data, DATABASE_URL=_address(), REDIS_URL=os.environ["REDIS_URL"])
    demos.append(demo)
    assert len(demo.ready()) == 4
    assert not (data / "blindverse.sqlite3").exists()
    parts = demo.parts()
    assert len(parts) >= 2
    assert demo.stop() == 0
    assert soon(lambda: demo.gone(parts), within=20), demo.said()


@pytest.mark.django_db
def test_demo_links_do_not_exist_outside_the_demo() -> None:
    assert Client().get("/demo/anything/").status_code == 404


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _whom(link: str) -> str:
    """Return the part of a link that says whom it lets in; the rest of a ticket is when, signed."""
    if "/invitation/" in link:
        return link.split("/invitation/")[1]
    return link.split("/demo/")[1].split(":")[0]
