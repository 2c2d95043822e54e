"""Reading much of the database as of one moment, while others go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def as_of_one_moment() -> Iterator[None]:
    """Let everything within see the database as it was at its first query, and hold nobody up.

    Within a transaction that is under way, it is read as that one does.
    """
    if connection.in_atomic_block or _is_reading():
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    else:
        with _reading_only():
            yield


def _is_reading() -> bool:
    """Whether `_reading_only` is under way, which Django knows nothing of."""
    return connection.vendor == "sqlite" and bool(
        connection.connection and connection.connection.in_transaction
    )


@contextmanager
def _reading_only() -> Iterator[None]:
    # `atomic` would begin an IMMEDIATE transaction here, which holds up everybody who writes.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
