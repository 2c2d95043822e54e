"""The test servers are real, belong to this run, and end with it."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from redis import Redis

from backend.accounts.models import User
from tests.services import errands, plugin
from tests.services.keeper import Keeper, Kept
from tests.services.waiting import soon

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_a_row_comes_back_from_the_database_the_run_asked_for(
    request: pytest.FixtureRequest,
) -> None:
    User.objects.create_user("ann", last_name="李")

    assert User.objects.get(username="ann").last_name == "李"
    asked = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}[connection.vendor]
    assert asked in plugin.pytest_report_header(request.config)


@pytest.mark.django_db
@pytest.mark.skipif(plugin.on_sqlite(), reason="PostgreSQL alone plans by what it counted before")
def test_no_count_of_what_is_not_committed_decides_how_a_query_runs() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW autovacuum")
        assert cursor.fetchone() == ("off",)


@pytest.mark.workers
def test_redis_answers(broker: Redis) -> None:
    assert broker.ping()


def test_a_worker_process_does_what_a_message_asks(start_worker: Callable[..., Kept]) -> None:
    user = User.objects.create_user("ann")
    start_worker("-I", errands.__name__)

    errands.sign.delay(user.pk, "Lee")

    assert soon(lambda: User.objects.get(pk=user.pk).last_name == "Lee")


def test_work_goes_on_after_a_worker_was_killed(start_worker: Callable[..., Kept]) -> None:
    user = User.objects.create_user("ann")
    first = start_worker("-I", errands.__name__)
    errands.sign.delay(user.pk, "Lee", seconds=60)
    assert soon(lambda: "tests.sign" in first.said())

    first.kill_9()

    assert first.exit_code() == -signal.SIGKILL
    assert User.objects.get(pk=user.pk).last_name == ""
    start_worker("-I", errands.__name__)
    errands.sign.delay(user.pk, "Lee")
    assert soon(lambda: User.objects.get(pk=user.pk).last_name == "Lee")


def test_no_message_of_one_test_reaches_the_next(broker: Redis) -> None:
    assert not broker.llen("blindverse:blindverse")


def test_a_kept_process_ends_with_its_keeper_and_so_does_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    keeper = Keeper(folder)
    keeper.start("sleep", "600.125", log=folder / "log")
    assert _processes("sleep 600.125")

    keeper.close()

    assert not _processes("sleep 600.125")
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.workers
def test_killing_the_run_leaves_neither_servers_nor_files(tmp_path: Path) -> None:
    note = tmp_path / "data-folder"
    (tmp_path / "test_that_lasts.py").write_text(
        "import os, pathlib, time\n\n"
        "def test_that_lasts():\n"
        f"    pathlib.Path({str(note)!r}).write_text(os.environ['BLINDVERSE_DATA'])\n"
        "    time.sleep(600)\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", tmp_path],
        cwd=ROOT,
        stdout=(tmp_path / "log").open("wb"),
        stderr=subprocess.STDOUT,
    )
    try:
        assert soon(lambda: note.exists() or run.poll() is not None)
        assert run.poll() is None, (tmp_path / "log").read_text()
        folder = str(Path(note.read_text()).parent)
        assert _processes(folder)
    finally:
        run.kill()
        run.wait()

    assert soon(lambda: not _processes(folder) and not Path(folder).exists())


def _processes(words: str) -> list[str]:
    """Return the processes of this machine whose command line holds `words`."""
    listed = subprocess.run(["ps", "-axwwo", "args="], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if words in line]
