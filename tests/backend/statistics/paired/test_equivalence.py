"""Two one-sided tests against R's t.test."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.paired import tost_paired
from tests.backend.statistics.paired.published import CROSSED, FIRST_VISIT, SECOND_VISIT, SELFED


@pytest.mark.parametrize(
    ("x", "y", "margin", "p_lower", "p_upper", "low", "high"),
    [
        # t.test(x, y, paired = TRUE, mu = -margin, alternative = "greater")$p.value,
        # t.test(x, y, paired = TRUE, mu = margin, alternative = "less")$p.value and
        # t.test(x, y, paired = TRUE, conf.level = .9)$conf.int
        (CROSSED, SELFED, 1, 0.00507953795700111, 0.897143369021851,
         0.471048219206911, 4.76228511412642),
        (CROSSED, SELFED, 5, 1.05908035958308e-05, 0.0353317115193654,
         0.471048219206911, 4.76228511412642),
        (FIRST_VISIT, SECOND_VISIT, 0.8, 1.23087562077061e-05, 0.0161281999909529,
         0.167302791358965, 0.696474986418813),
    ],
)  # fmt: skip
def test_both_p_values_and_the_interval_are_r_s(x, y, margin, p_lower, p_upper, low, high):
    found = tost_paired(x, y, margin=margin)

    assert (found.p_lower, found.p_upper) == pytest.approx((p_lower, p_upper), rel=1e-9)
    assert found.p == max(found.p_lower, found.p_upper)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert (found.n, found.df) == (len(x), len(x) - 1)


def test_the_interval_follows_alpha():
    # t.test(x, y, paired = TRUE, conf.level = .95)$conf.int
    found = tost_paired(FIRST_VISIT, SECOND_VISIT, margin=0.8, alpha=0.025)

    assert (found.low, found.high) == pytest.approx((0.103778712272169, 0.759999065505609))
    assert found.equivalent
    assert "95 % interval" in found.method


def test_a_wide_difference_is_not_shown_to_be_small():
    assert not tost_paired(CROSSED, SELFED, margin=1).equivalent
    assert tost_paired(CROSSED, SELFED, margin=5).equivalent


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "no title has a score on both sides"),
        ([1, math.nan], [2, 2], "only 1 title has a score on both sides: nothing can vary"),
        ([0.3, 0.8], [0.2, 0.7], "the difference is the same on every title: nothing varies"),
    ],
)
def test_where_nothing_varies_nothing_is_tested(x, y, reason):
    found = tost_paired(x, y, margin=1)

    assert not found.defined
    assert not found.equivalent
    assert found.reason == reason
    assert math.isnan(found.low)


@pytest.mark.parametrize(
    ("margin", "alpha", "message"),
    [
        (0, 0.05, "a margin"),
        (-1, 0.05, "a margin"),
        (math.inf, 0.05, "a margin"),
        (math.nan, 0.05, "a margin"),
        (1, 0, "alpha"),
        (1, 0.5, "alpha"),
    ],
)
def test_a_margin_or_alpha_out_of_range_is_refused(margin, alpha, message):
    with pytest.raises(ValueError, match=message):
        tost_paired([1, 2], [2, 4], margin=margin, alpha=alpha)


def test_few_titles_are_said_to_be_few():
    assert tost_paired([1, 2], [2, 4], margin=1).notes == (
        "only 2 titles: the t distribution is a rough guide",
    )


scores = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=30)


@given(scores, st.integers(1, 50))
def test_it_is_equivalent_if_and_only_if_the_interval_is_within_the_margin(pairs, margin):
    x, y = zip(*pairs, strict=True)
    found = tost_paired(x, y, margin=margin)

    if found.defined:
        assert found.equivalent == (-margin < found.low and found.high < margin)


@given(scores)
def test_exchanging_the_sides_exchanges_the_two_tests(pairs):
    x, y = zip(*pairs, strict=True)
    one, other = tost_paired(x, y, margin=5), tost_paired(y, x, margin=5)

    assert (other.p_lower, other.p_upper) == pytest.approx((one.p_upper, one.p_lower), nan_ok=True)
