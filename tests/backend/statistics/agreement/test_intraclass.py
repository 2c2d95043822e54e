"""Intraclass correlation, against Shrout and Fleiss (1979) and psych 2.2.9 on R 4.2.2."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import icc

N = math.nan

# Shrout and Fleiss (1979), table 2: six targets by four judges.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
GOOD = [[4, 5, 3], [2, 2, 3], [5, 5, 5], [1, 3, 2], [4, 4, 3], [3, 5, 4], [2, 1, 1], [5, 4, 4]]
NOISE = [
    [3, 4, 2, 5],
    [2, 3, 3, 1],
    [4, 2, 5, 3],
    [3, 3, 1, 4],
    [5, 2, 3, 3],
    [1, 4, 4, 2],
    [3, 5, 2, 2],
]


def test_the_printed_example_comes_out():
    # Shrout and Fleiss (1979), table 4: ICC(2,1) = .29, ICC(2,4) = .62.
    assert icc(SHROUT_FLEISS).value == pytest.approx(0.29, abs=0.005)
    assert icc(SHROUT_FLEISS, form="mean").value == pytest.approx(0.62, abs=0.005)


@pytest.mark.parametrize(
    ("ratings", "form", "value", "low", "high"),
    # psych::ICC(x, lmer = FALSE)$results, rows ICC2 and ICC2k
    [
        (SHROUT_FLEISS, "single", 0.2897637795, 0.01878651337, 0.7610843696),
        (SHROUT_FLEISS, "mean", 0.6200505476, 0.07113681530, 0.9272320402),
        (GOOD, "single", 0.730769230769, 0.379940559165, 0.931098169976),
        (GOOD, "mean", 0.890625, 0.647669700881, 0.975926937973),
        (NOISE, "single", -0.189801699717, -0.32712688727, 0.26934977634),
        (NOISE, "mean", -1.763157894737, -70.27680230366, 0.59589032670),
    ],
)
def test_value_and_bounds_come_out_as_psych_prints_them(ratings, form, value, low, high):
    found = icc(ratings, form=form)

    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), rel=1e-8)


def test_another_confidence_comes_out_as_psych_prints_it():
    # psych::ICC(x, alpha = .1, lmer = FALSE)$results, row ICC2
    found = icc(SHROUT_FLEISS, confidence=0.9)

    assert (found.low, found.high) == pytest.approx((0.04290119154, 0.6910706066), rel=1e-8)


def test_a_poem_that_nobody_rated_is_dropped_and_counted():
    found = icc([*SHROUT_FLEISS[:3], [N] * 4, *SHROUT_FLEISS[3:]])

    assert found.value == pytest.approx(0.2897637795)
    assert found.counts == {"n_titles": 6, "n_judges": 4, "n_dropped": 1}


def test_a_judge_who_is_always_one_point_higher_costs_agreement_and_leaves_no_interval():
    # By hand: MSP = 26/3, MSJ = 3/2, MSE = 0, n = 3, k = 2: (26/3) / (26/3 + 1).
    found = icc([[1, 2], [2, 3], [5, 6]])

    assert found.value == pytest.approx(26 / 29)
    assert (found.has_interval, bool(found.reason)) == (False, True)


@pytest.mark.parametrize(
    ("ratings", "form", "reason"),
    [
        ([[4, 4], [4, 4]], "single", "every answer is the same"),
        ([[0.1] * 3] * 7, "single", "every answer is the same"),
        ([[0, 1], [1, 0]], "single", "differ too little"),
        ([[1, 3], [3, 1], [2, 2.5]], "mean", "differ too little"),
        ([[1, 2]], "single", "two poems"),
        ([[1], [2]], "single", "two judges"),
        (np.empty((0, 3)), "single", "two poems"),
    ],
)
def test_where_there_is_no_variance_to_share_it_is_undefined_with_the_reason(ratings, form, reason):
    found = icc(ratings, form=form)

    assert not found.defined
    assert reason in found.reason


def test_where_poems_have_one_mean_there_is_a_value_but_no_interval():
    found = icc([[1, 2, 1, 1], [2, 1, 1, 1]])

    assert found.value < 0
    assert not found.has_interval
    assert "breaks down" in found.reason


@pytest.mark.parametrize(
    "ratings",
    [
        [[1, 2], [2, 1], [1, 2], [2, 1]],
        [[1, 2, 3], [2, 3, 1], [3, 1, 2]],
        [[-1.7, 0.3], [0.3, -1.7], [-1.7, 0.3], [0.3, -1.7]],
        [[700, 300], [300, 700], [700, 300], [300, 700]],
    ],
)
def test_where_neither_poems_nor_judges_differ_in_their_means_there_is_no_interval(ratings):
    found = icc(ratings)

    assert found.value < 0
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert "breaks down" in found.reason


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="poems by judges"):
        icc([1, 2, 3])
    with pytest.raises(ValueError, match="form"):
        icc(SHROUT_FLEISS, form="consistency")
    with pytest.raises(ValueError, match="confidence"):
        icc(SHROUT_FLEISS, confidence=0)


tables = st.tuples(st.integers(2, 6), st.integers(2, 4)).flatmap(
    lambda shape: st.lists(
        st.integers(1, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda values: np.array(values).reshape(shape))
)


@given(tables, st.sampled_from(["single", "mean"]), st.randoms(use_true_random=False))
def test_it_is_at_most_1_and_blind_to_order_unit_and_zero_of_the_scale(ratings, form, random):
    poems = random.sample(range(len(ratings)), len(ratings))
    judges = random.sample(range(ratings.shape[1]), ratings.shape[1])

    found = icc(ratings, form=form)
    again = icc(100 - 20 * ratings[poems][:, judges], form=form)

    assert found.value <= 1 + 1e-12 or (math.isnan(found.value) and found.reason)
    assert again.value == pytest.approx(found.value, nan_ok=True, rel=1e-6)
    if found.has_interval:
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9 <= 1 + 2e-9
        assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-6)
