"""The activity log refuses changes, and says so when it no longer would."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.activity import sealing, triggers
from annotation.activity.models import Entry, Seal
from tests.annotation.activity.test_sealing import chain, write


class TestRefusals:
    @pytest.fixture(autouse=True)
    def guarded(self, db):
        """All triggers, as a migration puts them."""
        with connection.schema_editor() if connection.vendor == "postgresql" else _editor() as at:
            triggers.put(at)

    def test_all_triggers_are_in_force(self):
        assert triggers.missing() == []
        assert sealing.verify().problems == []

    @pytest.mark.parametrize("sealed", [False, True])
    @pytest.mark.parametrize(
        "change",
        [
            lambda entries: entries.update(actor="mallory"),
            lambda entries: entries.update(study="another"),
            lambda entries: entries.update(details={"items": 7}),
            lambda entries: entries.update(at=datetime(2026, 1, 1, tzinfo=UTC)),
            lambda entries: entries.update(seal=None),
            lambda entries: entries.delete(),
        ],
    )
    def test_no_entry_changes_or_goes(self, change, sealed):
        entry, other = write(2)
        if sealed:
            sealing.seal()
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change(Entry.objects.filter(pk=other.pk))
        assert Entry.objects.count() == 2
        assert Entry.objects.filter(actor="vera", study="spring", pk=entry.pk).exists()

    def test_an_entry_changes_its_seal_for_no_other_and_nothing_on_its_way_to_the_first(self):
        first, second = chain(1, 1)
        (waiting,) = write(1)
        sealed, unsealed = Entry.objects.filter(seal=first), Entry.objects.filter(pk=waiting.pk)
        for rows, change in (
            (sealed, {"seal": second}),
            (sealed, {"seal": None}),
            (unsealed, {"seal": second, "actor": "mallory"}),
        ):
            with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
                rows.update(**change)

    @pytest.mark.parametrize(
        "change",
        [lambda seals: seals.update(entries=9), lambda seals: seals._raw_delete("default")],
    )
    def test_no_seal_changes_or_goes(self, change):
        made = Seal.objects.create(number=1, previous="0" * 64, entries=0, sha256="a" * 64)
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change(Seal.objects.all())
        assert Seal.objects.get() == made

    @pytest.mark.parametrize("table", ["activity_entry", "activity_seal"])
    def test_neither_entries_nor_seals_are_emptied(self, table):
        if connection.vendor == "sqlite":
            pytest.skip("SQLite knows no TRUNCATE.")
        chain(2)
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL {triggers.EMPTIES} = 'no'")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a check that waits forbids it, too
            with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
                cursor.execute(f"TRUNCATE {table} CASCADE")
        assert (Entry.objects.count(), Seal.objects.count()) == (2, 1)

    @pytest.mark.parametrize("name", triggers.TRIGGERS)
    def test_a_trigger_that_is_gone_is_named(self, name):
        if name not in triggers.names(connection.vendor):
            pytest.skip("SQLite knows no TRUNCATE.")
        table, _ = triggers.TRIGGERS[name]
        with connection.cursor() as cursor:
            of_table = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {name}{of_table}")
        assert triggers.missing() == [name]
        (problem,) = sealing.verify().problems
        assert name in problem

    @pytest.mark.parametrize("name", triggers.TRIGGERS)
    @pytest.mark.parametrize("never", [True, False])
    def test_a_trigger_that_was_put_anew_for_fewer_changes_is_named(self, name, never):
        if name not in triggers.names(connection.vendor):
            pytest.skip("SQLite knows no TRUNCATE.")
        table, event = triggers.TRIGGERS[name]
        put = triggers.statement(name, connection.vendor)
        does = " EXECUTE" if connection.vendor == "postgresql" else " BEGIN"
        if never:
            made = re.sub(f"( WHEN .*)?{does}", f" WHEN (1 = 0){does}", put)
        elif event == "UPDATE":
            made = put.replace("UPDATE ON", "UPDATE OF id ON")
        else:
            made = put.replace(f"BEFORE {event}", "BEFORE INSERT")
        assert made != put
        with connection.cursor() as cursor:
            of_table = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {name}{of_table}")
            cursor.execute(made)
        assert triggers.missing() == [name]

    def test_a_trigger_that_looks_at_less_of_an_entry_is_named(self):
        name = "activity_entry_stays_as_it_is"
        put = triggers.statement(name, connection.vendor)
        if connection.vendor == "postgresql":
            made = put.replace(" OR OLD.actor IS DISTINCT FROM NEW.actor", "")
        else:
            made = put.replace(" OLD.actor,", "").replace(" NEW.actor,", "")
        assert made != put
        with connection.cursor() as cursor:
            on = " ON activity_entry" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER {name}{on}")
            cursor.execute(made)
        assert triggers.missing() == [name]

    def test_a_function_that_was_told_that_tests_empty_the_log_is_named(self):
        if connection.vendor == "sqlite":
            pytest.skip("SQLite knows no functions of triggers.")
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER FUNCTION {triggers.FUNCTION}() SET {triggers.EMPTIES} = 'yes'")
        assert triggers.missing() == list(triggers.TRIGGERS)

    def test_triggers_that_were_made_to_do_nothing_are_named(self):
        name = "activity_entry_stays"
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute(
                    f"CREATE OR REPLACE FUNCTION {triggers.FUNCTION}() RETURNS trigger "
                    "LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$"
                )
                assert triggers.missing() == list(triggers.TRIGGERS)
                return
            cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(
                f"CREATE TRIGGER {name} BEFORE DELETE ON activity_entry BEGIN SELECT 1; END"
            )
        assert triggers.missing() == [name]


@contextmanager
def _editor() -> Iterator[object]:
    # SQLite's own asks for a connection without foreign keys, which no transaction gives.
    yield connection.SchemaEditorClass(connection, collect_sql=False, atomic=False)
