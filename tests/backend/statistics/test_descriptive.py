"""Means and spreads, against values worked by hand and by R."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.descriptive import mean, mean_sd

# R 4.2.2: mean(sleep$extra), sd(sleep$extra); Student's twenty sleep gains.
SLEEP = [
    *(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0),
    *(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4),
]

finite = st.floats(-1e6, 1e6, allow_nan=False)


def test_the_mean_and_sd_of_student_s_sleep_gains_are_r_s():
    spread = mean_sd(SLEEP, level="patient")

    assert spread.mean.value == pytest.approx(1.54)
    assert spread.sd.value == pytest.approx(2.0179197209, abs=1e-10)
    assert spread.n == spread.sd.n == 20


def test_ratings_not_given_are_left_out_and_counted():
    answered = mean([[1, 5, math.nan], [math.nan, 3, 3]], level="judgment")

    assert (answered.value, answered.n) == (3.0, 4)
    assert answered.counts == {"n_dropped": 2}
    assert answered.level == "judgment"


def test_one_value_has_a_mean_and_no_spread():
    spread = mean_sd([4], level="poem mean")

    assert spread.mean.value == 4
    assert not spread.sd.defined
    assert spread.sd.n == 1
    assert spread.sd.reason == "only one value was given: it has no spread"


@pytest.mark.parametrize("values", [[], [math.nan, math.nan]])
def test_nothing_given_has_neither_mean_nor_spread_and_says_why(values):
    spread = mean_sd(values, level="judgment")

    assert not spread.mean.defined
    assert not spread.sd.defined
    assert spread.mean.reason == spread.sd.reason == "no value was given"
    assert spread.mean.counts == {"n_dropped": len(values)}


def test_an_infinite_value_is_refused():
    with pytest.raises(ValueError, match="infinite"):
        mean([1, math.inf], level="judgment")


@given(st.lists(finite, min_size=2, max_size=30), finite)
def test_a_shift_moves_the_mean_and_leaves_the_spread(values, shift):
    before = mean_sd(values, level="judgment")
    after = mean_sd(np.add(values, shift), level="judgment")

    assert after.mean.value == pytest.approx(before.mean.value + shift, abs=1e-6)
    assert after.sd.value == pytest.approx(before.sd.value, abs=1e-6)
