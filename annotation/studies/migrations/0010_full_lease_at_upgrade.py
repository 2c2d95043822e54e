"""Let a lease begin now for experts of open studies who were given items before there were any."""

from django.db import migrations
from django.db.models import Exists, OuterRef
from django.utils import timezone


def renew(apps, schema_editor):
    judge, assignment = (apps.get_model("studies", name) for name in ("Judge", "Assignment"))
    waiting = assignment.objects.filter(
        judge=OuterRef("pk"), counts=True, answered_at=None, given_back_at=None
    )
    experts = judge.objects.filter(kind="expert", study__state="open", active_at=None)
    experts.filter(Exists(waiting)).update(active_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("studies", "0009_open_links_of_a_group")]

    operations = [migrations.RunPython(renew, migrations.RunPython.noop)]
