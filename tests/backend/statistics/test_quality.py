"""Runs, spread and gaps in a judge's answers, by hand and against R."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.quality import (
    commonest_share,
    longest_run,
    missing_by,
    missing_share,
    response_spread,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("answers", "length"),
    [
        ([3, 3, 4, 4, 4, 2], 3),
        ([1], 1),
        ([1, 2, 1, 2], 1),
        ([5, 5, 5, 5], 4),
        # N/A throughout is a run, in whichever way it is written.
        ([2, None, None, NAN, 2], 3),
        ([NAN, NAN], 2),
        ([1, None, 1], 1),
    ],
)
def test_the_longest_run_counts_equal_neighbours(answers, length):
    found = longest_run(answers)

    assert (found.value, found.n) == (length, len(answers))


@pytest.mark.parametrize(
    ("answers", "share", "alike"),
    [([3, 3, 4, 3], 0.75, 3), ([1, 2], 0.5, 1), ([None, NAN, 1], 2 / 3, 2)],
)
def test_the_commonest_answer_has_its_share(answers, share, alike):
    found = commonest_share(answers)

    assert found.value == pytest.approx(share)
    assert found.counts == {"n_alike": alike}


def test_the_spread_is_r_s_and_leaves_gaps_out():
    # sd(c(1, 2, 4, 5, 5, 3))
    found = response_spread([1, 2, None, 4, 5, NAN, 5, 3])

    assert found.value == pytest.approx(1.63299316185545, rel=1e-12)
    assert (found.n, found.counts) == (6, {"n_missing": 2})


def test_the_same_answer_throughout_has_a_spread_of_nothing():
    assert response_spread([4, 4, 4]).value == 0


@pytest.mark.parametrize("answers", [[], [3], [3, None, NAN]])
def test_below_two_answers_there_is_no_spread(answers):
    found = response_spread(answers)

    assert not found.defined
    assert found.reason == "fewer than two answers: there is no spread"


@pytest.mark.parametrize("measure", [longest_run, commonest_share])
def test_without_an_answer_nothing_is_measured(measure):
    found = measure([])

    assert not found.defined
    assert (found.n, found.reason) == (0, "there is no answer")


def test_the_share_of_missing_answers_has_an_interval():
    # prop.test(1, 29, correct = FALSE)$conf.int, printed in Newcombe (1998) as .0061, .1718.
    found = missing_share([None] + [3] * 28, level="answer to question 4")

    assert found.value == pytest.approx(1 / 29)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0061, 0.1718)
    assert (found.n, found.counts) == (29, {"n_missing": 1})
    assert found.level == "answer to question 4"
    assert "missing" in found.method


def test_of_no_answers_none_is_missing_nor_given():
    found = missing_share([])

    assert not found.defined
    assert found.reason == "no answer was asked for"


def test_each_cell_has_its_own_share_of_missing_answers():
    cells = [("human", 1), ("model", 1), ("human", 1), ("model", 1), ("human", 2)]
    found = missing_by([None, 3, 2, 4, NAN], cells)

    assert list(found) == [("human", 1), ("model", 1), ("human", 2)]
    assert [(cell.value, cell.n) for cell in found.values()] == [(0.5, 2), (0, 2), (1, 1)]


def test_answers_and_cells_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="2 answers have 1 cells"):
        missing_by([1, 2], ["a"])


@given(st.lists(st.one_of(st.none(), st.integers(1, 3)), min_size=1, max_size=40))
def test_a_run_of_the_commonest_answer_is_no_longer_than_its_count(answers):
    longest, share = longest_run(answers), commonest_share(answers)

    assert 1 <= longest.value <= share.counts["n_alike"] <= len(answers)
    # Sorted, the commonest answer is one run.
    together = sorted(answers, key=lambda answer: answer or 0)
    assert longest_run(together).value == share.counts["n_alike"]
