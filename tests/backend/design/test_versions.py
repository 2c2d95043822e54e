"""What an open study is fixed to comes in versions, each with its reason."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.activity.models import Entry
from annotation.studies.models import Group, Item, Study
from backend.design.freezing import Unexplained, amend, fingerprint, sha256
from backend.design.models import AttentionCheck, Design, DesignVersion
from backend.design.planning import AttentionPlan, Exclusions, GroupPlan
from backend.design.services import WrongState, close, open_study
from tests.backend.design.material import draft
from tests.studies import coordinator

pytestmark = pytest.mark.django_db


def now(study: Study) -> str:
    return fingerprint(Study.objects.select_related("design").get(pk=study.pk))


def raise_k(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(judges_per_item=3)
    Item.objects.filter(study=study).update(places=3)


def test_opening_makes_version_1_whose_content_the_fingerprint_is_of():
    study = open_study(draft(), by=coordinator())
    version = DesignVersion.objects.get()
    assert (version.number, version.made_by.username) == (1, "kim")
    assert version.fingerprint == study.fingerprint == sha256(version.content) == now(study)


def test_a_change_makes_the_next_version_and_gives_the_study_its_fingerprint():
    study = open_study(draft())
    before = study.fingerprint
    raise_k(study)
    made = amend(study, reason="Two experts fell ill.", by=coordinator())
    study.refresh_from_db()
    assert (made.number, made.reason) == (2, "Two experts fell ill.")
    assert study.fingerprint == made.fingerprint == sha256(made.content) != before
    entry = Entry.objects.get(kind="study.amended")
    assert entry.actor == "kim"
    assert entry.details["changed"] == ["items", "judges_per_item"]


def test_without_a_change_or_a_reason_or_an_open_study_there_is_no_new_version():
    study = open_study(draft())
    assert amend(study, reason="Nothing.", by=None).number == 1
    raise_k(study)
    with pytest.raises(Unexplained):
        amend(study, reason=" ", by=None)
    close(study)
    with pytest.raises(WrongState):
        amend(study, reason="Late.", by=None)
    assert DesignVersion.objects.count() == 1


def test_a_study_opened_before_there_were_versions_keeps_its_first_fingerprint_as_one():
    study = open_study(draft())
    DesignVersion.objects.all().delete()
    Study.objects.filter(pk=study.pk).update(fingerprint="f" * 64)
    amend(study, reason="More.", by=None)
    first, second = DesignVersion.objects.order_by("number")
    assert first.fingerprint == "f" * 64
    assert second.fingerprint == now(study)


@pytest.mark.parametrize("kept", [True, False])
def test_a_study_opened_before_contents_named_a_format_keeps_the_plan_of_that_time(kept):
    study = open_study(draft(margin=0.1))
    DesignVersion.objects.update(content={})
    if not kept:
        DesignVersion.objects.all().delete()
    raise_k(study)
    made = amend(study, reason="Two experts fell ill.", by=None)
    assert made.content["format"] == 3
    assert made.content["analysis_plan"]["version"] == 1
    assert "margin" not in made.content["analysis_plan"]
    assert made.fingerprint == now(study)


def test_the_study_page_lists_versions_with_what_changed():
    study = open_study(draft())
    raise_k(study)
    made = amend(study, reason="Two experts fell ill.", by=coordinator())
    client = Client()
    client.force_login(made.made_by)
    page = " ".join(client.get(reverse("study", args=[study.slug])).content.decode().split())
    assert "Version 2" in page
    assert "Two experts fell ill." in page
    assert "judges for each text (K)" in page


def one_study(**fields: object):
    return lambda study: Study.objects.filter(pk=study.pk).update(**fields)


def one_design(**fields: object):
    return lambda study: Design.objects.filter(study=study).update(**fields)


def one_item(**fields: object):
    def change(study: Study) -> None:
        Item.objects.filter(pk=study.items.judged().first().pk).update(**fields)

    return change


CHANGES = {
    "how texts are given": one_study(dealing="draw"),
    "twins": one_study(twins="never"),
    "the distance": one_study(apart=4),
    "leases": one_study(lease_hours=1),
    "late answers": one_study(late="in"),
    "repeats": one_study(repeats=1),
    "days until a repeat": one_study(repeat_after_days=1),
    "tests of attention": one_study(attention_every=9),
    "K of an item": one_item(places=9),
    "a form": one_item(form="0" * 16),
    "a group": one_item(group=None),
    "K of a group": lambda study: Group.objects.filter(study=study).update(judges_per_item=9),
    "exclusions": one_design(exclusions={"recognised": 2}),
    "the analysis plan": one_design(analysis_plan="Another."),
    "looks": one_design(interim_looks=True),
    "who unseals": one_design(unsealing_needs=2),
    "the limit": one_design(surface_limit=0.9),
    "the reason": one_design(surface_reason="Because."),
    "what is expected": lambda study: AttentionCheck.objects.filter(item__study=study).update(
        expected={"imagery": "1"}
    ),
    "a test's text": lambda study: study.items.filter(attention=True).update(text="Another."),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_any_rule_changes_the_fingerprint(change):
    study = draft(
        groups=[GroupPlan("all", 3)],
        attention=[AttentionPlan("Choose 5.", {"imagery": "5"})],
        attention_every=2,
        exclusions=Exclusions(recognised=3),
    )
    before = now(study)
    CHANGES[change](study)
    assert now(study) != before
