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
from backend.statistics.clusters import FEW
from backend.statistics.many import Scores
from backend.statistics.resampling import Replicates, two_way_bootstrap
from backend.statistics.rounding import DECIMALS

REPLICATES = 2000
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
ROUGH = (
    "draws of few differ too little, so that these intervals, those of ranks too, are too "
    "narrow or a rough guide; those of the means by question, which allow for so few by t, are "
    "wider"
)
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
    def _drawn(self) -> Replicates:
        """Means of every author on every question from poems' titles and judges drawn anew."""
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
        return replace(drawn, values=drawn.values + lowest)

    @cached_property
    def replicates(self) -> Replicates:
        """The ranked authors' overall means in the same draws."""
        return self.averaged(range(len(self.asked)), self.ranked)

    def averaged(self, columns: Sequence[int], authors: Sequence[int]) -> Replicates:
        """Return the means of some questions' means, of these authors, in each of the draws."""
        columns, authors = list(columns), list(authors)
        each = self._drawn.values.reshape(-1, self._n_authors, len(self.asked))
        values = np.round(each[:, :, columns].mean(axis=2), DECIMALS)[:, authors]
        observed = np.round(self.of_question[:, columns].mean(axis=1), DECIMALS)[authors]
        return replace(self._drawn, values=values, observed=observed, authors=tuple(authors))

    @property
    def alone(self) -> bool:
        """Whether one judge gave all ratings."""
        return bool(np.unique(self.frame.judge[self.rows]).size == 1)

    @property
    def level(self) -> str:
        """What a caption says of what the overall mean is a mean of."""
        n = len(self.asked)
        return f"level: mean of {n} questions’ means" if n > 1 else "per single rating"

    @property
    def unit(self) -> str:
        """What one unit of a mean is."""
        each = "a single rating"
        return "the mean of questions’ means over single ratings" if len(self.asked) > 1 else each

    @property
    def scale(self) -> str:
        """What the means are measured in."""
        first = self.frame.questions[self.asked[0]]
        return f"points {first.low} to {first.high}" if isinstance(first, Likert) else ""

    @property
    def method(self) -> str:
        """How the overall mean and its interval were reached, in words for the methods section."""
        asked = ", ".join(str(self.frame.questions[place].number) for place in self.asked)
        of = f"mean of the means of questions {asked}, each" if len(self.asked) > 1 else "mean"
        drawn = (
            "titles were drawn, and all ratings on a drawn title"
            if self.alone
            else "titles and judges were drawn, and all ratings on a drawn title by a drawn judge"
        )
        return (
            f"overall: {of} over single ratings, N/A in none; {self._drawn.method}: {drawn} went "
            "into the means of all questions and authors at once; intervals are percentiles"
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

    def cells(self, code: int) -> tuple[Cell, Cell, Cell, Cell]:
        """Return an author's overall mean, its bounds, and how many ratings are behind it."""
        ranked = code in self.ranked
        low, high = self.replicates.interval(code) if ranked else _NOWHERE
        why = self.replicates.why(code) if ranked else _UNRATED
        return (
            number(float(self.means[code]), _UNRATED),
            number(low, why),
            number(high, why),
            Cell(int((self.rows & (self.frame.author == code)).sum())),
        )

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
    scales = comparable(frame)
    # Means on unlike scales have no mean of their own.
    if len(scales) != 1 or frame.paired or not frame.models:
        return ()
    return (_table(Overall(frame, panel, scales[0])),)


def comparable(frame: Frame) -> list[list[int]]:
    """Return the codes of the questions on points about quality, those of one scale together."""
    authorship = about_authorship(frame.questions)
    found: dict[tuple[int, ...], list[int]] = {}
    for place, one in enumerate(frame.questions):
        if isinstance(one, Likert) and one not in authorship:
            found.setdefault(tuple(point.code for point in one.points), []).append(place)
    return list(found.values())


def _table(found: Overall) -> Table:
    frame, means = found.frame, found.means
    order = np.lexsort((np.arange(means.size), -np.nan_to_num(means, nan=-np.inf)))
    groups = _groups(found)
    best = dict(zip(found.ranked, found.replicates.best().tolist(), strict=True))
    asked = ", ".join(str(frame.questions[place].number) for place in found.asked)
    others = "other titles" if found.alone else "other titles and judges like these"
    return Table(
        key=f"ranking-{found.panel.key}",
        caption=f"All authors by overall mean, as rated by {found.panel.label} ({found.level})"
        if len(found.asked) > 1
        else f"All authors by mean, question {asked}, as rated by {found.panel.label}",
        explanation="Human poets are the reference and are ranked like any model. The rank "
        f"interval holds the places that an author takes in 95 % of draws of {others}; “best” is "
        "the share of draws in which it comes first. Authors whose rank intervals overlap are in "
        "no certain order.",
        columns=(
            Column("author", "Author"),
            Column("rank", "Rank", "rank", under="Rank"),
            Column("rank_low", "95 % from", "rank", under="Rank"),
            Column("rank_high", "to", "rank", under="Rank"),
            Column("best", "Best", "number", 3, "share of draws"),
            Column("overall", "Mean", "number", 2, found.scale, "Overall"),
            Column("overall_low", "95 % from", "number", 2, under="Overall"),
            Column("overall_high", "to", "number", 2, under="Overall"),
            *(
                column
                for n, name in enumerate(groups, start=1)
                for column in _columns(f"group_{n}", name)
            ),
            Column("poems", "Poems", "count"),
            Column("ratings", "Ratings", "count"),
        ),
        rows=tuple(_row(found, code, groups, best) for code in order.tolist()),
        method=found.method + ("; groups: the same of their own questions" if groups else ""),
        notes=cautions(found),
        basis=basis(frame, found.rows, unit=found.unit),
    )


def _columns(key: str, under: str) -> tuple[Column, ...]:
    return (
        Column(key, "mean", "number", 2, under=under),
        Column(f"{key}_low", "95 % from", "number", 2, under=under),
        Column(f"{key}_high", "to", "number", 2, under=under),
    )


def cautions(found: Overall) -> tuple[str, ...]:
    """Return what must be said of intervals that rest on one judge, or on few of anything."""
    drawn = found.replicates
    if found.alone:
        return ("one judge: intervals are for other titles, not for other judges",)
    if drawn.reason:
        return (drawn.reason,)
    few = too_few(found)
    return (f"{few}: {ROUGH}",) if few else ()


def too_few(found: Overall) -> str:
    """Return how few titles or judges were drawn from; empty if they are enough, or there is one.

    One judge is not drawn.
    """
    drawn = found.replicates
    if found.alone or drawn.reason:
        return ""
    few = [
        f"{n} {what}"
        for n, what in ((drawn.n_titles, "titles"), (drawn.n_judges, "judges"))
        if n < FEW
    ]
    return f"only {' and '.join(few)}" if few else ""


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
    overall, low, high, ratings = found.cells(code)
    ranked = code in found.ranked
    above, level = (found.means > mean).sum(), (found.means == mean).sum()
    rank = float(above + (level + 1) / 2) if ranked else np.nan  # equal means share their places
    why = (found.replicates.reason or _UNDRAWN) if ranked else _UNRATED
    return (
        Cell(f"{frame.authors[code]} (reference)" if code == 0 else frame.authors[code]),
        number(rank, _UNRATED),
        *(number(place, why) for place in found.places.get(code, _NOWHERE)),
        number(best.get(code, np.nan), why),
        overall,
        low,
        high,
        *(cell for columns in groups.values() for cell in _group(found, code, columns)),
        Cell(np.unique(frame.item[found.rows & (frame.author == code)]).size),
        ratings,
    )


def _group(found: Overall, code: int, columns: list[int]) -> tuple[Cell, ...]:
    """Return an author's mean over a group's questions, with its interval in the same draws."""
    mean = float(found.of_question[code, columns].mean())
    drawn = found.averaged(columns, [code])
    why = _UNRATED if np.isnan(mean) else drawn.why(code)
    return (
        number(mean, _UNRATED),
        *(number(bound, why) for bound in drawn.interval(code)),
    )
