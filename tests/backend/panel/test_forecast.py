"""The day on which a study will be full, against sums that can be done by hand."""

from datetime import date, timedelta

import pytest

from backend.panel.forecast import Forecast, forecast

TODAY = date(2026, 5, 20)


def told(daily: list[int], remaining: int, *, experts: int = 3, seed: int = 7) -> Forecast:
    return forecast(daily, remaining, experts=experts, today=TODAY, seed=seed)


def in_days(*days: int) -> tuple[date, ...]:
    return tuple(TODAY + timedelta(days=each) for each in days)


@pytest.mark.parametrize(("remaining", "days"), [(1, 1), (5, 1), (6, 2), (23, 5), (600, 120)])
def test_where_all_days_are_alike_the_day_is_a_division(remaining, days):
    found = told([5] * 14, remaining)
    assert (found.low, found.median, found.high) == in_days(days, days, days)


def test_where_one_day_in_three_does_all_the_days_until_it_are_geometric():
    # Chance that it is done by day 1, 2, ...: 1 - (2/3)^n = .333 .556 .704 .802 .868 .912
    found = told([0, 10, 0, 0, 10, 0, 0, 10, 0], 10)
    assert (found.low, found.median, found.high) == in_days(1, 2, 6)


def test_where_half_the_days_do_one_of_two_the_days_are_negative_binomial():
    # Two successes at 1/2: done by day 2, 3, ...: .25 .5 .6875 .8125 .8906 .9375; at 3/4 the
    # figures below: .5625 .8438 .9492.
    found = told([1, 1, 1, 0] * 3, 2)
    assert (found.low, found.median, found.high) == in_days(2, 2, 4)


def test_the_same_seed_tells_the_same_day():
    daily = [0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9]
    assert told(daily, 300) == told(daily, 300)
    low, median, high = told(daily, 300).low, told(daily, 300).median, told(daily, 300).high
    # 61 judgments in 14 days: 300 take 69 days or so.
    assert low < median < high
    assert TODAY + timedelta(days=60) < median < TODAY + timedelta(days=78)


@pytest.mark.parametrize(
    ("daily", "remaining", "experts", "reason"),
    [
        ([5] * 14, 0, 3, "Nothing is left to answer."),
        ([5] * 14, 9, 0, "No expert is at work."),
        ([], 9, 3, "Those at work answered on fewer than 3 of the last 14 days."),
        ([0] * 12 + [50, 50], 9, 3, "Those at work answered on fewer than 3 of the last 14 days."),
        ([1] * 14, 1096, 3, "At this rate it takes more than three years."),
    ],
)
def test_what_cannot_be_told_is_not_told_and_says_why(daily, remaining, experts, reason):
    assert told(daily, remaining, experts=experts) == Forecast(reason=reason)


def test_a_study_of_three_years_to_the_day_is_still_told():
    assert told([1] * 14, 1095).median == TODAY + timedelta(days=1095)


def test_a_late_end_beyond_three_years_is_left_open():
    # About one in 4.67 days: 230 judgments take 1073 days, give or take 62.
    found = told([0] * 11 + [1, 1, 1], 230)
    assert found.median is not None
    assert found.high is None


def test_a_seed_below_zero_is_a_seed():
    assert told([1, 2, 3], 9, seed=-5).median is not None
