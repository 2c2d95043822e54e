"""``manage.py generate`` and ``runs`` as a script or a person starts them."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection

from backend.corpus.models import Collection
from backend.generation.models import Call, Generation, Run
from tests.endpoint import Endpoint, Scenario
from tests.language_models import model_at
from tests.services.waiting import soon

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[3]
OF_VERSE = ("generate", "--collection", "Verse", "--run", "R", "--models")

Begin = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A provider of language models that behave as they are named."""
    served = Endpoint()
    yield served
    served.stop()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Start ``manage.py`` on the test's database; what is still there in the end is killed."""
    begun = []

    def start(*words: str, **how: Any) -> subprocess.Popen[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        environment = {"DATABASE_URL": address(), "REDIS_URL": "", "BLINDVERSE_DATA": str(tmp_path)}
        process = subprocess.Popen(
            [sys.executable, ROOT / "manage.py", *words],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            text=True,
            **streams,
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate()


def address() -> str:
    """Return the address of the test's own database, for another process."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return the exit status of a process and what it said on either stream."""
    said, aside = process.communicate(timeout=60)
    assert "Traceback" not in aside, aside
    return process.returncode, said, aside


def test_all_is_written_and_a_script_reads_one_document(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    model_at(endpoint.url_of("openai"), "ok")
    status, said, aside = ended(begin(*OF_VERSE, "ok", "--json"))
    assert status == 0
    assert (json.loads(said)["exit_status"], json.loads(said)["done"]) == (0, 3)
    assert "ok: 3 of 3 written" in aside


def test_the_exit_status_tells_how_it_ended(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    url = endpoint.url_of("openai")
    model_at(url, "no-key")
    model_at(url, "ok", price_input=Decimal(1), price_output=Decimal(1000))
    both = [
        begin("generate", "--collection", "Verse", "--run", "Failing", "--models", "no-key"),
        begin("generate", "--collection", "Verse", "--models", "Nobody"),
        begin("generate", "--collection", "Verse", "--samples", "none", "--models", "ok"),
        begin(*OF_VERSE, "ok", "--max-tokens", "1000", "--cap", "0.10"),
    ]
    assert [ended(process)[0] for process in both] == [1, 2, 2, 3]
    assert ended(begin("runs", "Failing", "--follow"))[0] == 1
    assert ended(begin("runs", "R", "--follow"))[0] == 3


def test_interrupted_it_lets_calls_end_and_keeps_them_and_the_same_command_goes_on(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    endpoint.scenario = lambda asked: replace(Scenario()(asked), waits_for_release=True)
    model_at(endpoint.url_of("openai"), "ok", parallel=1)
    process = begin(*OF_VERSE, "ok")
    assert soon(lambda: len(endpoint.requests) == 1)
    process.send_signal(signal.SIGINT)
    assert process.stderr
    while "Ctrl-C again leaves at once" not in process.stderr.readline():
        assert process.poll() is None
    endpoint.released.set()
    status, _, aside = ended(process)
    assert status == 130
    assert "To go on: --run R" in aside
    assert sorted(Generation.objects.values_list("status", flat=True)) == ["done", *["queued"] * 2]
    assert ended(begin(*OF_VERSE, "ok"))[0] == 0
    assert set(endpoint.written.values()) == {1}
    assert len(endpoint.requests) == 3


def test_interrupted_twice_it_leaves_at_once(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    model_at(endpoint.url_of("openai"), "hang")
    process = begin(*OF_VERSE, "hang")
    assert soon(lambda: len(endpoint.requests) == 3)
    process.send_signal(signal.SIGINT)
    assert process.stderr
    while "Ctrl-C again leaves at once" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    assert "may have been answered" in process.stderr.read()
    assert Call.objects.filter(state="open").count() == 3


def on_a_terminal(begin: Begin, *words: str) -> str:
    """Return what a command writes on a terminal."""
    ours, its = pty.openpty()
    process = begin(*words, stdout=its)
    os.close(its)
    said = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            said += os.read(ours, 65536)
        except OSError:  # Linux says so when nobody holds the other end any more
            break
    os.close(ours)
    process.wait(timeout=60)
    return said.decode()


def test_on_a_terminal_one_line_is_rewritten(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    endpoint.scenario = Scenario(latency=0.4)
    model_at(endpoint.url_of("openai"), "ok", parallel=1)
    said = on_a_terminal(begin, *OF_VERSE, "ok")
    assert "\r\x1b[J" in said
    # A line of the terminal ends with a line feed; what stands after a return takes its place.
    (line,) = (line for line in said.split("\n") if "of 3 written" in line)
    assert line.count("\r\x1b[J") >= 3
    assert said.rstrip().endswith("\x1b[Jok: 3 of 3 written")


def test_followed_on_a_terminal_a_run_stays_there_when_it_has_ended(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    model_at(endpoint.url_of("openai"), "ok")
    ended(begin(*OF_VERSE, "ok"))
    said = on_a_terminal(begin, "runs", "R", "--follow")
    assert said.startswith("R: ended")
    assert "\nok " in said


def test_following_shows_what_changes_until_the_run_ends(
    collection: Collection, endpoint: Endpoint, begin: Begin
) -> None:
    model_at(endpoint.url_of("openai"), "ok")
    ended(begin(*OF_VERSE, "ok"))
    Generation.objects.update(status="queued")
    Run.objects.update(state="paused")
    follower = begin("runs", "R", "--follow", "--json")
    assert follower.stdout
    first = json.loads(follower.stdout.readline())
    assert (first["state"], first["done"], first["waiting"]) == ("paused", 0, 3)
    Generation.objects.update(status="done")
    status, said, _ = ended(follower)
    last = json.loads(said.splitlines()[-1])
    assert (status, last["state"], last["done"]) == (0, "ended", 3)
