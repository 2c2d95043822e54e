"""What the database itself refuses: changing or deleting what stands in the activity log."""

import re
from collections.abc import Collection, Mapping

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# SQLite drops a table's triggers when a migration remakes it, and new columns have to be named
# here: a migration that alters one of the two tables ends with `put`.
ENTRY = "id, kind, study, actor, subject, digest, details, at"
REFUSAL = "The activity log is append-only."
FUNCTION = "activity_log_is_append_only"
# Tests empty a database of their own by TRUNCATE, and say so; nothing else ever does.
EMPTIES = "blindverse.empties_the_log"
BODY = (
    f" BEGIN IF TG_OP = 'TRUNCATE' AND current_setting('{EMPTIES}', true) = 'yes'"
    " THEN RETURN NULL; END IF;"
    f" RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'restrict_violation'; END "
)

# Name -> (table, event). An entry gets its seal once; nothing else of it ever changes.
TRIGGERS = {
    "activity_entry_stays_as_it_is": ("activity_entry", "UPDATE"),
    "activity_entry_stays": ("activity_entry", "DELETE"),
    "activity_entry_is_not_emptied": ("activity_entry", "TRUNCATE"),
    "activity_seal_stays_as_it_is": ("activity_seal", "UPDATE"),
    "activity_seal_stays": ("activity_seal", "DELETE"),
    "activity_seal_is_not_emptied": ("activity_seal", "TRUNCATE"),
}


def put(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Put all triggers in place, those that are there already anew."""
    drop(schema_editor)
    vendor = schema_editor.connection.vendor
    if vendor == "postgresql":
        made = f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger"
        schema_editor.execute(f"{made} LANGUAGE plpgsql AS $${BODY}$$")
    for name in names(vendor):
        schema_editor.execute(statement(name, vendor))


def drop(schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take all triggers away."""
    for name, (table, _) in TRIGGERS.items():
        of_table = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}{of_table}")


def missing() -> list[str]:
    """Return the names of the triggers that are not in force, or not as they were put."""
    there = _on_postgresql() if connection.vendor == "postgresql" else _on_sqlite()
    return [name for name in names(connection.vendor) if not there.get(name)]


def names(vendor: str) -> Collection[str]:
    """Return the names of the triggers that a database has. SQLite knows no TRUNCATE."""
    if vendor == "postgresql":
        return list(TRIGGERS)
    return [name for name, (_, event) in TRIGGERS.items() if event != "TRUNCATE"]


def statement(name: str, vendor: str) -> str:
    """Return the SQL that makes one trigger."""
    table, event = TRIGGERS[name]
    each = "STATEMENT" if event == "TRUNCATE" else "ROW"
    made = f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH {each}"
    if (table, event) == ("activity_entry", "UPDATE"):
        made = f"{made} WHEN ({_more_than_a_seal(vendor)})"
    if vendor == "postgresql":
        return f"{made} EXECUTE FUNCTION {FUNCTION}()"
    return f"{made} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"


def _more_than_a_seal(vendor: str) -> str:
    columns = ENTRY.split(", ")
    if vendor == "postgresql":
        # As PostgreSQL itself writes it, to be compared.
        differs = " OR ".join(f"OLD.{one} IS DISTINCT FROM NEW.{one}" for one in columns)
    else:
        before, after = (", ".join(f"{row}.{one}" for one in columns) for row in ("OLD", "NEW"))
        differs = f"({before}) IS NOT ({after})"
    return f"OLD.seal_id IS NOT NULL OR NEW.seal_id IS NULL OR {differs}"


def _on_sqlite() -> Mapping[str, bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        found = dict(cursor.fetchall())
    return {name: found.get(name) == statement(name, "sqlite") for name in names("sqlite")}


def _on_postgresql() -> Mapping[str, bool]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled IN ('O', 'A') AND prosrc = %s AND proconfig IS NULL, "
            "pg_get_triggerdef(pg_trigger.oid, true) FROM pg_trigger "
            "JOIN pg_proc ON pg_proc.oid = tgfoid "
            "WHERE tgrelid IN ('activity_entry'::regclass, 'activity_seal'::regclass) "
            "AND tgname = ANY(%s)",
            [BODY, list(TRIGGERS)],
        )
        return {
            name: works and _bare(made) == _bare(statement(name, "postgresql"))
            for name, works, made in cursor.fetchall()
        }


def _bare(made: str) -> str:
    """Return the SQL of a trigger without what PostgreSQL adds: parentheses and casts to text.

    In a chain of OR alone, neither changes what is meant.
    """
    return " ".join(re.sub(r"[()]|::text", "", made.lower()).split())
