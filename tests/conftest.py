"""What every test may ask for: the servers' keeper, real workers, a database like the real one."""

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from hypothesis import HealthCheck
from hypothesis import settings as trials
from pytest_django import DjangoDbBlocker
from redis import Redis

from annotation.activity.triggers import EMPTIES, TRIGGERS
from backend.config.celery import app
from tests.services import plugin
from tests.services.keeper import Keeper, Kept

# A busy machine is no fault of the code: time is measured in benchmarks/, never asserted in a test.
trials.register_profile(
    "blindverse", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
trials.load_profile("blindverse")

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0  # seconds until a worker answers

StartWorker = Callable[..., Kept]


@pytest.fixture(scope="session")
def keeper(pytestconfig: pytest.Config) -> Keeper:
    """Start a process that is stopped when the tests end, however they end."""
    return pytestconfig.stash[plugin.KEEPER]


@pytest.fixture(scope="session", autouse=True)
def _quick_steps() -> Iterator[None]:
    """Do what every test would pay for once, and no test looks at, in less time."""
    with pytest.MonkeyPatch.context() as patch:
        # The work factor is kept beside each password, so that the real server accepts these too.
        patch.setattr(PBKDF2PasswordHasher, "iterations", 1)
        # A new client would read the names of all static files; most never ask for one.
        patch.setattr(settings, "WHITENOISE_AUTOREFRESH", True, raising=False)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(keeper: Keeper) -> None:
    """Put SQLite's test database in a file.

    In memory all threads share one cache, whose locks know no time-out: nothing like the real one.
    """
    if connection.vendor == "sqlite":
        settings.DATABASES["default"]["TEST"]["NAME"] = str(keeper.folder / "tests.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Let the test database be emptied after a test, which the activity log refuses.

    SQLite does that by DELETE, PostgreSQL by TRUNCATE. Tests put the triggers back, or take the
    permission back, and show that they refuse.
    """
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                for name, (_, event) in TRIGGERS.items():
                    if event == "DELETE":
                        cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            else:
                name = connection.ops.quote_name(connection.settings_dict["NAME"])
                cursor.execute(f"ALTER DATABASE {name} SET {EMPTIES} = 'yes'")
        if connection.vendor == "postgresql":  # what is set is so for new connections
            connection.close()
            connection.close_pool()


@receiver(connection_created)
def turn_round_what_has_no_order(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Let SQLite return rows from the last to the first where a query asks for no order.

    PostgreSQL returns them as they lie, which is nearly always, but not always, as they came.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA reverse_unordered_selects = ON")


@pytest.fixture
def broker() -> Iterator[Redis]:
    """Redis, with no message left in it by another test."""
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        for key in client.scan_iter():
            # The bindings stay: this process declares its queues once, and messages to a queue
            # that nobody has declared are dropped without a word.
            if b"_kombu.binding" not in key:
                client.delete(key)
        yield client


_numbers = itertools.count(1)


@pytest.fixture
def start_worker(keeper: Keeper, broker: Redis, transactional_db: None) -> Iterator[StartWorker]:
    """Start real Celery workers on the test's database; they are gone when the test ends.

    ``start_worker(*options)`` returns a `Kept`: its pid, its words, and `kill_9`.
    """
    workers = []

    def start(*options: str) -> Kept:
        name = f"tests-{next(_numbers)}@localhost"
        worker = keeper.start(
            *(sys.executable, "-m", "celery", "-A", "backend.config", "worker"),
            *("-P", "threads", "-c", "4", "--without-gossip", "--without-mingle"),
            *("-n", name, "-l", "INFO", *options),
            log=keeper.folder / f"{name}.log",
            env=os.environ | {"DATABASE_URL": _address(), "PYTHONPATH": str(ROOT)},
        )
        workers.append(worker)
        give_up = time.monotonic() + PATIENCE
        while not app.control.ping([name], timeout=0.5):
            if worker.exit_code() is not None or time.monotonic() > give_up:
                pytest.fail(f"the worker does not answer:\n{worker.said()[-4000:]}")
        return worker

    yield start
    for worker in workers:
        worker.stop()


@pytest.fixture
def celery_worker(start_worker: StartWorker) -> Kept:
    """A real Celery worker on the test's database."""
    return start_worker()


def _address() -> str:
    """Return the address of the test's own database, for another process."""
    address = urlsplit(os.environ["DATABASE_URL"])
    return address._replace(path="/" + connection.settings_dict["NAME"]).geturl()
