"""The surface check of a study reads its items and its key, and stores what they give away."""

import math
import random

import pytest

from annotation.studies.models import Assignment, Item, Judge, Study
from backend.design.models import Placement
from backend.design.surface_check import check, id_check, latest, stale
from tests.backend.design.material import digest, draft, material
from tests.studies import coordinator

pytestmark = pytest.mark.django_db

BEFORE = [
    "order of the items",
    "size of what is sent beside the text",
    "length of the title",
    "length of the brief",
    "number of conflict codes",
]
AFTER = [
    "place in the expert's order",
    "number of the set",
    "address of the page, as a number",
    "length of the address",
    "time of giving",
    "hour of the day of giving",
]


@pytest.fixture(autouse=True)
def known_salts(monkeypatch):
    """Draw the same order of items each time: one in a hundred tells something, by chance."""
    salts = random.Random(4)
    monkeypatch.setattr(
        "backend.design.models.secrets.token_hex", lambda size: salts.randbytes(size).hex()
    )


def singles(poems: int = 12, **changes: object) -> Study:
    return draft(material(poems=poems, models=["Alpha"]), **changes)


def pairs(poems: int = 24) -> Study:
    return draft(material(poems=poems, models=["Alpha"]), instrument="pair-choice")


def in_order(study: Study) -> list[Placement]:
    return list(
        Placement.objects.filter(item__study=study).select_related("item").order_by("item_id")
    )


def give(study: Study) -> list[Assignment]:
    """Give every item to one expert, in the order in which the items are stored."""
    judge = Judge.objects.create(study=study, name="Anna")
    return [
        Assignment.objects.create(
            judge=judge,
            item=item,
            position=position,
            batch=1,
            token=digest(f"{position}")[:22],
        )
        for position, item in enumerate(study.items.order_by("pk"), start=1)
    ]


def test_texts_that_differ_in_their_lines_are_told_and_it_is_said_by_what():
    # Human poems of the material have two lines and a comma; the machine's have one and none.
    study, kim = singles(), coordinator()
    made = check(study, by=kim)
    assert (made.auc, made.low, made.high) == (1, None, None)
    assert (made.human, made.machine) == (12, 12)
    assert made.made_by == kim
    lines = next(one for one in made.giveaways if one["name"] == "lines")
    assert lines == {"name": "lines", "auc": 1, "more_in": "human", "human": 2, "machine": 1}


def test_texts_that_are_alike_are_not_told():
    study = singles()
    Item.objects.filter(study=study).update(text="The same line,\nand another.")
    made = check(study, by=None)
    assert made.auc == 0.5
    assert made.giveaways == []


def test_both_texts_of_a_pair_are_looked_at_and_a_human_poem_once():
    shelf = material(poems=10, models=["Alpha", "Beta"])
    made = check(draft(shelf, instrument="pair-choice"), by=None)
    assert (made.human, made.machine, made.auc) == (10, 20, 1)


def test_of_too_few_texts_it_is_stored_why_there_is_no_figure():
    made = check(singles(poems=3), by=None)
    assert made.auc is None
    assert "too few human texts: 3" in made.reason
    assert {row["auc"] for row in made.ids} == {None}


def test_before_anything_is_given_out_only_order_and_sizes_are_looked_at():
    assert [row["name"] for row in check(singles(), by=None).ids] == BEFORE


def test_once_items_are_given_out_what_each_expert_sees_is_looked_at_too():
    study = singles()
    give(study)
    made = check(study, by=None)
    assert [row["name"] for row in made.ids] == BEFORE + AFTER
    assert {row["n"] for row in made.ids} == {24}


def test_what_machine_judges_were_given_is_not_looked_at():
    study = singles()
    give(study)
    Judge.objects.filter(study=study).update(kind=Judge.Kind.MACHINE)
    assert [row["name"] for row in check(study, by=None).ids] == BEFORE


def test_the_order_of_a_built_study_tells_nothing_and_its_sizes_neither():
    study = singles(poems=40)
    found = id_check(check(study, by=None))
    assert found.telling == ()
    assert [row.auc for row in found.rows[2:]] == [0.5, 0.5, 0.5]


def test_a_title_that_only_human_texts_have_is_found():
    study = singles()
    for one in in_order(study):
        Item.objects.filter(pk=one.item_id, placement__poem__isnull=False).update(title="Dawn")
    found = id_check(check(study, by=None))
    assert {row.name for row in found.telling} == {
        "length of the title",
        "size of what is sent beside the text",
    }
    assert found.worst is not None
    assert found.worst.auc == 1


def test_a_language_that_only_machine_texts_have_is_found():
    study = singles()
    Item.objects.filter(study=study, placement__poem=None).update(language="zh")
    found = id_check(check(study, by=None))
    assert {"language is en", "language is zh"} == {row.name for row in found.telling}
    assert {row.name: row.auc for row in found.rows}["language is zh"] == 0


def test_an_order_in_which_human_texts_come_first_is_found():
    study = singles()
    by_origin = sorted(give(study), key=lambda one: one.item.placement.poem_id is None)
    for position, one in enumerate(by_origin, start=101):
        Assignment.objects.filter(pk=one.pk).update(position=position)
    found = id_check(check(study, by=None))
    # Twelve human texts at places 1 to 12 are all before those at 13 to 24.
    assert {row.name: row.auc for row in found.rows}["place in the expert's order"] == 0
    assert [row.name for row in found.telling] == ["place in the expert's order"]


def test_sides_that_are_even_tell_nothing():
    study = pairs()
    give(study)
    rows = {row.name: row for row in id_check(check(study, by=None)).rows}
    # Half of the 24 have the human text second, and all are shown as they are stored.
    assert (rows["side of a text"].auc, rows["side of a text"].n) == (0.5, 48)


def test_a_side_on_which_the_human_text_always_stands_is_found():
    study = pairs()
    give(study)
    for one in in_order(study):
        one.item.assignments.update(flipped=not one.human_second)
    found = id_check(check(study, by=None))
    # The human text is Text B of every pair: it stands on the greater side.
    assert {row.name: row.auc for row in found.rows}["side of a text"] == 1
    assert "side of a text" in {row.name for row in found.telling}


def test_the_newest_check_is_the_one_that_counts():
    shelf = material(poems=3)
    study, other = draft(shelf), draft(shelf)
    check(study, by=None)
    second = check(study, by=None)
    assert latest(study) == second
    assert latest(other) is None


@pytest.mark.parametrize("change", ["text", "second", "title", "brief", "language"])
def test_a_check_of_other_items_is_stale(change):
    study = singles(poems=3)
    made = check(study, by=None)
    assert not stale(made, study)
    Item.objects.filter(pk=study.items.first().pk).update(**{change: "x"})
    assert stale(made, study)


def test_giving_items_out_makes_no_check_stale():
    study = singles(poems=3)
    made = check(study, by=None)
    give(study)
    assert not stale(made, study)


def test_what_was_stored_comes_back_with_what_is_not_defined():
    study = singles(poems=3)
    assert all(math.isnan(row.auc) for row in id_check(check(study, by=None)).rows)


def test_the_same_study_gives_the_same_figures():
    study = singles()
    one, other = check(study, by=None), check(study, by=None)
    assert (one.auc, one.giveaways, one.ids) == (other.auc, other.giveaways, other.ids)
