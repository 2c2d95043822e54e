"""Resampling of titles and judges, against enumeration, scikit-learn and plain counting."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from backend.statistics import resampling
from backend.statistics.many import Scores, area_intervals, areas
from backend.statistics.resampling import Replicates, draws, two_way_bootstrap


def study(n_titles=15, n_judges=4, n_models=3, seed=5, kept=1.0):
    author, title, judge = (each.ravel() for each in np.indices((n_models + 1, n_titles, n_judges)))
    generator = np.random.default_rng(seed)
    latent = generator.normal(60 - 5 * author, 15) + generator.normal(0, 8, n_judges)[judge]
    score = np.clip(np.rint(latent), 0, 100).astype(int)
    chosen = generator.random(author.size) < kept
    return Scores(*(each[chosen] for each in (author, score, title, judge)), n_models=n_models)


def replicates(values, *, highest_is_best=False):
    values = np.array(values, dtype=float)
    return Replicates(
        values=values,
        observed=values.mean(axis=0),
        authors=tuple(range(1, values.shape[1] + 1)),
        highest_is_best=highest_is_best,
        n=1,
        n_titles=2,
        n_judges=2,
        method="made up",
        level="judgment",
    )


def test_two_titles_and_one_judge_are_drawn_as_often_as_chance_has_it():
    # The first title's human poem wins, the second's loses; across titles all human poems win.
    scores = Scores(
        np.array([0, 1, 0, 1]),
        np.array([40, 10, 20, 30]),
        np.array([0, 0, 1, 1]),
        np.zeros(4, dtype=int),
        n_models=1,
    )
    found = two_way_bootstrap(scores, n_replicates=20_000, seed=3)

    # Both titles once: 40 beats 10 and 30, 20 beats 10 only: 3/4. Twice the same: 1 or 0.
    drawn, times = np.unique(found.values, return_counts=True)
    assert drawn.tolist() == [0, 0.75, 1]
    assert times / 20_000 == pytest.approx([0.25, 0.5, 0.25], abs=0.015)
    assert found.observed.tolist() == [0.75]
    assert "one judge" in found.method


@pytest.mark.parametrize("kept", [1.0, 0.4])
def test_each_replicate_is_scikit_learns_area_with_products_of_weights(kept):
    scores = study(kept=kept)
    found = two_way_bootstrap(scores, n_replicates=5, seed=11)
    titles, judges = draws(15, 4, n_replicates=5, seed=11)

    for values, by_title, by_judge in zip(found.values, titles, judges, strict=True):
        weights = by_title[scores.title] * by_judge[scores.judge]
        for model in (1, 2, 3):
            sides = (scores.author == 0) | (scores.author == model)
            assert values[model - 1] == pytest.approx(
                roc_auc_score(
                    scores.author[sides] == 0, scores.score[sides], sample_weight=weights[sides]
                ),
                abs=1e-12,
            )


def test_each_replicate_of_means_is_a_weighted_mean_of_each_author():
    scores = study()
    found = two_way_bootstrap(scores, n_replicates=4, seed=2, statistic="mean")
    titles, judges = draws(15, 4, n_replicates=4, seed=2)

    assert found.authors == (0, 1, 2, 3)
    for values, by_title, by_judge in zip(found.values, titles, judges, strict=True):
        weights = by_title[scores.title] * by_judge[scores.judge]
        for author in found.authors:
            own = scores.author == author
            assert values[author] == pytest.approx(
                np.average(scores.score[own], weights=weights[own]), rel=1e-13
            )
    plain = [scores.score[scores.author == author].mean() for author in found.authors]
    assert found.observed == pytest.approx(plain, rel=1e-14)


def test_as_many_titles_and_judges_are_drawn_as_there_are():
    titles, judges = draws(15, 4, n_replicates=600, seed=1)

    assert titles.shape == (600, 15)
    assert set(titles.sum(axis=1)) == {15}
    assert set(judges.sum(axis=1)) == {4}
    # A cluster's number of draws is binomial: mean 1, variance 1 - 1/n.
    assert titles.mean(axis=0) == pytest.approx(np.ones(15), abs=0.2)
    assert titles.var() == pytest.approx(1 - 1 / 15, abs=0.05)
    assert judges.var() == pytest.approx(1 - 1 / 4, abs=0.08)


@pytest.mark.parametrize("statistic", ["auc", "mean"])
def test_the_same_seed_gives_the_same_numbers_whatever_the_batch(statistic):
    def values(seed, **settings):
        return two_way_bootstrap(
            study(), n_replicates=300, seed=seed, statistic=statistic, **settings
        ).values

    assert np.array_equal(values(7), values(7, batch=1))
    assert np.array_equal(values(7), values(7, batch=1000))
    assert not np.array_equal(values(7), values(8))


def test_counts_too_large_for_single_precision_are_kept_in_double(monkeypatch):
    # Twenty-five million judgments that count alike, less one: single precision cannot tell.
    assert np.float32(2**24) + np.float32(1) == np.float32(2**24)
    single = two_way_bootstrap(study(), n_replicates=50, seed=1).values
    used = []
    whole = resampling.sparse.coo_array

    def noted(given, **settings):
        used.append(given[0].dtype)
        return whole(given, **settings)

    monkeypatch.setattr(resampling.sparse, "coo_array", noted)
    two_way_bootstrap(study(), n_replicates=1, seed=1)
    monkeypatch.setattr(resampling, "_EXACT_IN_SINGLE", 4 * 15 * 4)
    double = two_way_bootstrap(study(), n_replicates=50, seed=1).values

    assert used == [np.float32, np.float64]
    assert np.array_equal(single, double)


def test_where_poems_and_judges_differ_replicates_spread_as_the_closed_form_says():
    author, title, judge = (each.ravel() for each in np.indices((4, 60, 12)))
    generator = np.random.default_rng(9)
    poem, skill = generator.normal(0, 15, (4, 60)), generator.normal(6, 10, 12)
    latent = generator.normal(60 + poem[author, title] - skill[judge] * (author > 0), 4)
    scores = Scores(author, np.clip(np.rint(latent), 0, 100).astype(int), title, judge, n_models=3)
    found = two_way_bootstrap(scores, seed=4)

    assert found.observed == pytest.approx(areas(scores), abs=1e-15)
    for model, area in enumerate(area_intervals(scores), start=1):
        low, high = found.interval(model)
        # R 4.2.2: qt(.975, 11) = 2.200985160082949.
        error = (area.high - area.low) / 2 / 2.200985160082949
        assert low < area.value < high
        assert found.values[:, model - 1].std() == pytest.approx(error, rel=0.1)


def test_an_interval_holds_the_middle_share_of_the_replicates():
    found = replicates([[place] for place in range(101)])

    assert found.interval(1, 0.9) == pytest.approx((5, 95))
    assert found.interval(1, 0.5) == pytest.approx((25, 75))


def test_rank_one_is_the_lowest_area_and_ties_share():
    found = replicates([[0.5, 0.7, 0.6], [0.6, 0.6, 0.9]])

    assert found.ranks().tolist() == [[1, 3, 2], [1.5, 1.5, 3]]
    assert found.best().tolist() == [0.75, 0.25, 0]


def test_rank_one_is_the_highest_mean():
    found = replicates([[3, 5, 4], [3, 2, 1]], highest_is_best=True)

    assert found.ranks().tolist() == [[3, 1, 2], [1, 2, 3]]
    assert found.best().tolist() == [0.5, 0.5, 0]


def test_a_rank_interval_leaves_out_the_rarest_ranks():
    # The first is best in 95 of 100, second in 3, third in 2.
    rows = [[1, 2, 3]] * 95 + [[2, 1, 3]] * 3 + [[3, 1, 2]] * 2
    found = replicates(rows)

    assert found.rank_interval(1, 0.95) == (1, 2)
    assert found.rank_interval(1, 0.9) == (1, 1)
    assert found.rank_interval(1, 0.99) == (1, 3)


def test_a_replicate_that_misses_an_author_is_undefined_and_said():
    # The only judgment of the second model is on one of five titles, which is often not drawn.
    author = np.array([0] * 5 + [1] * 5 + [2])
    title = np.array([*range(5), *range(5), 0])
    score = np.array([*range(10), 2])
    scores = Scores(author, score, title, np.zeros(11, dtype=int), n_models=2)
    found = two_way_bootstrap(scores, n_replicates=1000, seed=1)
    without = np.isnan(found.values[:, 1])

    assert without.mean() == pytest.approx(0.8**5, abs=0.05)
    assert found.notes == (
        f"{without.sum()} of 1000 resamplings leave an author without judgments: "
        "they have no ranks",
    )
    assert np.array_equal(np.isnan(found.ranks()).all(axis=1), without)
    assert not math.isnan(found.interval(2)[0])
    assert found.best().sum() == pytest.approx(1)


def test_with_one_title_there_is_nothing_to_resample_and_the_reason_is_given():
    found = two_way_bootstrap(study(n_titles=1), n_replicates=9, seed=1)

    assert found.reason.startswith("only one title")
    assert np.isnan(found.values).all()
    assert np.isnan(found.interval(1)).all()
    assert np.isnan(found.rank_interval(1)).all()
    assert np.isnan(found.best()).all()


def test_without_judgments_the_reason_is_given():
    nothing = np.array([], dtype=int)
    scores = Scores(nothing, nothing, nothing, nothing, n_models=2)

    assert two_way_bootstrap(scores, n_replicates=9, seed=1).reason == "nothing was judged"


def test_no_replicate_and_an_unknown_author_are_refused():
    with pytest.raises(ValueError, match="at least one replicate"):
        two_way_bootstrap(study(), n_replicates=0, seed=1)
    with pytest.raises(ValueError, match="no author 0"):
        two_way_bootstrap(study(), n_replicates=2, seed=1).interval(0)
    with pytest.raises(ValueError, match="confidence"):
        two_way_bootstrap(study(), n_replicates=2, seed=1).rank_interval(1, 2)
    with pytest.raises(ValueError, match="no author 0"):
        two_way_bootstrap(study(), n_replicates=2, seed=1).why(0)
    with pytest.raises(ValueError, match="statistic must be one of auc, mean, got 'means'"):
        two_way_bootstrap(study(), n_replicates=2, seed=1, statistic="means")


def test_titles_and_judges_are_drawn_independently_of_each_other():
    titles, judges = draws(12, 12, n_replicates=500, seed=1)

    # Draws of 6,000 clusters of either kind: the correlation has a standard error of .013.
    assert abs(np.corrcoef(titles.ravel(), judges.ravel())[0, 1]) < 0.06


def test_where_all_replicates_agree_there_is_no_interval_and_the_reason_is_given():
    author, title, judge = (each.ravel() for each in np.indices((3, 8, 3)))
    # The first model's poems all lose, the second's sometimes.
    score = np.where(author == 1, 1, 5 + (7 * title + 3 * judge + author) % 4)
    found = two_way_bootstrap(Scores(author, score, title, judge, 2), n_replicates=200, seed=1)

    assert np.isnan(found.interval(1)).all()
    assert found.why(1) == "nothing varies between titles or judges"
    assert found.why(2) == ""
    assert not np.isnan(found.interval(2)).any()
    assert found.rank_interval(1) == (2, 2)


def test_one_resampling_gives_no_interval_and_says_why():
    found = two_way_bootstrap(study(), n_replicates=1, seed=1)

    assert np.isnan(found.interval(1)).all()
    assert found.why(1) == "fewer than two resamplings have a value of this author"


@pytest.mark.parametrize("statistic", ["auc", "mean"])
def test_a_model_that_was_not_judged_leaves_the_ranks_of_the_others_as_they_are(statistic):
    few = study()
    more = Scores(few.author, few.score, few.title, few.judge, n_models=4)
    expected, found = (
        two_way_bootstrap(scores, n_replicates=200, seed=1, statistic=statistic)
        for scores in (few, more)
    )

    assert np.array_equal(found.ranks()[:, :-1], expected.ranks())
    assert found.rank_interval(1) == expected.rank_interval(1)
    assert found.best()[:-1].tolist() == expected.best().tolist()
    assert found.notes == expected.notes == ()
    assert np.isnan(found.ranks()[:, -1]).all()
    assert np.isnan([*found.interval(4), *found.rank_interval(4), found.best()[-1]]).all()
    assert found.why(4) == "no poem of this author was judged"


@pytest.mark.parametrize(("author", "named"), [(0, "machine"), (1, "human")])
def test_areas_without_one_kind_of_poem_are_not_resampled_and_the_reason_is_given(author, named):
    title = np.arange(6)
    scores = Scores(np.full(6, author), title, title, title % 2, n_models=1)
    found = two_way_bootstrap(scores, n_replicates=9, seed=1)

    assert found.reason == found.why(1) == f"no {named} poem was judged"
    assert np.isnan([*found.interval(1), *found.rank_interval(1), *found.best()]).all()
    means = two_way_bootstrap(scores, n_replicates=99, seed=1, statistic="mean")
    assert means.why(author) == ""
