"""Give every study's consent text its own row, as version 1, and each consent its wording."""

import hashlib
from typing import Any

from django.db import migrations


def keep_wordings(apps: Any, schema_editor: Any) -> None:
    study_model = apps.get_model("studies", "Study")
    wording_model = apps.get_model("studies", "ConsentWording")
    consent_model = apps.get_model("studies", "Consent")
    # Experts of a running study are not asked now what they were not asked when they began.
    study_model.objects.update(asks_background=False)
    for study in study_model.objects.all():
        wording = wording_model.objects.create(
            study=study,
            version=1,
            language=study.language,
            text=study.consent_text,
            sha256=_sha256(study.consent_text),
        )
        for consent in consent_model.objects.filter(judge__study=study):
            consent.wording = wording
            consent.sha256 = _sha256(consent.text)
            consent.save()


def write_back(apps: Any, schema_editor: Any) -> None:
    wording_model = apps.get_model("studies", "ConsentWording")
    for wording in wording_model.objects.filter(version=1).select_related("study"):
        if wording.language == wording.study.language:
            wording.study.consent_text = wording.text
            wording.study.save()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_expert_desk")]

    operations = [migrations.RunPython(keep_wordings, write_back)]
