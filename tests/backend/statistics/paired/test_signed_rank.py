"""The signed-rank test, against R, published examples and enumeration of every sign change."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from backend.statistics.paired import wilcoxon_signed_rank
from tests.backend.statistics.paired.published import (
    CROSSED,
    DRUG_1,
    DRUG_2,
    FIRST_VISIT,
    LIKERT_X,
    LIKERT_Y,
    SECOND_VISIT,
    SELFED,
)

# Medians of all pairwise means, zeros kept: median(w[lower.tri(w, TRUE)]), w <- outer(d, d, "+")/2.
REFERENCES = {
    # wilcox.test(x, y, paired = TRUE, exact = TRUE, conf.int = TRUE)
    "depression": (FIRST_VISIT, SECOND_VISIT, 40, 0.0390625, 0.46),
    # exactRankTests::wilcox.exact(x, y, paired = TRUE) and coin::wilcoxsign_test(x ~ y,
    # distribution = "exact", zero.method = "Wilcoxon") agree on the following three.
    "maize": (CROSSED, SELFED, 96, 0.041259765625, 3.125),
    "sleep": (DRUG_2, DRUG_1, 45, 0.00390625, 1.3),
    "likert": (LIKERT_X, LIKERT_Y, 40, 0.046875, 1.5),
}


@pytest.mark.parametrize(("x", "y", "w", "p", "shift"), REFERENCES.values(), ids=REFERENCES)
def test_the_test_is_r_s(x, y, w, p, shift):
    test = wilcoxon_signed_rank(x, y)

    assert test.statistic == w
    assert test.p == pytest.approx(p, rel=1e-12)
    assert test.median_difference == pytest.approx(shift)


@pytest.mark.parametrize(
    ("x", "y", "p"),
    [
        # coin::pvalue(wilcoxsign_test(x ~ y, distribution = "exact", zero.method = "Pratt"))
        (DRUG_2, DRUG_1, 0.00390625),
        (LIKERT_X, LIKERT_Y, 0.0546875),
    ],
    ids=["sleep", "likert"],
)
def test_equal_pairs_ranked_by_pratt_are_r_s(x, y, p):
    test = wilcoxon_signed_rank(x, y, zeros="pratt")

    assert test.p == pytest.approx(p, rel=1e-12)
    assert "zeros by Pratt" in test.method


def test_two_hundred_tied_differences_are_tested_exactly():
    i = np.arange(202)
    x, y = (i * 37) % 101, (i * 53) % 97 + 4

    test = wilcoxon_signed_rank(x, y)

    # coin::wilcoxsign_test, exact; the sum over sign changes in whole numbers gives the same.
    # exactRankTests rounds the scores of so many ties and says .621177.
    assert test.p == pytest.approx(0.622112993461, rel=1e-11)
    assert (test.statistic, test.n_zero, test.n_nonzero) == (9645, 2, 200)
    assert "exact with ties" in test.method


@pytest.mark.parametrize(
    ("zeros", "p"),
    [
        # wilcox.test(x, y, paired = TRUE, exact = FALSE, correct = FALSE)
        ("wilcox", 0.204732148346),
        # coin::wilcoxsign_test(x ~ y, distribution = "asymptotic", zero.method = "Pratt")
        ("pratt", 0.204441235808),
    ],
)
def test_six_hundred_titles_take_the_normal_approximation_of_r(zeros, p):
    i = np.arange(600)
    test = wilcoxon_signed_rank((i * 37) % 101, (i * 53) % 97, zeros=zeros)

    assert test.p == pytest.approx(p, rel=1e-10)
    assert test.n_zero == 6
    assert "normal approximation with tie correction, no continuity correction" in test.method


def test_the_median_difference_has_the_interval_that_it_has_alone():
    test = wilcoxon_signed_rank(FIRST_VISIT, SECOND_VISIT, confidence=0.9)

    # wilcox.test(x, y, paired = TRUE, conf.int = TRUE, conf.level = .9)
    assert (test.low, test.high) == pytest.approx((0.175, 0.726))
    assert "90 % interval, exact by the signed-rank distribution" in test.method
    assert test.level == "title"


def test_float_noise_does_not_break_ties():
    # 0.3 - 0.2 and 0.8 - 0.7 differ in the last bit. In tenths, wilcox.exact(c(3, 2, 7, 9, 4.5, 8),
    # c(2, 3, 6, 10, 3.5, 7), paired = TRUE): V = 14, p-value = 0.6875.
    test = wilcoxon_signed_rank([0.3, 0.2, 0.7, 0.9, 0.45, 0.8], [0.2, 0.3, 0.6, 1, 0.35, 0.7])

    assert (test.statistic, test.w_minus, test.p) == (14, 7, 0.6875)
    assert test.effect == pytest.approx(1 / 3)
    assert test.median_difference == 0  # the eleventh of 3 times -.1, 8 times 0, 10 times .1


def test_the_effect_is_the_favourable_minus_the_unfavourable_share_of_the_ranks():
    test = wilcoxon_signed_rank(FIRST_VISIT, SECOND_VISIT)

    assert test.effect == pytest.approx((40 - 5) / 45)


def test_a_title_without_a_score_on_both_sides_is_dropped_and_counted():
    test = wilcoxon_signed_rank([*FIRST_VISIT, 2, math.nan], [*SECOND_VISIT, math.nan, math.nan])

    assert (test.n, test.n_dropped) == (9, 2)
    assert test.p == 0.0390625


def test_equal_scores_throughout_are_no_evidence_of_anything():
    test = wilcoxon_signed_rank([0.1 + 0.2, 0.5], [0.3, 0.5])

    assert not test.defined
    assert test.reason == "the two sides have the same score on every title"
    assert math.isnan(test.effect)
    assert (test.n, test.n_zero, test.median_difference) == (2, 2, 0)
    assert math.isnan(test.low)
    assert math.isnan(test.high)
    assert test.notes == ()


@pytest.mark.parametrize(("x", "y"), [([], []), ([1, math.nan], [math.nan, 1])])
def test_without_a_common_title_nothing_is_defined(x, y):
    test = wilcoxon_signed_rank(x, y)

    assert not test.defined
    assert test.reason == "no title has a score on both sides"
    assert math.isnan(test.median_difference)


def test_five_titles_cannot_be_significant_and_the_reader_is_told():
    test = wilcoxon_signed_rank([5, 6, 7, 8, 9], [4, 4, 4, 4, 4])

    assert test.p == 0.0625
    assert test.notes == (
        "with 5 differing titles no p-value below 0.0625 is possible",
        "5 titles can give no 95 % interval of the median difference: the widest covers 93.75 %",
    )


def test_one_differing_pair_is_one_and_is_named_as_the_caller_says():
    test = wilcoxon_signed_rank([5, 6], [4, 6], level="poem")

    assert test.level == "poem"
    assert test.notes[:2] == (
        "with 1 differing poem no p-value below 1 is possible",
        "1 of 2 poems has equal scores: compare with zeros by Pratt",
    )


def test_many_equal_titles_ask_for_a_second_look():
    (note,) = wilcoxon_signed_rank(LIKERT_X, LIKERT_Y).notes

    assert note == "3 of 12 titles have equal scores: compare with zeros by Pratt"
    assert wilcoxon_signed_rank(LIKERT_X, LIKERT_Y, zeros="pratt").notes == ()


@pytest.mark.parametrize(("x", "y"), [([1, 2], [1]), ([[1, 2]], [[2, 1]])])
def test_scores_that_do_not_pair_up_are_refused(x, y):
    with pytest.raises(ValueError, match="two equal rows"):
        wilcoxon_signed_rank(x, y)


def test_an_infinite_score_is_refused():
    with pytest.raises(ValueError, match="infinite"):
        wilcoxon_signed_rank([math.inf, 1], [0, 0])


def enumerated_p(differences, zeros):
    """Share of all sign changes whose W+ is at least as far from its mean as the one observed."""
    if zeros == "wilcox":
        differences = [d for d in differences if d]
    ranks = [r for r, d in zip(rankdata(np.abs(differences)), differences, strict=True) if d]
    signs = [d > 0 for d in differences if d]
    middle = sum(ranks) / 2
    observed = abs(sum(itertools.compress(ranks, signs)) - middle)
    changes = itertools.product([False, True], repeat=len(ranks))
    extreme = sum(abs(sum(itertools.compress(ranks, s)) - middle) >= observed for s in changes)
    return extreme / 2 ** len(ranks)


small = st.lists(st.integers(-4, 4), min_size=1, max_size=10).filter(any)
zero_rules = st.sampled_from(["wilcox", "pratt"])


@given(small, zero_rules)
def test_the_exact_p_is_that_of_every_sign_change_enumerated(differences, zeros):
    test = wilcoxon_signed_rank(differences, [0] * len(differences), zeros=zeros)

    assert test.p == pytest.approx(enumerated_p(differences, zeros), rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=1), zero_rules)
def test_exchanging_the_sides_turns_the_effect_round_and_keeps_p(scores, zeros):
    x, y = zip(*scores, strict=True)
    one, other = (wilcoxon_signed_rank(*sides, zeros=zeros) for sides in ((x, y), (y, x)))

    assert other.p == pytest.approx(one.p, nan_ok=True)
    assert other.effect == pytest.approx(-one.effect, nan_ok=True)
    assert other.median_difference == -one.median_difference
    assert (other.statistic, other.w_minus) == (one.w_minus, one.statistic)


def test_an_unknown_rule_for_equal_pairs_is_refused():
    with pytest.raises(ValueError, match="zeros must be one of wilcox, pratt, got 'Pratt'"):
        wilcoxon_signed_rank([1, 2], [2, 1], zeros="Pratt")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("infinite", [math.inf, -math.inf, 1.7e308])
def test_infinite_scores_on_both_sides_are_refused_without_a_warning_of_numpy(infinite):
    other = -infinite if infinite == 1.7e308 else infinite
    with pytest.raises(ValueError, match="infinite"):
        wilcoxon_signed_rank([infinite, 1], [other, 0])
