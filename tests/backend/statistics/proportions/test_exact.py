"""Exact tests of two shares against R's binom.test and fisher.test."""

import math
from fractions import Fraction
from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats.contingency import odds_ratio

from backend.statistics.proportions import fisher_exact, mcnemar_exact


@pytest.mark.parametrize(
    ("first", "second", "p", "low", "high"),
    [
        # r <- binom.test(b, b + c); r$p.value; r$conf.int / (1 - r$conf.int)
        (1, 8, 0.0390625, 0.00281705022590582, 0.932354136398262),
        (8, 1, 0.0390625, 1.07255383009621, 354.981246270982),
        (86, 150, 3.71593613957143e-05, 0.434597606083669, 0.752316239171127),
        (59, 6, 4.96465032712862e-12, 4.25856801683752, 27.8736513786693),
        (0, 5, 0.0625, 0, 1.09127910518255),
        (4, 4, 1, 0.186257590850785, 5.36890870021573),
    ],
)
def test_mcnemar_is_r_s(first, second, p, low, high):
    found = mcnemar_exact(first, second)

    assert found.p == pytest.approx(p, rel=1e-9)
    assert found.odds == pytest.approx(first / second)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.n == first + second


def test_mcnemar_s_interval_follows_the_confidence():
    # binom.test(12, 14, conf.level = .9)
    found = mcnemar_exact(12, 2, confidence=0.9)

    assert (found.low, found.high) == pytest.approx((1.5947762635114, 37.4625257637044), rel=1e-9)


def test_a_side_that_alone_ever_succeeds_has_infinite_odds():
    found = mcnemar_exact(5, 0)

    assert (found.odds, found.high) == (math.inf, math.inf)
    # One over the upper bound of 0 and 5.
    assert found.low == pytest.approx(1 / 1.09127910518255)


def test_two_that_never_differ_are_not_compared():
    found = mcnemar_exact(0, 0)

    assert not found.defined
    assert (found.n, found.reason) == (0, "the two never differ on a pair")


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(3, -1)


@pytest.mark.parametrize(
    ("counts", "p", "odds", "low", "high"),
    [
        # p of fisher.test(matrix(c(k1, n1 - k1, k2, n2 - k2), 2)). Its odds ratio and bounds are
        # good to four digits (uniroot's default tolerance); these are of the same equations,
        # solved by uniroot(tol = 1e-15) over the logarithm.
        ((38, 40, 8336, 10000), 0.0529359494820091, 3.79238852791177, 0.978429706825854,
         32.4797039383841),
        ((3, 4, 1, 4), 0.485714285714286, 6.40831965819967, 0.211735595446579, 626.243530588813),
        ((56, 70, 48, 80), 0.0125211297492092, 2.64918729572369, 1.20911547892413,
         6.03987301313345),
        ((2, 15, 12, 13), 6.87994496044033e-05, 0.0171628282159517, 0.000279728789762046,
         0.202064411149782),
        ((10, 10, 0, 10), 1.0825088224469e-05, math.inf, 11.1358405925604, math.inf),
        ((10, 10, 5, 10), 0.0325077399380805, math.inf, 1.19542611713275, math.inf),
        ((0, 7, 3, 9), 0.2125, 0, 0, 2.94530150032086),
    ],
)  # fmt: skip
def test_fisher_is_r_s(counts, p, odds, low, high):
    found = fisher_exact(*counts)

    assert found.p == pytest.approx(p, rel=1e-9)
    assert found.odds == pytest.approx(odds, rel=1e-7)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-7)
    assert found.n == counts[1] + counts[3]


def test_fisher_s_interval_follows_the_confidence():
    # As above, with conf.level = .9.
    found = fisher_exact(7, 12, 1, 9, confidence=0.9)

    assert found.p == pytest.approx(0.0668730650154799, rel=1e-9)
    assert found.odds == pytest.approx(9.9185859960544, rel=1e-7)
    assert (found.low, found.high) == pytest.approx((1.12663067584648, 278.222237469529), rel=1e-7)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((0, 0, 3, 4), "one side has no answer"),
        ((3, 4, 0, 0), "one side has no answer"),
        ((5, 5, 5, 5), "all answers are alike on both sides"),
        ((0, 5, 0, 9), "all answers are alike on both sides"),
    ],
)
def test_where_nothing_can_differ_nothing_is_tested(counts, reason):
    found = fisher_exact(*counts)

    assert not found.defined
    assert found.reason == reason
    assert math.isnan(found.odds)


@pytest.mark.parametrize("counts", [(5, 4, 1, 2), (1, 2, -1, 2)])
def test_what_is_no_share_is_refused(counts):
    with pytest.raises(ValueError, match="is no share"):
        fisher_exact(*counts)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="between 0 and 1"):
        fisher_exact(1, 2, 1, 2, confidence=confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        mcnemar_exact(1, 2, confidence=confidence)


small = st.integers(0, 12)


@given(small, small, small, small)
def test_fisher_sums_the_tables_that_are_no_more_likely(k1, m1, k2, m2):
    n1, n2, k = k1 + m1, k2 + m2, k1 + k2
    assume(n1 and n2 and 0 < k < n1 + n2)
    # In whole numbers of tables.
    ways = [comb(n1, i) * comb(n2, k - i) for i in range(max(0, k - n2), min(k, n1) + 1)]
    seen = comb(n1, k1) * comb(n2, k2)
    p = Fraction(sum(way for way in ways if way <= seen), sum(ways))

    assert fisher_exact(k1, n1, k2, n2).p == pytest.approx(float(p), rel=1e-9)


@given(small, small, small, small)
def test_fisher_s_odds_are_scipy_s(k1, m1, k2, m2):
    assume(k1 + m1 and k2 + m2 and 0 < k1 + k2 < k1 + m1 + k2 + m2)
    found = fisher_exact(k1, k1 + m1, k2, k2 + m2)
    known = odds_ratio([[k1, m1], [k2, m2]], kind="conditional")
    bounds = known.confidence_interval(0.95)

    assert found.odds == pytest.approx(known.statistic, rel=1e-5)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), rel=1e-5)


@given(small, small)
def test_mcnemar_counts_the_signs_that_are_as_uneven(first, second):
    n = first + second
    assume(n)
    uneven = sum(comb(n, i) for i in range(n + 1) if abs(2 * i - n) >= abs(first - second))

    assert mcnemar_exact(first, second).p == pytest.approx(uneven / 2**n, rel=1e-9)
