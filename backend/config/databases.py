"""The database: PostgreSQL where ``DATABASE_URL`` names one, else one SQLite file."""

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

# IMMEDIATE takes the write lock when a transaction begins: in WAL mode a transaction that reads
# first and writes later is otherwise refused at once, whatever the time-out. FULL keeps an answer
# that was acknowledged through a power cut. No mmap: it makes a known WAL fault of SQLite worse.
# secure_delete overwrites most of what is deleted; the rest goes when someone withdraws, by VACUUM.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
        "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-20000; "
        "PRAGMA secure_delete=ON;"
    ),
}


ONE_PLAN = "-c plan_cache_mode=force_generic_plan"


def database(url: str, *, sqlite_file: Path, pool_size: int) -> dict[str, Any]:
    """Return Django's description of the database at `url`, or of `sqlite_file` if it is empty.

    Raises
    ------
    ImproperlyConfigured
        If `url` is not the address of a PostgreSQL or SQLite database.
    """
    if not url:
        sqlite_file.parent.mkdir(parents=True, exist_ok=True)
        return _sqlite(str(sqlite_file))
    try:
        parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.UnknownSchemeError) as error:
        raise ImproperlyConfigured(
            "DATABASE_URL is not a database's address; "
            "write it as postgres://user:password@host:5432/name."
        ) from error
    if parsed["ENGINE"] == "django.db.backends.sqlite3":
        return _sqlite(parsed["NAME"])
    if parsed["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must be a postgres:// or sqlite:// address.")
    parsed["OPTIONS"] = {
        **parsed.get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": pool_size, "timeout": 20},
        # Statements that `annotation.prepared` asks for are planned once. They all find few rows by
        # an index, whatever the values: so one plan serves them.
        "prepare_threshold": 1_000_000,
        "options": f"{parsed.get('OPTIONS', {}).get('options', '')} {ONE_PLAN}".strip(),
    }
    return parsed


def _sqlite(name: str) -> dict[str, Any]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": name, "OPTIONS": SQLITE_OPTIONS}
