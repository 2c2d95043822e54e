"""Figures of 30 models at once against a plain loop over scikit-learn, SciPy and pandas.

Both sides get the same columns in memory, ours as arrays, the loop as a pandas frame of them:
author, score (whole per cent), title and judge of each judgment, in no order. Every time starts
there, with the checks and the index that a figure needs, but for one line that says so, and is the
best of as many runs on either side. The loop is what one writes for one model and repeats: the
model's rows of the frame, `roc_auc_score`, the two-way cluster-robust formula on sums by cluster,
means of titles by `groupby`, `wilcoxon` as it chooses by itself at that size, `roc_auc_score` with
sample weights in each resampling. Two parts stand there twice, the second time as one writes them
who knows what is quicker: rows found by masks of NumPy, and the placements that the interval needs,
by their definition from all pairs, and by `rankdata`. What would take minutes is timed on a few
resamplings and multiplied; such times are marked with a tilde. All figures are checked: both sides
give the same numbers.
"""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, t, wilcoxon
from sklearn.metrics import roc_auc_score

from backend.statistics.estimate import Estimate
from backend.statistics.many import Scores, area_intervals, areas, signed_ranks, title_means
from backend.statistics.paired import SignedRank
from backend.statistics.resampling import Replicates, draws, two_way_bootstrap

MODELS = 30
REPLICATES = 2000
SEED = 20
TOLERANCE = 1e-11

Made = TypeVar("Made")
Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


@dataclass(frozen=True)
class Size:
    """A study, what it must reach, and how often both sides are timed: areas, the rest, draws."""

    titles: int
    judges: int
    targets: dict[str, str]
    counted: int
    timed: int
    drawn: int
    resampled: int
    placed: tuple[Callable[[Floats, Floats], Pair], ...]


@dataclass(frozen=True)
class Columns:
    """The judgments, as they come."""

    author: NDArray[np.intp]
    score: NDArray[np.intp]
    title: NDArray[np.intp]
    judge: NDArray[np.intp]

    def index(self) -> Scores:
        return Scores(self.author, self.score, self.title, self.judge, n_models=MODELS)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame({each.name: getattr(self, each.name) for each in fields(self)})


def made_up(titles: int, judges: int) -> Columns:
    """Every judge on every poem: models from as good as the human to clearly worse."""
    author, title, judge = (
        each.ravel() for each in np.indices((MODELS + 1, titles, judges), dtype=np.intp)
    )
    random = np.random.default_rng(SEED)
    poem = random.normal(60 - 0.5 * np.arange(MODELS + 1)[:, None], 8, (MODELS + 1, titles))
    latent = random.normal(poem[author, title] + random.normal(0, 8, judges)[judge], 18)
    score = np.clip(np.rint(latent), 0, 100).astype(np.intp)
    order = random.permutation(author.size)
    return Columns(*(column[order] for column in (author, score, title, judge)))


def plain_areas(given: pd.DataFrame) -> Floats:
    found = []
    for model in range(1, MODELS + 1):
        rows = given[given["author"].isin([0, model])]
        found.append(roc_auc_score(rows["author"] == 0, rows["score"]))
    return np.array(found)


def masked_areas(given: Columns) -> Floats:
    found = []
    for model in range(1, MODELS + 1):
        rows = (given.author == 0) | (given.author == model)
        found.append(roc_auc_score(given.author[rows] == 0, given.score[rows]))
    return np.array(found)


def plain_intervals(given: pd.DataFrame, placed: Callable[[Floats, Floats], Pair]) -> Floats:
    found = []
    for model in range(1, MODELS + 1):
        human, machine = (given[given["author"] == author] for author in (0, model))
        rows = pd.concat([human, machine])
        area = roc_auc_score(rows["author"] == 0, rows["score"])
        below, above = placed(human["score"].to_numpy(), machine["score"].to_numpy())
        rows["influence"] = np.r_[(below - area) / len(human), (above - area) / len(machine)]
        by_title, by_judge, by_both = (
            plain_variance(rows, keys) for keys in (["title"], ["judge"], ["title", "judge"])
        )
        error = np.sqrt(max(by_title + by_judge - by_both, by_title, by_judge))
        reach = t.ppf(0.975, rows["judge"].nunique() - 1) * error
        found.append((area - reach, area + reach))
    return np.array(found)


def by_pairs(human: Floats, machine: Floats) -> Pair:
    won = (human[:, None] > machine) + (human[:, None] == machine) / 2
    return won.mean(axis=1), won.mean(axis=0)


def by_ranks(human: Floats, machine: Floats) -> Pair:
    together = rankdata(np.r_[human, machine])
    below = (together[: human.size] - rankdata(human)) / machine.size
    return below, 1 - (together[human.size :] - rankdata(machine)) / human.size


def plain_variance(rows: pd.DataFrame, keys: list[str]) -> float:
    sums = rows.groupby(keys)["influence"].sum()
    return float((sums**2).sum()) * len(sums) / (len(sums) - 1)


def plain_ranks(given: pd.DataFrame) -> Floats:
    human, found = plain_means(given, 0), []
    for model in range(1, MODELS + 1):
        difference = (plain_means(given, model) - human).round(9)
        found += [wilcoxon(difference).pvalue]
    return np.array(found)


def plain_means(given: pd.DataFrame, author: int) -> pd.Series:
    return given[given["author"] == author].groupby("title")["score"].mean()


def plain_bootstrap(
    given: pd.DataFrame, titles: NDArray[np.uint32], judges: NDArray[np.uint32]
) -> Floats:
    found = []
    for by_title, by_judge in zip(titles, judges, strict=True):
        weight = by_title[given["title"]] * by_judge[given["judge"]]
        row = []
        for model in range(1, MODELS + 1):
            chosen = given["author"].isin([0, model])
            rows = given[chosen]
            area = roc_auc_score(
                rows["author"] == 0, rows["score"], sample_weight=weight[chosen.to_numpy()]
            )
            row.append(area)
        found.append(row)
    return np.array(found)


def index(given: Columns) -> tuple[NDArray[np.intp], ...]:
    """Everything that figures look up, of which each asks for what it needs."""
    scores = given.index()
    return scores.places, scores.histogram, scores.titles, scores.judges


def quick_ranks(scores: Scores) -> tuple[SignedRank, ...]:
    means = title_means(scores)
    return signed_ranks(means[1:], means[0], exact=False, shift=False)


def full_ranks(scores: Scores) -> tuple[SignedRank, ...]:
    means = title_means(scores)
    return signed_ranks(means[1:], means[0])


def bootstrap(scores: Scores) -> Replicates:
    return two_way_bootstrap(scores, n_replicates=REPLICATES, seed=SEED)


def three(scores: Scores) -> tuple[tuple[Estimate, ...], tuple[SignedRank, ...]]:
    return area_intervals(scores), quick_ranks(scores)


def three_in_full(scores: Scores) -> tuple[tuple[Estimate, ...], tuple[SignedRank, ...]]:
    return area_intervals(scores), full_ranks(scores)


def everything(scores: Scores) -> None:
    three_in_full(scores)
    bootstrap(scores)


def best(work: Callable[[], Made], times: int) -> tuple[float, Made]:
    """Shortest of several runs, in seconds, and what it made."""
    shortest = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        made = work()
        shortest = min(shortest, time.perf_counter() - began)
    return shortest, made


def row(task: str, ours: float, plain: float = 0.0, *, target: str = "", about: str = "") -> None:
    beside = f"{about}{seconds(plain)}" if plain else "-"
    ratio = f"{plain / ours:,.0f}x" if plain else "-"
    print(f"{task:68}{seconds(ours):>10}{beside:>12}{ratio:>10}{target:>10}", flush=True)


def seconds(took: float) -> str:
    return f"{1000 * took:,.3f} ms" if took < 1 else f"{took:,.2f} s"


def same(found: Floats, expected: Floats) -> None:
    furthest = np.abs(found - expected).max()
    assert furthest < TOLERANCE, f"the two sides differ by {furthest}"


def named(how: Callable[[Floats, Floats], Pair]) -> str:
    return how.__name__.replace("_", " ")


def measure(size: Size) -> None:
    given = made_up(size.titles, size.judges)
    frame = given.frame()
    print(
        f"{given.author.size:,} judgments: {MODELS} models and a human, {size.titles:,} titles, "
        f"{size.judges} judges"
    )
    print(f"{'':68}{'ours':>10}{'plain loop':>12}{'ratio':>10}{'target':>10}")
    indexing, _ = best(lambda: index(given), size.timed)
    row("check and index all columns (part of what follows)", indexing)

    area, of_area = best(lambda: areas(given.index()), size.counted)
    plain_area, expected = best(lambda: plain_areas(frame), size.counted)
    same(of_area, expected)
    row("AUC, with indexing", area, plain_area, target=size.targets.get("AUC", ""))
    masked, expected = best(lambda: masked_areas(given), size.counted)
    same(of_area, expected)
    row("AUC, with indexing, beside masks of NumPy", area, masked)
    scores = given.index()
    again, _ = best(lambda: areas(scores), size.counted)
    row("AUC, from the index (scores counted beforehand)", again, plain_area)

    interval, estimates = best(lambda: area_intervals(given.index()), size.timed)
    plain_interval = {}
    for how in size.placed:
        plain_interval[how], expected = best(
            lambda how=how: plain_intervals(frame, how), size.timed
        )
        same(np.array([(each.low, each.high) for each in estimates]), expected)
        row(f"AUC + two-way interval, placed {named(how)}", interval, plain_interval[how])

    ranking, tests = best(lambda: quick_ranks(given.index()), size.timed)
    plain_ranking, expected = best(lambda: plain_ranks(frame), size.timed)
    same(np.array([each.p for each in tests]), expected)
    row("means of titles + Wilcoxon by normal approximation", ranking, plain_ranking)

    together, _ = best(lambda: three(given.index()), size.timed)
    in_full, _ = best(lambda: three_in_full(given.index()), size.drawn)
    for how, plain in plain_interval.items():
        target = size.targets.get("three", "") if how is by_pairs else ""
        plain_three = plain + plain_ranking
        task = f"AUC + interval + Wilcoxon by normal approximation, placed {named(how)}"
        row(task, together, plain_three, target=target)
        row("  ours with exact p, Hodges-Lehmann", in_full, plain_three)

    resampling, replicates = best(lambda: bootstrap(given.index()), size.drawn)
    drawn = draws(size.titles, size.judges, n_replicates=REPLICATES, seed=SEED)
    few = tuple(times[: size.resampled] for times in drawn)
    plain_few, expected = best(lambda: plain_bootstrap(frame, *few), size.drawn)
    same(replicates.values[: size.resampled], expected)
    row(
        f"{REPLICATES:,} two-way bootstraps",
        resampling,
        plain_few / size.resampled * REPLICATES,
        target=size.targets.get("bootstrap", ""),
        about="~",
    )
    all_of_it, _ = best(lambda: everything(given.index()), 2)
    row("all of it", all_of_it, target=size.targets.get("all", ""))
    remember(given)
    print()


def remember(given: Columns) -> None:
    """Say how much memory NumPy and SciPy held at most, by tracemalloc, beside the columns."""
    columns = sum(getattr(given, each.name).nbytes for each in fields(given))
    tracemalloc.start()
    scores = given.index()
    everything(scores)
    held = tracemalloc.get_traced_memory()[0]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(
        f"memory (tracemalloc): columns {columns / 1e6:,.0f} MB, index {held / 1e6:,.0f} MB more, "
        f"at most {(columns + most) / 1e6:,.0f} MB with all of it"
    )


SIZES = (
    Size(
        titles=203,
        judges=5,
        targets={"AUC": "1,000x", "three": "100x", "bootstrap": "2,500x"},
        counted=100,
        timed=10,
        drawn=3,
        resampled=5,
        placed=(by_pairs, by_ranks),
    ),
    Size(
        titles=2030,
        judges=48,
        targets={"AUC": "90x", "all": "5 s"},
        counted=3,
        timed=2,
        drawn=1,
        resampled=1,
        # 9.5 billion pairs for each model do not fit in memory.
        placed=(by_ranks,),
    ),
)


if __name__ == "__main__":
    for each in SIZES:
        measure(each)
