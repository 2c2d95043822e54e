"""All authors in the order of their overall mean, with how sure each place in it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.authorship import about_authorship
from backend.analytics.frames import Codes, Frame, Mask, Numbers, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import group_means
from backend.analytics.tables import Cell, Column, Table, number
from backend.statistics.many import Scores
from backend.statistics.resampling import Replicates, two_way_bootstrap

REPLICATES = 2000
DECIMALS = 9
# The published survey's groups of questions, by their keys.
GROUPS = {
    "Following instructions": ("form", "theme"),
    "Creative abilities": (
        "lexical_diversity", "creativity", "idiosyncrasy", "emotional_resonance", "imagery",
        "literary_devices",
    ),
    "Overall quality": ("quality",),
}  # fmt: skip
_UNDRAWN = "no draw has ratings of every author on every question"
_NOWHERE = (np.nan, np.nan)
_UNRATED = "no poem of this author has a rating on every question"


@dataclass(frozen=True)
class Overall:
    """One panel's ratings on points of questions about quality, which share one scale.

    Attributes
    ----------
    frame : Frame
    panel : Panel
    asked : sequence of int
        The questions' codes in the frame.
    """

    frame: Frame
    panel: Panel
    asked: Sequence[int]

    @cached_property
    def rows(self) -> Mask:
        frame = self.frame
        found: Mask = frame.of(self.panel) & np.isin(frame.question, self.asked) & frame.scored
        return found

    @cached_property
    def of_question(self) -> Numbers:
        """Mean of each author on each question, shape (n_authors, n_questions)."""
        rows, n_questions = self.rows, len(self.asked)
        means = group_means(self._cell, self.frame.number[rows], self._n_authors * n_questions)
        return means.reshape(self._n_authors, n_questions)

    @cached_property
    def means(self) -> Numbers:
        """Mean of the questions' means of each author; ``nan`` if one is missing."""
        means: Numbers = np.round(self.of_question.mean(axis=1), DECIMALS)
        return means

    @cached_property
    def replicates(self) -> Replicates:
        """The same means from poems' titles and judges drawn anew."""
        frame, rows = self.frame, self.rows
        points = frame.number[rows].astype(np.intp)
        lowest = int(points.min()) if points.size else 0
        # Every author's answers to every question are a row of their own, so that all questions
        # see the same draw.
        drawn = two_way_bootstrap(
            Scores(
                self._cell,
                points - lowest,
                frame.item_title[frame.item[rows]],
                frame.judge[rows],
                n_models=self._n_authors * len(self.asked) - 1,
            ),
            n_replicates=REPLICATES,
            seed=frame.seed,
            statistic="mean",
        )
        each = drawn.values.reshape(-1, self._n_authors, len(self.asked))
        means = np.round(each.mean(axis=2) + lowest, DECIMALS)[:, self.ranked]
        return replace(
            drawn, values=means, observed=self.means[self.ranked], authors=tuple(self.ranked)
        )

    @cached_property
    def ranked(self) -> list[int]:
        """Authors who have a mean on every question."""
        return [int(code) for code in np.flatnonzero(~np.isnan(self.means))]

    @cached_property
    def places(self) -> dict[int, tuple[float, float]]:
        """The places that each ranked author takes in 95 % of the replicates."""
        ranks = self.replicates.ranks()
        ranks = ranks[~np.isnan(ranks).any(axis=1)]
        if not ranks.size:
            return {}
        low, high = np.percentile(ranks, (2.5, 97.5), axis=0, method="inverted_cdf")
        return dict(zip(self.ranked, zip(low.tolist(), high.tolist(), strict=True), strict=True))

    @property
    def _n_authors(self) -> int:
        return len(self.frame.authors)

    @cached_property
    def _cell(self) -> Codes:
        rows = self.rows
        question = np.searchsorted(self.asked, self.frame.question[rows])
        return self.frame.author[rows] * len(self.asked) + question


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return the ranking of all authors; none where quality is asked on no common scale."""
    places = _about_quality(frame)
    if not places or frame.paired or not frame.models:
        return ()
    return (_table(Overall(frame, panel, places)),)


def _about_quality(frame: Frame) -> list[int]:
    authorship = about_authorship(frame.questions)
    asked = [
        (place, one)
        for place, one in enumerate(frame.questions)
        if isinstance(one, Likert) and one not in authorship
    ]
    scales = {tuple(point.code for point in one.points) for _, one in asked}
    return [place for place, _ in asked] if len(scales) == 1 else []


def _table(found: Overall) -> Table:
    frame, means = found.frame, found.means
    order = np.lexsort((np.arange(means.size), -np.nan_to_num(means, nan=-np.inf)))
    groups = _groups(found)
    best = dict(zip(found.ranked, found.replicates.best().tolist(), strict=True))
    asked = ", ".join(str(frame.questions[place].number) for place in found.asked)
    first = frame.questions[found.asked[0]]
    scale = f"points {first.low} to {first.high}" if isinstance(first, Likert) else ""
    return Table(
        key=f"ranking-{found.panel.key}",
        caption=f"All authors by overall mean, as rated by {found.panel.label} (level: mean of "
        f"{len(found.asked)} questions’ means)"
        if len(found.asked) > 1
        else f"All authors by mean, question {asked}, as rated by {found.panel.label}",
        explanation="Human poets are the reference and are ranked like any model. The rank "
        "interval holds the places that an author takes in 95 % of draws of other titles and "
        "judges like these; “best” is the share of draws in which it comes first. Authors whose "
        "rank intervals overlap are in no certain order.",
        columns=(
            Column("author", "Author"),
            Column("rank", "Rank", "number", 1, under="Rank"),
            Column("rank_low", "95 % from", "number", 1, under="Rank"),
            Column("rank_high", "to", "number", 1, under="Rank"),
            Column("best", "Best", "number", 3, "share of draws"),
            Column("overall", "Mean", "number", 2, scale, "Overall"),
            Column("overall_low", "95 % from", "number", 2, under="Overall"),
            Column("overall_high", "to", "number", 2, under="Overall"),
            *(Column(f"group_{n}", name, "number", 2) for n, name in enumerate(groups, start=1)),
            Column("poems", "Poems", "count"),
            Column("ratings", "Ratings", "count"),
        ),
        rows=tuple(_row(found, code, groups, best) for code in order.tolist()),
        method=f"overall: mean of the means of questions {asked}, each over single ratings, N/A "
        f"in none; {found.replicates.method}: titles and judges were drawn, "
        "and all ratings on a drawn title by a drawn judge went into the means of all questions "
        "and authors at once; intervals are percentiles",
        notes=_uncertain(found),
        basis=basis(frame, found.rows, unit="the mean of questions’ means over single ratings"),
    )


def _uncertain(found: Overall) -> tuple[str, ...]:
    judges = np.unique(found.frame.judge[found.rows]).size
    if judges == 1:
        return ("one judge: intervals are for other titles, not for other judges",)
    return (found.replicates.reason,) if found.replicates.reason else ()


def _groups(found: Overall) -> dict[str, list[int]]:
    """Return the published groups whose questions were all asked: columns of `of_question`."""
    keys = [found.frame.questions[place].key for place in found.asked]
    if not {key for group in GROUPS.values() for key in group} <= set(keys):
        return {}
    return {name: [keys.index(key) for key in group] for name, group in GROUPS.items()}


def _row(
    found: Overall, code: int, groups: dict[str, list[int]], best: dict[int, float]
) -> tuple[Cell, ...]:
    frame, mean = found.frame, float(found.means[code])
    mine = found.rows & (frame.author == code)
    ranked = code in found.ranked
    above, level = (found.means > mean).sum(), (found.means == mean).sum()
    rank = float(above + (level + 1) / 2) if ranked else np.nan  # equal means share their places
    reach = found.replicates.interval(code) if ranked else _NOWHERE
    why = (found.replicates.reason or _UNDRAWN) if ranked else _UNRATED
    return (
        Cell(f"{frame.authors[code]} (reference)" if code == 0 else frame.authors[code]),
        number(rank, _UNRATED),
        *(number(place, why) for place in found.places.get(code, _NOWHERE)),
        number(best.get(code, np.nan), why),
        number(mean, _UNRATED),
        *(number(bound, why) for bound in reach),
        *(
            number(float(found.of_question[code, columns].mean()), _UNRATED)
            for columns in groups.values()
        ),
        Cell(np.unique(frame.item[mine]).size),
        Cell(int(mine.sum())),
    )
