"""Hodges and Lehmann's shift and its interval, against R and all pairwise means listed."""

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.statistics.paired import hodges_lehmann
from tests.backend.statistics.paired.published import (
    CROSSED,
    DRUG_1,
    DRUG_2,
    FIRST_VISIT,
    LIKERT_X,
    LIKERT_Y,
    SECOND_VISIT,
    SELFED,
)


def drawn(n):
    """Differences without ties or zeros: R's ((i * 7919) %% 104729) / 1000 - 40, i from 1."""
    i = np.arange(1, n + 1)
    return (i * 7919 % 104729) / 1000 - 40


@pytest.mark.parametrize(
    ("x", "y", "confidence", "low", "high"),
    [
        # wilcox.test(x, y, paired = TRUE, exact = TRUE, conf.int = TRUE, conf.level = ...)
        (FIRST_VISIT, SECOND_VISIT, 0.80, 0.22, 0.691),
        (FIRST_VISIT, SECOND_VISIT, 0.90, 0.175, 0.726),
        (FIRST_VISIT, SECOND_VISIT, 0.95, 0.01, 0.786),
        (FIRST_VISIT, SECOND_VISIT, 0.99, -0.1135, 0.987),
        # The same, and exactRankTests::wilcox.exact, which allows for the two ties.
        (CROSSED, SELFED, 0.90, 1, 4.9375),
        (CROSSED, SELFED, 0.95, 0.5, 5.1875),
        (drawn(20), np.zeros(20), 0.90, -6.1465, 18.5015),
        (drawn(20), np.zeros(20), 0.95, -9.215, 19.3925),
        (drawn(20), np.zeros(20), 0.99, -13.1745, 26.4205),
        (drawn(500), np.zeros(500), 0.90, 9.987, 14.5375),
        (drawn(500), np.zeros(500), 0.95, 9.587, 15.033),
        # With ties and zeros: the qsignrank(.025, n)-th from either end of outer(d, d, "+") / 2.
        (LIKERT_X, LIKERT_Y, 0.95, 0, 2.5),
        (DRUG_2, DRUG_1, 0.95, 0.9, 2.7),
        # The same, with the exact quantile, which the approximation for so many nearly is.
        (drawn(900), np.zeros(900), 0.95, 10.4735, 14.4375),
    ],
)
def test_the_interval_is_r_s(x, y, confidence, low, high):
    found = hodges_lehmann(x, y, confidence=confidence)

    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9, abs=1e-9)
    assert found.reason == ""
    assert f"{100 * confidence:g} % interval" in found.method


@pytest.mark.parametrize(
    ("differences", "median"),
    [
        (drawn(20), 6.1775),
        (drawn(500), 12.2645),
        # median(w[lower.tri(w, TRUE)]), w <- outer(d, d, "+") / 2
        (drawn(900), 12.4555),
        (np.arange(600) * 37 % 101 - np.arange(600) * 53 % 97, 2.5),
    ],
)
def test_the_shift_of_many_titles_is_r_s(differences, median):
    found = hodges_lehmann(differences, np.zeros(differences.size))

    assert found.value == pytest.approx(median, rel=1e-9)


@pytest.mark.parametrize(("n", "place"), [(502, 62718), (504, 63219), (506, 63722)])
def test_beyond_five_hundred_titles_the_approximation_is_corrected_for_continuity(n, place):
    # qsignrank(.45, n); without the half that is added, the approximation is one less.
    differences = np.random.default_rng(n).normal(1, 1, n).round(9)
    first, second = np.triu_indices(n)
    means = np.sort(differences[first] + differences[second]) / 2

    found = hodges_lehmann(differences, np.zeros(n), confidence=0.1)

    assert np.diff(means[place - 2 : place + 1]).min() > 1e-8
    assert (found.low, found.high) == pytest.approx((means[place - 1], means[-place]), abs=1e-9)


def test_beyond_five_hundred_titles_the_interval_is_said_to_be_approximate():
    assert "exact" in hodges_lehmann(drawn(500), np.zeros(500)).method
    assert "normal approximation" in hodges_lehmann(drawn(501), np.zeros(501)).method


def test_what_was_left_out_and_what_is_equal_is_counted():
    found = hodges_lehmann([*LIKERT_X, 2, math.nan], [*LIKERT_Y, math.nan, math.nan])

    assert (found.n, found.level) == (12, "title")
    assert found.counts == {"n_zero": 3, "n_dropped": 2}
    assert found.value == 1.5


@pytest.mark.parametrize(
    ("n", "confidence", "reason"),
    [
        (5, 0.95, "5 titles can give no 95 % interval of the median difference: the widest covers "
         "93.75 %"),
        (1, 0.5, "1 title can give no 50 % interval of the median difference: the widest covers "
         "0 %"),
    ],
)  # fmt: skip
def test_too_few_titles_have_a_shift_and_no_interval(n, confidence, reason):
    found = hodges_lehmann(np.arange(1, n + 1), np.zeros(n), confidence=confidence)

    assert found.value == (n + 1) / 2
    assert found.reason == reason
    assert not found.has_interval


def test_six_titles_reach_from_the_least_to_the_largest_difference():
    # 1 - 2 / 2**6 = .96875 is above .95, so the first and the last of all means are the bounds.
    found = hodges_lehmann([3, 1, 4, 15, 9, 2], [0] * 6)

    assert (found.low, found.high) == (1, 15)


def test_titles_that_differ_by_the_same_amount_tell_nothing_of_how_much_they_vary():
    found = hodges_lehmann([1.1] * 20, [1.0] * 20)

    assert found.value == pytest.approx(0.1)
    assert found.reason == "the difference is the same on every title: nothing varies"
    assert not found.has_interval


def test_without_a_common_title_there_is_no_shift():
    found = hodges_lehmann([1, math.nan], [math.nan, 1])

    assert not found.defined
    assert (found.n, found.reason) == (0, "no title has a score on both sides")


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        hodges_lehmann([1, 2], [2, 1], confidence=confidence)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=25))
def test_the_shift_is_the_median_of_all_pairwise_means(differences):
    means = [sum(two) / 2 for two in itertools.combinations_with_replacement(differences, 2)]

    found = hodges_lehmann(differences, [0] * len(differences))

    assert found.value == pytest.approx(statistics.median(means))


@given(st.lists(st.integers(-50, 50), min_size=6, max_size=12), st.sampled_from([0.8, 0.9, 0.95]))
def test_the_bounds_are_as_far_in_as_the_sign_changes_of_untied_ranks_allow(values, confidence):
    n = len(values)
    sums = [
        sum(itertools.compress(range(1, n + 1), signs))
        for signs in itertools.product([False, True], repeat=n)
    ]
    allowed = (1 - confidence) / 2 * 2**n
    place = max(k for k in range(n * n) if sum(total < k for total in sums) <= allowed + 1e-9)
    means = sorted(sum(two) / 2 for two in itertools.combinations_with_replacement(values, 2))

    found = hodges_lehmann(values, [0] * n, confidence=confidence)

    if len(set(values)) > 1:
        assert found.low == pytest.approx(means[place - 1])
        assert found.high == pytest.approx(means[-place])
    else:
        assert not found.has_interval


@given(st.integers(801, 830), st.integers(0, 2**32 - 1), st.integers(-500, 500))
@settings(max_examples=20)
def test_a_shift_of_all_scores_shifts_estimate_and_bounds(n, seed, by):
    # So many means are counted and not listed.
    scores = np.random.default_rng(seed).integers(0, 900, n)
    at_home, moved = hodges_lehmann(scores, np.zeros(n)), hodges_lehmann(scores + by, np.zeros(n))

    assert at_home.has_interval
    assert (moved.value, moved.low, moved.high) == pytest.approx(
        (at_home.value + by, at_home.low + by, at_home.high + by)
    )
