"""The margin within which an AUC is as good as chance is fixed before the study opens."""

import math

import pytest
from django.core.management import CommandError
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.studies.models import Item, Study
from backend.design import freezing
from backend.design.checklist import State, checklist
from backend.design.forms import PlanForm
from backend.design.models import Design
from backend.design.pilot import try_out
from backend.design.services import open_study
from tests.backend.design.material import draft, material
from tests.backend.design.test_builder import filled
from tests.backend.design.test_commands import opened
from tests.studies import coordinator

pytestmark = pytest.mark.django_db

# What a study opened under format 3 was fixed to, word for word.
EARLIER = {
    "version": 1,
    "not_applicable": "left out of means, a category of its own in PAo",
    "experts_and_machines": "never pooled",
    "detection": "ROC-AUC, human positive, ties half, per judgment and per poem mean",
    "paired": "Wilcoxon signed-rank on title-matched means, two-sided, zeros dropped",
    "agreement": "PAo = 2A / (nA + nB) over pairs of ratings of one item and question",
    "judgments": "in time only; extra ones are exported, not analysed",
}


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def now(study: Study) -> Study:
    return Study.objects.select_related("design").get(pk=study.pk)


def test_what_is_chosen_on_the_page_is_kept_shown_and_in_the_analysis_plan(client):
    shelf = material()
    client.post(reverse("new-study"), filled(shelf, margin="0.05"))
    study = Study.objects.get()
    assert study.design.margin == 0.05
    assert freezing.analysis_plan(study)["margin"] == 0.05
    page = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "an AUC within 0.05 of 0.5 is as good as chance" in page


def test_without_a_margin_none_is_kept_and_the_page_says_so(client):
    client.post(reverse("new-study"), filled(material()))
    study = Study.objects.get()
    assert study.design.margin is None
    page = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "none: no AUC is found to be as good as chance" in page


def test_of_a_study_without_an_auc_the_page_has_no_margin(client):
    client.post(reverse("new-study"), filled(material(), instrument="pair-choice"))
    study = Study.objects.get()
    page = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "<dt>Looks before closing</dt>" in page
    assert "<dt>Margin</dt>" not in page


@pytest.mark.parametrize("wrong", ["0", "-0.05", "0.26", "nan", "inf", "x"])
def test_a_margin_lies_above_0_and_at_most_at_a_quarter(wrong):
    assert set(PlanForm(filled(material(), margin=wrong)).errors) == {"margin"}


@pytest.mark.parametrize("wrong", [0.0, -0.05, 0.26])
def test_the_database_keeps_no_other_margin(wrong):
    study = draft()
    with pytest.raises(IntegrityError), transaction.atomic():
        Design.objects.filter(study=study).update(margin=wrong)


def test_a_margin_for_what_has_no_auc_is_refused():
    form = PlanForm(filled(material(), instrument="pair-choice", margin="0.05"))
    assert "no AUC is computed" in " ".join(form.errors["margin"])


def test_proftap_begins_with_a_margin_and_the_others_with_none(client):
    def value(method: str) -> object:
        page = client.get(reverse("new-study") + f"?method={method}")
        return page.context["form"]["margin"].value()

    assert [value(one) for one in ("proftap", "poemetric", "pairs")] == [0.05, None, None]


def test_the_command_takes_a_margin_under_the_same_rule():
    material()
    with pytest.raises(CommandError, match="margin: "):
        opened(margin=0.4)
    opened(margin=0.1)
    assert Study.objects.get().design.margin == 0.1


def test_a_pilot_has_the_margin_of_its_study():
    assert try_out(draft(margin=0.1), briefs=1).design.margin == 0.1


def margin_check(study: Study) -> tuple[State, str] | None:
    found = [one for one in checklist(now(study)) if one.key == "margin"]
    return (found[0].state, found[0].text) if found else None


def test_the_checklist_hints_at_a_missing_margin_and_stops_nothing():
    shelf = material()
    state, text = margin_check(draft(shelf)) or ("", "")
    assert (state, "No margin is fixed" in text) == (State.WARN, True)
    state, text = margin_check(draft(shelf, margin=0.05)) or ("", "")
    assert (state, "within a margin of 0.05" in text) == (State.OK, True)
    assert margin_check(draft(shelf, instrument="pair-choice")) is None


def test_the_margin_is_in_the_fingerprint():
    study = draft(margin=0.05)
    before = freezing.fingerprint(now(study))
    Design.objects.filter(study=study).update(margin=0.1)
    assert freezing.fingerprint(now(study)) != before


def test_a_study_opened_under_the_format_before_keeps_its_hash_and_its_plan(monkeypatch):
    with monkeypatch.context() as then:
        then.setattr(freezing, "FORMAT", 3)
        study = open_study(draft())
    frozen = study.versions.get().content
    assert frozen["format"] == 3
    assert frozen["analysis_plan"] == {**EARLIER, "in_words": ""}
    assert freezing.fingerprint(now(study)) == study.fingerprint
    assert freezing.analysis_plan(now(study)) == EARLIER
    Item.objects.filter(study=study).update(places=5)
    made = freezing.amend(study, reason="More.", by=None)
    assert made.content["format"] == 3
    assert freezing.changed(study.versions.first(), made) == ["items"]


def test_a_study_opened_today_is_fixed_to_its_margin_and_to_what_the_verdict_is():
    plan = open_study(draft(margin=0.05)).versions.get().content["analysis_plan"]
    assert math.isclose(plan["margin"], 0.05)
    assert "90 % interval" in plan["verdict"]
    assert "never equivalent" in plan["verdict"]
