"""The three words, each where it holds and no other."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from backend.statistics.estimate import Estimate, undefined
from backend.statistics.verdicts import verdict


def estimate(low, high, value=None):
    middle = (low + high) / 2 if value is None else value
    return Estimate(middle, n=220, method="area", level="judgment", low=low, high=high)


@pytest.mark.parametrize(
    ("wide", "narrow", "margin", "word"),
    [
        # AUC .541, standard error .027: 95 % (.488, .594), 90 % (.497, .585).
        ((0.488, 0.594), (0.497, 0.585), 0.05, "inconclusive"),
        ((0.488, 0.594), (0.497, 0.585), 0.10, "equivalent"),
        ((0.488, 0.594), (0.497, 0.585), None, "inconclusive"),
        ((0.55, 0.75), (0.57, 0.73), 0.05, "different"),
        ((0.25, 0.45), (0.27, 0.43), 0.05, "different"),
        ((0.55, 0.75), (0.57, 0.73), None, "different"),
        ((0.30, 0.80), (0.35, 0.75), 0.05, "inconclusive"),
    ],
)
def test_the_word_follows_from_the_two_intervals(wide, narrow, margin, word):
    value = sum(wide) / 2
    found = verdict(estimate(*wide, value), estimate(*narrow, value), margin=margin)

    assert (found.word, found.reason) == (word, "")
    assert (found.n, found.level, found.margin) == (220, "judgment", margin)


def test_a_difference_beyond_chance_within_the_margin_is_equivalent_and_noted():
    found = verdict(estimate(0.51, 0.53, 0.52), estimate(0.512, 0.528, 0.52), margin=0.05)

    assert found.word == "equivalent"
    assert found.note == "the difference is beyond chance, and too small to matter by the margin"


def test_without_a_margin_the_reader_is_told_that_there_is_none():
    found = verdict(estimate(0.49, 0.51), estimate(0.495, 0.505), margin=None)

    assert found.word == "inconclusive"
    assert found.note == "no margin was fixed, so equivalence cannot be shown"


@pytest.mark.parametrize(
    ("narrow", "word"),
    [((0.07, 0.5), "inconclusive"), ((0.0701, 0.5), "equivalent"), ((0.5, 0.93), "inconclusive")],
)
def test_an_interval_that_touches_the_margin_is_not_within_it(narrow, word):
    # .5 - .43 is .07000000000000001 and not .07.
    found = verdict(estimate(0.01, 0.99, 0.5), estimate(*narrow, 0.5), margin=0.43)

    assert found.word == word


@pytest.mark.parametrize(
    ("narrow", "margin", "word"),
    [
        # .45 - .5 is -.04999999999999999, and .6 - .5 is .09999999999999998.
        ((0.45, 0.5), 0.05, "inconclusive"),
        ((0.5, 0.55), 0.05, "inconclusive"),
        ((0.4, 0.5), 0.1, "inconclusive"),
        ((0.5, 0.6), 0.1, "inconclusive"),
        ((0.4501, 0.5499), 0.05, "equivalent"),
    ],
)
def test_an_interval_that_touches_the_margin_but_for_rounding_is_not_within_it(
    narrow, margin, word
):
    found = verdict(estimate(0.01, 0.99, 0.5), estimate(*narrow, 0.5), margin=margin)

    assert found.word == word


def test_an_interval_that_touches_the_null_value_does_not_leave_it_out():
    touching = estimate(0.5, 0.7), estimate(0.52, 0.68, 0.6)

    assert verdict(*touching, margin=0.05).word == "inconclusive"


def test_another_null_value_is_that_of_the_caller():
    found = verdict(estimate(-2.0, 2.0), estimate(-1.5, 1.5), null=0, margin=3)

    assert found.word == "equivalent"
    assert "within 3 of 0" in found.method


def test_an_estimate_without_a_value_has_no_word_and_keeps_its_reason():
    none = undefined("no machine poem was judged", method="area", level="judgment")
    found = verdict(none, none, margin=0.05)

    assert (found.word, found.reason) == ("", "no machine poem was judged")


@pytest.mark.parametrize(
    ("reason", "said"), [("only one judge", "only one judge"), ("", "no interval was asked for")]
)
def test_an_estimate_without_an_interval_has_no_word(reason, said):
    bare = Estimate(0.7, n=10, method="area", level="judgment", reason=reason)

    assert verdict(bare, bare, margin=0.05).word == ""
    assert verdict(bare, bare, margin=0.05).reason == said


def test_without_a_margin_the_narrow_interval_is_not_needed():
    found = verdict(
        estimate(0.6, 0.8, 0.7), Estimate(0.7, n=9, method="area", level="judgment"), margin=None
    )

    assert found.word == "different"


@pytest.mark.parametrize("margin", [0, -0.1, math.inf, math.nan])
def test_a_margin_that_is_none_is_refused(margin):
    with pytest.raises(ValueError, match="a margin"):
        verdict(estimate(0.4, 0.6), estimate(0.45, 0.55), margin=margin)


def test_the_intervals_of_two_estimates_are_refused():
    with pytest.raises(ValueError, match="two estimates"):
        verdict(estimate(0.4, 0.6, 0.5), estimate(0.45, 0.55, 0.51), margin=0.1)


def test_intervals_that_were_exchanged_are_refused():
    with pytest.raises(ValueError, match="reaches beyond"):
        verdict(estimate(0.45, 0.55, 0.5), estimate(0.4, 0.6, 0.5), margin=0.1)


thousandths = st.integers(0, 1000)


@given(st.lists(thousandths, min_size=4, max_size=4).map(sorted), st.integers(1, 1000))
def test_every_pair_of_intervals_has_exactly_one_word(bounds, margin):
    wide_low, low, high, wide_high = bounds
    assume(wide_low < wide_high)
    value = (low + high) / 2000
    found = verdict(
        estimate(wide_low / 1000, wide_high / 1000, value),
        estimate(low / 1000, high / 1000, value),
        margin=margin / 1000,
    )
    # In whole thousandths, without rounding.
    near = abs(low - 500) < margin and abs(high - 500) < margin
    away = wide_low > 500 or wide_high < 500

    words = {
        "equivalent": near,
        "different": away and not near,
        "inconclusive": not away and not near,
    }
    assert [word for word, holds in words.items() if holds] == [found.word]
    assert bool(found.note) == (near and away)
