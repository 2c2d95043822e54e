"""Gives each test run its own PostgreSQL, Redis and data folder before Django reads its settings.

``BLINDVERSE_TEST_DATABASE=sqlite`` runs on SQLite instead, without PostgreSQL, Redis, workers
and browser.
"""

import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.services import postgres, redis
from tests.services.keeper import Keeper

KEEPER = pytest.StashKey[Keeper]()
SERVERS = pytest.StashKey[str]()

# Enough for a test with fifty experts at once, each in a thread that keeps its connection.
CONNECTIONS = "64"

# What a test stores is seldom committed, so that to other connections its tables are empty. The
# server must not plan for empty tables, in the middle of a test, because another connection of its
# own has just found them so.
UNSEEN = {"autovacuum": "off"}

# A test that asks for one of these fixtures has the mark without writing it.
MARKS = {
    "page": "browser",
    "new_context": "browser",
    "broker": "workers",
    "db": "database",
    "transactional_db": "database",
}


def on_sqlite() -> bool:
    """Whether this run is on SQLite."""
    return os.environ.get("BLINDVERSE_TEST_DATABASE") == "sqlite"


# A wrapper, so that it comes before pytest-django, which reads the settings in this same hook.
@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    asked = os.environ.get("BLINDVERSE_TEST_DATABASE", "postgres")
    if asked not in ("postgres", "sqlite"):
        raise pytest.UsageError(
            f"BLINDVERSE_TEST_DATABASE is {asked!r}; set it to postgres or sqlite."
        )
    _forget_the_surroundings()
    # Not $TMPDIR, which may be too long for the address of a Unix socket.
    folder = Path(tempfile.mkdtemp(prefix="blindverse-", dir="/tmp"))
    folder.chmod(0o711)  # PostgreSQL may run as another user and has to walk through
    keeper = Keeper(folder)
    early_config.stash[KEEPER] = keeper
    early_config.add_cleanup(keeper.close)
    data = folder / "data"
    data.mkdir(mode=0o700)
    os.environ["BLINDVERSE_DATA"] = str(data)
    early_config.stash[SERVERS] = "SQLite" if on_sqlite() else _start_servers(keeper)
    return (yield)


def pytest_report_header(config: pytest.Config) -> str:
    return f"servers: {config.stash[SERVERS]}"


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in MARKS.items():
            # A parameter may well be called "page" without a browser behind it.
            parameters = getattr(getattr(item, "callspec", None), "params", ())
            if fixture in getattr(item, "fixturenames", ()) and fixture not in parameters:
                item.add_marker(mark)
        if item.get_closest_marker("django_db"):
            item.add_marker("database")
        if on_sqlite():
            for mark in ("workers", "browser"):
                if item.get_closest_marker(mark):
                    item.add_marker(pytest.mark.skip(f"{mark}: not on SQLite"))


def _start_servers(keeper: Keeper) -> str:
    try:
        database, broker = postgres.start(keeper, **UNSEEN), redis.start(keeper)
    except (postgres.NoPostgres, redis.NoRedis) as problem:
        raise pytest.UsageError(str(problem)) from problem
    os.environ["DATABASE_URL"] = database.url
    os.environ["REDIS_URL"] = broker.url
    os.environ["BLINDVERSE_DATABASE_POOL"] = CONNECTIONS
    return f"{database.name}, {broker.name}"


def _forget_the_surroundings() -> None:
    """Drop what the shell says about another Blindverse: no test may reach a real database."""
    for name in list(os.environ):
        if name.startswith("BLINDVERSE_") and name != "BLINDVERSE_TEST_DATABASE":
            del os.environ[name]
    for name in ("DATABASE_URL", "REDIS_URL", "PORT"):
        os.environ.pop(name, None)
