from typing import Any

from django.db import migrations

from annotation.activity import triggers


def put(apps: Any, schema_editor: Any) -> None:
    triggers.put(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("activity", "0003_log_began")]

    operations = [migrations.RunPython(put, migrations.RunPython.noop)]
