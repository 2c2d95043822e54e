"""The activity log as whoever owns the database can treat it: nothing is refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from annotation.activity import triggers


@contextmanager
def unguarded() -> Iterator[None]:
    """Let anything be changed, as whoever owns the database can."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else checks wait, and so would ALTER
            for table in ("activity_entry", "activity_seal"):
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            yield
            for table in ("activity_entry", "activity_seal"):
                cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
            return
        for name, (_, event) in triggers.TRIGGERS.items():
            if event == "UPDATE":  # those of deletion are not there in tests
                cursor.execute(f"DROP TRIGGER {name}")
        yield
        for name, (_, event) in triggers.TRIGGERS.items():
            if event == "UPDATE":
                cursor.execute(triggers.statement(name, "sqlite"))
