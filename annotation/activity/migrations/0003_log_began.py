"""Write down when the log began, where judgments are there already, of which it says nothing."""

from typing import Any

from django.db import migrations


def begin(apps: Any, schema_editor: Any) -> None:
    entry = apps.get_model("activity", "Entry")
    if _has_judgments(schema_editor.connection) and not entry.objects.exists():
        entry.objects.create(kind="log.began")


def _has_judgments(connection: Any) -> bool:
    # By its table: this room knows none of those above it, and a new database has none yet.
    with connection.cursor() as cursor:
        if "judgments_judgment" not in connection.introspection.table_names(cursor):
            return False
        cursor.execute("SELECT 1 FROM judgments_judgment LIMIT 1")
        return cursor.fetchone() is not None


class Migration(migrations.Migration):
    dependencies = [("activity", "0002_append_only")]

    operations = [migrations.RunPython(begin, migrations.RunPython.noop)]
