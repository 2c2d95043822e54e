"""All models at once: the same figures as one model after another, and as brute force."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from backend.statistics.detection import auc_interval
from backend.statistics.many import (
    Scores,
    area_intervals,
    areas,
    intervals,
    signed_ranks,
    title_means,
)
from backend.statistics.paired import wilcoxon_signed_rank

N_MODELS = 4


@st.composite
def studies(draw):
    """A study of up to four models in which any kind of judgment may be missing or repeated."""
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, N_MODELS),
                st.integers(0, 5).map(lambda fifth: 200 * fifth),
                st.sampled_from([-7, 3, 4, 10**12]),
                st.integers(0, 3),
            ),
            max_size=60,
        )
    )
    return Scores(*np.array(rows, dtype=np.intp).reshape(-1, 4).T, n_models=N_MODELS)


def crossed(n_titles=12, n_judges=6, n_models=N_MODELS, seed=1):
    author, title, judge = (each.ravel() for each in np.indices((n_models + 1, n_titles, n_judges)))
    latent = np.random.default_rng(seed).normal(50 - 4 * author + 2 * judge, 15)
    order = np.random.default_rng(seed).permutation(author.size)
    columns = (author, np.clip(np.rint(latent), 0, 100).astype(int), title, judge)
    return Scores(*(column[order] for column in columns), n_models=n_models)


def one_by_one(scores, model, *, judges_fixed=False):
    human, machine = scores.author == 0, scores.author == model
    return auc_interval(
        scores.score[human],
        scores.score[machine],
        scores.title[human],
        scores.title[machine],
        None if judges_fixed else scores.judge[human],
        None if judges_fixed else scores.judge[machine],
        level="judgment",
    )


def assert_same(found, expected, tolerance=1e-12):
    """Every field of two results: numbers within the tolerance, all else alike."""
    for field in dataclasses.fields(expected):
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if isinstance(other, float):
            assert one == pytest.approx(other, rel=tolerance, abs=tolerance, nan_ok=True), field
        else:
            assert one == other, field


@given(studies())
def test_areas_are_the_shares_of_pairs_won(scores):
    found = areas(scores)

    for model in range(1, N_MODELS + 1):
        human, machine = (scores.score[scores.author == author] for author in (0, model))
        won = [(h > k) + (h == k) / 2 for h, k in itertools.product(human, machine)]
        if won:
            assert found[model - 1] == sum(won) / len(won)
        else:
            assert math.isnan(found[model - 1])


@given(studies(), st.booleans())
def test_intervals_are_those_of_one_model_after_another_with_every_count_reason_and_note(
    scores, judges_fixed
):
    found = area_intervals(scores, judges_fixed=judges_fixed)

    assert len(found) == N_MODELS
    for model, area in enumerate(found, start=1):
        assert_same(area, one_by_one(scores, model, judges_fixed=judges_fixed))


@pytest.mark.parametrize("judges_fixed", [False, True])
def test_intervals_of_a_full_study_are_those_of_one_model_after_another(judges_fixed):
    scores = crossed()

    for model, area in enumerate(area_intervals(scores, judges_fixed=judges_fixed), start=1):
        assert area.has_interval
        assert_same(area, one_by_one(scores, model, judges_fixed=judges_fixed))


def test_a_study_too_large_for_one_piece_has_the_same_intervals(monkeypatch):
    whole = area_intervals(crossed())
    monkeypatch.setattr(intervals, "_AT_ONCE", 2 * 12 * 6)  # two authors at a time

    for area, expected in zip(area_intervals(crossed()), whole, strict=True):
        assert_same(area, expected)


def test_confidence_and_level_are_those_asked_for():
    wide, narrow = (
        area_intervals(crossed(), confidence=confidence, level="answer")[0]
        for confidence in (0.99, 0.8)
    )

    assert wide.low < narrow.low < narrow.high < wide.high
    assert wide.level == "answer"
    assert "99 % interval" in wide.method
    with pytest.raises(ValueError, match="confidence"):
        area_intervals(crossed(), confidence=1)


def test_a_study_without_judgments_has_no_area_and_says_why():
    nothing = np.array([], dtype=int)
    scores = Scores(nothing, nothing, nothing, nothing, n_models=2)

    assert np.isnan(areas(scores)).all()
    assert {area.reason for area in area_intervals(scores)} == {"no poem was judged"}


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (([0, 3], [1, 1], [0, 0], [0, 0]), "authors must be from 0"),
        (([0, -1], [1, 1], [0, 0], [0, 0]), "authors must be from 0"),
        (([0, 10**12], [1, 1], [0, 0], [0, 0]), "authors must be from 0"),
        (([0, 1], [1, -1], [0, 0], [0, 0]), "from 0 up"),
        (([0, 1], [True, False], [0, 0], [0, 0]), "score must be whole numbers"),
        (([0, 1], [1, 0.5], [0, 0], [0, 0]), "score must be whole numbers"),
        (([0, 1], [1, 1], [0], [0, 0]), "each judgment needs"),
        (([[0, 1]], [1, 1], [0, 0], [0, 0]), "author must be one row"),
    ],
)
def test_what_are_no_scores_is_refused(columns, named):
    with pytest.raises(ValueError, match=named):
        Scores(*(np.array(column) for column in columns), n_models=2)


def test_title_means_are_means_over_judges_and_undefined_without_any():
    scores = Scores(
        np.array([0, 0, 1, 0]),
        np.array([100, 200, 700, 50]),
        np.array([30, 30, 30, 20]),
        np.array([1, 2, 1, 2]),
        n_models=1,
    )

    assert title_means(scores) == pytest.approx(np.array([[50, 150], [math.nan, 700]]), nan_ok=True)


tenths = st.one_of(st.just(math.nan), st.integers(0, 10).map(lambda tenth: tenth / 10))


@st.composite
def paired_rows(draw):
    n = draw(st.integers(0, 12))
    row = st.lists(tenths, min_size=n, max_size=n)
    return np.array(draw(st.lists(row, min_size=1, max_size=3))), np.array(draw(row))


@given(paired_rows(), st.sampled_from(["wilcox", "pratt"]))
def test_signed_ranks_are_those_of_one_model_after_another(rows, zeros):
    models, human = rows

    for found, model in zip(signed_ranks(models, human, zeros=zeros), models, strict=True):
        assert_same(found, wilcoxon_signed_rank(model, human, zeros=zeros))


@pytest.mark.parametrize("n_titles", [203, 600])
def test_signed_ranks_of_long_rows_are_those_of_one_model_after_another(n_titles):
    scores = np.random.default_rng(n_titles).integers(0, 500, (4, n_titles)) / 500
    scores[1:] -= 0.02

    for found, model in zip(signed_ranks(scores[1:], scores[0]), scores[1:], strict=True):
        assert_same(found, wilcoxon_signed_rank(model, scores[0]))


def test_twelve_pairs_with_ties_and_zeros_have_the_p_values_of_r():
    # R 4.2.2: wilcox.test(d, exact = FALSE, correct = FALSE) and exactRankTests::wilcox.exact(d)
    # on the differences, zeros left out: V = 49, p = 0.0272926807284743 and 0.0234375.
    model = np.array([[0.8, 0.55, 0.7, 0.35, 0.9, 0.6, 0.45, 0.75, 0.5, 0.65, 0.3, 0.85]])
    human = np.array([0.5, 0.6, 0.4, 0.35, 0.7, 0.3, 0.55, 0.25, 0.5, 0.35, 0.4, 0.6])

    (by_normal,) = signed_ranks(model, human, exact=False)
    (by_signs,) = signed_ranks(model, human)

    assert by_normal.statistic == by_signs.statistic == 49
    assert by_normal.p == pytest.approx(0.0272926807284743, rel=1e-12)
    assert by_signs.p == 0.0234375
    assert "normal approximation" in by_normal.method
    assert "exact with ties" in by_signs.method


def test_the_normal_approximation_is_scipy_s():
    scores = np.random.default_rng(8).integers(0, 30, (6, 90))

    for found, model in zip(
        signed_ranks(scores[1:], scores[0], exact=False), scores[1:], strict=True
    ):
        expected = wilcoxon(model, scores[0], method="asymptotic", correction=False)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-12)
        assert min(found.statistic, found.w_minus) == expected.statistic


def test_a_shift_that_is_not_wanted_is_left_out_and_nothing_else():
    scores = np.random.default_rng(3).integers(0, 30, (3, 20))
    (full, _), (short, _) = (
        signed_ranks(scores[1:], scores[0], shift=shift) for shift in (True, False)
    )

    assert math.isnan(short.median_difference)
    assert math.isnan(short.low)
    assert "Hodges" not in short.method
    assert (short.p, short.statistic, short.effect) == (full.p, full.statistic, full.effect)


def test_rows_that_do_not_pair_are_refused():
    with pytest.raises(ValueError, match="one score for each human one"):
        signed_ranks([[1, 2, 3]], [1, 2])
    with pytest.raises(ValueError, match="billion"):
        signed_ranks([[math.inf, 2]], [1, 2])
    with pytest.raises(ValueError, match="zeros must be one of"):
        signed_ranks([[1, 2]], [2, 1], zeros="Pratt")


@pytest.mark.filterwarnings("error")
def test_infinite_scores_on_both_sides_are_refused_without_a_warning_of_numpy():
    with pytest.raises(ValueError, match="billion"):
        signed_ranks([[math.inf, 2]], [math.inf, 2])


@pytest.mark.parametrize(("zeros", "said"), [("wilcox", "exact"), ("pratt", "normal")])
def test_equal_pairs_ranked_by_pratt_count_among_five_hundred(zeros, said):
    model = np.random.default_rng(2).permutation(np.arange(510)) - 200.0
    model[:20] = 0  # 490 or 489 differ; 510 are ranked by Pratt
    (found,) = signed_ranks([model], np.zeros(510), zeros=zeros)

    assert said in found.method.split(",")[1]
    assert_same(found, wilcoxon_signed_rank(model, np.zeros(510), zeros=zeros))


def test_a_study_without_models_is_refused():
    with pytest.raises(ValueError, match="there must be a model"):
        Scores(np.array([0]), np.array([1]), np.array([0]), np.array([0]), n_models=0)


def test_areas_need_no_titles_and_no_judges():
    scores = crossed()
    without = dataclasses.replace(
        scores, title=np.full(scores.n, -3), judge=np.full(scores.n, 10**15)
    )
    found = areas(without)

    assert found.tolist() == areas(scores).tolist()
    assert not {"_titles", "_judges", "places"} & vars(without).keys()


@given(studies(), st.sampled_from([1, 10**9]))
def test_a_histogram_has_each_score_that_occurs_and_no_other(scores, unit):
    scores = dataclasses.replace(scores, score=scores.score * unit)
    pairs = list(zip(scores.author.tolist(), scores.score.tolist(), strict=True))

    assert scores.values.tolist() == sorted({score for _, score in pairs})
    expected = [
        [pairs.count((author, score)) for score in scores.values.tolist()]
        for author in range(N_MODELS + 1)
    ]
    assert scores.histogram.tolist() == expected
    assert scores.values[scores.grades].tolist() == scores.score.tolist()
