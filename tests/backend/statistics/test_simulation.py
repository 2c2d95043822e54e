"""Simulated judgments have the truth that was put in, and the truth is what huge samples have."""

import numpy as np
import pytest
from scipy.special import expit, ndtr

from backend.statistics import simulation
from backend.statistics.detection import auc_interval
from backend.statistics.simulation import (
    NOT_APPLICABLE,
    PROBABILITY,
    Reader,
    Truth,
    draw,
    likert,
    probability,
    simulate,
    spread_effects,
    true_auc,
    true_mean,
)

HUGE = 1_000_000  # the standard error of an AUC of so many pairs is below 0.0005
NEAR = 0.002
TRUTH = Truth((-0.3, -1.2), title_sd=0.4, poem_sd=0.6, skill_sd=0.35, bias_sd=0.7, noise_sd=0.9)


def judges(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw judges as the module says they are: slope, bias, and whether they round to tenths."""
    slope = 1 + TRUTH.skill_sd * rng.standard_normal(HUGE)
    return slope, TRUTH.bias_sd * rng.standard_normal(HUGE), rng.random(HUGE) < 0.7


def probabilities(effect, drawn, rng) -> np.ndarray:
    """Answer one poem each, in thousandths, with rounding as numpy has it."""
    slope, bias, tenths = drawn
    human = effect + TRUTH.title_sd * rng.standard_normal(HUGE)
    human = human + TRUTH.poem_sd * rng.standard_normal(HUGE)
    p = expit(0.4 + slope * human + bias + TRUTH.noise_sd * rng.standard_normal(HUGE))
    return np.where(tenths, 100 * np.round(10 * p), 10 * np.round(100 * p))


def won(human: np.ndarray, machine: np.ndarray) -> float:
    return float((human > machine).mean() + (human == machine).mean() / 2)


def mean_judges(slope=1.0, bias=0.0):
    rng = np.random.default_rng(4)
    return np.full(HUGE, slope), np.full(HUGE, bias), rng.random(HUGE) < 0.7


@pytest.mark.parametrize("model", [1, 2])
def test_the_true_auc_over_judges_is_that_of_a_million_pairs_by_two_judges(model):
    rng = np.random.default_rng(1)
    human = probabilities(0, judges(rng), rng)
    machine = probabilities(TRUTH.effects[model - 1], judges(rng), rng)
    assert true_auc(TRUTH, model) == pytest.approx(won(human, machine), abs=NEAR)


@pytest.mark.parametrize("model", [1, 2])
def test_the_true_auc_within_judges_is_that_of_a_million_pairs_by_one_judge_each(model):
    rng = np.random.default_rng(2)
    each = judges(rng)
    human = probabilities(0, each, rng)
    machine = probabilities(TRUTH.effects[model - 1], each, rng)
    found = true_auc(TRUTH, model, judges="within")
    assert found == pytest.approx(won(human, machine), abs=NEAR)


def test_the_true_auc_of_the_mean_judge_is_that_of_slope_one_and_no_bias():
    rng, each = np.random.default_rng(3), mean_judges()
    human, machine = (probabilities(effect, each, rng) for effect in (0, -1.2))
    found = true_auc(TRUTH, 2, judges="mean")
    assert found == pytest.approx(won(human, machine), abs=NEAR)


def test_one_readers_true_auc_and_mean_are_theirs_alone():
    rng = np.random.default_rng(5)
    slope, bias, _ = mean_judges(slope=1.6, bias=-1.1)
    for habit, tenths in ((0.2, True), (0.9, False)):
        each = slope, bias, np.full(HUGE, tenths)
        human, machine = (probabilities(effect, each, rng) for effect in (0, -1.2))
        reader = Reader(1.6, -1.1, habit)
        found = true_auc(TRUTH, 2, reader=reader)
        assert found == pytest.approx(won(human, machine), abs=NEAR)
        assert true_mean(TRUTH, 0, reader=reader) == pytest.approx(human.mean(), abs=1)
        assert true_mean(TRUTH, 2, reader=reader) == pytest.approx(machine.mean(), abs=1)


def test_the_true_mean_is_that_of_a_million_judgments():
    rng = np.random.default_rng(6)
    for author, effect in enumerate((0, *TRUTH.effects)):
        mean = probabilities(effect, judges(rng), rng).mean()
        assert true_mean(TRUTH, author) == pytest.approx(mean, abs=1)


def test_without_ties_the_true_auc_is_the_binormal_one():
    # Phi(d / sqrt(2 * variance)) with d = 1, variance = 0.4**2 + 0.6**2 + 0.9**2 = 1.33; hundredths
    # tie so seldom that it is the same to a thousandth.
    truth = Truth((-1.0,), title_sd=0.4, poem_sd=0.6, skill_sd=0, bias_sd=0, noise_sd=0.9)
    binormal = ndtr(1 / np.sqrt(2 * 1.33))
    assert true_auc(truth, 1, asked=probability(tenths=0)) == pytest.approx(binormal, abs=1e-3)


def test_a_model_of_no_effect_is_not_told_from_a_human():
    truth = Truth((0.0,), skill_sd=0.4, bias_sd=1.0)
    for panel in ("pooled", "within", "mean"):
        assert true_auc(truth, 1, judges=panel) == pytest.approx(0.5, abs=1e-12)


def test_effects_are_spread_evenly_from_none():
    assert spread_effects(5, worst=-2) == (0, -0.5, -1, -1.5, -2)
    assert spread_effects(1) == (0,)


def test_points_of_a_scale_are_as_frequent_as_the_normal_distribution_has_them():
    # Cuts at -1.8, -0.6, 0.6, 1.8 less the centre of 0.6; all spreads together have a variance of
    # 0.6**2 + 0.8**2 = 1, so the shares are differences of the standard normal distribution.
    asked = likert("quality", centre=0.6)
    truth = Truth((0.0,), title_sd=0.6, poem_sd=0, skill_sd=0, bias_sd=0, noise_sd=0.8)
    below = ndtr(np.array([-2.4, -1.2, 0.0, 1.2]))
    shares = np.diff([0, *below, 1])
    assert true_mean(truth, 0, asked=asked) == pytest.approx(shares @ [1, 2, 3, 4, 5], abs=1e-9)
    codes = draw(truth, [asked], titles=20_000, judges=1, seed=1).codes
    found = np.bincount(codes.ravel(), minlength=6)[1:] / codes.size
    assert found == pytest.approx(shares, abs=0.01)


def test_not_applicable_comes_as_often_as_asked_and_is_no_score():
    asked = likert("imagery", na=0.2)
    codes = draw(TRUTH, [asked], titles=500, judges=5, seed=2).codes
    assert (codes == NOT_APPLICABLE).mean() == pytest.approx(0.2, abs=0.02)
    scores = simulate(TRUTH, titles=500, judges=5, per_poem=2, seed=2, asked=asked)
    assert set(scores.score) == {1, 2, 3, 4, 5}
    assert scores.score.size == pytest.approx(0.8 * 500 * 3 * 2, rel=0.03)


def test_probabilities_are_tenths_or_hundredths_in_thousandths_by_judge():
    codes = draw(TRUTH, [PROBABILITY], titles=200, judges=40, seed=3).codes[0]
    assert codes.min() >= 0
    assert codes.max() <= 1000
    assert not (codes % 10).any()
    in_tenths = [not (own % 100).any() for own in codes]
    assert 18 <= sum(in_tenths) <= 36  # 28 are expected of 40


@pytest.mark.parametrize(("titles", "judges", "per_poem"), [(11, 4, 3), (7, 13, 2), (5, 3, 3)])
def test_each_poem_has_as_many_different_judges_and_each_judge_about_as_many_poems(
    titles, judges, per_poem
):
    scores = simulate(TRUTH, titles=titles, judges=judges, per_poem=per_poem, seed=4)
    poems = list(zip(scores.author, scores.title, strict=True))
    assert len(set(poems)) == 3 * titles
    seen = set(zip(scores.author, scores.title, scores.judge, strict=True))
    assert len(seen) == scores.score.size == 3 * titles * per_poem
    times = np.bincount(scores.judge, minlength=judges)
    assert times.max() - times.min() <= per_poem


def test_the_same_seed_gives_the_same_scores_and_another_others():
    one, again, other = (
        simulate(TRUTH, titles=30, judges=5, per_poem=2, seed=seed) for seed in (7, 7, 8)
    )
    assert (one.score == again.score).all()
    assert (one.judge == again.judge).all()
    assert (one.score != other.score).any()


def test_more_judges_say_of_the_same_poems_what_fewer_said():
    asked = likert("quality")
    few, many = (draw(TRUTH, [asked], titles=20, judges=n, seed=9) for n in (3, 6))
    assert many.readers[:3] == few.readers
    assert (many.codes[:, :3] == few.codes).all()


def test_a_thousand_titles_have_nearly_the_true_auc():
    truth = Truth((-0.8,), skill_sd=0.2, bias_sd=0.4)
    scores = simulate(truth, titles=4000, judges=400, per_poem=3, seed=10)
    human = scores.author == 0
    found = auc_interval(
        scores.score[human], scores.score[~human], scores.title[human], scores.title[~human],
        scores.judge[human], scores.judge[~human], level="judgment",
    )  # fmt: skip
    assert found.high - found.low < 0.04
    assert found.low <= true_auc(truth, 1) <= found.high


@pytest.mark.parametrize(
    "wrong",
    [
        {"effects": ()},
        {"effects": (float("nan"),)},
        {"effects": (0.0,), "bias_sd": -1},
        {"effects": (0.0,), "noise_sd": 0},
    ],
)
def test_what_cannot_be_true_is_refused(wrong):
    with pytest.raises(ValueError):
        Truth(**wrong)


def test_sizes_that_cannot_be_are_refused():
    for sizes in ((0, 3, 1), (5, 0, 1), (5, 3, 4), (5, 3, 0)):
        titles, judges, per_poem = sizes
        with pytest.raises(ValueError):
            simulate(TRUTH, titles=titles, judges=judges, per_poem=per_poem, seed=1)
    with pytest.raises(ValueError):
        true_auc(TRUTH, 0)
    with pytest.raises(ValueError):
        true_auc(TRUTH, 3)
    with pytest.raises(ValueError):
        true_mean(TRUTH, -1)


def test_judges_skills_biases_and_habits_are_independent_of_each_other():
    readers = draw(TRUTH, [PROBABILITY], titles=1, judges=4000, seed=5).readers
    drawn = np.array([(one.slope, one.bias, one.habit) for one in readers])

    # The standard error of a correlation of 4,000 is .016.
    assert np.abs(np.corrcoef(drawn.T) - np.eye(3)).max() < 0.07


@pytest.mark.parametrize("seed", [np.int64(7), np.uint32(7), [7], (7,), np.array([7])])
def test_a_seed_is_the_same_seed_in_every_form(seed):
    one, other = (simulate(TRUTH, titles=9, judges=4, per_poem=2, seed=s) for s in (7, seed))

    assert (one.score == other.score).all()
    assert (one.judge == other.judge).all()


@pytest.mark.parametrize("seed", [7, (1, 2, 3, 4), (1, 2, 3, 4, 5)])
def test_who_judges_what_is_dealt_by_a_stream_that_draws_nothing_else(monkeypatch, seed):
    dealing = []

    def noted(*sizes):
        *_, rng = sizes
        dealing.append(rng.bit_generator.state["state"])
        return dealt(*sizes)

    dealt = simulation._dealt
    monkeypatch.setattr(simulation, "_dealt", noted)
    simulate(TRUTH, titles=9, judges=4, per_poem=2, seed=seed)
    drawing = [
        np.random.default_rng(stream).bit_generator.state["state"]
        for stream in np.random.SeedSequence(seed).spawn(4)
    ]

    assert dealing[0] not in drawing
