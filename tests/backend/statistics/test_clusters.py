"""Means and shares with intervals for other titles and judges, against sums worked out by hand."""

import math

import numpy as np
import pytest

from backend.statistics.clusters import clustered_mean, clustered_share

# Two titles, three judges, every cell once; t(2) at .975 is 4.302653 (R: qt(.975, 2)).
VALUES = [2, 4, 3, 5, 4, 6]
TITLES = [1, 1, 1, 2, 2, 2]
JUDGES = ["a", "b", "c", "a", "b", "c"]
T_2 = 4.302653


def test_a_mean_allows_for_titles_and_judges() -> None:
    # Mean 4; influences (x - 4) / 6: -2 0 -1 1 0 2. By title: -3 and 3, V = 2 * 18 / 36 = 1.
    # By judge: -1 0 1, V = 1.5 * 2 / 36 = 1/12. By cell: V = 6/5 * 10 / 36 = 1/3.
    # 1 + 1/12 - 1/3 = .75 is below the titles' own: 1 stands.
    found = clustered_mean(VALUES, TITLES, JUDGES, level="rating")
    assert found.value == 4
    assert (found.low, found.high) == pytest.approx((4 - T_2, 4 + T_2), rel=1e-6)
    assert (found.n, found.counts["n_titles"], found.counts["n_judges"]) == (6, 2, 3)


def test_an_interval_of_a_mean_ends_where_the_scale_does() -> None:
    found = clustered_mean(VALUES, TITLES, JUDGES, level="rating", span=(1, 5))
    assert (found.low, found.high) == (1, 5)


def test_a_fixed_judge_leaves_titles_alone_and_the_method_says_so() -> None:
    # Poems of four titles: 1 2 3 6, mean 3, influences -2 -1 0 3 over 4, V = 4/3 * 14 / 16.
    found = clustered_mean([1, 2, 3, 6], [1, 2, 3, 4], level="rating")
    # R: t.test(c(1, 2, 3, 6))$conf.int, since every title is a cluster of one.
    assert (found.low, found.high) == pytest.approx((-0.4374, 6.4374), abs=5e-5)
    assert "not for other judges" in found.method


@pytest.mark.parametrize(
    ("values", "titles", "judges", "reason"),
    [
        ([], [], [], "nothing was counted"),
        ([1, 2], [1, 1], ["a", "b"], "only one title was judged"),
        ([1, 2], [1, 2], ["a", "a"], "only one judge took part"),
        ([2, 2], [1, 2], ["a", "b"], "nothing varies"),
    ],
)
def test_what_cannot_be_said_has_a_reason(
    values: list[int], titles: list[int], judges: list[str], reason: str
) -> None:
    found = clustered_mean(values, titles, judges, level="rating")
    assert reason in found.reason
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_values_without_their_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="one title"):
        clustered_mean([1, 2], [1], level="rating")
    with pytest.raises(ValueError, match="not finite"):
        clustered_mean([1, math.nan], [1, 2], level="rating")
    with pytest.raises(ValueError, match="confidence"):
        clustered_share([1, 0], [1, 2], level="judgment", confidence=1)


def test_a_share_is_the_mean_of_its_hits_and_stays_within_0_and_1() -> None:
    rng = np.random.default_rng(1)
    hits = rng.random(60) < 0.95
    found = clustered_share(hits, np.arange(60) // 3, np.arange(60) % 3, level="judgment")
    assert found.value == hits.mean()
    assert 0 < found.low < found.value < found.high < 1


@pytest.mark.parametrize("hits", [[0, 2, 1], [0, -0.1, 1], [0, math.nan, 1]])
def test_a_hit_outside_0_and_1_is_refused(hits: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        clustered_share(hits, [1, 2, 3], level="judgment")


def test_a_share_names_the_scale_of_its_bounds_and_a_mean_does_not() -> None:
    logit = "on the logit scale above 0.9 and below 0.1"
    assert clustered_share([0, 1, 1], [1, 2, 3], level="judgment").method.endswith(logit)
    assert "logit" not in clustered_mean([0, 1, 1], [1, 2, 3], level="rating").method
