"""Gwet's AC1 and AC2, against what irrCAC prints and cases worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import cohen_kappa, gwet_ac

N = math.nan

# Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., p. 120; cac.raw4raters of irrCAC.
FOUR_RATERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, N],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def two_raters(table):
    """Ratings of two raters, from how often each two answers met."""
    table = np.asarray(table)
    rows, columns = np.nonzero(table)
    return np.repeat([rows + 1, columns + 1], table[rows, columns], axis=1)


# cont3x3abstractors and cont4x4diagnosis of irrCAC.
ABSTRACTORS = two_raters([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
DIAGNOSES = two_raters([[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]])

panels = st.tuples(st.integers(2, 5), st.integers(1, 8)).flatmap(
    lambda shape: st.lists(
        st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, N]),
        min_size=shape[0] * shape[1],
        max_size=shape[0] * shape[1],
    ).map(lambda values: np.array(values).reshape(shape))
)
weightings = st.sampled_from(["identity", "linear", "quadratic", "ordinal"])


@pytest.mark.parametrize(
    ("weights", "value", "low"),
    # gwet.ac1.raw(cac.raw4raters, weights = ...)$est: coeff.val and conf.int, as in the vignettes
    # of irrCAC and the tests of its Python port; the upper bound is cut to 1 in all of them.
    [
        ("identity", 0.77544, 0.461),
        ("linear", 0.859, 0.600),
        ("quadratic", 0.914, 0.685),
        ("ordinal", 0.899, 0.664),
    ],
)
def test_four_raters_with_missing_ratings_come_out_as_irrcac_prints_them(weights, value, low):
    ac = gwet_ac(FOUR_RATERS, weights=weights, judges="fixed")

    assert ac.value == pytest.approx(value, abs=0.0005)
    assert (ac.low, ac.high) == (pytest.approx(low, abs=0.0005), 1.0)
    assert (ac.n, ac.counts["n_single"]) == (12, 1)


def test_ac1_and_ac2_of_two_raters_come_out_as_irrcac_prints_them():
    # irrCAC 1.0, vignettes: gwet.ac1.table(cont3x3abstractors), then with quadratic.weights(1:3).
    ac = gwet_ac(ABSTRACTORS, judges="fixed")

    assert ac.value == pytest.approx(0.8493305, abs=5e-8)
    assert gwet_ac(ABSTRACTORS, weights="quadratic").value == pytest.approx(0.9402369, abs=5e-8)
    # Its coeff.se of tables divides by n, not n - 1, of 100. R: qt(.975, 99) = 1.98421695
    error = (ac.high - ac.low) / 2 / 1.98421695
    assert error * math.sqrt(99 / 100) == pytest.approx(0.04321747, abs=5e-8)


@pytest.mark.parametrize(
    ("weights", "value", "low", "high"),
    # gwet.ac1.table(cont4x4diagnosis, weights = ...), as in the tests of the Python port of irrCAC.
    [
        ("identity", 0.456, 0.371, 0.542),
        ("linear", 0.377, 0.267, 0.488),
        ("quadratic", 0.299, 0.150, 0.447),
        ("ordinal", 0.324, 0.189, 0.459),
    ],
)
def test_lower_agreement_comes_out_as_irrcac_prints_it(weights, value, low, high):
    ac = gwet_ac(DIAGNOSES, weights=weights, judges="fixed")

    assert (ac.value, ac.low, ac.high) == pytest.approx((value, low, high), abs=0.0011)


def test_a_small_case_worked_by_hand():
    # Two raters, four poems: (1,1) (1,1) (1,2) (2,2). p_a = 3/4, pi = 5/8 and 3/8,
    # p_e = 2 / 2 * 2 * 15/64 = 15/32, AC1 = (24/32 - 15/32) / (17/32).
    assert gwet_ac([[1, 1, 1, 2], [1, 1, 2, 2]]).value == pytest.approx(9 / 17)


def test_nearly_one_sided_answers_leave_ac1_high_where_kappa_falls_below_0():
    # 94 times both say 1, three times each only one of them says 2. By hand: p_a = .94,
    # pi = .97, AC1: p_e = 2 * .97 * .03 = .0582; kappa: p_e = .97**2 + .03**2 = .9418.
    first = [1] * 94 + [1] * 3 + [2] * 3
    second = [1] * 94 + [2] * 3 + [1] * 3

    assert gwet_ac([first, second]).value == pytest.approx((0.94 - 0.0582) / 0.9418)
    assert cohen_kappa(first, second).value == pytest.approx((0.94 - 0.9418) / 0.0582)


def test_points_that_nobody_chose_count_if_they_are_named():
    # By hand: p_a = 3/4; pi = 5/8, 3/8 and three zeros; p_e = 5 / 20 * 30/64 = 15/128.
    ratings = [[1, 1, 1, 2], [1, 1, 2, 2]]

    named = gwet_ac(ratings, categories=(1, 2, 3, 4, 5))
    assert named.value == pytest.approx((3 / 4 - 15 / 128) / (113 / 128))


def test_a_poem_with_one_rating_counts_for_chance_only():
    # By hand: p_a = 3/4 as before; pi = (5/2 + 0) / 5 and (3/2 + 1) / 5, so p_e = 1/2.
    ac = gwet_ac([[1, 1, 1, 2, N], [1, 1, 2, 2, 2]])

    assert ac.value == pytest.approx((3 / 4 - 1 / 2) / (1 / 2))


def test_other_judges_widen_the_interval_and_two_of_them_give_none():
    fixed, drawn = (gwet_ac(FOUR_RATERS, judges=judges) for judges in ("fixed", "random"))

    assert drawn.value == fixed.value
    assert drawn.low < fixed.low
    assert "two judges" in gwet_ac(ABSTRACTORS).reason


def test_full_agreement_is_1_without_an_interval():
    ac = gwet_ac([[1, 2, 3]] * 3)

    assert (ac.value, ac.has_interval) == (1.0, False)
    assert "nothing varies" in ac.reason


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [([[1, N], [N, 2]], "no poem has two"), ([[3, 3], [3, 3]], "one category only")],
)
def test_where_there_is_nothing_to_go_by_ac_is_undefined_with_the_reason(ratings, reason):
    ac = gwet_ac(ratings)

    assert not ac.defined
    assert reason in ac.reason


@pytest.mark.parametrize(
    "switch",
    [
        {"weights": "cubic"},
        {"categories": (1, 2)},
        {"categories": (1, 1, 2, 3, 4, 5)},
        {"judges": "all"},
        {"confidence": 0},
    ],
)
def test_what_does_not_fit_is_refused(switch):
    with pytest.raises(ValueError):
        gwet_ac(FOUR_RATERS, **switch)


@given(panels, weightings, st.randoms(use_true_random=False))
def test_ac_is_at_most_1_and_blind_to_the_order_of_judges_and_poems(ratings, weights, random):
    judges = random.sample(range(len(ratings)), len(ratings))
    poems = random.sample(range(ratings.shape[1]), ratings.shape[1])

    ac = gwet_ac(ratings, weights=weights)
    again = gwet_ac(ratings[judges][:, poems], weights=weights)

    assert ac.value <= 1 + 1e-12 or (math.isnan(ac.value) and ac.reason)
    assert (ac.value, ac.low, ac.high) == pytest.approx(
        (again.value, again.low, again.high), nan_ok=True, abs=1e-6
    )


@given(panels, weightings)
def test_reading_the_scale_from_the_other_end_changes_nothing(ratings, weights):
    ac, turned = gwet_ac(ratings, weights=weights), gwet_ac(6 - ratings, weights=weights)

    assert turned.value == pytest.approx(ac.value, nan_ok=True)


def test_points_of_the_scale_are_rounded_as_ratings_are():
    thirds = gwet_ac([[1 / 3, 2 / 3, 1], [1 / 3, 1, 1]], categories=[1 / 3, 2 / 3, 1])
    whole = gwet_ac([[1, 2, 3], [1, 3, 3]], categories=[1, 2, 3])

    assert thirds.value == pytest.approx(whole.value)
    assert gwet_ac([[0.1 + 0.2, 0.5], [0.3, 0.5]], categories=[0.1 + 0.2, 0.5]).value == 1
