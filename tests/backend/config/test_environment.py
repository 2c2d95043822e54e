"""A missing or wrong setting stops the start with one line that names it and says what to do."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DEPLOYED = {
    "BLINDVERSE_MODE": "deployed",
    "BLINDVERSE_SECRET_KEY": "a-secret-that-only-this-test-knows-0123456789-abcdefg",
    "BLINDVERSE_HOSTS": "poems.example.org",
    "DATABASE_URL": "postgres://blindverse:secret@localhost:5432/blindverse",
    "REDIS_URL": "redis://localhost:6379/0",
}

Manage = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def manage(tmp_path: Path) -> Manage:
    """Run ``manage.py`` in an environment that holds these settings and no other."""

    def run(command: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, ROOT / "manage.py", *command.split()],
            env={"PATH": os.environ["PATH"], "BLINDVERSE_DATA": str(tmp_path / "data")} | settings,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def _line(stopped: "subprocess.CompletedProcess[str]") -> str:
    """Return the one line that a refused start ends with."""
    assert stopped.returncode == 1
    assert stopped.stdout == ""
    (line,) = stopped.stderr.splitlines()
    return line


def test_with_nothing_set_it_starts(manage: Manage) -> None:
    assert manage("check").returncode == 0


def test_with_everything_set_it_starts_deployed(manage: Manage) -> None:
    assert manage("check", **DEPLOYED).returncode == 0


def test_deployed_djangos_own_inspection_finds_only_what_is_not_ours_to_decide(
    manage: Manage,
) -> None:
    inspected = manage("check --deploy", **DEPLOYED)

    # Whether a whole domain, with all its other sites, goes by HTTPS alone: W005 and W021.
    assert re.findall(r"security\.(\w+)", inspected.stderr) == ["W005", "W021"]


@pytest.mark.parametrize("name", [name for name in DEPLOYED if name != "BLINDVERSE_MODE"])
@pytest.mark.parametrize("emptied", [False, True])
def test_deployed_it_makes_nothing_up(manage: Manage, name: str, *, emptied: bool) -> None:
    settings = {key: value for key, value in DEPLOYED.items() if key != name}

    stopped = manage("check", **settings, **({name: "  "} if emptied else {}))

    assert re.match(rf"manage.py: {name} is not set; .*\.env\.example", _line(stopped))


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("BLINDVERSE_MODE", "production", "one of: local, deployed"),
        ("BLINDVERSE_HTTPS", "yes", "True or False"),
        ("BLINDVERSE_DEMO", "1", "True or False"),
        ("BLINDVERSE_DATABASE_POOL", "many", "a whole number above 0"),
        ("BLINDVERSE_WORKER_THREADS", "0", "a whole number above 0"),
        ("BLINDVERSE_DATA", "/dev/null/data", "set it to another folder"),
        ("DATABASE_URL", "localhost", "postgres://user:password@host:5432/name"),
        ("DATABASE_URL", "mysql://localhost/poems", "postgres:// or sqlite://"),
        ("REDIS_URL", "localhost", "redis://"),
        ("REDIS_URL", "redis://localhost:port/0", "redis://"),
        ("BLINDVERSE_MODEL_PROXY", "proxy.example.org:3128", "http://proxy.example.org:3128"),
    ],
)
def test_a_wrong_setting_is_named_with_its_remedy(
    manage: Manage, name: str, value: str, remedy: str
) -> None:
    line = _line(manage("check", **{name: value}))

    assert line.startswith(f"manage.py: {name} ")
    assert remedy in line


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("BLINDVERSE_SECRET_KEY", "short", "python -c"),
        ("BLINDVERSE_HOSTS", " , ", "commas"),
    ],
)
def test_a_wrong_secret_or_name_is_refused_deployed(
    manage: Manage, name: str, value: str, remedy: str
) -> None:
    line = _line(manage("check", **DEPLOYED | {name: value}))

    assert line.startswith(f"manage.py: {name} ")
    assert remedy in line


@pytest.mark.parametrize(
    "name", ["BLINDVERSE_SECRET_KEY", "DATABASE_URL", "REDIS_URL", "BLINDVERSE_MODEL_PROXY"]
)
def test_a_refused_secret_is_not_shown(manage: Manage, name: str) -> None:
    line = _line(manage("check", **DEPLOYED | {name: "hunter2:@"}))

    assert "hunter2" not in line


def test_the_local_secret_is_kept_and_its_owners_alone(manage: Manage, tmp_path: Path) -> None:
    manage("check")
    path = tmp_path / "data" / "secret-key"
    first = path.read_text()

    manage("check")

    assert len(first) >= 48
    assert path.read_text() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_deployed_blindverse_has_no_links_without_a_password(manage: Manage) -> None:
    show = "from django.conf import settings; print(settings.DEMO)"

    shown = subprocess.run(
        [sys.executable, "-c", show],
        env={"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "backend.config.settings"}
        | DEPLOYED
        | {"BLINDVERSE_DEMO": "True"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert shown.stdout == "False\n"


@pytest.mark.parametrize(
    "program", [["-m", "celery"], [str(Path(sys.executable).parent / "celery")]]
)
def test_a_wrong_setting_stops_celery_with_one_line(tmp_path: Path, program: list[str]) -> None:
    stopped = subprocess.run(
        [sys.executable, *program, "-A", "backend.config", "worker"],
        env={
            "PATH": os.environ["PATH"],
            "BLINDVERSE_DATA": str(tmp_path),
            "REDIS_URL": "not an address",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    line = _line(stopped)
    assert line.startswith("celery: ")
    assert "REDIS_URL" in line
