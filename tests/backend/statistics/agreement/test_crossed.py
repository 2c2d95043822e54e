"""ICC of tables with gaps, against lme4 1.1-31 on R 4.2.2 and the likelihood in full."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import chdtri

from backend.statistics.agreement import crossed, icc, judges_per_poem

N = math.nan

# Shrout and Fleiss (1979), table 2, less four ratings.
GAPS = np.array(
    [[N, 2, 5, 8], [6, N, 3, 2], [8, 4, N, 8], [7, 1, 2, N], [10, 5, 6, 9], [6, 2, 4, 7]]
)
FEW = np.array(
    [[N, 5, 3], [2, N, 3], [N, 5, N], [1, 3, 2], [4, 4, 3], [3, N, 4], [2, 1, 1], [5, 4, 4]]
)
NOISE = np.array(
    [
        [N, 4, 2, 5],
        [2, 3, 3, 1],
        [4, 2, 5, 3],
        [3, 3, N, 4],
        [5, 2, 3, 3],
        [1, 4, 4, 2],
        [3, N, 2, 2],
    ]
)


def _two_of_13():
    """Two of 13 judges on each of 26 poems: no poem that all of them rated, as in ProFTAP."""
    said = "13 53 35 54 44 11 55 24 23 33 33 31 25 42 54 11 44 34 23 22 33 35 45 43 44 22"
    table = np.full((26, 13), N)
    for poem, answers in enumerate(said.split()):
        one = poem % 13
        table[poem, [one, (one + 1 + 4 * (poem // 13)) % 13]] = [int(each) for each in answers]
    return table


TWO_OF_13 = _two_of_13()
TABLES = [GAPS, FEW, NOISE, TWO_OF_13]


@pytest.mark.parametrize(
    ("table", "poem", "judge", "error", "single", "k", "mean"),
    # m <- lmer(y ~ 1 + (1 | p) + (1 | j), REML = TRUE), control = lmerControl(optimizer = "bobyqa",
    # optCtrl = list(rhoend = 1e-10, rhobeg = .01)); v <- VarCorr(m); k <- 1 / mean(1 / table(d$p))
    [
        (GAPS, 2.659545493, 5.121575117, 1.196808802, 0.296231500, 3.272727273, 0.579401125),
        (FEW, 1.206569535, 0.005113123, 0.635784203, 0.653094007, 2.086956522, 0.797117329),
        (NOISE, 0, 0, 1.333333333, 0, 3.5, 0),
        (TWO_OF_13, 0.929341059, 0.523149612, 0.315567048, 0.525628235, 2, 0.689064640),
    ],
)
def test_variances_and_both_correlations_come_out_as_lmer_fits_them(
    table, poem, judge, error, single, k, mean
):
    found = crossed.crossed(table, 0.95)

    assert (found.poem, found.judge, found.error) == pytest.approx((poem, judge, error), abs=2e-6)
    assert icc(table).value == pytest.approx(single, abs=1e-7)
    assert judges_per_poem(table) == pytest.approx(k)
    assert icc(table, form="mean").value == pytest.approx(mean, abs=1e-7)


def _deviance(table, share, of_rest):
    """-2 log restricted likelihood, with the whole matrix of covariances."""
    poem, judge = np.nonzero(~np.isnan(table))
    y = table[poem, judge]
    rest = (1 - share) * (1 - of_rest)
    spread = share * np.equal.outer(poem, poem) + rest * np.eye(y.size)
    spread = spread + (1 - share) * of_rest * np.equal.outer(judge, judge)
    inverse = np.linalg.inv(spread)
    ones = inverse.sum()
    left = y @ inverse @ y - (inverse @ y).sum() ** 2 / ones
    return np.linalg.slogdet(spread)[1] + math.log(ones) + (y.size - 1) * math.log(left)


def _profile(table, share):
    bounds = (1e-12, 1 - 1e-9)
    return minimize_scalar(
        lambda of_rest: _deviance(table, share, of_rest), bounds=bounds, method="bounded"
    ).fun


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("table", TABLES)
def test_the_interval_ends_where_the_whole_likelihood_has_fallen_by_the_quantile(table, confidence):
    found = icc(table, confidence=confidence)
    quantile = float(chdtri(1, 1 - confidence))

    lowest = _profile(table, found.value)
    assert _profile(table, found.high) - lowest == pytest.approx(quantile, abs=1e-3)
    if found.low:
        assert _profile(table, found.low) - lowest == pytest.approx(quantile, abs=1e-3)
    else:
        assert _profile(table, 0) - lowest <= quantile


@given(st.integers(0, 500), st.integers(3, 9), st.integers(2, 5))
@settings(max_examples=12, deadline=None)
def test_without_gaps_it_is_that_of_the_mean_squares_where_no_variance_is_below_0(
    seed, n_poems, n_judges
):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=n_poems)[:, None] + rng.normal(size=(n_poems, n_judges))
    table += 0.7 * rng.normal(size=n_judges)
    of_judges, of_poems = table.mean(axis=0), table.mean(axis=1)
    rest = table - of_poems[:, None] - of_judges + table.mean()
    error = (rest**2).sum() / ((n_poems - 1) * (n_judges - 1))
    poem = of_poems.var(ddof=1) - error / n_judges
    judge = of_judges.var(ddof=1) - error / n_poems

    found = crossed.crossed(table, 0.95)

    if min(poem, judge) > 1e-6:
        assert (found.poem, found.judge, found.error) == pytest.approx(
            (poem, judge, error), rel=1e-3, abs=1e-4
        )
        assert found.share == pytest.approx(icc(table).value, abs=1e-5)


def test_a_variance_of_0_is_noted():
    assert [note for note in icc(NOISE).notes if "comes out as 0" in note] == [
        "the variance of poems comes out as 0, the least it can be",
        "the variance of judges comes out as 0, the least it can be",
    ]
    assert not any("comes out" in note for note in icc(GAPS).notes)


def test_the_method_names_the_variances_and_the_mean_of_judges():
    assert "REML" in icc(GAPS).method
    assert "profile likelihood" in icc(GAPS).method
    assert "harmonic mean" in icc(GAPS, form="mean").method


def test_a_poem_with_a_gap_counts_and_one_without_a_rating_is_dropped_and_counted():
    empty = np.full((2, 4), N)
    found = icc(np.vstack([GAPS, empty]))

    assert found.value == icc(GAPS).value
    assert found.counts == {"n_titles": 6, "n_judges": 4, "n_dropped": 2}
    assert judges_per_poem(np.vstack([GAPS, empty])) == pytest.approx(judges_per_poem(GAPS))


def test_a_judge_without_a_rating_is_none_and_leaves_the_others_without_gaps():
    whole = [[4, 5, N], [2, 2, N], [5, 5, N], [1, 3, N]]
    assert icc(whole) == icc([row[:2] for row in whole])


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, N], [N, 2], [3, N]], "no poem has two judges"),
        ([[1, 2, N, N], [2, 2, N, N], [N, N, 3, 1], [N, N, 1, 2]], "share no poem"),
        ([[1, N], [N, 2], [3, 3]], "too few poems"),
        ([[1, 2, N], [2, 3, 4], [5, 6, 7], [N, 4, 5]], "nothing but a constant"),
        ([[3, 3, N], [3, N, 3], [3, 3, 3]], "every answer is the same"),
        ([[0.1, 0.1, N], [0.1, N, 0.1], [0.1, 0.1, 0.1]], "every answer is the same"),
        ([[N, 2, 3]], "two poems"),
        ([[N, 2], [N, 3]], "two judges"),
        ([[N, N], [N, N]], "two poems"),
    ],
)
@pytest.mark.parametrize("form", ["single", "mean"])
def test_where_variances_cannot_be_told_apart_it_is_undefined_with_the_reason(
    ratings, reason, form
):
    found = icc(ratings, form=form)

    assert not found.defined
    assert not found.has_interval
    assert reason in found.reason


@given(st.sampled_from(TABLES), st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_it_is_blind_to_order_unit_and_zero_of_the_scale(table, random):
    poems = random.sample(range(len(table)), len(table))
    judges = random.sample(range(table.shape[1]), table.shape[1])

    found, again = icc(table), icc(1e4 - 20 * table[poems][:, judges])

    assert (again.value, again.low, again.high) == pytest.approx(
        (found.value, found.low, found.high), abs=1e-5
    )


def test_no_poem_has_to_have_all_judges_and_the_mean_is_surer_than_one():
    one, mean = icc(TWO_OF_13), icc(TWO_OF_13, form="mean")

    assert 0 < one.low < one.value < one.high < 1
    for bound in ("low", "value", "high"):
        single = getattr(one, bound)
        assert getattr(mean, bound) == pytest.approx(2 * single / (1 + single))
