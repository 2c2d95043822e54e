"""Each address that models were reached at becomes a provider; earlier calls say how they ended."""

from typing import Any
from urllib.parse import urlsplit

from django.db import migrations
from django.db.models import F, OuterRef, Q, Subquery


def make_providers(apps: Any, schema_editor: Any) -> None:
    LanguageModel = apps.get_model("generation", "LanguageModel")
    Provider = apps.get_model("generation", "Provider")
    for model in LanguageModel.objects.filter(reach="endpoint").order_by("pk"):
        where = {"base_url": model.base_url, "key_variable": model.key_variable}
        provider = Provider.objects.filter(**where).first()
        if provider is None:
            host = urlsplit(model.base_url).hostname or "provider"
            taken = Provider.objects.filter(name__startswith=host).count()
            name = f"{host} ({taken + 1})" if taken else host
            provider = Provider.objects.create(name=name[:120], **where)
        LanguageModel.objects.filter(pk=model.pk).update(provider=provider)


def end_calls(apps: Any, schema_editor: Any) -> None:
    Call = apps.get_model("generation", "Call")
    Generation = apps.get_model("generation", "Generation")
    wrote = Generation.objects.filter(pk=OuterRef("generation_id")).values("model_id")
    Call.objects.update(model_id=Subquery(wrote[:1]))
    Call.objects.filter(error="", ended_at__isnull=False).update(state="answered")
    Call.objects.filter(~Q(error="")).update(state="failed")
    Call.objects.filter(state="open").update(state="lost", ended_at=F("started_at"))


class Migration(migrations.Migration):
    dependencies = [("generation", "0002_providers_gates_calls")]

    operations = [
        migrations.RunPython(make_providers, migrations.RunPython.noop),
        migrations.RunPython(end_calls, migrations.RunPython.noop),
    ]
