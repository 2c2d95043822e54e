"""Judgments made up by a known truth, to check that figures recover what was put in.

A poem is more or less human to its readers: ``h = effect of its author + of its title + its own``.
A judge places it at ``x = centre + loading * slope * h + bias + noise`` and answers with the level
that x falls on. The slope is the judge's skill, the bias how readily they say "human"; both are the
judge's own, as judges are drawn from a population of judges. Effects are on the logit scale.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtr

from backend.statistics.many import Scores

NOT_APPLICABLE = -1
NODES = 48  # of each Gauss-Hermite rule
WIDEST = 10.0  # of all spreads, in logits; far above any that judges or poems have

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Panel = Literal["pooled", "within", "mean"]


@dataclass(frozen=True)
class Grid:
    """The levels that a judge answers with, and where one ends and the next begins.

    `levels` are whole numbers >= 0, rising; `cuts` one fewer. A `share` of judges answers so.
    """

    levels: tuple[int, ...]
    cuts: tuple[float, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Asked:
    """One question, as judges answer it.

    Attributes
    ----------
    grids : tuple of Grid
        Their shares sum to 1; a judge keeps to one of them.
    centre : float
        Where a poem of no effect is placed by a judge of no bias.
    loading : float
        How much the answer has to do with `h`.
    na : float
        Chance that the judge finds it not applicable.
    """

    key: str
    grids: tuple[Grid, ...]
    centre: float = 0.0
    loading: float = 1.0
    na: float = 0.0


def probability(
    key: str = "probability_human", *, tenths: float = 0.7, centre: float = 0.4
) -> Asked:
    """Return a question for a probability in thousandths, as people give it.

    A share of `tenths` rounds to tenths, the others to hundredths.
    """
    return Asked(key, (_rounded(10, tenths), _rounded(100, 1 - tenths)), centre=centre)


def likert(
    key: str,
    codes: Sequence[int] = (1, 2, 3, 4, 5),
    *,
    centre: float = 0.0,
    loading: float = 1.0,
    na: float = 0.0,
) -> Asked:
    """Return a question on a scale of points, 1.2 apart on the latent scale."""
    middle = (len(codes) - 2) / 2
    cuts = tuple(1.2 * (place - middle) for place in range(len(codes) - 1))
    return Asked(key, (Grid(tuple(codes), cuts),), centre, loading, na)


def _rounded(steps: int, share: float) -> Grid:
    cuts = logit((np.arange(steps) + 0.5) / steps)
    levels = range(0, 1001, 1000 // steps)
    return Grid(tuple(levels), tuple(float(cut) for cut in cuts), share)


PROBABILITY = probability()


@dataclass(frozen=True)
class Truth:
    """What is put in.

    Attributes
    ----------
    effects : tuple of float
        Of each model; a human's is 0, and below it poems are held less human.
    title_sd, poem_sd, noise_sd : float
        Between titles, between poems on one title, between answers to one poem.
    skill_sd, bias_sd : float
        Between judges: of their slopes around 1, and of their biases around 0.

    Raises
    ------
    ValueError
        If there is no model, a number is not finite, a spread is below 0 or above `WIDEST`, or
        there is no noise.
    """

    effects: tuple[float, ...]
    title_sd: float = 0.4
    poem_sd: float = 0.5
    skill_sd: float = 0.3
    bias_sd: float = 0.5
    noise_sd: float = 1.0

    def __post_init__(self) -> None:
        spreads = (self.title_sd, self.poem_sd, self.skill_sd, self.bias_sd, self.noise_sd)
        if not self.effects:
            raise ValueError("there must be a model")
        if not all(math.isfinite(number) for number in (*self.effects, *spreads)):
            raise ValueError("every effect and every spread must be a finite number")
        if min(spreads) < 0 or not self.noise_sd:
            raise ValueError("no spread can be below 0, and noise must be above it")
        if max(spreads) > WIDEST:
            raise ValueError(f"no spread can be above {WIDEST:g} logits")

    def effect(self, author: int) -> float:
        """Return the effect of an author: 0 is a human, c the model ``effects[c - 1]``.

        Any other number raises ValueError.
        """
        if not 0 <= author <= len(self.effects):
            raise ValueError(f"there is no author {author}, but 0 to {len(self.effects)}")
        return (0.0, *self.effects)[author]


def spread_effects(models: int, *, worst: float = -1.6) -> tuple[float, ...]:
    """Return effects evenly spread from no difference to the worst."""
    return tuple(round(float(one), 3) for one in np.linspace(0, worst, models) + 0.0)


@dataclass(frozen=True)
class Reader:
    """One judge as drawn; the `habit`, from 0 to 1, is which of a question's grids they keep to."""

    slope: float = 1.0
    bias: float = 0.0
    habit: float = 0.0

    def grid(self, asked: Asked) -> Grid:
        """Return the levels that this judge answers a question with."""
        until = np.cumsum([grid.share for grid in asked.grids])[:-1]
        return asked.grids[int(np.searchsorted(until, self.habit, side="right"))]


@dataclass(frozen=True)
class Drawn:
    """What every judge would say of every poem; which of it is asked, the design decides.

    `codes` has the shape (n_questions, n_judges, n_authors, n_titles), and `NOT_APPLICABLE` where
    the judge found it so.
    """

    readers: tuple[Reader, ...]
    codes: NDArray[np.int32]


def draw(
    truth: Truth, asked: Sequence[Asked], *, titles: int, judges: int, seed: int | Sequence[int]
) -> Drawn:
    """Draw titles, poems and judges, and what each judge would say of each poem.

    Every author has one poem on every title. The same seed gives the same answers.

    Raises
    ------
    ValueError
        If there are no titles, judges or questions.
    """
    if titles < 1 or judges < 1 or not asked:
        raise ValueError("there must be a title, a judge and a question")
    of_poems, of_judges, of_noise, of_na, _ = _streams(seed)
    authors = len(truth.effects) + 1
    human = np.array([truth.effect(author) for author in range(authors)])[:, None]
    human = human + truth.title_sd * of_poems.standard_normal(titles)
    human = human + truth.poem_sd * of_poems.standard_normal((authors, titles))
    readers = tuple(
        Reader(1 + truth.skill_sd * float(skill), truth.bias_sd * float(bias), float(ndtr(habit)))
        for skill, bias, habit in of_judges.standard_normal((judges, 3))
    )
    shape = (judges, authors, titles)
    codes = np.empty((len(asked), *shape), dtype=np.int32)
    for place, one in enumerate(asked):
        noise = truth.noise_sd * of_noise.standard_normal(shape)
        for judge, reader in enumerate(readers):
            at = one.centre + one.loading * reader.slope * human + reader.bias + noise[judge]
            grid = reader.grid(one)
            codes[place, judge] = np.array(grid.levels)[np.searchsorted(grid.cuts, at)]
        codes[place][of_na.random(shape) < one.na] = NOT_APPLICABLE
    return Drawn(readers, codes)


def _streams(seed: int | Sequence[int]) -> list[np.random.Generator]:
    """Return what draws poems, judges, noise, what is not applicable, and who judges what."""
    # Streams of their own, so that more judges leave the poems as they were.
    return [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(5)]


def simulate(
    truth: Truth,
    *,
    titles: int,
    judges: int,
    per_poem: int,
    seed: int | Sequence[int],
    asked: Asked = PROBABILITY,
) -> Scores:
    """Return the scores of a study in which each poem has `per_poem` judges, drawn evenly.

    Judges have as many poems as each other, within one for each of `per_poem` rounds. Answers
    that are not applicable are left out.

    The same seed gives the same scores.

    Raises
    ------
    ValueError
        If a number is below 1, or `per_poem` above `judges`.
    """
    if not 1 <= per_poem <= judges:
        raise ValueError(f"of {judges} judges no poem can have {per_poem}")
    drawn = draw(truth, [asked], titles=titles, judges=judges, seed=seed)
    authors = len(truth.effects) + 1
    *_, of_dealing = _streams(seed)
    judge = _dealt(authors * titles, judges, per_poem, of_dealing)
    poem = np.repeat(np.arange(authors * titles), per_poem)
    author, title = np.divmod(poem, titles)
    score = drawn.codes[0, judge, author, title].astype(np.intp)
    kept = score != NOT_APPLICABLE
    return Scores(author[kept], score[kept], title[kept], judge[kept], len(truth.effects))


def _dealt(poems: int, judges: int, per_poem: int, rng: np.random.Generator) -> Codes:
    """Return `per_poem` judges for each poem, all different, poem after poem."""
    # In a block of as many poems as judges, each round is a rotation of one random order.
    blocks = -(-poems // judges)
    order = rng.permuted(np.tile(np.arange(judges), (blocks, 1)), axis=1)
    rounds = np.stack([np.roll(order, turn, axis=1).ravel() for turn in range(per_poem)], axis=1)
    shuffled: Codes = rounds[:poems][rng.permutation(poems)].ravel()
    return shuffled


def true_auc(
    truth: Truth,
    model: int,
    *,
    asked: Asked = PROBABILITY,
    judges: Panel = "pooled",
    reader: Reader | None = None,
) -> float:
    """Chance that a human poem is scored more human than the model's, ties counted half.

    By numerical integration (normal distribution function; Gauss-Hermite over judges): what the
    area under the ROC curve of judgments tends to, the more titles and judges there are.

    Parameters
    ----------
    truth : Truth
    model : int
        From 1 on.
    asked : Asked
    judges : {"pooled", "within", "mean"}
        Whose two scores are compared: of two judges drawn one by one, as in a pooled AUC of many
        judges; of one judge, on average over judges; of the mean judge, of slope 1 and no bias.
    reader : Reader, optional
        This judge's alone; `judges` is then of no account.

    Returns
    -------
    float
        Between 0 and 1. The two poems are on different titles.

    Raises
    ------
    ValueError
        If there is no such model.
    """
    if model == 0:
        raise ValueError("author 0 is a human; models are counted from 1")
    if reader is None and judges == "pooled":
        return float(_auc(*(_pooled(truth, asked, author) for author in (0, model))))
    area = 0.0
    for share, grid, slope, bias, weight in _alone(truth, asked, judges, reader):
        sides = (_shares(truth, asked, grid, author, slope, bias) for author in (0, model))
        area += share * float(weight @ _auc(*sides))
    return area


def true_mean(
    truth: Truth, author: int, *, asked: Asked = PROBABILITY, reader: Reader | None = None
) -> float:
    """Mean answer to poems of one author (0 is a human), over judges or of one `reader`.

    In the unit of the levels: points, or thousandths of a probability.

    Raises
    ------
    ValueError
        If there is no such author.
    """
    if reader is None:
        shares = _pooled(truth, asked, author)
        return float(shares @ np.arange(shares.size))
    grid = reader.grid(asked)
    found = _shares(truth, asked, grid, author, np.array([reader.slope]), np.array([reader.bias]))
    return float(found[0] @ np.array(grid.levels))


_Alone = tuple[float, Grid, Floats, Floats, Floats]


def _alone(truth: Truth, asked: Asked, judges: Panel, reader: Reader | None) -> list[_Alone]:
    """Return kinds of single judges: share, grid, and slopes and biases with their weights."""
    if reader is not None:
        slope, bias, weight = np.array([reader.slope]), np.array([reader.bias]), np.ones(1)
        return [(1.0, reader.grid(asked), slope, bias, weight)]
    slope, bias, weight = np.ones(1), np.zeros(1), np.ones(1)
    if judges == "within":
        nodes, weights = _normal()
        slope = np.repeat(1 + truth.skill_sd * nodes, nodes.size)
        bias = np.tile(truth.bias_sd * nodes, nodes.size)
        weight = np.outer(weights, weights).ravel()
    return [(grid.share, grid, slope, bias, weight) for grid in asked.grids]


def _pooled(truth: Truth, asked: Asked, author: int) -> Floats:
    """Return the share of each whole number from 0 on among all answers to an author's poems."""
    nodes, weights = _normal()
    slopes, biases = 1 + truth.skill_sd * nodes, np.zeros(nodes.size)
    found = np.zeros(1 + max(level for grid in asked.grids for level in grid.levels))
    for grid in asked.grids:
        shares = _shares(truth, asked, grid, author, slopes, biases, bias_sd=truth.bias_sd)
        found[list(grid.levels)] += grid.share * (weights @ shares)
    return found


def _shares(
    truth: Truth,
    asked: Asked,
    grid: Grid,
    author: int,
    slopes: Floats,
    biases: Floats,
    *,
    bias_sd: float = 0.0,
) -> Floats:
    """Return the share of each level, for each judge in a row of their own."""
    steep = asked.loading * slopes
    middle = asked.centre + steep * truth.effect(author) + biases
    own = truth.title_sd**2 + truth.poem_sd**2
    spread = np.sqrt(steep**2 * own + truth.noise_sd**2 + bias_sd**2)
    below = ndtr((np.array(grid.cuts) - middle[:, None]) / spread[:, None])
    ends = np.zeros((slopes.size, 1)), np.ones((slopes.size, 1))
    found: Floats = np.diff(np.hstack([ends[0], below, ends[1]]), axis=1)
    return found


def _auc(human: Floats, machine: Floats) -> Floats:
    """Return the area of each row of shares, over levels in one order."""
    below = np.cumsum(machine, axis=-1) - machine / 2
    found: Floats = (human * below).sum(axis=-1)
    return found


def _normal() -> tuple[Floats, Floats]:
    """Return nodes and weights for means over a standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()
