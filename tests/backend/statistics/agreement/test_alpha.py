"""Krippendorff's alpha, against his printed examples and derivatives taken numerically."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.statistics.agreement import krippendorff_alpha

N = math.nan

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, sections A, B and C.
BINARY = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
NOMINAL = [[1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1], [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4]]
MISSING = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]

metrics = st.sampled_from(["nominal", "ordinal", "interval"])
panels = st.tuples(st.integers(2, 5), st.integers(1, 8)).flatmap(
    lambda shape: st.lists(
        st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, N]),
        min_size=shape[0] * shape[1],
        max_size=shape[0] * shape[1],
    ).map(lambda values: np.array(values).reshape(shape))
)


@pytest.mark.parametrize(
    ("ratings", "metric", "printed"),
    [
        (BINARY, "nominal", 0.095),
        (NOMINAL, "nominal", 0.692),
        (MISSING, "nominal", 0.743),
        (MISSING, "ordinal", 0.815),
        (MISSING, "interval", 0.849),
    ],
)
def test_the_printed_examples_come_out(ratings, metric, printed):
    assert krippendorff_alpha(ratings, metric=metric).value == pytest.approx(printed, abs=0.0005)


def test_a_rating_without_a_partner_is_counted_out():
    alpha = krippendorff_alpha(MISSING)

    assert alpha.n == 40
    assert alpha.counts == {"n_titles": 11, "n_judges": 4, "n_dropped": 1}


def test_not_applicable_can_be_left_out_like_a_missing_rating():
    coded = [[0 if math.isnan(value) else value for value in row] for row in MISSING]

    assert krippendorff_alpha(coded, na_code=0) == krippendorff_alpha(MISSING)
    assert krippendorff_alpha(coded).value != pytest.approx(0.815, abs=0.01)


def weighted_alpha(ratings, metric, weights):
    """Alpha from the matrix of coincidences, each pair of ratings weighted, by the book."""
    ratings = np.asarray(ratings)
    points = np.unique(ratings[~np.isnan(ratings)])
    matrix = np.zeros((len(points), len(points)))
    for (unit, j, k), weight in weights.items():
        m = (~np.isnan(ratings[:, unit])).sum()
        c, d = np.searchsorted(points, ratings[[j, k], unit])
        matrix[c, d] += weight / (m - 1)
        matrix[d, c] += weight / (m - 1)
    n_c = matrix.sum(axis=0)
    difference = np.zeros_like(matrix)
    for c in range(len(points)):
        for d in range(len(points)):
            low, high = min(c, d), max(c, d)
            difference[c, d] = {
                "nominal": float(c != d),
                "interval": (points[c] - points[d]) ** 2,
                "ordinal": (n_c[low : high + 1].sum() - (n_c[c] + n_c[d]) / 2) ** 2,
            }[metric]
    expected = (np.outer(n_c, n_c) * difference).sum() / (n_c.sum() - 1)
    return 1 - (matrix * difference).sum() / expected


def pairs_of(ratings):
    rated = ~np.isnan(np.asarray(ratings))
    return [
        (unit, j, k)
        for unit in range(rated.shape[1])
        for j in range(rated.shape[0])
        for k in range(j + 1, rated.shape[0])
        if rated[j, unit] and rated[k, unit]
    ]


def numerical_influences(ratings, metric):
    """How alpha changes with the weight of each pair of ratings, by central differences."""
    step = 1e-5
    pairs = pairs_of(ratings)
    found = []
    for pair in pairs:
        ends = [
            weighted_alpha(
                ratings, metric, {each: 1 + sign * step * (each == pair) for each in pairs}
            )
            for sign in (1, -1)
        ]
        found.append((ends[0] - ends[1]) / (2 * step))
    sizes = (~np.isnan(np.asarray(ratings))).sum(axis=0)
    weights = np.array([1 / (sizes[unit] - 1) for unit, _, _ in pairs])
    # Alpha holds an n - 1 where all weights together are no change: taken off, evenly by weight.
    return np.array(found) - weights * sum(found) / weights.sum()


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_the_interval_for_other_poems_is_that_of_alphas_numerical_derivatives(metric):
    influences = numerical_influences(MISSING, metric)
    units = np.array([unit for unit, _, _ in pairs_of(MISSING)])
    sums = [influences[units == unit].sum() for unit in set(units)]
    # R: qt(.75, 10) = 0.6998121
    half = 0.6998121 * math.sqrt(11 / 10 * np.square(sums).sum())

    alpha = krippendorff_alpha(MISSING, metric=metric, confidence=0.5, judges="fixed")

    assert (alpha.high - alpha.low) / 2 == pytest.approx(half, rel=1e-5)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_the_interval_for_other_judges_sums_over_couples_of_pairs_that_share_one(metric):
    influences = numerical_influences(MISSING, metric)
    pairs = pairs_of(MISSING)
    by_poems = by_judges = both = 0.0
    for one, first in zip(influences, pairs, strict=True):
        for other, second in zip(influences, pairs, strict=True):
            shared = len({*first[1:]} & {*second[1:]})
            if first[0] == second[0]:
                by_poems += 11 / 10 * one * other
                both += one * other * (shared > 0)
            else:
                by_judges += 4 * 3 / 2**2 * shared * one * other
    variance = max(by_poems + by_judges, by_poems, by_judges + both)
    # R: qt(.75, 3) = 0.7648923
    half = 0.7648923 * math.sqrt(variance)

    alpha = krippendorff_alpha(MISSING, metric=metric, confidence=0.5)

    assert (alpha.high - alpha.low) / 2 == pytest.approx(half, rel=1e-5)


def test_leaving_out_one_poem_after_the_other_gives_nearly_the_same_error():
    rng = np.random.default_rng(1)
    quality = rng.normal(0, 1, 80)
    ratings = np.clip(np.round(3 + quality + rng.normal(0, 0.8, (5, 80))), 1, 5)
    left_out = np.array(
        [krippendorff_alpha(np.delete(ratings, poem, axis=1)).value for poem in range(80)]
    )
    error = math.sqrt(79 / 80 * np.square(left_out - left_out.mean()).sum())

    alpha = krippendorff_alpha(ratings, judges="fixed")

    # R: qt(.975, 79) = 1.99045
    assert (alpha.high - alpha.low) / 2 == pytest.approx(1.99045 * error, rel=0.05)


def test_two_judges_have_an_interval_only_if_they_are_fixed():
    alpha = krippendorff_alpha(NOMINAL, metric="nominal")

    assert not alpha.has_interval
    assert "two judges" in alpha.reason
    assert krippendorff_alpha(NOMINAL, metric="nominal", judges="fixed").has_interval


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([[1, 2, N], [N, N, 3]], "no poem has two ratings"),
        ([[4, 4], [4, 4]], "every answer is the same"),
        (np.empty((0, 0)), "no poem has two ratings"),
    ],
)
def test_where_nothing_can_be_compared_alpha_is_undefined_with_the_reason(ratings, reason):
    alpha = krippendorff_alpha(ratings)

    assert not alpha.defined
    assert reason in alpha.reason


@pytest.mark.parametrize("switch", [{"metric": "ratio"}, {"judges": "all"}, {"confidence": 2}])
def test_a_switch_that_does_not_exist_is_refused(switch):
    with pytest.raises(ValueError):
        krippendorff_alpha(MISSING, **switch)


def test_a_single_row_is_no_panel():
    with pytest.raises(ValueError, match="judges by poems"):
        krippendorff_alpha([1, 2, 3])


@given(panels, metrics)
def test_alpha_is_at_most_1_and_within_its_interval(ratings, metric):
    alpha = krippendorff_alpha(ratings, metric=metric)

    assert alpha.value <= 1 or (math.isnan(alpha.value) and alpha.reason)
    assert alpha.low <= alpha.value <= alpha.high <= 1 or (not alpha.has_interval and alpha.reason)


def same(one, other):
    return (one.value, one.low, one.high) == pytest.approx(
        (other.value, other.low, other.high), nan_ok=True, abs=1e-6
    )


@given(panels, metrics, st.randoms(use_true_random=False))
def test_the_order_of_judges_and_poems_does_not_matter(ratings, metric, random):
    judges = random.sample(range(len(ratings)), len(ratings))
    poems = random.sample(range(ratings.shape[1]), ratings.shape[1])

    assert same(
        krippendorff_alpha(ratings, metric=metric),
        krippendorff_alpha(ratings[judges][:, poems], metric=metric),
    )


@given(panels)
def test_each_metric_sees_no_more_of_the_codes_than_its_scale_has(ratings):
    renamed = np.select([ratings == point for point in range(1, 6)], [30, 10, 50, 20, 40], N)
    stretched = np.exp(ratings)

    nominal = krippendorff_alpha(ratings, metric="nominal")
    assert same(nominal, krippendorff_alpha(renamed, metric="nominal"))
    ordinal = krippendorff_alpha(ratings, metric="ordinal")
    assert same(ordinal, krippendorff_alpha(stretched, metric="ordinal"))
    interval = krippendorff_alpha(ratings, metric="interval")
    assert same(interval, krippendorff_alpha(1000 - 200 * ratings, metric="interval"))


def test_a_code_to_leave_out_is_rounded_as_ratings_are():
    ratings = np.array([[1 / 3, 2 / 3, 1], [1 / 3, 1, 2 / 3], [1, 2 / 3, 1]])
    found = krippendorff_alpha(ratings, na_code=1 / 3)

    # The first poem keeps one rating, which has no partner.
    assert (found.n, found.counts["n_titles"], found.counts["n_dropped"]) == (6, 2, 1)


@pytest.mark.parametrize("points", [(0.0, 1.0, 2.0), (1e6, 1e6 + 1, 1e6 + 2), (1 / 3, 2 / 3, 1.0)])
def test_what_rounding_leaves_is_no_variation(points):
    low, middle, high = points
    n = math.nan
    found = krippendorff_alpha(
        [[middle, low, n], [n, high, high], [high, n, middle]], metric="interval"
    )

    assert found.value == pytest.approx(-0.5)
    assert (found.has_interval, found.reason) == (False, "nothing varies between poems or judges")
