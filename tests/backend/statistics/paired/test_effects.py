"""The rank-biserial correlation, against R and the share of favourable sums."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.paired import rank_biserial, wilcoxon_signed_rank
from tests.backend.statistics.paired.published import (
    CROSSED,
    FIRST_VISIT,
    LIKERT_X,
    LIKERT_Y,
    SECOND_VISIT,
    SELFED,
)


@pytest.mark.parametrize(
    ("x", "y", "n", "value", "low", "high"),
    [
        # In R: rb <- function(d) {r <- rank(abs(d)); sum(sign(d) * r) / sum(r)} of d[d != 0];
        # e <- sqrt((n - 1) / n * sum((v - mean(v))^2)), v <- sapply(1:n, function(i) rb(d[-i]));
        # 2 * plogis(qlogis(p) + c(-1, 1) * qt(.975, n - 1) * e / 2 / (p * (1 - p))) - 1 of
        # p <- (1 + rb(d)) / 2.
        (CROSSED, SELFED, 15, 0.6, -0.207875604441, 0.921252697399),
        (LIKERT_X, LIKERT_Y, 9, 7 / 9, -0.057839866432, 0.972549345985),
        (FIRST_VISIT, SECOND_VISIT, 9, 7 / 9, -0.139087851468, 0.976657197242),
    ],
)
def test_effect_and_interval_are_r_s(x, y, n, value, low, high):
    found = rank_biserial(x, y)

    assert found.n == n
    assert found.value == pytest.approx(value, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_equal_and_unscored_pairs_are_left_out_and_counted():
    found = rank_biserial([*LIKERT_X, math.nan], [*LIKERT_Y, 1])

    assert found.counts == {"n_zero": 3, "n_dropped": 1}
    assert "equal pairs left out" in found.method


@pytest.mark.parametrize("sign", [-1, 1])
def test_where_all_differ_one_way_there_is_no_interval(sign):
    found = rank_biserial([sign * 1, sign * 2, sign * 7], [0, 0, 0])

    assert found.value == sign
    assert found.reason == "every title differs in the same direction: nothing varies"
    assert not found.has_interval


def test_one_differing_title_has_no_interval():
    found = rank_biserial([1, 2], [0, 2])

    assert (found.value, found.n) == (1, 1)
    assert found.reason == "only one title differs: how much they vary cannot be estimated"


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ([3, 4], "the two sides have the same score on every poem"),
        ([math.nan, math.nan], "no poem has a score on both sides"),
    ],
)
def test_without_a_difference_there_is_no_effect(x, reason):
    found = rank_biserial(x, [3, 4], level="poem")

    assert not found.defined
    assert found.reason == reason


def test_few_titles_are_said_to_be_few():
    assert rank_biserial([1, -2, 3], [0, 0, 0]).notes == (
        "only 3 titles: the interval is a rough guide",
    )


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=20).filter(any))
def test_it_is_the_share_of_positive_less_negative_sums_of_two(differences):
    moved = [d for d in differences if d]
    sums = [sum(two) for two in itertools.combinations_with_replacement(moved, 2)]

    found = rank_biserial(differences, [0] * len(differences))

    assert found.value == pytest.approx(np.sign(sums).mean())
    assert found.value == pytest.approx(
        wilcoxon_signed_rank(differences, [0] * len(differences)).effect
    )


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=20).filter(any))
def test_exchanging_the_sides_mirrors_effect_and_interval(differences):
    none = [0] * len(differences)
    one, other = rank_biserial(differences, none), rank_biserial(none, differences)

    assert (other.value, other.low, other.high) == pytest.approx(
        (-one.value, -one.high, -one.low), nan_ok=True
    )
    assert one.has_interval != bool(one.reason)


def test_few_pairs_are_named_as_the_caller_says():
    assert rank_biserial([1, -2, 3], [0, 0, 0], level="poem").notes == (
        "only 3 poems: the interval is a rough guide",
    )
    assert rank_biserial([1, -2, 3, -4, 5], [0] * 5).notes == ()
