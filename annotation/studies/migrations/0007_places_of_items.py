"""Give each item the places of its study, and each judge a key of their own to the log."""

from django.db import migrations
from django.db.models import OuterRef, Subquery

from annotation.studies.models import token


def fill(apps, schema_editor):
    study, item, judge = (apps.get_model("studies", name) for name in ("Study", "Item", "Judge"))
    own = study.objects.filter(pk=OuterRef("study_id")).values("judges_per_item")
    item.objects.update(places=Subquery(own))
    for key in judge.objects.values_list("pk", flat=True).iterator():
        judge.objects.filter(pk=key).update(log_key=token())


class Migration(migrations.Migration):
    dependencies = [("studies", "0006_ledger")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
