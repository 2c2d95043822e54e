"""Items fall into groups by form and language, and tests of attention stand apart from them."""

import pytest

from annotation.studies.models import Group, Item
from backend.design.models import AttentionCheck, Placement
from backend.design.planning import AttentionPlan, GroupPlan, NothingToJudge
from backend.design.progress import totals
from backend.design.services import build, discard
from backend.design.sizes import planned
from tests.backend.design.material import Material, draft, material, plan, poem, write

pytestmark = pytest.mark.django_db

BALLADS = GroupPlan("poets", 4, forms=("Ballad",))
REST = GroupPlan("scholars", 1)


def forms() -> Material:
    """Return three ballads and one haiku in Chinese, each with two machine poems."""
    shelf = material()
    other = poem(shelf.collection, 8, form="haiku", language="zh-Hant")
    for one in shelf.models:
        write(shelf.run, one, other, f"machine haiku {one.name}")
    return shelf


def test_an_item_falls_into_the_first_group_that_takes_its_briefs_form_whoever_wrote_it():
    study = build(plan(forms(), groups=[BALLADS, REST]))
    assert study.items.filter(group__name="poets", places=4).count() == 9
    assert study.items.filter(group__name="scholars", places=1).count() == 3
    for twin in set(study.items.values_list("twin", flat=True)):
        assert study.items.filter(twin=twin).values("group").distinct().count() == 1
    assert totals(study).places == 9 * 4 + 3


def test_a_language_takes_its_regional_kinds():
    chinese = GroupPlan("zh", 2, languages=("zh",))
    study = build(plan(forms(), groups=[chinese, REST]))
    assert study.items.filter(group__name="zh").count() == 3


def test_what_no_group_takes_is_refused_by_name_and_nothing_is_built():
    with pytest.raises(NothingToJudge, match=r"No group takes poems of haiku \(zh-Hant\)\."):
        build(plan(forms(), groups=[BALLADS]))
    assert not Group.objects.exists()


def test_a_group_that_nothing_falls_into_is_refused_by_name():
    with pytest.raises(NothingToJudge, match="No poem falls into sonnets"):
        build(plan(forms(), groups=[GroupPlan("sonnets", 2, forms=("sonnet",)), REST]))


def test_texts_on_one_form_share_a_code_that_is_no_word():
    study = build(plan(forms()))
    codes = study.items.values_list("form", flat=True)
    assert len(set(codes)) == 2
    assert all(len(code) == 16 and int(code, 16) >= 0 for code in codes)
    assert study.items.exclude(places=2).count() == 0


def test_a_test_of_attention_is_dressed_like_the_others_and_counts_for_nothing():
    test = AttentionPlan("Choose 5 everywhere.", {"imagery": "5"})
    study = draft(attention=[test], attention_every=3, shows_titles=True)
    [item] = study.items.filter(attention=True)
    others = study.items.filter(attention=False)
    assert (item.places, item.group) == (0, None)
    assert item.title in set(others.values_list("title", flat=True))
    assert item.brief in set(others.values_list("brief", flat=True))
    assert len(item.conflicts) == len(others.first().conflicts)
    assert item.stratum not in set(others.values_list("stratum", flat=True))
    assert AttentionCheck.objects.get().expected == {"imagery": "5"}
    assert not Placement.objects.filter(item=item).exists()
    assert (totals(study).items, totals(study).places) == (9, 18)
    discard(study)
    assert not Item.objects.exists()


def test_the_sizes_of_a_plan_are_those_of_the_study_built_of_it():
    wanted = plan(forms(), groups=[BALLADS, REST], twins="never", batch_size=10)
    sizes = planned(wanted)
    assert (sizes.items, sizes.judgments, sizes.sets, sizes.experts) == (12, 39, 4, 12)
    assert not Item.objects.exists()
    study = build(wanted)
    assert totals(study).places == sizes.judgments


def test_hours_hold_hidden_repeats_and_tests_of_attention_and_judgments_do_not():
    shelf = material(models=["Alpha"])
    alone = planned(plan(shelf, judges_per_item=100))
    tested = {"attention": [AttentionPlan("Choose 5.", {"imagery": "5"})], "attention_every": 7}
    besides = planned(plan(shelf, judges_per_item=100, repeats=2, **tested))
    assert (besides.judgments, besides.sets) == (alone.judgments, alone.sets) == (600, 120)
    assert (alone.experts, 600 // 7) == (100, 85)
    more = (2 * 100 + 85) / 600
    assert besides.hours == pytest.approx(alone.hours * (1 + more), abs=0.15)


def test_hours_are_words_and_questions_of_all_judgments():
    # pair-choice asks 2 questions of 12 s; human 7 and machine 3 words; 60 words a minute.
    shelf = material(poems=1, models=["Alpha"])
    sizes = planned(plan(shelf, instrument="pair-choice", judges_per_item=100))
    questions = len(build(plan(shelf, instrument="pair-choice")).instrument.questions)
    assert sizes.hours == pytest.approx(100 * ((7 + 3) / 60 + questions * 0.2) / 60, abs=0.05)
