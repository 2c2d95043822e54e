"""The difference of two models' areas, against R and pROC."""

import math

import numpy as np
import pytest

from backend.statistics.detection import auc_difference
from tests.backend.statistics.detection.panel import (
    HUMAN,
    JUDGES,
    MACHINE,
    NO_HUMAN,
    NO_MACHINE,
    NO_OTHER,
    OTHER,
    TITLES,
)

ALL = np.arange(30)
# Twelve poems of each author, one score each.
WRITTEN = [700, 800, 650, 900, 550, 600, 750, 400, 800, 500, 300, 850]
FIRST = [500, 600, 650, 400, 450, 700, 550, 300, 500, 350, 600, 450]
SECOND = [650, 800, 700, 600, 450, 900, 500, 400, 750, 600, 550, 700]


def difference(places=(ALL, ALL, ALL), scores=(HUMAN, MACHINE, OTHER), **settings):
    return auc_difference(
        *(of[place] for of, place in zip(scores, places, strict=True)),
        tuple(TITLES[place] for place in places),
        tuple(JUDGES[place] for place in places),
        level="judgment",
        **settings,
    )


# R 4.2.2 with sandwich 3.0-2: psi = placements of the first model's area less those of the
# second's, m = lm(90 * psi ~ 1), V = vcovCL(m, cluster, type = "HC0", cadjust = TRUE) by title
# and judge, by title, by judge; the largest of the three; qt and pt with J - 1.


def test_the_difference_by_titles_and_judges_is_r_s():
    found = difference()

    assert found.value == pytest.approx(0.108888888888889)
    assert (found.low, found.high) == pytest.approx((0.0289776540270962, 0.188800123750681))
    assert (found.t, found.df) == (pytest.approx(3.78324803876269), 4)
    assert found.p == pytest.approx(0.0193813977974565)
    assert found.counts == {
        "n_human": 30,
        "n_first": 30,
        "n_second": 30,
        "n_dropped": 0,
        "n_titles": 6,
        "n_judges": 5,
    }
    assert (found.n, found.reason, found.notes) == (90, "", ())


def test_judges_and_poems_that_miss_scores_have_r_s_difference():
    kept = (np.delete(ALL, missing) for missing in (NO_HUMAN, NO_MACHINE, NO_OTHER))
    found = difference(tuple(kept))

    assert found.value == pytest.approx(0.128119658119658)
    assert (found.low, found.high) == pytest.approx((0.0146581569081263, 0.24158115933119))
    assert found.p == pytest.approx(0.0350114401585817)


def test_scores_not_given_are_scores_not_there():
    scores = []
    for of, missing in ((HUMAN, NO_HUMAN), (MACHINE, NO_MACHINE), (OTHER, NO_OTHER)):
        scores.append(of.astype(float))
        scores[-1][missing] = math.nan
    found = difference(scores=scores)

    assert found.p == pytest.approx(0.0350114401585817)
    assert (found.n, found.counts["n_dropped"]) == (78, 12)


def test_one_fixed_judge_is_clustered_by_title_alone_and_says_so():
    # V by title alone, qt(.975, 5).
    found = auc_difference(HUMAN, MACHINE, OTHER, (TITLES,) * 3, None, level="judgment")

    assert (found.low, found.high) == pytest.approx((0.0515083657061547, 0.166269412071623))
    assert (found.df, found.p) == (5, pytest.approx(0.00456055351185053))
    assert "by titles only" in found.method
    assert "n_judges" not in found.counts


def test_with_a_title_for_every_score_it_is_proc_s_paired_test_but_for_small_samples():
    # pROC 1.18.0, roc.test(paired = TRUE, method = "delong"): Z. Poems of the two models are
    # pairs, human ones their own. DeLong divides by 12 - 1 a side, clusters by 24 - 1 in all.
    of_human, of_machine = np.arange(12), np.arange(12, 24)
    titles = (of_human, of_machine, of_machine)
    found = auc_difference(WRITTEN, FIRST, SECOND, titles, None, level="judgment")

    assert found.value == pytest.approx(0.746527777777778 - 0.548611111111111)
    small = math.sqrt(24 / 23 * 11 / 12)
    assert found.t * small == pytest.approx(3.08713459376167, rel=1e-12)


def test_models_that_share_the_human_scores_only_have_delong_s_covariance():
    # R: var(pa$x - pb$x) / 12 + var(pa$y) / 12 + var(pb$y) / 12, with x the placements of human
    # and y those of machine scores.
    titles = (np.arange(12), np.arange(12, 24), np.arange(24, 36))
    found = auc_difference(WRITTEN, FIRST, SECOND, titles, None, level="judgment")

    small = math.sqrt(36 / 35 * 11 / 12)
    assert found.t * small == pytest.approx(2.17973919586225, rel=1e-12)


def test_exchanging_the_models_turns_the_difference_round():
    one, other = difference(), difference(scores=(HUMAN, OTHER, MACHINE))

    assert (other.value, other.low, other.high) == pytest.approx((-one.value, -one.high, -one.low))
    assert other.p == pytest.approx(one.p)


def test_a_model_and_itself_do_not_differ_and_leave_nothing_to_test():
    found = difference(scores=(HUMAN, OTHER, OTHER))

    assert found.value == 0
    assert math.isnan(found.low)
    assert math.isnan(found.p)
    assert found.reason == "the difference does not vary between titles or judges"


def test_an_interval_of_few_judges_ends_at_one_and_has_a_caution():
    few = np.flatnonzero(JUDGES < 2)
    found = difference((few, few, few))

    assert -1 <= found.low < found.value < found.high <= 1
    assert found.notes == ("only 2 judges: the interval is a rough guide",)


@pytest.mark.parametrize(
    ("kept", "reason"), [(JUDGES == 0, "only one judge took"), (TITLES == 0, "only one title was")]
)
def test_one_judge_or_title_has_a_difference_and_no_test(kept, reason):
    places = (np.flatnonzero(kept),) * 3
    found = difference(places)

    assert found.defined
    assert found.reason.startswith(reason)
    assert math.isnan(found.high)
    assert math.isnan(found.t)


@pytest.mark.parametrize(
    ("side", "kind"),
    [(0, "human poem"), (1, "poem of the first model"), (2, "poem of the second model")],
)
def test_without_scores_of_a_side_it_is_undefined_and_says_which(side, kind):
    scores = [HUMAN.astype(float), MACHINE.astype(float), OTHER.astype(float)]
    scores[side] = np.full(30, math.nan)
    found = difference(scores=scores)

    assert not found.defined
    assert found.reason == f"no {kind} was judged"


def test_a_title_missing_for_a_score_is_refused():
    with pytest.raises(ValueError, match="each score needs one title"):
        auc_difference([1, 2], [2], [3], ([1], [1], [1]), None, level="judgment")


def test_a_confidence_that_is_no_probability_is_refused():
    with pytest.raises(ValueError, match="confidence"):
        difference(confidence=0)


def test_titles_and_judges_can_be_the_rows_of_one_array() -> None:
    scores = [5, 3, 4], [1, 4, 5], [1, 2, 5]
    titles, judges = [[1, 2, 3]] * 3, [[1, 2, 1]] * 3
    rows = auc_difference(*scores, np.array(titles), np.array(judges), level="judgment")
    assert rows == auc_difference(*scores, titles, judges, level="judgment")
    assert rows.counts["n_judges"] == 2
