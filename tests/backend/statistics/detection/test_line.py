"""The calibration line, against R's glm."""

import math

import pytest

from backend.statistics.detection import calibration_line

OUTCOMES = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
FORECASTS = [
    *(800, 300, 650, 500, 550, 200, 1000, 400, 700, 600),
    *(350, 900, 0, 450, 750, 500, 600, 250, 700, 400),
]
TITLES = [title for title in range(5) for _ in range(4)]
JUDGES = [0, 1, 2, 3] * 5


# R 4.2.2: q <- pmin(pmax(p, .0005), .9995); glm(o ~ qlogis(q), family = binomial, control =
# list(epsilon = 1e-14)); coef(summary()); estimate -+ qnorm(.975) * SE.


def test_the_line_its_errors_and_intervals_are_those_of_glm():
    line = calibration_line(OUTCOMES, FORECASTS)

    assert line.intercept == pytest.approx(-0.22256149423589, rel=1e-10)
    assert line.slope == pytest.approx(1.49155962219933, rel=1e-10)
    assert line.intercept_error == pytest.approx(0.556884346578349, rel=1e-7)
    assert line.slope_error == pytest.approx(0.796273194538095, rel=1e-7)
    assert (line.intercept_low, line.intercept_high) == pytest.approx(
        (-1.31403475708357, 0.868911768611795), rel=1e-7
    )
    assert (line.slope_low, line.slope_high) == pytest.approx(
        (-0.069107160949996, 3.05222640534865), rel=1e-7
    )
    assert line.n == 20


def test_certain_forecasts_are_moved_and_counted():
    line = calibration_line(OUTCOMES, FORECASTS)

    assert line.counts["n_moved"] == 2
    assert line.notes == ("2 forecasts of 0 or 1 were moved inwards by half of 1/1000",)


def test_kinds_that_hardly_overlap_have_glm_s_steep_line():
    forecasts = [10, 20, 50, 100, 120, 200, 490, 510, 800, 850, 900, 950, 990, 1000]
    line = calibration_line([0] * 6 + [1, 0] + [1] * 6, forecasts)

    assert line.slope == pytest.approx(3.26204523261072, rel=1e-6)
    assert line.intercept == pytest.approx(0.00374870192056343, abs=1e-6)


def test_errors_by_titles_and_by_judges_are_those_of_sandwich():
    # sandwich 3.0-2, vcovCL(type = "HC0", cadjust = TRUE): by title .532496218687235 and
    # .708564955431866; by judge .6171626869134 and .718232222611055; both ways .568402475821716
    # and .757771136569501. Used is the largest of the three for each.
    titles = calibration_line(OUTCOMES, FORECASTS, titles=TITLES)
    both = calibration_line(OUTCOMES, FORECASTS, titles=TITLES, judges=JUDGES)

    assert (titles.intercept_error, titles.slope_error) == pytest.approx(
        (0.532496218687235, 0.708564955431866), rel=1e-7
    )
    assert (both.intercept_error, both.slope_error) == pytest.approx(
        (0.6171626869134, 0.757771136569501), rel=1e-7
    )
    # qt(.975, 3) = 3.18244630528371.
    assert both.slope_high == pytest.approx(
        1.49155962219933 + 3.18244630528371 * 0.757771136569501, rel=1e-7
    )
    assert (both.counts["n_titles"], both.counts["n_judges"]) == (5, 4)
    assert "only 4 judges: the interval is a rough guide" in both.notes
    assert "by titles and judges" in both.method


def test_naming_the_other_kind_turns_the_intercept_round_and_keeps_the_slope():
    line = calibration_line(OUTCOMES, FORECASTS)
    mirror = calibration_line([1 - one for one in OUTCOMES], [1000 - one for one in FORECASTS])

    assert (mirror.slope, mirror.intercept) == pytest.approx((line.slope, -line.intercept))


def test_forecasts_that_come_true_as_often_as_they_say_are_on_the_diagonal():
    # By hand: of ten at .2 two came true, of ten at .6 six; a line through two points.
    outcomes = [1] * 2 + [0] * 8 + [1] * 6 + [0] * 4
    line = calibration_line(outcomes, [200] * 10 + [600] * 10)

    assert (line.intercept, line.slope) == pytest.approx((0, 1), abs=1e-9)
    assert line.notes == ()


@pytest.mark.parametrize(
    ("outcomes", "forecasts", "reason"),
    [
        ([], [], "nothing was forecast"),
        ([1, 0], [math.nan, math.nan], "nothing was forecast"),
        ([1, 1], [300, 400], "all poems are of one kind"),
        ([0, 0], [0, 1000], "all poems are of one kind"),
        ([1, 0, 1], [500, 500, 500], "all forecasts are the same"),
        ([1, 1, 0, 0], [900, 700, 300, 100], "one value separates"),
        ([0, 0, 1, 1], [900, 700, 300, 100], "one value separates"),
        # Touching at one value is no overlap: the likelihood still rises for ever.
        ([1, 1, 0, 0], [900, 500, 500, 100], "one value separates"),
        ([1, 0], [1000, 0], "one value separates"),
    ],
)
def test_without_a_finite_line_it_is_undefined_and_says_why(outcomes, forecasts, reason):
    line = calibration_line(outcomes, forecasts)

    assert not line.defined
    assert math.isnan(line.slope_low)
    assert line.reason.startswith(reason)


def test_one_judge_has_a_line_and_no_interval():
    line = calibration_line(OUTCOMES, FORECASTS, titles=TITLES, judges=[0] * 20)

    assert line.slope == pytest.approx(1.49155962219933)
    assert math.isnan(line.slope_low)
    assert line.reason.startswith("only one judge took part")


def test_judges_without_titles_are_refused():
    with pytest.raises(ValueError, match="needs titles"):
        calibration_line(OUTCOMES, FORECASTS, judges=JUDGES)
