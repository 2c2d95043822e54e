"""Cohen's kappa, against psych 2.2.9 and the delta method taken numerically in R 4.2.2."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import cohen_kappa

N = math.nan

# Nobody chose 3.
A, B = [1, 1, 2, 2, 4, 5, 5, 4, 2, 1, 5, 4], [1, 2, 2, 4, 4, 5, 4, 4, 1, 1, 4, 5]
TABLE = [[4, 2, 0, 0, 0], [1, 5, 2, 0, 0], [0, 1, 3, 1, 0], [0, 1, 2, 3, 1], [0, 0, 0, 1, 3]]

answers = st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, N])
pairs = st.lists(st.tuples(answers, answers), max_size=30)
weightings = st.sampled_from([None, "linear", "quadratic"])


def raters(table):
    rows, columns = np.nonzero(table)
    return np.repeat([rows + 1, columns + 1], np.asarray(table)[rows, columns], axis=1)


@pytest.mark.parametrize(
    ("weights", "value", "low", "high"),
    # kappa: psych::cohen.kappa(table, w = 1 - d / max(d)). Bounds: with p the shares, g the
    # central differences of kappa by each, var = (sum(p g^2) - sum(p g)^2) / n; psych's of plain
    # kappa agree. Its weighted ones do not: it sums a row's own share where the other rater's
    # belong, and prints (.854, .854) for the last.
    [
        (None, 0.494382022472, 0.271522319769, 0.717241725175),
        ("linear", 0.706325301205, 0.554670668559, 0.857979933850),
        ("quadratic", 0.854368932039, 0.752541529137, 0.956196334940),
    ],
)
def test_kappa_and_its_large_sample_interval_come_out_as_in_r(weights, value, low, high):
    kappa = cohen_kappa(*raters(TABLE), weights=weights)

    assert (kappa.value, kappa.low, kappa.high) == pytest.approx((value, low, high), abs=1e-9)
    assert kappa.n == 30


def test_two_abstractors_come_out_as_in_print():
    # irrCAC 1.0, kappa2.table(cont3x3abstractors): 0.7964094; psych: (.680946516, .911872288).
    kappa = cohen_kappa(*raters([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))

    assert kappa.value == pytest.approx(0.7964094, abs=5e-8)
    assert (kappa.low, kappa.high) == pytest.approx((0.680946515962, 0.911872288406), abs=1e-8)


@pytest.mark.parametrize("categories", [None, (1, 2, 3, 4, 5)])
@pytest.mark.parametrize(
    ("weights", "five_points", "low", "high", "as_if_four"),
    # R: psych::cohen.kappa on factors with levels 1:5; as_if_four with levels c(1, 2, 4, 5).
    [
        ("linear", 0.658536585366, 0.433701403225, 0.883371767507, 0.586206896552),
        ("quadratic", 0.842105263158, 0.692830693107, 0.991379833209, 0.785714285714),
    ],
)
def test_a_point_that_nobody_chose_keeps_its_place(
    categories, weights, five_points, low, high, as_if_four
):
    kappa = cohen_kappa(A, B, weights=weights, categories=categories)

    assert (kappa.value, kappa.low, kappa.high) == pytest.approx((five_points, low, high), abs=1e-9)
    moved = [[{4: 3, 5: 4}.get(value, value) for value in row] for row in (A, B)]
    assert cohen_kappa(*moved, weights=weights).value == pytest.approx(as_if_four)


def test_a_pair_that_one_of_them_did_not_rate_is_dropped():
    kappa = cohen_kappa([1, 2, N, 1, 2], [1, 2, 1, N, 1])

    assert (kappa.n, kappa.counts["n_dropped"]) == (3, 2)
    # By hand: agreement 2/3, chance 1/3 * 2/3 + 2/3 * 1/3 = 4/9.
    assert kappa.value == pytest.approx((2 / 3 - 4 / 9) / (5 / 9))


def test_full_agreement_is_1_without_an_interval():
    kappa = cohen_kappa([1, 2, 3], [1, 2, 3], weights="quadratic")

    assert (kappa.value, kappa.has_interval) == (1.0, False)
    assert kappa.reason


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [([], [], "in common"), ([1, N], [N, 1], "in common"), ([2, 2], [2, 2], "one and the same")],
)
def test_without_variation_or_pairs_kappa_is_undefined_with_the_reason(a, b, reason):
    kappa = cohen_kappa(a, b)

    assert not kappa.defined
    assert reason in kappa.reason


@pytest.mark.parametrize(
    ("a", "b", "switch"),
    [
        ([1, 2], [1], {}),
        ([[1]], [[1]], {}),
        ([1, 7], [1, 2], {"categories": (1, 2, 3)}),
        ([1, 2], [1, 2], {"weights": "cubic"}),
        ([1, 2], [1, 2], {"confidence": 1}),
    ],
)
def test_what_does_not_fit_is_refused(a, b, switch):
    with pytest.raises(ValueError):
        cohen_kappa(a, b, **switch)


@given(pairs, weightings)
def test_kappa_is_at_most_1_within_its_interval_and_the_same_for_either_rater_first(rows, weights):
    a, b = np.array(rows, dtype=float).reshape(-1, 2).T

    kappa, turned = cohen_kappa(a, b, weights=weights), cohen_kappa(b, a, weights=weights)

    assert kappa.value <= 1 or (math.isnan(kappa.value) and kappa.reason)
    assert -1 <= kappa.low <= max(kappa.value, -1) <= kappa.high <= 1 or not kappa.has_interval
    assert (turned.value, turned.low, turned.high) == pytest.approx(
        (kappa.value, kappa.low, kappa.high), nan_ok=True, abs=1e-9
    )


@given(pairs)
def test_plain_kappa_does_not_care_what_the_answers_are_called(rows):
    a, b = np.array(rows, dtype=float).reshape(-1, 2).T
    renamed = [
        np.select([side == point for point in range(1, 6)], [30, 10, 50, 20, 40], N)
        for side in (a, b)
    ]

    assert cohen_kappa(*renamed).value == pytest.approx(cohen_kappa(a, b).value, nan_ok=True)


def test_answers_are_rounded_so_that_equal_ones_agree():
    assert cohen_kappa([0.1 + 0.2, 0.5, 0.5], [0.3, 0.5, 0.5]).value == 1
    assert cohen_kappa([0.1 + 0.2, 0.5], [0.3, 0.5], categories=[0.3, 0.5]).value == 1


@pytest.mark.parametrize("zero", [0, 1e6])
@pytest.mark.parametrize("step", [1, 1 / 3])
def test_what_rounding_leaves_is_no_variation(zero, step):
    found = cohen_kappa(
        [zero + step, zero + 2 * step], [zero + 2 * step, zero + 3 * step], weights="quadratic"
    )

    assert found.value == pytest.approx(1 / 3)
    assert (found.has_interval, found.reason) == (False, "nothing varies between pairs")


def test_pairs_of_several_raters_are_not_called_those_of_two():
    for found in (cohen_kappa([1, 2], [1, 1]), cohen_kappa([], []), cohen_kappa([2, 2], [2, 2])):
        assert "two raters" not in found.method + found.reason
