"""The Brier score and its parts, by hand and against scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from backend.statistics.detection import brier

# Five forecasts of .2, one of a human poem; five of .6, four of human poems.
OUTCOMES = [1, 0, 0, 0, 0, 1, 1, 1, 1, 0]
FORECASTS = [200] * 5 + [600] * 5

judged = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 20).map(lambda part: 50 * part)),
    min_size=1,
    max_size=40,
)


def test_a_small_panel_has_the_parts_worked_out_by_hand():
    # Murphy (1973): REL = 5 (.6 - .8)^2 / 10, RES = (5 + 5) .3^2 / 10, UNC = .5 * .5.
    score = brier(OUTCOMES, FORECASTS, level="judgment")

    assert score.value == pytest.approx(0.18, abs=1e-15)
    assert score.reliability == pytest.approx(0.02, abs=1e-15)
    assert score.resolution == pytest.approx(0.09, abs=1e-15)
    assert score.uncertainty == 0.25
    assert score.skill == pytest.approx(0.28, abs=1e-15)
    assert score.counts == {"n_human": 5, "n_machine": 5, "n_dropped": 0}
    assert math.isnan(score.low)
    assert score.reason == ""


@given(judged)
def test_the_parts_make_up_the_score_with_nothing_left_over(pairs):
    score = brier(*zip(*pairs, strict=True), level="judgment")

    parts = score.reliability - score.resolution + score.uncertainty
    assert parts == pytest.approx(score.value, abs=1e-14)


@given(judged)
def test_it_is_scikit_learn_s_figure(pairs):
    outcomes, forecasts = np.array(pairs).T
    expected = brier_score_loss(outcomes, forecasts / 1000, pos_label=1, labels=[0, 1])

    assert brier(outcomes, forecasts, level="judgment").value == pytest.approx(expected, abs=1e-14)


def test_per_mille_and_per_cent_give_the_same_score():
    assert brier([1, 0, 1], [30, 70, 100], level="judgment", per=100) == brier(
        [1, 0, 1], [300, 700, 1000], level="judgment"
    )


def test_always_naming_the_share_of_human_poems_has_no_skill():
    score = brier([1, 0, 0, 0], [250] * 4, level="judgment")

    assert (score.skill, score.resolution, score.reliability) == (0, 0, 0)


def test_whoever_is_certain_and_right_has_all_the_skill():
    score = brier([1, 0, 1], [1000, 0, 1000], level="judgment")

    assert (score.value, score.reliability, score.skill) == (0, 0, 1)
    assert score.resolution == pytest.approx(score.uncertainty)


def test_poems_of_one_kind_have_a_score_and_no_skill_and_say_why():
    score = brier([1, 1], [600, 800], level="judgment")

    assert score.value == pytest.approx(0.1)
    assert math.isnan(score.skill)
    assert score.reason == "all poems are of one kind: skill is not defined"


@pytest.mark.parametrize("forecasts", [[], [math.nan, math.nan]])
def test_without_a_forecast_it_is_undefined_and_says_why(forecasts):
    score = brier([1] * len(forecasts), forecasts, level="judgment")

    assert not score.defined
    assert score.reason == "nothing was forecast"
    assert score.counts["n_dropped"] == len(forecasts)


def test_its_interval_by_titles_and_judges_is_that_worked_out_by_hand():
    # Squared errors .04, .16, .09, .25, less their mean .135: -.095, .025, -.045, .115. By title
    # -.07 and .07: V = 2 * .0098 / 16 = .001225. By judge -.14 and .14: V = 2 * .0392 / 16 =
    # .0049. By cell V = 4 / 3 * .0249 / 16 = .002075. .001225 + .0049 - .002075 is less than .0049
    # by judge alone, which is used: SE = .07. qt(.75, 1) = 1.
    score = brier(
        [0, 0, 0, 0],
        [200, 400, 300, 500],
        level="judgment",
        titles=["a", "a", "b", "b"],
        judges=["x", "y", "x", "y"],
        confidence=0.5,
    )

    assert score.value == pytest.approx(0.135)
    assert (score.low, score.high) == pytest.approx((0.065, 0.205))
    assert (score.counts["n_titles"], score.counts["n_judges"]) == (2, 2)
    assert "by titles and judges" in score.method


def test_a_forecast_that_was_not_named_takes_its_title_with_it():
    score = brier([1, 0, 1], [600, 400, math.nan], level="judgment", titles=["a", "b", "c"])

    assert (score.counts["n_titles"], score.counts["n_dropped"]) == (2, 1)


def test_one_title_has_a_score_and_no_interval():
    score = brier([1, 0], [600, 300], level="judgment", titles=["a", "a"])

    assert score.defined
    assert math.isnan(score.low)
    assert score.reason.startswith("only one title was judged")


@pytest.mark.parametrize(
    ("outcomes", "forecasts", "message"),
    [
        ([1, 0], [500], "one outcome"),
        ([2], [500], "a human wrote it"),
        ([math.nan], [500], "a human wrote it"),
        ([1], [1001], "from 0 to 1000"),
        ([1], [-1], "from 0 to 1000"),
        ([1], [0.5], "whole numbers"),
    ],
)
def test_what_is_no_forecast_of_two_outcomes_is_refused(outcomes, forecasts, message):
    with pytest.raises(ValueError, match=message):
        brier(outcomes, forecasts, level="judgment")


def test_judges_without_titles_are_refused():
    with pytest.raises(ValueError, match="needs titles"):
        brier([1, 0], [600, 300], level="judgment", judges=["x", "y"])


def test_titles_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="each forecast needs one title"):
        brier([1, 0], [600, 300], level="judgment", titles=["a"])


def test_the_method_names_the_scale_of_the_bounds() -> None:
    found = brier([1, 0], [700, 300], level="judgment", titles=[1, 2])
    assert found.method.endswith("on the logit scale above 0.9 and below 0.1")
