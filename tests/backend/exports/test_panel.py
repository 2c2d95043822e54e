"""What a package tells of the experts, of what they agreed to, and of those who are gone."""

import hashlib
import json

import pytest

from annotation.studies.consenting import publish
from annotation.studies.links import open_link
from annotation.studies.models import Background, Consent, Judge, Study
from tests.backend.analytics.answering import closed, reopened
from tests.backend.exports.opened import packed, table
from tests.studies import make_study

pytestmark = pytest.mark.django_db

TEXT = "You will read poems.\n  Thank you."
CHINESE = "您将阅读诗歌。"


def test_experts_are_described_coarsely() -> None:
    study = make_study(titles=["Dawn"], judges=["Anna", "Ben"], machines=["Gamma"])
    anna = Judge.objects.get(name="Anna")
    Background.objects.create(
        judge=anna, practice=["poet", "translator"], years="6-10", languages=["en", "zh"],
        conflicts="Somebody Known",
    )  # fmt: skip
    link = open_link(reopened(study), quota=1)
    Judge.objects.filter(pk=anna.pk).update(
        joined_by=link, theme="sepia", text_size=5, line_numbers=True, language="zh-hans"
    )
    Consent.objects.filter(judge=anna).update(quotable=True, thanked_as="Anna")
    package = packed(closed(study))
    rows = {row["judge"]: row for row in table(package, "judges.csv")}
    columns = (
        "consented", "consent_version", "quotable", "joined", "practice", "years", "languages",
        "theme", "text_size", "line_numbers", "interface_language",
    )  # fmt: skip
    told = {
        name: [rows[code][column] for column in columns]
        for name, code in Judge.objects.values_list("name", "code")
    }
    assert told["Anna"] == [
        "yes", "1", "yes", "open link", "poet; translator", "6-10", "en; zh", "sepia", "5", "yes",
        "zh-hans",
    ]  # fmt: skip
    assert told["Ben"] == [
        "yes", "1", "no", "invited", "", "", "", "system", "3", "no", "",
    ]  # fmt: skip
    assert told["Gamma"] == ["no", *[""] * 10]
    assert set(next(iter(rows.values()))) == {
        *("judge", "label", "kind", "model", "model_id", "temperature", "given", "answered"),
        *("extra", "group", "withdrawn", "withdrawn_reason", *columns),
    }


def test_the_newest_consent_counts() -> None:
    study = make_study(titles=["Dawn"], judges=["Anna"])
    reopened(study)
    old = Consent.objects.get()
    publish(study, {"en": "New words."})
    wording = study.consent_wordings.get(version=2)
    Consent.objects.create(
        judge=old.judge, wording=wording, version=2, text=wording.text, sha256=wording.sha256,
        fingerprint=old.fingerprint, quotable=True,
    )  # fmt: skip
    (row,) = table(packed(closed(study)), "judges.csv")
    assert (row["consent_version"], row["quotable"]) == ("2", "yes")


def test_every_version_of_the_consent_is_word_for_word_in_each_language() -> None:
    study = make_study()
    reopened(study)
    publish(study, {"en": "New words.", "zh-hans": CHINESE})
    package = packed(closed(study))
    texts = {
        "consent/1-en.txt": TEXT,
        "consent/2-en.txt": "New words.",
        "consent/2-zh-hans.txt": CHINESE,
    }
    assert {name for name in package.namelist() if name.startswith("consent")} == set(texts)
    about = json.loads(package.read("study.json"))["consent"]
    for wording, (name, text) in zip(about, texts.items(), strict=True):
        assert package.read(name).decode() == text
        assert wording["file"] == name
        assert wording["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert [(one["version"], one["language"]) for one in about] == [
        (1, "en"), (2, "en"), (2, "zh-hans"),
    ]  # fmt: skip


def test_what_the_study_asked_and_what_was_deleted_is_told() -> None:
    study = make_study()
    Study.objects.filter(pk=study.pk).update(
        promise="I will use no help.", honorarium="50 euros", debriefs=True, experts_deleted=1,
        judgments_deleted=12,
    )  # fmt: skip
    about = json.loads(packed(Study.objects.get()).read("study.json"))
    told = ("promise", "honorarium", "asks_background", "debriefs")
    assert [about[name] for name in told] == ["I will use no help.", "50 euros", False, True]
    assert (about["experts_deleted"], about["judgments_deleted"]) == (1, 12)
