"""How often the headline interval of an area holds the truth, by simulation."""

import numpy as np
import pytest

from backend.statistics.many import Scores, area_intervals
from backend.statistics.simulation import Truth, simulate, true_auc

pytestmark = pytest.mark.slow

# An area of .61, with judges whose own areas differ by about .075 (one standard deviation).
DIFFERING = Truth((-0.6,), skill_sd=0.8)
ALIKE = Truth((-0.5,), skill_sd=0.0, bias_sd=0.0)


def coverage(truth, *, titles, judges, per_poem, n_studies, judges_fixed=False):
    """Share of simulated studies whose 95 % interval holds the area of endless judgments.

    The standard error of a share of .95 is .005 with 2,000 studies and .009 with 600.
    """
    area = true_auc(truth, 1)
    held = []
    for seed in range(n_studies):
        drawn = simulate(
            truth, titles=titles, judges=judges, per_poem=per_poem, seed=(seed, titles, judges)
        )
        scores = Scores(drawn.author, drawn.score, drawn.title, drawn.judge, n_models=1)
        (found,) = area_intervals(scores, judges_fixed=judges_fixed)
        held.append(found.low <= area <= found.high)
    return np.mean(held)


@pytest.mark.parametrize(
    ("titles", "judges", "per_poem"),
    [
        pytest.param(110, 13, 2, id="110 titles, 13 judges, 2 per poem"),
        pytest.param(203, 7, 5, id="203 titles, 7 judges, 5 per poem"),
        pytest.param(110, 40, 5, id="110 titles, 40 judges, 5 per poem"),
    ],
)
def test_a_95_percent_interval_holds_the_truth_in_93_to_97_of_100_studies(titles, judges, per_poem):
    share = coverage(DIFFERING, titles=titles, judges=judges, per_poem=per_poem, n_studies=2000)

    assert 0.93 <= share <= 0.97


def test_with_30_titles_and_5_judges_it_is_cautious_and_holds_the_truth_more_often():
    share = coverage(DIFFERING, titles=30, judges=5, per_poem=3, n_studies=600)

    assert 0.96 <= share <= 1


def test_where_judges_do_not_differ_it_is_cautious_and_holds_the_truth_more_often():
    share = coverage(ALIKE, titles=110, judges=13, per_poem=2, n_studies=600)

    assert 0.96 <= share <= 1


def test_an_interval_that_takes_judges_for_fixed_does_not_hold_for_other_judges():
    share = coverage(DIFFERING, titles=203, judges=7, per_poem=5, n_studies=600, judges_fixed=True)

    assert share < 0.8
