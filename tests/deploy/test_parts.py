"""What each part of the deployment runs really starts, from the files that the image holds."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import psycopg
import pytest

from tests.deploy.conftest import ROOT, filled_in
from tests.services.keeper import Keeper, Kept
from tests.services.waiting import free_port, soon

pytestmark = pytest.mark.workers

HOST = "poems.example.org"
GIVEN = {
    "BLINDVERSE_SECRET_KEY": "a-secret-that-only-this-test-knows-0123456789",
    "BLINDVERSE_HOSTS": f"{HOST},www.example.org",
    "POSTGRES_PASSWORD": "unused",
}
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

Start = Callable[[str], Kept]


@pytest.fixture(scope="module")
def image(dockerfile: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder /app of the image: what is copied, and what the build step adds."""
    app = tmp_path_factory.mktemp("app")
    for line in dockerfile:
        if line.startswith("COPY") and "--from" not in line and "requirements" not in line:
            _, source, target = line.split()
            if (ROOT / source).is_dir():
                skip = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, app / target, ignore=skip)
            else:
                shutil.copy(ROOT / source, app / target)
    (build,) = (line for line in dockerfile if "collectstatic" in line)
    environment = {"PATH": PATH, "BLINDVERSE_MODE": "deployed"}
    command = ["sh", "-c", build.removeprefix("RUN ")]
    subprocess.run(command, cwd=app, env=environment, check=True)
    return app


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of a new, empty database."""
    address = urlsplit(os.environ["DATABASE_URL"])
    server = address._replace(path="/postgres").geturl()
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE deployed")
        yield address._replace(path="/deployed").geturl()
        connection.execute("DROP DATABASE deployed WITH (FORCE)")


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def environments(compose: dict[str, Any], database: str, port: int) -> dict[str, dict[str, str]]:
    """The environment of each part, led to the tests' servers."""
    redis = os.environ["REDIS_URL"].removesuffix("/0") + "/1"  # apart from the other tests
    here = {"PATH": PATH, "PORT": str(port), "HOSTNAME": "here"}
    here |= {"DATABASE_URL": database, "REDIS_URL": redis}
    return {
        name: {key: filled_in(value, GIVEN) for key, value in part["environment"].items()} | here
        for name, part in compose["services"].items()
        if "build" in part
    }


@pytest.fixture(scope="module")
def migrated(compose: dict[str, Any], environments: dict[str, Any], image: Path) -> None:
    command = compose["services"]["migrate"]["command"]
    subprocess.run(command, cwd=image, env=environments["migrate"], check=True)


@pytest.fixture
def start(
    compose: dict[str, Any],
    environments: dict[str, Any],
    image: Path,
    migrated: None,
    keeper: Keeper,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Start]:
    """Start a part of the deployment by its own command; it ends with the test."""
    started = []

    def start_part(name: str) -> Kept:
        command = compose["services"][name]["command"]
        part = keeper.start(
            *("env", "-C", image, *command), log=tmp_path / f"{name}.log", env=environments[name]
        )
        started.append(part)
        return part

    yield start_part
    for part in started:
        part.stop()


@pytest.fixture
def healthy(
    compose: dict[str, Any], dockerfile: list[str], environments: dict[str, Any], image: Path
) -> Callable[[str], bool]:
    """Ask a part how it is, by its own health check."""
    (line,) = (line for line in dockerfile if line.startswith("HEALTHCHECK"))
    built_in = ["CMD", *json.loads(line.partition(" CMD ")[2])]

    def check(name: str) -> bool:
        kind, *command = compose["services"][name].get("healthcheck", {}).get("test", built_in)
        if kind == "CMD-SHELL":
            # The host's own name takes the place of the container's.
            asked = command[0].replace("$$HOSTNAME", os.uname().nodename)
            command = ["sh", "-c", asked]
        environment = environments[name]
        return not subprocess.run(command, cwd=image, env=environment, check=False).returncode

    return check


def _page(port: int, path: str) -> str:
    headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers)) as response:
        text: str = response.read().decode()
        return text


def test_the_web_server_answers_and_finds_its_database_and_redis(
    start: Start, healthy: Callable[[str], bool], port: int
) -> None:
    server = start("web")

    assert soon(lambda: healthy("web") or server.exit_code() is not None)
    assert server.exit_code() is None, server.said()
    assert json.loads(_page(port, "/readyz")) == {"database": "ok", "redis": "ok"}


def test_pages_name_files_that_the_image_holds(
    start: Start, healthy: Callable[[str], bool], port: int
) -> None:
    start("web")
    assert soon(lambda: healthy("web"))

    style = re.search(r'href="(/static/[^"]+\.css)"', _page(port, "/"))

    assert style
    assert "{" in _page(port, style[1])


def test_a_name_that_is_not_the_site_s_is_refused(
    start: Start, healthy: Callable[[str], bool], port: int
) -> None:
    start("web")
    assert soon(lambda: healthy("web"))

    with pytest.raises(HTTPError, match="400"):
        urlopen(f"http://127.0.0.1:{port}/healthz")


def test_a_worker_drains_the_sweeps_and_is_healthy(
    start: Start, healthy: Callable[[str], bool]
) -> None:
    worker = start("worker")

    assert soon(lambda: len(re.findall(r"sweep\[.*succeeded", worker.said())) >= 2), worker.said()
    assert healthy("worker")


def test_a_worker_for_calls_starts_and_is_healthy(
    start: Start, healthy: Callable[[str], bool]
) -> None:
    worker = start("calls")

    assert soon(lambda: healthy("calls") or worker.exit_code() is not None)
    assert worker.exit_code() is None, worker.said()


def test_the_clock_runs_and_is_healthy(start: Start, healthy: Callable[[str], bool]) -> None:
    beat = start("beat")

    assert soon(lambda: "beat: Starting" in beat.said()), beat.said()
    assert healthy("beat")
    assert beat.stop() == 0


def test_migrating_again_changes_nothing(start: Start) -> None:
    again = start("migrate")

    assert again.exit_code(within=60) == 0
    assert "No migrations to apply" in again.said()
