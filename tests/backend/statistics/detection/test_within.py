"""The area inside each judge, against R and against every pair."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.detection import auc, within_judge_auc
from tests.backend.statistics.detection.panel import (
    HUMAN,
    JUDGES,
    MACHINE,
    NO_HUMAN,
    NO_MACHINE,
    TITLES,
)

ALL = np.arange(30)


def within(human, machine, of_human=ALL, of_machine=ALL, **settings):
    return within_judge_auc(
        human[of_human],
        machine[of_machine],
        TITLES[of_human],
        TITLES[of_machine],
        JUDGES[of_human],
        JUDGES[of_machine],
        **settings,
    )


# R 4.2.2: W = outer(human, machine) wins, S = same judge; A = sum(W * S) / sum(S); psi = row and
# column sums of (W - A) * S / sum(S); V by title with sandwich 3.0-2 (vcovCL, HC0, cadjust), by
# cell likewise, by judge J / (J - 1) * sum(D^2) with D the sum of (W - A) * S of each judge over
# sum(S); A -+ qt(.975, J - 1) * sqrt(V).


def test_the_area_inside_judges_and_its_interval_are_r_s():
    area = within(HUMAN, MACHINE)

    assert area.value == pytest.approx(0.758333333333333)
    assert (area.low, area.high) == pytest.approx((0.533945103937713, 0.982721562728953))
    assert area.counts == {
        "n_pairs": 180,
        "n_human": 30,
        "n_machine": 30,
        "n_judges": 5,
        "n_one_kind": 0,
        "n_dropped": 0,
        "n_titles": 6,
    }
    assert "pooled by number of pairs" in area.method


def test_an_unbalanced_panel_has_r_s_area_and_interval():
    area = within(HUMAN, MACHINE, np.delete(ALL, NO_HUMAN), np.delete(ALL, NO_MACHINE))

    assert area.value == pytest.approx(0.764285714285714)
    assert (area.low, area.high) == pytest.approx((0.547643877925861, 0.980927550645567))
    assert area.counts["n_pairs"] == 140


def test_judges_on_different_parts_of_the_scale_are_not_compared_with_each_other():
    # A stern judge with 300 over 200, a mild one with 900 over 800: each right in their only pair.
    area = within_judge_auc(
        [300, 900], [200, 800], [1, 2], [2, 1], ["stern", "mild"], ["stern", "mild"]
    )

    assert area.value == 1
    assert auc([300, 900], [200, 800], level="judgment").value == 0.75


def test_judges_weigh_by_their_pairs():
    # The first judge wins 1 of 1, the second 2 of 4 pairs: 3 of 5, not the mean of 1 and 1/2.
    area = within_judge_auc(
        [9, 5, 5], [1, 3, 7], [1, 2, 3], [1, 2, 3], ["a", "b", "b"], ["a", "b", "b"]
    )

    assert area.value == 0.6


def test_shifting_all_scores_of_a_judge_changes_nothing():
    shifts = np.array([0, 5000, -300, 40, 999])[JUDGES]
    moved, still = within(HUMAN + shifts, MACHINE + shifts), within(HUMAN, MACHINE)

    assert (moved.value, moved.low, moved.high) == (still.value, still.low, still.high)


def test_a_judge_of_one_kind_is_counted_out():
    first_two = np.flatnonzero(JUDGES < 2)
    area = within(HUMAN, MACHINE, ALL, first_two)

    assert area.counts["n_one_kind"] == 3
    assert area.counts["n_judges"] == 2
    assert (area.counts["n_human"], area.n) == (12, 24)
    assert area.value == within(HUMAN, MACHINE, first_two, first_two).value


def test_a_score_not_given_is_a_score_not_there():
    human = HUMAN.astype(float)
    human[NO_HUMAN] = math.nan
    area = within(human, MACHINE, ALL, np.delete(ALL, NO_MACHINE))

    assert area.low == pytest.approx(0.547643877925861)
    assert area.counts["n_dropped"] == 4


def test_one_judge_has_the_pooled_area_and_no_interval():
    only = np.flatnonzero(JUDGES == 0)
    area = within(HUMAN, MACHINE, only, only)

    assert area.value == auc(HUMAN[only], MACHINE[only], level="judgment").value
    assert area.reason.startswith("only one judge took part")
    assert not area.has_interval


@pytest.mark.parametrize(
    ("human", "machine", "reason"),
    [
        ([], [1], "no human poem was judged"),
        ([1], [math.nan], "no machine poem was judged"),
        ([1], [1], "no judge scored both human and machine poems"),
    ],
)
def test_without_a_pair_inside_a_judge_the_area_is_undefined(human, machine, reason):
    area = within_judge_auc(human, machine, human, machine, ["a"][: len(human)], ["b"])

    assert not area.defined
    assert area.reason == reason


def test_perfect_separation_leaves_no_interval():
    area = within(HUMAN + 1000, MACHINE)

    assert area.value == 1
    assert area.reason.endswith("nothing varies")


def test_above_nine_tenths_the_interval_stays_below_one():
    area = within(HUMAN + 250, MACHINE)

    assert 0.9 < area.value < area.high < 1


def test_judges_must_be_named_for_every_score():
    with pytest.raises(ValueError, match="one judge"):
        within_judge_auc([1, 2], [1], [1, 2], [1], ["a"], ["a"])


scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=15)


@given(scores, scores)
def test_it_is_the_share_of_pairs_won_inside_judges(human, machine):
    pairs = [
        (h > k) + (h == k) / 2
        for (h, one), (k, other) in itertools.product(human, machine)
        if one == other
    ]
    area = within_judge_auc(
        [h for h, _ in human],
        [k for k, _ in machine],
        range(len(human)),
        range(len(machine)),
        [judge for _, judge in human],
        [judge for _, judge in machine],
    )

    if pairs:
        assert area.value == pytest.approx(sum(pairs) / len(pairs), abs=1e-15)
        assert area.counts["n_pairs"] == len(pairs)
    else:
        assert not area.defined


def test_without_judges_it_says_that_none_were_given() -> None:
    with pytest.raises(ValueError, match="no judges were given"):
        within_judge_auc([5, 3], [1, 4], [1, 2], [1, 2], None, None)
