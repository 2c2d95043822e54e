"""How exact an AUC will be is reckoned from a plan's sizes, and of nothing else."""

import pytest

from annotation.instruments.loading import load, published
from backend.design.precision import (
    TOO_FEW,
    TOO_SHORT,
    TOO_WIDE,
    Shortage,
    asks_for_auc,
    half,
    precision,
)
from backend.design.sizes import Sizes, planned
from backend.generation.models import Generation
from tests.backend.design.material import material, plan


def sizes(**changes: object) -> Sizes:
    """Return what a plan of ProFTAP's size comes to: 110 poems by each of 11 authors, K = 2."""
    return Sizes(
        **{
            "items": 1210, "human": 110, "machine": 1100, "titles": 110, "judgments": 2420,
            "sets": 242, "hours": 40.0, "experts": 2, "each": 1210, "group": "", "unit": "text",
            "note": "", **changes,
        }
    )  # fmt: skip


# Standard deviations of the AUC over simulated studies, from the project's notes on planning; and
# Student's t of one degree of freedom fewer than there are judges, from a printed table.
@pytest.mark.parametrize(
    ("titles", "judges", "per_poem", "deviation", "student"),
    [(50, 10, 2, 0.0485, 2.262), (203, 7, 5, 0.0325, 2.447), (203, 20, 5, 0.0229, 2.093),
     (110, 40, 5, 0.0235, 2.023), (30, 5, 3, 0.0582, 2.776)],
)  # fmt: skip
def test_half_widths_are_those_of_simulated_studies(titles, judges, per_poem, deviation, student):
    width = half(titles, judges, per_poem).width
    assert width == pytest.approx(deviation * student, rel=0.09)


def test_the_table_stands_around_the_plans_own_experts_and_judgments():
    found = precision(sizes(judgments=3630), judges=13)
    assert (found.titles, found.judges, found.per_poem) == (110, 13, 3)
    assert found.per_poems == (2, 3, 5)
    assert [row.judges for row in found.rows] == [5, 10, 13, 20, 40]
    [own] = [row for row in found.rows if row.own]
    assert own.cells[1] == found.half
    widths = [row.cells[1].width for row in found.rows]
    assert widths == sorted(widths, reverse=True)


def test_without_a_number_the_experts_are_as_few_as_can_do_it_and_two_at_least():
    assert precision(sizes(experts=22), judges=None).judges == 22
    assert precision(sizes(experts=1, judgments=1210), judges=None).judges == 2


def test_with_fewer_experts_than_it_takes_there_is_no_figure_and_no_word_on_the_margin():
    # Nobody reads two of a brief's eleven texts.
    found = precision(sizes(judgments=3630, experts=33), judges=13, margin=0.05, apart=True)
    assert (found.half.width, found.half.reason) == (None, TOO_FEW)
    assert (found.too_wide, found.enough) == (None, None)
    assert found.shortage == Shortage(apart=True, texts=11, last=True, per_poem=1)
    shown = {
        (row.judges, each)
        for row in found.rows
        for each, cell in zip(found.per_poems, row.cells, strict=True)
        if cell.width is not None
    }
    assert shown == {(33, 2), (33, 3), (40, 2), (40, 3)}


@pytest.mark.parametrize(
    ("judges", "experts", "apart", "most", "shortage"),
    [
        (22, 33, True, 3, Shortage(apart=True, texts=11, last=True, per_poem=2)),
        (10, 33, True, 3, Shortage(apart=True, texts=11, last=True, per_poem=None)),
        (2, 33, True, 3, Shortage(apart=True, texts=11, last=False, per_poem=None)),
        (2, 3, False, 3, Shortage(apart=False, texts=1, last=False, per_poem=2)),
        # Groups of K = 2 and K = 5, so that no one K can be named.
        (13, 55, True, 5, Shortage(apart=True, texts=None, last=True, per_poem=None)),
    ],
)
def test_of_too_few_experts_it_is_said_what_would_let_them(judges, experts, apart, most, shortage):
    asked = sizes(judgments=3630, experts=experts)
    assert precision(asked, judges=judges, apart=apart, most=most).shortage == shortage


def test_as_many_experts_as_it_takes_are_not_too_few():
    assert precision(sizes(experts=22), judges=22, apart=True).shortage is None
    assert precision(sizes(experts=22), judges=None, apart=True).shortage is None


def test_the_table_marks_what_is_narrow_enough_for_the_margin():
    found = precision(sizes(), judges=13, margin=0.05)
    for row in found.rows:
        for each, cell in zip(found.per_poems, row.cells, strict=True):
            reach = half(110, row.judges, each, confidence=0.9).width
            assert cell.fits == (reach is not None and reach < 0.05)
    assert found.some_fit
    assert not precision(sizes(), judges=13).some_fit
    assert not precision(sizes(titles=5), judges=13, margin=0.05).some_fit


def test_it_is_said_how_many_experts_would_make_it_narrow_enough():
    found = precision(sizes(), judges=13, margin=0.05)
    assert half(110, found.enough, 2, confidence=0.9).width < 0.05
    assert half(110, found.enough - 1, 2, confidence=0.9).width >= 0.05
    assert precision(sizes(), judges=found.enough, margin=0.05).enough is None
    assert precision(sizes(titles=5), judges=13, margin=0.05).enough is None


def test_an_interval_that_would_hold_every_auc_is_no_figure():
    assert half(110, 2, 2).reason == TOO_WIDE
    assert "only one judge took part" in half(110, 1, 1).reason.lower()


def test_a_poem_has_no_more_judges_than_there_are_experts():
    found = precision(sizes(judgments=4840), judges=3)
    assert found.half.width is None
    assert "cannot have more judges than" in found.half.reason


def test_without_human_and_machine_poems_there_is_no_figure():
    assert half(0, 10, 2).reason == TOO_SHORT


def test_a_margin_narrower_than_the_interval_of_the_verdict_is_said_to_be_out_of_reach():
    wide = precision(sizes(), judges=10, margin=0.05)
    # Student's t of 9 degrees of freedom, for 90 % and for 95 %.
    assert wide.too_wide == pytest.approx(wide.half.width * 1.833 / 2.262, rel=1e-3)
    assert precision(sizes(), judges=10, margin=0.1).too_wide is None
    assert precision(sizes(), judges=10).too_wide is None


@pytest.mark.parametrize(
    ("instrument", "asks"),
    [
        ("poemetric-survey", True), ("proftap-probability", True), ("proftap-probability-zh", True),
        ("recognised-probability", True), ("pair-choice", False), ("altered-text", False),
    ],
)  # fmt: skip
def test_an_auc_needs_poems_one_at_a_time_and_a_scale_of_authorship(instrument, asks):
    assert asks_for_auc(load(published(instrument))) is asks


def test_an_instrument_about_quality_alone_has_no_auc():
    data = published("poemetric-survey")
    asked = [one for one in data["questions"] if one["key"] != "human_authorship"]
    assert not asks_for_auc(load({**data, "questions": asked}))


@pytest.mark.django_db
def test_titles_are_counted_of_the_author_who_has_fewest_poems():
    shelf = material(poems=4)
    assert planned(plan(shelf)).titles == 4
    Generation.objects.filter(model=shelf.models[1]).first().delete()
    assert planned(plan(shelf)).titles == 3
    assert planned(plan(shelf, runs=[], models=[])).titles == 0


def test_it_is_said_that_experts_count_more_only_where_they_do():
    assert precision(sizes(), judges=5).experts_count_more
    assert not precision(sizes(titles=12), judges=40).experts_count_more
