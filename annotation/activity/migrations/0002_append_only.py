from typing import Any

from django.db import migrations

from annotation.activity import triggers


def put(apps: Any, schema_editor: Any) -> None:
    triggers.put(schema_editor)


def drop(apps: Any, schema_editor: Any) -> None:
    triggers.drop(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("activity", "0001_log")]

    operations = [migrations.RunPython(put, drop)]
