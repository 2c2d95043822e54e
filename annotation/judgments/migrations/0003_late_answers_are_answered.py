"""Mark as answered what was answered after its place was given back."""

from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def mark(apps: Any, schema_editor: Any) -> None:
    assignments = apps.get_model("studies", "Assignment").objects
    judgments = apps.get_model("judgments", "Judgment").objects
    late = assignments.filter(answered_at=None, pk__in=judgments.values("assignment_id"))
    when = judgments.filter(assignment=OuterRef("pk")).values("submitted_at")
    late.update(answered_at=Subquery(when))


class Migration(migrations.Migration):
    dependencies = [("judgments", "0002_edits_and_stages"), ("studies", "0005_links_by_mail")]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
