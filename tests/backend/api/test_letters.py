"""Rules of reminders are set by programs."""

import pytest

from backend.api.views import letters
from backend.panel.models import PanelRules

pytestmark = pytest.mark.django_db


def test_rules_are_set_where_a_sweep_adds_the_usual_ones_meanwhile(kim, study, monkeypatch):
    filled = letters.filled

    def meanwhile(*args, **kwargs):
        PanelRules.objects.add_missing()
        return filled(*args, **kwargs)

    monkeypatch.setattr(letters, "filled", meanwhile)
    said = kim.put(f"studies/{study.slug}/rules/", {"remind_after_days": 9})
    assert said.status_code == 200, said.json()
    assert PanelRules.objects.get().remind_after_days == said.json()["remind_after_days"] == 9
