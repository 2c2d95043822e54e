"""The planner: against simulated designs, and against the interval of the study it is fed."""

import math

import numpy as np
import pytest

from backend.statistics import clusters
from backend.statistics.many import Scores, area_intervals
from backend.statistics.planner import DEFAULT, Components, components_of, half_width
from backend.statistics.simulation import Truth, simulate

# Simulated beforehand, AUC .61, with judges whose skills differ: 1.96 standard deviations of the
# area by titles, judges and judgments per poem.
SIMULATED = {
    (50, 5, 2): 0.105,
    (50, 5, 5): 0.090,
    (50, 10, 2): 0.092,
    (50, 10, 5): 0.078,
    (50, 20, 2): 0.085,
    (50, 20, 5): 0.063,
    (50, 40, 5): 0.064,
    (110, 5, 2): 0.082,
    (110, 5, 5): 0.074,
    (110, 10, 2): 0.070,
    (110, 10, 5): 0.060,
    (110, 20, 2): 0.064,
    (110, 20, 5): 0.052,
    (110, 40, 5): 0.046,
    (203, 5, 2): 0.077,
    (203, 5, 5): 0.073,
    (203, 10, 2): 0.061,
    (203, 10, 5): 0.057,
    (203, 20, 2): 0.051,
    (203, 20, 5): 0.043,
    (203, 40, 5): 0.039,
}
# From the same simulations: the mean width of the interval itself, with t(J - 1).
WIDTHS = {(110, 13, 2): 0.150, (203, 7, 5): 0.156, (30, 5, 3): 0.310, (110, 40, 5): 0.096}


def study(n_titles=20, n_judges=8):
    author, title, judge = (each.ravel() for each in np.indices((3, n_titles, n_judges)))
    generator = np.random.default_rng(6)
    skill, poem = generator.normal(8, 8, n_judges), generator.normal(0, 10, (3, n_titles))
    latent = generator.normal(50 - skill[judge] * (author > 0) + poem[author, title], 15)
    return Scores(author, np.clip(np.rint(latent), 0, 100).astype(int), title, judge, n_models=2)


def planned(size, components=DEFAULT, **settings):
    titles, judges, per_poem = size
    return half_width(components, titles=titles, judges=judges, per_poem=per_poem, **settings)


@pytest.mark.parametrize(("size", "reach"), SIMULATED.items())
def test_the_default_gives_the_standard_errors_of_simulated_designs(size, reach):
    assert 1.959964 * planned(size).error == pytest.approx(reach, abs=0.006)


@pytest.mark.parametrize(("size", "width"), WIDTHS.items())
def test_the_default_gives_the_widths_of_intervals_in_simulated_designs(size, width):
    assert 2 * planned(size).half_width == pytest.approx(width, abs=0.006)


def test_five_judges_never_come_below_seven_hundredths_whatever_the_titles():
    assert planned((10_000, 5, 5)).half_width > 0.07


def test_more_of_anything_never_widens_the_interval():
    size = (50, 10, 2)
    for more in ((60, 10, 2), (50, 11, 2), (50, 10, 3)):
        assert planned(more).half_width < planned(size).half_width


def test_the_size_of_the_pilot_gives_back_the_interval_of_the_pilot():
    scores = study()
    for model, area in enumerate(area_intervals(scores), start=1):
        pilot = components_of(scores, model)
        found = planned((20, 8, 8), pilot)

        assert (pilot.n_titles, pilot.n_judges, pilot.per_poem) == (20, 8, 8)
        assert pilot.judge > pilot.cell
        assert pilot.title > pilot.cell
        assert found.half_width == pytest.approx((area.high - area.low) / 2, rel=1e-9)
        assert found.n == area.n


def test_components_are_the_variances_of_placements_worked_out_by_brute_force():
    scores = study(n_titles=7, n_judges=3)
    human, machine = scores.author == 0, scores.author == 2
    h, k = scores.score[human][:, None], scores.score[machine][None, :]
    won = (h > k) + (h == k) / 2
    area = won.mean()
    influences = np.concatenate(
        [(won.mean(axis=1) - area) / h.size, (won.mean(axis=0) - area) / k.size]
    )
    titles, judges = (
        np.concatenate([of[human], of[machine]]) for of in (scores.title, scores.judge)
    )
    expected = clusters.parts(influences, titles, judges)
    found = components_of(scores, 2)

    assert (found.title, found.judge, found.cell) == pytest.approx(
        (expected.first, expected.second, expected.both), rel=1e-12
    )


def test_a_part_that_comes_out_below_zero_counts_for_nothing():
    pilot = Components(0.002, 0.0004, 0.0005, n_titles=50, n_judges=10, per_poem=2)

    # By hand: .0015 * 50 / 100 + .0005 * 50 * 2 / (100 * 4); judges add nothing.
    assert planned((100, 20, 4), pilot).error == pytest.approx(math.sqrt(0.00075 + 0.000125))


def test_a_part_between_titles_that_comes_out_below_zero_counts_for_nothing():
    pilot = Components(0.0003, 0.0009, 0.0005, n_titles=50, n_judges=10, per_poem=2)

    # By hand: .0004 * 10 / 20 + .0005 * 50 * 2 / (100 * 4); titles add nothing.
    assert planned((100, 20, 4), pilot).error == pytest.approx(math.sqrt(0.0002 + 0.000125))


def test_where_both_parts_are_below_zero_what_remains_is_the_cells():
    pilot = Components(0.0003, 0.0004, 0.0005, n_titles=50, n_judges=10, per_poem=2)

    assert planned((50, 10, 2), pilot).error == pytest.approx(math.sqrt(0.0005))


@pytest.mark.parametrize(("effect", "uneven"), [(-4.0, True), (4.0, True), (-0.6, False)])
def test_where_the_area_is_near_the_end_the_bounds_are_said_not_to_be_even(effect, uneven):
    scores = simulate(Truth((effect,)), titles=60, judges=8, per_poem=3, seed=3)
    (area,) = area_intervals(scores)
    pilot = components_of(scores, 1)
    found = planned((60, 8, 3), pilot)

    assert pilot.area == area.value
    assert uneven == (not 0.1 <= area.value <= 0.9)
    reached = area.value - area.low, area.high - area.value
    assert (max(reached) > 1.1 * found.half_width) == uneven
    assert [note for note in found.notes if "will not be even" in note] == list(found.notes)
    assert bool(found.notes) == uneven


def test_of_an_area_that_is_not_known_nothing_is_said():
    pilot = Components(0.002, 0.0009, 0.0005, n_titles=50, n_judges=10, per_poem=2)

    assert planned((100, 20, 4), pilot).notes == ()


def test_a_wider_confidence_widens_it():
    size = (110, 13, 2)

    # R 4.2.2: qt(.975, 12) = 2.17881282966723, qt(.95, 12) = 1.78228755564932.
    ratio = planned(size).half_width / planned(size, confidence=0.9).half_width
    assert ratio == pytest.approx(2.17881282966723 / 1.78228755564932, rel=1e-10)


def test_few_titles_or_judges_are_cautioned_against():
    assert planned((110, 4, 2)).notes == ("only 4 judges: the interval is a rough guide",)
    assert planned((110, 5, 2)).notes == ()


@pytest.mark.parametrize(("size", "named"), [((1, 5, 2), "one title"), ((20, 1, 1), "one judge")])
def test_with_one_title_or_judge_the_width_is_undefined_and_says_why(size, named):
    found = planned(size)

    assert math.isnan(found.half_width)
    assert named in found.reason


def test_undefined_components_give_an_undefined_width_with_their_reason():
    alone = study(n_judges=1)
    pilot = components_of(alone, 1)

    assert math.isnan(pilot.title)
    assert "one judge" in pilot.reason
    assert planned((50, 5, 2), pilot).reason == pilot.reason


def test_a_model_that_was_not_judged_has_no_components_and_says_why():
    scores = Scores(
        np.array([0, 0]), np.array([1, 2]), np.array([0, 1]), np.array([0, 1]), n_models=1
    )

    assert components_of(scores, 1).reason == "no machine poem was judged"


def test_perfect_separation_has_no_components_and_says_why():
    author, title, judge = (each.ravel() for each in np.indices((2, 3, 3)))
    scores = Scores(author, 1 - author, title, judge, n_models=1)

    assert "nothing varies" in components_of(scores, 1).reason


@pytest.mark.parametrize(
    ("size", "named"),
    [
        ((20, 3, 4), "only 3"),
        ((0, 3, 1), "there must be"),
        ((20, 3, 0), "there must be"),
        ((20, 3, math.nan), "there must be"),
        ((math.nan, 3, 2), "there must be"),
        ((math.inf, 3, 2), "there must be"),
    ],
)
def test_an_impossible_size_is_refused(size, named):
    with pytest.raises(ValueError, match=named):
        planned(size)


def test_an_unknown_model_is_refused():
    with pytest.raises(ValueError, match="no model 3"):
        components_of(study(), 3)
