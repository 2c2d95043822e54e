"""A draft is opened once its checklist is green, and everything of it is logged."""

import pytest

from annotation.activity.models import Entry
from annotation.studies import links
from annotation.studies.models import Item, Study
from backend.design import opening, services
from backend.design.checklist import Check, State, checklist
from backend.design.models import Design, SurfaceCheck
from backend.design.opening import NotReady, open_study
from backend.design.placing import opaque
from backend.design.planning import GroupPlan
from backend.design.sizes import experts_needed
from backend.generation.models import Generation
from tests.backend.design.material import TITLE, draft, material, write
from tests.studies import coordinator, researcher

pytestmark = pytest.mark.django_db


def of(study: Study, key: str) -> Check:
    fresh = Study.objects.select_related("design").get(pk=study.pk)
    return next(one for one in checklist(fresh) if one.key == key)


def telling(**changes: object) -> Study:
    """Return a draft whose machine poems are in capitals and end in dashes: the surface tells."""
    shelf = material(poems=12, models=["Alpha"])
    for one in Generation.objects.all():
        one.text = f"ONE LINE --\nAND ANOTHER {one.pk} --\nAND A THIRD --"
        one.save()
    return draft(shelf, **changes)


def test_a_fresh_draft_lacks_a_look_at_it_and_a_surface_check_and_nothing_else():
    study = draft(analysis_plan="We test one thing.")
    stopping = [one.key for one in checklist(study) if one.state == State.STOP]
    assert stopping == ["preview", "surface"]


def test_whoever_opens_from_a_page_has_to_have_looked():
    study = draft()
    with pytest.raises(NotReady, match="Nobody has looked") as refused:
        open_study(study, by=coordinator(), after_looking=True)
    assert [one.key for one in refused.value.checks] == ["preview", "surface"]
    opening.previewed(study)
    opening.check_surface(study, by=None)
    assert open_study(study, after_looking=True).state == "open"


def test_without_a_page_the_surface_check_is_made_in_opening():
    study = open_study(draft())
    assert SurfaceCheck.objects.get().study == study


def test_a_surface_that_tells_needs_a_reason_and_the_reason_is_fixed():
    study = telling()
    with pytest.raises(NotReady, match=r"The surface tells the texts apart: AUC 1\.00"):
        open_study(study)
    assert Study.objects.get().state == "draft"
    opening.allow_surface(study, limit=0.6, reason=" The genre is so. ")
    opened = open_study(study)
    [version] = opened.versions.all()
    assert version.content["surface_reason"] == "The genre is so."
    assert version.content["surface"]["auc"] == 1.0
    with pytest.raises(services.WrongState, match="were fixed"):
        opening.allow_surface(opened, limit=1, reason="")


@pytest.mark.parametrize(
    ("auc", "low", "high", "state"),
    [
        (0.93, 0.58, 1.0, State.STOP),  # too few texts to be sure, and told apart all the same
        (0.61, 0.41, 0.81, State.STOP),
        (0.6, 0.4, 0.8, State.OK),
        (1.0, None, None, State.STOP),
    ],
)
def test_the_figure_itself_is_compared_with_the_limit_and_told_with_its_interval(
    auc, low, high, state
):
    study = draft()
    made = opening.check_surface(study, by=None)
    SurfaceCheck.objects.filter(pk=made.pk).update(auc=auc, low=low, high=high)
    check = of(study, "surface")
    assert check.state == state
    interval = f", 95 % interval from {low:.2f} to {high:.2f}" if low else ""
    assert f"AUC {auc:.2f}{interval}" in check.text


def test_a_limit_of_one_lets_any_surface_through():
    assert open_study(telling(surface_limit=1.0)).state == "open"


def test_a_surface_check_of_other_texts_is_none():
    study = draft()
    opening.check_surface(study, by=None)
    assert of(study, "surface").state == State.WARN  # too few texts for a figure
    Item.objects.filter(pk=study.items.first().pk).update(text="Another.")
    assert of(study, "surface").state == State.STOP


def test_briefs_that_differ_under_one_code_stand_against_opening():
    study = draft()
    Item.objects.filter(pk=study.items.first().pk).update(brief="Another brief")
    with pytest.raises(NotReady, match="shown in two ways"):
        open_study(study)


def test_two_who_unseal_have_to_exist():
    study = draft(unsealing_needs=2)
    researcher("one")
    assert of(study, "unsealers").state == State.STOP
    researcher("two")
    assert of(study, "unsealers").state == State.OK


@pytest.mark.parametrize(
    ("contact", "state"),
    [("Kim <kim@example.org>", "ok"), ("+44 20 7946 0000", "ok"), ("Kim", "warn")],
)
def test_a_contact_that_nobody_can_write_to_is_warned_of(contact, state):
    assert of(draft(contact=contact), "contact").state == state


def test_experts_are_needed_for_all_places_of_a_brief_where_nobody_is_given_two_of_it():
    shelf = material()  # a human poem and two machine poems on each brief
    apart = draft(shelf, twins="never", judges_per_item=2)
    together = draft(shelf, twins="last", judges_per_item=2)
    assert (experts_needed(apart), experts_needed(together)) == (6, 2)
    assert of(together, "panel").state == State.WARN
    for name in ("Ada", "Ben"):
        links.invite(together, name=name)
    assert of(together, "panel").state == State.OK
    links.open_link(apart, quota=6)
    assert of(apart, "panel").state == State.OK


@pytest.mark.parametrize(("twins", "said"), [("never", True), ("last", False)])
def test_it_is_said_why_too_few_experts_do_not_make_k(twins, said):
    check = of(draft(twins=twins, judges_per_item=2), "panel")
    assert check.state == State.WARN
    assert ("not every text can have its K judges" in check.text) == said


@pytest.mark.parametrize(
    ("batch_size", "days", "state", "sets"),
    [(9, 7, State.WARN, 1), (1, 9, State.WARN, 9), (1, 8, State.OK, 9), (2, 4, State.OK, 5)],
)
def test_it_is_warned_where_experts_may_be_through_before_their_repeats(
    batch_size, days, state, sets
):
    # Nine texts, of which two experts are given each.
    study = draft(repeats=2, repeat_after_days=days, batch_size=batch_size, judges_per_item=2)
    check = of(study, "repeats")
    assert check.state == state
    assert (f"through in {sets} day" in check.text) == (state == State.WARN)


@pytest.mark.parametrize(("days", "state"), [(1, State.OK), (2, State.WARN)])
def test_of_texts_that_come_one_at_a_time_nothing_is_said_of_sets(days, state):
    study = draft(
        material(poems=6), dealing="draw", repeats=2, repeat_after_days=days, batch_size=1,
        judges_per_item=2,
    )  # fmt: skip
    check = of(study, "repeats")  # 18 texts, of which two experts are given each
    assert check.state == state
    assert "set" not in f"{check.text} {check.remedy}".split()
    assert ("At 10 texts a day, an expert can be through in 2 days" in check.text) == (days > 1)


@pytest.mark.parametrize(("twins", "most"), [("last", 9), ("never", 3)])
def test_more_repeats_than_an_expert_is_given_texts_are_not_in_order(twins, most):
    check = of(draft(twins=twins, repeats=50, repeat_after_days=1, batch_size=1), "repeats")
    assert check.state == State.WARN
    assert f"more than the {most} texts that an expert is given at most" in check.text


def test_repeats_are_held_against_what_the_smallest_group_has_for_an_expert():
    shelf = material(poems=4)
    shelf.collection.poems.filter(title=f"{TITLE} 0").update(form="limerick")
    panels = [GroupPlan("Short", 2, forms=("limerick",)), GroupPlan("Rest", 2)]
    check = of(draft(shelf, groups=panels, twins="last", repeats=4), "repeats")
    assert "more than the 3 texts that an expert of group “Short” is given" in check.text
    assert "expert of group" not in of(draft(shelf, groups=panels, repeats=3), "repeats").text


def test_where_two_texts_are_compared_the_checklist_says_pairs():
    study = draft(instrument="pair-choice", twins="never", repeats=50)
    assert of(study, "items").text == "There are pairs to judge."
    assert "more than the 3 pairs that an expert is given at most" in of(study, "repeats").text
    assert "not every pair can have its K judges" in of(study, "panel").text


def test_a_draft_with_nothing_to_tell_its_texts_from_is_to_be_looked_at():
    human = of(draft(runs=[], models=[]), "kinds")
    assert (human.state, human.text) == (
        State.WARN,
        "No machine text is among them, so there is nothing to tell the human texts from.",
    )


def test_a_draft_of_machine_poems_alone_is_to_be_looked_at():
    shelf = material(poems=0)
    write(shelf.run, shelf.models[0], None, "By a machine.", prompt="Write a poem.")
    check = of(draft(shelf), "kinds")
    assert (check.state, "No human text is among them" in check.text) == (State.WARN, True)


@pytest.mark.parametrize("broken", [False, True])
def test_nothing_is_said_of_kinds_where_nobody_is_to_tell_them_apart(broken):
    shelf = material()
    study = draft(shelf, runs=[], models=[])
    kept = [one for one in study.instrument_data["questions"] if one.get("about") != "authorship"]
    study.instrument_data["questions"] = [] if broken else kept
    study.save()
    assert "kinds" not in {one.key for one in checklist(study)}
    assert "kinds" not in {one.key for one in checklist(draft(shelf))}


def test_what_is_to_be_mended_of_a_draft_is_mended_by_another_draft():
    study = draft(contact="Kim")
    opening.check_surface(study, by=None)
    few = [of(study, key).remedy for key in ("surface", "ids")]
    assert few == ["To know, build another draft with more poems."] * 2
    assert of(study, "contact").remedy.startswith("Build another draft")


def test_a_surface_that_tells_is_mended_by_another_draft_or_a_reason():
    study = telling()
    opening.check_surface(study, by=None)
    assert of(study, "surface").remedy == (
        "Build another draft with other steps or poems, or write down why it may be opened."
    )


def test_of_too_few_texts_it_is_not_known_what_is_shown_beside_them():
    study = draft()
    opening.check_surface(study, by=None)
    check = of(study, "ids")
    assert check.state == State.WARN
    assert "is not known: too few human texts: 3 on 3 briefs" in check.text
    SurfaceCheck.objects.filter(study=study).update(
        ids=[{"name": "order", "auc": 0.5, "low": 0.4, "high": 0.6, "n": 40}]
    )
    assert of(study, "ids").state == State.OK


def test_of_a_larger_panel_each_is_through_sooner():
    study = draft(repeats=2, repeat_after_days=4, batch_size=2, judges_per_item=2)
    links.open_link(study, quota=3)  # six texts for each
    assert of(study, "repeats").state == State.WARN


def test_without_repeats_nothing_is_said_of_them():
    assert "repeats" not in {one.key for one in checklist(draft())}


def test_building_opening_and_closing_are_logged_in_somebodys_name():
    kim = coordinator()
    study = draft()
    opened = open_study(study, by=kim)
    services.renew_consent(opened, {"en": "Again."}, by=kim)
    services.close(opened, by=kim)
    kinds = list(Entry.objects.of_study(study.slug).order_by("pk").values_list("kind", "actor"))
    assert kinds == [
        ("study.built", ""),
        ("surface.checked", "kim"),
        ("study.opened", "kim"),
        ("consent.published", "kim"),
        ("study.closed", "kim"),
    ]
    entry = Entry.objects.get(kind="study.opened")
    assert entry.details == {
        "fingerprint": opened.fingerprint,
        "preview": "nobody looked at it",
    }
    assert opened.state == "open"


def test_a_refused_opening_leaves_nothing_behind():
    study = telling()
    with pytest.raises(NotReady):
        open_study(study)
    assert not SurfaceCheck.objects.exists()
    assert not Entry.objects.filter(kind="study.opened").exists()
    assert not study.versions.exists()


def test_codes_of_forms_differ_from_design_to_design():
    one, other = Design(key_salt="0" * 32), Design(key_salt="1" * 32)
    assert opaque(one, "form ballad") != opaque(other, "form ballad")
