"""The area under the ROC curve and its interval, against R, published examples and brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from backend.statistics.detection import auc, auc_interval
from tests.backend.statistics.detection.panel import HUMAN, JUDGES, MACHINE, TITLES

# pROC::aSAH (Turck et al. 2010): S100b in blood after a haemorrhage, by outcome.
S100B_GOOD = [
    *(0.13, 0.14, 0.1, 0.04, 0.47, 0.18, 0.1, 0.1, 0.04, 0.08, 0.04, 0.09, 0.11, 0.07, 0.17),
    *(0.07, 0.11, 0.13, 0.19, 0.05, 0.16, 0.14, 0.34, 0.09, 0.5, 0.46, 0.16, 0.07, 0.43, 0.45),
    *(0.11, 0.08, 0.09, 0.08, 0.06, 0.13, 0.1, 0.14, 0.15, 0.06, 0.05, 0.09, 0.04, 0.09, 0.08),
    *(0.16, 0.09, 0.08, 0.33, 0.11, 0.28, 0.07, 0.1, 0.32, 0.07, 0.05, 0.24, 0.38, 0.1, 0.15),
    *(0.08, 0.14, 0.1, 0.07, 0.04, 0.19, 0.15, 0.47, 0.17, 0.15, 0.5, 0.48),
]
S100B_POOR = [
    *(0.13, 0.1, 0.16, 0.12, 0.44, 0.71, 0.49, 0.07, 0.33, 0.09, 0.07, 0.41, 0.35, 0.48, 0.96),
    *(0.25, 0.86, 0.52, 2.07, 0.07, 0.77, 0.3, 0.03, 0.09, 0.23, 0.7, 0.27, 0.71, 0.08, 0.26),
    *(0.13, 0.1, 0.11, 0.22, 0.56, 0.14, 0.58, 0.32, 0.82, 0.74, 0.44),
]

per_mille = st.lists(st.integers(0, 20).map(lambda twentieth: 50 * twentieth), max_size=25)


def graded(*counts):
    return np.repeat(np.arange(1, len(counts) + 1), counts)


def test_hanley_and_mcneil_s_readings_of_scans_have_their_area():
    # Hanley & McNeil (1982), table I, print .893; pROC 1.18.0, auc(): 0.893171061528059.
    area = auc(graded(3, 2, 2, 11, 33), graded(33, 6, 6, 11, 2), level="scan")

    assert area.value == pytest.approx(0.893171061528059, rel=1e-14)
    assert area.n == 109
    assert area.counts == {"n_human": 51, "n_machine": 58, "n_dropped": 0}


def test_the_area_of_a_laboratory_value_is_proc_s():
    # pROC 1.18.0: auc(roc(outcome, s100b, levels = c("Good", "Poor"), direction = "<")).
    area = auc(S100B_POOR, S100B_GOOD, level="patient")

    assert area.value == pytest.approx(0.731368563685637, rel=1e-14)


def test_the_area_of_a_grade_with_many_ties_is_proc_s():
    # pROC 1.18.0: the same call on aSAH$wfns, here as counts by grade.
    area = auc(graded(2, 12, 1, 8, 18), graded(37, 20, 3, 8, 4), level="patient")

    assert area.value == pytest.approx(0.823678861788618, rel=1e-14)


def test_a_tie_is_half_a_win():
    # Pairs by hand: 700 beats 500, ties 700; 500 ties 500, loses to 700: (1 + .5 + .5 + 0) / 4.
    assert auc([700, 500], [500, 700], level="judgment").value == 0.5
    assert auc([700, 500], [500], level="judgment").value == 0.75


def test_an_area_below_one_half_is_left_there():
    assert auc([100, 200], [800, 900], level="judgment").value == 0


def test_float_noise_does_not_break_ties():
    assert 0.1 + 0.2 != 0.3
    assert auc([0.1 + 0.2], [0.3], level="poem mean").value == 0.5


def test_a_poem_that_was_not_judged_is_left_out_and_counted():
    area = auc([0.7, math.nan], [math.nan, 0.5, math.nan], level="poem mean")

    assert (area.value, area.n, area.counts["n_dropped"]) == (1, 2, 3)


@pytest.mark.parametrize(
    ("human", "machine", "reason"),
    [
        ([], [1], "no human poem was judged"),
        ([1], [math.nan], "no machine poem was judged"),
        ([], [], "no poem was judged"),
    ],
)
def test_with_one_kind_of_poem_missing_the_area_is_undefined_and_says_why(human, machine, reason):
    area = auc(human, machine, level="judgment")

    assert not area.defined
    assert area.reason == reason
    assert auc_interval(human, machine, human, machine, level="judgment").reason == reason


def test_a_table_of_scores_is_refused():
    with pytest.raises(ValueError, match="one row"):
        auc([[1, 2]], [1], level="judgment")


@given(per_mille, per_mille)
def test_the_area_is_the_share_of_pairs_won(human, machine):
    area = auc(human, machine, level="judgment")

    if human and machine:
        won = sum((h > k) + (h == k) / 2 for h, k in itertools.product(human, machine))
        assert area.value == won / (len(human) * len(machine))
    else:
        assert not area.defined


@given(per_mille.filter(len), per_mille.filter(len))
def test_it_is_scikit_learns_figure(human: list[int], machine: list[int]) -> None:
    labels = [1] * len(human) + [0] * len(machine)
    expected = roc_auc_score(labels, human + machine)
    assert auc(human, machine, level="judgment").value == pytest.approx(expected, abs=1e-12)


@given(per_mille.filter(len), per_mille.filter(len))
def test_exchanging_human_and_machine_mirrors_the_area(human, machine):
    one, other = auc(human, machine, level="judgment"), auc(machine, human, level="judgment")

    assert one.value == pytest.approx(1 - other.value, abs=1e-15)


@given(per_mille, per_mille)
def test_per_mille_and_probabilities_give_the_same_area(human, machine):
    whole = auc(human, machine, level="judgment")
    parts = auc(np.divide(human, 1000), np.divide(machine, 1000), level="judgment")

    assert repr(whole.value) == repr(parts.value)


def interval(human, machine, judged_human=slice(None), judged_machine=slice(None), **settings):
    return auc_interval(
        human[judged_human],
        machine[judged_machine],
        TITLES[judged_human],
        TITLES[judged_machine],
        JUDGES[judged_human],
        JUDGES[judged_machine],
        level="judgment",
        **settings,
    )


# The bounds below are R 4.2.2 with sandwich 3.0-2: y = N * psi, m = lm(y ~ 1),
# V = vcovCL(m, cluster = data.frame(title, judge), type = "HC0", cadjust = TRUE), likewise by
# title and by judge alone; the largest of the three; AUC -+ qt(.975, J - 1) * sqrt(V).


def test_the_interval_by_titles_and_judges_is_r_s():
    # V = .00533420178799, by title .00273777777778, by judge .00595555555556.
    area = interval(HUMAN, MACHINE)

    assert area.value == pytest.approx(0.743333333333333)
    assert (area.low, area.high) == pytest.approx((0.529068828617867, 0.957597838048799))
    assert area.counts == {
        "n_human": 30,
        "n_machine": 30,
        "n_dropped": 0,
        "n_titles": 6,
        "n_judges": 5,
    }
    assert area.reason == ""
    assert area.notes == ()
    assert "95 % interval by titles and judges" in area.method


def test_an_unbalanced_panel_has_r_s_interval_and_none_above_one():
    # V = .00676117434749, by judge .00794675602656; R's upper bound is 1.00178, cut to 1.
    unjudged_human, unjudged_machine = [2, 8, 16, 25], [4, 13, 21]

    area = interval(
        HUMAN,
        MACHINE,
        np.delete(np.arange(30), unjudged_human),
        np.delete(np.arange(30), unjudged_machine),
    )

    assert area.value == pytest.approx(0.754273504273504)
    assert (area.low, area.high) == pytest.approx((0.506768473296693, 1.0))


def test_a_score_not_given_is_a_score_not_there():
    human = HUMAN.astype(float)
    human[[2, 8, 16, 25]] = math.nan
    machine = MACHINE.astype(float)
    machine[[4, 13, 21]] = math.nan

    area = interval(human, machine)

    assert area.low == pytest.approx(0.506768473296693)
    assert area.counts["n_dropped"] == 7


def test_above_nine_tenths_the_interval_is_taken_on_the_logit_scale():
    # V by judge .000427932098765; plogis(qlogis(A) -+ t * se / (A * (1 - A))).
    area = interval(HUMAN + 250, MACHINE)

    assert area.value == pytest.approx(0.958888888888889)
    assert (area.low, area.high) == pytest.approx((0.844556865951667, 0.990111660136642))


def test_below_one_tenth_the_interval_is_the_mirror_image():
    area = interval(MACHINE, HUMAN + 250)

    assert (area.low, area.high) == pytest.approx((1 - 0.990111660136642, 1 - 0.844556865951667))


def test_means_of_poems_are_clustered_by_title_alone_and_say_so():
    # Row means of the two tables; vcovCL by title, qt(.975, 5), logit scale.
    human, machine = (scores.reshape(6, 5).mean(axis=1) for scores in (HUMAN, MACHINE))

    area = auc_interval(human, machine, range(6), range(6), level="poem mean")

    assert area.value == pytest.approx(0.902777777777778)
    assert (area.low, area.high) == pytest.approx((0.542484432498132, 0.986435017078473))
    assert "by titles only" in area.method
    assert "n_judges" not in area.counts


def test_more_confidence_is_a_wider_interval():
    ninety, ninety_nine = (interval(HUMAN, MACHINE, confidence=c) for c in (0.9, 0.99))

    assert ninety_nine.low < ninety.low < ninety.high < ninety_nine.high
    assert "99 % interval" in ninety_nine.method


def test_one_judge_has_an_area_and_no_interval():
    only = JUDGES == 0
    area = interval(HUMAN, MACHINE, only, only)

    assert area.defined
    assert not area.has_interval
    assert area.reason.startswith("only one judge took part")


def test_one_title_has_an_area_and_no_interval():
    only = TITLES == 0
    area = interval(HUMAN, MACHINE, only, only)

    assert area.defined
    assert not area.has_interval
    assert area.reason.startswith("only one title was judged")


def test_three_judges_have_an_interval_with_a_caution():
    few = JUDGES < 3
    area = interval(HUMAN, MACHINE, few, few)

    assert area.has_interval
    assert area.notes == ("only 3 judges: the interval is a rough guide",)


@pytest.mark.parametrize("shift", [1000, -1000])
def test_perfect_separation_leaves_no_interval(shift):
    area = interval(HUMAN + shift, MACHINE)

    assert area.value == (shift > 0)
    assert not area.has_interval
    assert area.reason == (
        "every human poem is on the same side of every machine poem: nothing varies"
    )


def test_one_score_for_every_poem_leaves_no_interval():
    area = interval(np.full(30, 500), np.full(30, 500))

    assert area.value == 0.5
    assert area.reason == "the scores leave no variation between titles or judges"


def test_the_names_of_titles_and_judges_do_not_matter():
    named = auc_interval(
        HUMAN,
        MACHINE,
        [f"title {title}" for title in TITLES],
        [f"title {title}" for title in TITLES],
        [f"judge {9 - judge}" for judge in JUDGES],
        [f"judge {9 - judge}" for judge in JUDGES],
        level="judgment",
    )
    numbered = interval(HUMAN, MACHINE)

    assert (named.low, named.high) == pytest.approx((numbered.low, numbered.high))


def test_judges_of_one_side_only_are_refused():
    with pytest.raises(ValueError, match="both sides or for neither"):
        auc_interval([1], [2], [1], [1], [1], level="judgment")


def test_a_title_missing_for_a_score_is_refused():
    with pytest.raises(ValueError, match="each score needs one title"):
        auc_interval([1, 2], [2], [1], [1], level="judgment")


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_no_probability_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence"):
        interval(HUMAN, MACHINE, confidence=confidence)


def test_the_method_names_the_scale_of_the_bounds() -> None:
    found = auc_interval([5, 3], [1, 4], [1, 2], [1, 2], level="judgment")
    assert found.method.endswith("on the logit scale above 0.9 and below 0.1")
