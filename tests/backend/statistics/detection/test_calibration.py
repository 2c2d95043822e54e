"""Calibration by bins, by hand and against scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from backend.statistics.detection import ece

# Off the edges of ten bins, where floats cannot tell the sides apart.
between = st.lists(
    st.tuples(st.integers(0, 1), st.integers(1, 999).filter(lambda part: part % 100)),
    min_size=1,
    max_size=60,
)


def test_a_forecast_on_an_edge_belongs_to_the_bin_below():
    # As floats, linspace(0, 1, 11)[3] is above 0.3 and [6] is above 0.6.
    found = ece([1, 0, 0, 1, 0, 1], [300, 300, 250, 301, 0, 1000])

    assert [(one.low, one.high, one.n) for one in found.bins] == [
        (0, 0.1, 1),
        (0.2, 0.3, 3),
        (0.3, 0.4, 1),
        (0.9, 1, 1),
    ]


@pytest.mark.parametrize("edge", range(1, 11))
def test_every_tenth_is_in_its_own_bin(edge):
    (held,) = ece([1], [100 * edge]).bins

    assert held.high == edge / 10


def test_the_errors_are_those_worked_out_by_hand():
    # Bins: .28333 against 1/3, .301 against 1: (3 * .05 + .699) / 4 = .21225 and .699.
    found = ece([1, 0, 0, 1], [300, 300, 250, 301])

    assert found.ece == pytest.approx(0.21225, abs=1e-15)
    assert found.mce == pytest.approx(0.699, abs=1e-15)
    assert found.n == 4
    assert found.reason == ""


def test_a_share_has_wilson_s_interval():
    # R: prop.test(8, 10, correct = FALSE)$conf.int.
    (held,) = ece([1] * 8 + [0] * 2, [700] * 10).bins

    assert (held.mean_probability, held.share) == (0.7, 0.8)
    assert (held.share_low, held.share_high) == pytest.approx(
        (0.490162471536642, 0.943317848545625)
    )


def test_bins_of_equal_mass_keep_equal_forecasts_together():
    # Middle ranks (from 0) 1, 3, 4, 5 of 6 in three bins: 0, 1, 2, 2.
    found = ece([1, 0, 0, 1, 0, 1], [100, 100, 100, 200, 300, 400], bins=3, mass="equal")

    assert [(one.low, one.high, one.n) for one in found.bins] == [
        (0.1, 0.1, 3),
        (0.2, 0.2, 1),
        (0.3, 0.4, 2),
    ]
    assert "equal mass" in found.method


def test_one_forecast_for_all_is_one_bin():
    for mass in ("width", "equal"):
        found = ece([1, 0, 0, 0], [500] * 4, mass=mass)

        assert len(found.bins) == 1
        assert found.ece == found.mce == 0.25


def test_poems_of_one_kind_can_be_calibrated():
    assert ece([1, 1], [1000, 1000]).ece == 0


@given(between)
def test_the_bins_are_scikit_learn_s(pairs):
    outcomes, forecasts = np.array(pairs).T
    shares, means = calibration_curve(outcomes, forecasts / 1000, n_bins=10)
    found = ece(outcomes, forecasts)

    assert [one.share for one in found.bins] == pytest.approx(list(shares))
    assert [one.mean_probability for one in found.bins] == pytest.approx(list(means))


@given(between, st.integers(1, 20), st.sampled_from(["width", "equal"]))
def test_every_forecast_is_in_one_bin_and_the_largest_error_is_no_less_than_the_mean(
    pairs, bins, mass
):
    outcomes, forecasts = zip(*pairs, strict=True)
    found = ece(outcomes, forecasts, bins=bins, mass=mass)

    assert sum(one.n for one in found.bins) == len(pairs)
    assert len(found.bins) <= bins
    assert 0 <= found.ece <= found.mce + 1e-15 <= 1 + 1e-15
    assert all(one.low <= one.mean_probability <= one.high for one in found.bins)


def test_without_a_forecast_it_is_undefined_and_says_why():
    found = ece([1], [math.nan])

    assert not found.defined
    assert math.isnan(found.mce)
    assert (found.bins, found.reason) == ((), "nothing was forecast")


@pytest.mark.parametrize("settings", [{"bins": 0}, {"mass": "heavy"}])
def test_bins_that_do_not_exist_are_refused(settings):
    with pytest.raises(ValueError, match="no such bins"):
        ece([1], [500], **settings)
