"""Kendall's W, against R's Friedman test and cases worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import kendall_w

N = math.nan

# Zar (2010), Biostatistical Analysis, example 20.5: wing, tail and bill of twelve birds.
BIRDS = [
    [10.4, 10.8, 11.1, 10.2, 10.3, 10.2, 10.7, 10.5, 10.8, 11.2, 10.6, 11.4],
    [7.4, 7.6, 7.9, 7.2, 7.4, 7.1, 7.4, 7.2, 7.8, 7.7, 7.8, 8.3],
    [17, 17, 20, 14.5, 15.5, 13, 19.5, 16, 21, 20, 18, 22],
]


@pytest.mark.parametrize(
    ("ratings", "chi2", "df", "p"),
    # R 4.2.2: friedman.test(x), rows are blocks; W = chi2 / (m (n - 1))
    [
        (BIRDS, 30.49646226415, 11, 0.00132354591738),
        (
            [[1, 2, 2, 3, 5], [2, 1, 3, 3, 5], [1, 1, 2, 4, 4], [3, 2, 2, 4, 5]],
            13.33333333333,
            4,
            0.00975685914361,
        ),
        ([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]], 7.0, 3, 0.0718977724965),
    ],
)
def test_with_and_without_ties_it_is_friedmans_statistic_over_its_greatest_value(
    ratings, chi2, df, p
):
    found = kendall_w(ratings)

    assert (found.chi2, found.df, found.p) == (pytest.approx(chi2), df, pytest.approx(p))
    assert found.w == pytest.approx(chi2 / (len(ratings) * df))
    assert found.n == df + 1


def test_a_small_case_worked_by_hand():
    # Rank sums 4, 6, 8, 12 less their mean 7.5: S = 35; W = 12 * 35 / (9 * 60).
    assert kendall_w([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]]).w == pytest.approx(420 / 540)


def test_one_order_is_1_and_two_opposite_orders_are_0():
    assert kendall_w([[1, 2, 3], [10, 20, 30]]).w == 1.0
    assert kendall_w([[1, 2, 3], [3, 2, 1]]).w == 0.0


def test_equal_means_tie_although_their_floats_differ():
    assert kendall_w([[0.1 + 0.2, 0.3, 1], [1, 1, 2]]).w == 1.0


def test_a_thing_that_not_every_judge_ranked_is_left_out_and_counted():
    found = kendall_w([[1, 2, 9, 3], [1, 2, N, 3]])

    assert (found.w, found.n) == (1.0, 3)
    assert found.counts == {"n_judges": 2, "n_dropped": 1}


def test_few_judges_with_few_things_are_cautioned_against():
    assert kendall_w([[1, 2, 3], [1, 3, 2]]).notes
    assert not kendall_w(BIRDS).notes


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2, 3]], "two judges"),
        ([[1, N], [2, 3]], "two things"),
        ([[2, 2], [4, 4]], "the same rank"),
    ],
)
def test_without_two_orders_it_is_undefined_with_the_reason(ratings, reason):
    found = kendall_w(ratings)

    assert not found.defined
    assert reason in found.reason
    assert math.isnan(found.p)


def test_a_single_row_is_refused():
    with pytest.raises(ValueError, match="judges by things"):
        kendall_w([1, 2, 3])


tables = st.tuples(st.integers(2, 5), st.integers(2, 6)).flatmap(
    lambda shape: st.lists(
        st.integers(1, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda values: np.array(values).reshape(shape))
)


@given(tables, st.randoms(use_true_random=False))
def test_it_lies_between_0_and_1_and_sees_orders_only(ratings, random):
    judges = random.sample(range(len(ratings)), len(ratings))
    things = random.sample(range(ratings.shape[1]), ratings.shape[1])

    found = kendall_w(ratings)

    assert 0 <= found.w <= 1 + 1e-12 or (math.isnan(found.w) and found.reason)
    assert kendall_w(np.exp(ratings[judges][:, things])).w == pytest.approx(found.w, nan_ok=True)
    assert kendall_w(-ratings).w == pytest.approx(found.w, nan_ok=True)


def test_without_a_value_there_are_no_degrees_of_freedom():
    found = kendall_w([[1, 1, 1], [1, 1, 1]])
    assert math.isnan(found.w)
    assert math.isnan(found.df)
