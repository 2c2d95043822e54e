"""Sensitivity and criterion, against R's normal quantiles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.detection import dprime, dprime_from_scores

# R 4.2.2: H <- (hy + .5) / (nh + 1), F likewise; d = qnorm(H) - qnorm(F); c = -(qnorm(H) +
# qnorm(F)) / 2; v = H * (1 - H) / ((nh + 1) * dnorm(qnorm(H))^2) + the same of F; d -+ qnorm(.975)
# * sqrt(v).


@pytest.mark.parametrize(
    ("answers", "d", "c", "low", "high"),
    [
        (
            (18, 25, 8, 25),
            1.00631024614553,
            -0.054729639766832,
            0.292250316391521,
            1.72037017589955,
        ),
        ((20, 20, 0, 10), 3.67137402623218, -0.14506538353119, 1.93632537020107, 5.40642268226328),
        (
            (8.5, 10, 3, 12),
            1.52359897313336,
            -0.146658381970706,
            0.392951326161654,
            2.65424662010506,
        ),
    ],
)
def test_sensitivity_and_criterion_are_r_s(answers, d, c, low, high):
    found = dprime(*answers, level="judgment")

    assert (found.dprime, found.criterion) == pytest.approx((d, c), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)
    assert found.n == answers[1] + answers[3]


def test_whoever_always_says_human_has_no_skill_and_a_leaning_to_say_so():
    found = dprime(15, 15, 15, 15, level="judgment")

    assert found.dprime == 0
    assert found.criterion < 0
    assert (found.hit_rate, found.false_alarm_rate) == (1, 1)
    assert len(found.notes) == 2
    assert found.notes[0].startswith("every human poem was called human")


def test_perfect_answers_are_finite_and_say_why():
    found = dprime(10, 10, 0, 10, level="judgment")

    # By hand: H = 10.5 / 11, F = 0.5 / 11; twice qnorm(10.5 / 11) = 2 * 1.690621635.
    assert found.dprime == pytest.approx(3.38124327, abs=1e-7)
    assert found.criterion == pytest.approx(0, abs=1e-12)
    assert found.notes[1].startswith("no machine poem was called human")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ((0, 0, 3, 5), "no human poem was judged"),
        ((3, 5, 0, 0), "no machine poem was judged"),
        ((0, 0, 0, 0), "no poem was judged"),
    ],
)
def test_with_one_kind_missing_it_is_undefined_and_says_why(answers, reason):
    found = dprime(*answers, level="judgment")

    assert not found.defined
    assert math.isnan(found.criterion)
    assert math.isnan(found.low)
    assert found.reason == reason


@pytest.mark.parametrize("answers", [(6, 5, 1, 5), (1, 5, -1, 5)])
def test_more_answers_than_poems_are_refused(answers):
    with pytest.raises(ValueError, match="is no share"):
        dprime(*answers, level="judgment")


def test_a_confidence_that_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        dprime(1, 2, 1, 2, level="judgment", confidence=1)


def test_a_score_above_the_middle_says_human_and_one_at_it_half():
    found = dprime_from_scores([800, 500, 501, 499, math.nan], [500, 500, 100], 500)

    expected = dprime(2.5, 4, 1, 3, level="judgment")
    assert (found.dprime, found.criterion) == (expected.dprime, expected.criterion)
    assert found.counts == {"n_human": 4, "n_machine": 3, "n_at_threshold": 3, "n_dropped": 1}
    assert "exactly at it half" in found.method


def test_float_noise_does_not_move_a_score_off_the_middle():
    assert 0.1 + 0.2 != 0.3
    found = dprime_from_scores([0.1 + 0.2], [0.3], 0.3)

    assert found.counts["n_at_threshold"] == 2
    assert found.dprime == 0


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_calling_everything_the_opposite_turns_both_round(n_human, n_machine, data):
    hits = data.draw(st.integers(0, n_human))
    alarms = data.draw(st.integers(0, n_machine))
    one = dprime(hits, n_human, alarms, n_machine, level="judgment")
    other = dprime(n_human - hits, n_human, n_machine - alarms, n_machine, level="judgment")

    assert other.dprime == pytest.approx(-one.dprime, abs=1e-12)
    assert other.criterion == pytest.approx(-one.criterion, abs=1e-12)


def test_whole_numbers_of_any_type_come_out_as_ints() -> None:
    found = dprime(np.int64(2), np.int64(5), np.int64(0), np.int64(5), level="judgment")
    assert {type(n) for n in (found.n, *found.counts.values())} == {int}
    with pytest.raises(ValueError, match="no share"):
        dprime(2, 5.5, 0, 5, level="judgment")
