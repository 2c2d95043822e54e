"""DeLong's interval of the area, against pROC."""

import math

import pytest

from backend.statistics.detection import auc, delong_interval

HUMAN = [700, 800, 650, 900, 550, 600, 750, 300, 800, 500, 900, 850]
MACHINE = [500, 600, 650, 400, 450, 700, 550, 300, 500, 350, 600, 450, 800, 650]


# pROC 1.18.0 under R 4.2.2: ci.auc(roc(kind, score, levels = c(0, 1), direction = "<")).


@pytest.mark.parametrize(
    ("confidence", "low", "high"),
    [
        (0.95, 0.56907116808899, 0.960690736672915),
        (0.9, 0.600552201227496, 0.929209703534409),
    ],
)
def test_the_interval_of_scores_with_ties_is_proc_s(confidence, low, high):
    area = delong_interval(HUMAN, MACHINE, level="judgment", confidence=confidence)

    assert area.value == pytest.approx(0.764880952380952, rel=1e-12)
    assert (area.low, area.high) == pytest.approx((low, high), rel=1e-12)


def test_an_interval_that_would_pass_one_is_cut_there_as_in_proc():
    area = delong_interval([900, 950, 800, 700], [100, 200, 750, 300], level="judgment")

    assert (area.low, area.value, area.high) == pytest.approx((0.76426202195629, 0.9375, 1))


def test_two_panels_apart_have_proc_s_unpaired_test():
    # roc.test(paired = FALSE, method = "delong") of two models, each with its own human scores.
    one = delong_interval(
        [700, 800, 650, 900, 550, 600, 750, 400, 800, 500, 300, 850],
        [500, 600, 650, 400, 450, 700, 550, 300, 500, 350, 600, 450],
        level="judgment",
    )
    other = delong_interval(
        [900, 400, 650, 500, 300, 850, 700, 550],
        [600, 350, 450, 800, 650, 200, 500, 300, 400],
        level="judgment",
    )

    half = math.hypot(one.high - one.value, other.high - other.value)
    assert 1.959963984540054 * (one.value - other.value) / half == pytest.approx(
        0.3029012915048, rel=1e-10
    )


def test_it_is_the_area_and_says_whom_it_leaves_out():
    area = delong_interval([*HUMAN, math.nan], MACHINE, level="judgment")

    assert area.value == auc(HUMAN, MACHINE, level="judgment").value
    assert (area.n, area.counts["n_dropped"]) == (26, 1)
    assert "independent scores only" in area.method


@pytest.mark.parametrize(
    ("human", "machine", "reason"),
    [
        ([], [1, 2], "no human poem was judged"),
        ([1], [1, 2], "only one human poem was judged: nothing can vary"),
        ([1, 2], [1], "only one machine poem was judged: nothing can vary"),
        ([5, 5], [5, 5], "the scores leave no variation between titles or judges"),
        (
            [8, 9],
            [1, 2],
            "every human poem is on the same side of every machine poem: nothing varies",
        ),
    ],
)
def test_where_nothing_can_vary_there_is_no_interval_and_a_reason(human, machine, reason):
    area = delong_interval(human, machine, level="judgment")

    assert not area.has_interval
    assert area.reason == reason


def test_a_confidence_that_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        delong_interval(HUMAN, MACHINE, level="judgment", confidence=95)
