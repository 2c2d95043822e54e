"""``manage.py verify_log``: what it seals, tells and fails by."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.activity.models import Entry, Seal
from annotation.judgments.models import Rating
from annotation.studies.models import Study
from tests.annotation.judgments.test_auditing import answered

pytestmark = pytest.mark.django_db


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def guarded(self, monkeypatch):
        """SQLite's tests do without two triggers, which is told of elsewhere."""
        monkeypatch.setattr("annotation.activity.triggers.missing", list)

    def verify(self, *options: str) -> str:
        said = io.StringIO()
        call_command("verify_log", *options, stdout=said)
        return said.getvalue()

    def test_it_seals_what_waits_and_tells_the_head(self, judgments):
        said = self.verify()
        assert not Entry.objects.unsealed().exists()
        assert f"head {Seal.objects.get().sha256}\n" in said
        assert said.endswith("Nothing was changed.\n")
        assert "judgments 3, from before the log 0" in said

    def test_it_can_leave_all_as_it_is(self, judgments):
        waiting = Entry.objects.count()
        assert f"unsealed {waiting}" in self.verify("--no-seal")
        assert Entry.objects.unsealed().count() == waiting

    def test_it_speaks_json(self, judgments):
        found = json.loads(self.verify("--json"))
        assert found["problems"] == []
        assert found["head"] == Seal.objects.get().sha256
        assert found["judgments"] == 3

    def test_it_knows_an_earlier_head_and_misses_one_that_is_gone(self, judgments):
        self.verify()
        head = Seal.objects.get().sha256
        answered(Study.objects.get())
        assert "Nothing was changed." in self.verify("--expect", head)
        with pytest.raises(CommandError, match="Problems: 1"):
            self.verify("--expect", "e" * 64)

    def test_it_fails_and_names_what_was_changed(self, judgments):
        Rating.objects.filter(judgment=judgments[0], question="quality").update(number=1)
        said = io.StringIO()
        with pytest.raises(CommandError, match="Problems: 1"):
            call_command("verify_log", stdout=said)
        assert f"Judgment {judgments[0].pk} of study" in said.getvalue()
        assert "Nothing was changed" not in said.getvalue()
