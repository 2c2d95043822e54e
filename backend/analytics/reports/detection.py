"""Whether judges tell a model's poems from human ones: ROC-AUC and the signed-rank test."""

from dataclasses import dataclass

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.authorship import Scored, about_authorship, is_scored
from backend.analytics.frames import Codes, Frame, Mask, Numbers, Panel
from backend.analytics.reports import recognition
from backend.analytics.reports.means import THOUSANDTHS, group_means, poem_means, unit
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather, number
from backend.statistics.detection import auc_interval
from backend.statistics.estimate import Estimate
from backend.statistics.paired import SignedRank, wilcoxon_signed_rank

_AUC = (
    "The area under the ROC curve (AUC) is the chance that a human poem is held more human than "
    "one of the model's, ties counting half. At 0.5 the judges cannot tell them apart; at 1 they "
    "always can; below 0.5 the model's poems pass for human more often than human poems do. An "
    "interval that holds 0.5 does not show that they are alike: it may be too wide to tell."
)


@dataclass(frozen=True)
class Scores:
    """One panel's answers to one question about authorship.

    Attributes
    ----------
    frame : Frame
    panel : Panel
    question : Likert or Probability
    place : int
        The question's code in the frame.
    """

    frame: Frame
    panel: Panel
    question: Scored
    place: int

    @property
    def suffix(self) -> str:
        return f"{self.panel.key}-q{self.question.number}"


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return, for each question about authorship, the AUC at both levels and the paired test."""
    found: list[Table] = []
    asked = about_authorship(frame.questions) if frame.models and not frame.paired else ()
    for question in asked:
        if is_scored(question):
            place = frame.questions.index(question)
            scores = Scores(frame, panel, question, place)
            found.append(_auc_table(scores, per_poem=False))
            if panel.expert:
                found.append(_auc_table(scores, per_poem=True))
            found.append(_paired_table(scores))
    return tuple(found)


def _auc_table(scores: Scores, *, per_poem: bool) -> Table:
    level = "poem mean" if per_poem else "judgment"
    found = [
        (name, code, (_per_poem if per_poem else _per_judgment)(scores, code))
        for code, name in enumerate(scores.frame.models, start=1)
    ]
    return Table(
        key=f"auc-{'poems' if per_poem else 'judgments'}-{scores.suffix}",
        caption=f"ROC-AUC of each model against human poems, per {level}, question "
        f"{scores.question.number}, as judged by {scores.panel.label}",
        explanation=_AUC,
        columns=_auc_columns("poems" if per_poem else "judgments", per_poem=per_poem),
        rows=tuple(
            _auc_row(name, estimate, _n_judges(scores, code), per_poem=per_poem)
            for name, code, estimate in found
        ),
        method=f"{found[0][2].method}; one score is a {level}",
        notes=gather(
            [
                (
                    name,
                    (*estimate.notes, *_free(scores.frame, code, "count as titles of their own")),
                )
                for name, code, estimate in found
            ]
        )
        + recognition.named(scores.frame, _rows(scores)),
    )


def _auc_columns(counted: str, *, per_poem: bool) -> tuple[Column, ...]:
    return (
        Column("model", "Model"),
        Column("auc", "AUC", "number", 3),
        Column("low", "95 % from", "number", 3),
        Column("high", "to", "number", 3),
        Column(f"human_{counted}", f"Human {counted}", "count"),
        Column(f"model_{counted}", f"Model's {counted}", "count"),
        Column("titles", "Titles", "count"),
        Column("judges", "Judges", "count"),
        *((Column("unjudged", "Unjudged poems", "count"),) if per_poem else ()),
    )


def _auc_row(name: str, found: Estimate, n_judges: int, *, per_poem: bool) -> tuple[Cell, ...]:
    return (
        Cell(name),
        figure(found),
        *bounds(found),
        count(found.counts, "n_human"),
        count(found.counts, "n_machine"),
        count(found.counts, "n_titles"),
        Cell(n_judges),
        *((count(found.counts, "n_dropped"),) if per_poem else ()),
    )


def _n_judges(scores: Scores, code: int) -> int:
    frame = scores.frame
    rows = _rows(scores) & np.isin(frame.author, (0, code))
    return int(np.unique(frame.judge[rows]).size)


def _rows(scores: Scores) -> Mask:
    frame = scores.frame
    rows: Mask = frame.of(scores.panel) & (frame.question == scores.place) & frame.scored
    return rows


def _per_judgment(scores: Scores, code: int) -> Estimate:
    frame = scores.frame
    human = _rows(scores) & (frame.author == 0)
    machine = _rows(scores) & (frame.author == code)
    titles = frame.item_title[frame.item]
    # A machine judge sits alone: between judges nothing can vary, so only titles are clusters.
    several = scores.panel.expert
    return auc_interval(
        frame.number[human],
        frame.number[machine],
        titles[human],
        titles[machine],
        frame.judge[human] if several else None,
        frame.judge[machine] if several else None,
        level="judgment",
    )


def _per_poem(scores: Scores, code: int) -> Estimate:
    frame = scores.frame
    means = poem_means(frame, _rows(scores))
    human, machine = frame.item_author == 0, frame.item_author == code
    titles = frame.item_title
    return auc_interval(
        means[human], means[machine], titles[human], titles[machine], level="poem mean"
    )


@dataclass(frozen=True)
class Matched:
    """A model's and the human's score of each title that either was asked to write."""

    code: int
    model: Numbers
    human: Numbers


def _matched(scores: Scores, code: int) -> Matched:
    frame = scores.frame
    means = poem_means(frame, _rows(scores))
    asked = (frame.item_author == 0) | (frame.item_author == code)
    titles = np.unique(frame.item_title[asked & (frame.item_title >= 0)])
    return Matched(
        code, _title_means(frame, means, code, titles), _title_means(frame, means, 0, titles)
    )


def _title_means(frame: Frame, means: Numbers, code: int, titles: Codes) -> Numbers:
    """Mean of an author's poem means on each title; ``nan`` where it has none that was judged."""
    mine = (frame.item_author == code) & (frame.item_title >= 0) & ~np.isnan(means)
    place = np.searchsorted(titles, frame.item_title[mine])
    return group_means(place, means[mine], titles.size)


def _paired_table(scores: Scores) -> Table:
    matched = [_matched(scores, code) for code in range(1, len(scores.frame.authors))]
    tested = [wilcoxon_signed_rank(one.model, one.human) for one in matched]
    per = 1 if isinstance(scores.question, Likert) else THOUSANDTHS
    measured = unit(scores.question)
    methods = dict.fromkeys(one.method for one in tested)
    names = scores.frame.models
    return Table(
        key=f"signed-rank-{scores.suffix}",
        caption=f"Each model against human poems of the same title, question "
        f"{scores.question.number}, as judged by {scores.panel.label}",
        explanation=(
            "Each title's mean score for the model's poem is set against that for the human poem. "
            "The effect runs from -1 (the human poem is always held more human) to 1 (the model's "
            "always is). A large p does not show that they are alike. The p-values are not "
            "corrected for the number of models."
        ),
        columns=(
            Column("model", "Model"),
            Column("titles", "Titles", "count"),
            Column("dropped", "Titles left out", "count"),
            Column("equal", "Equal", "count", unit="titles"),
            Column("model_mean", "Model's mean", "number", 3, measured),
            Column("human_mean", "Human mean", "number", 3, measured),
            Column("difference", "Median difference", "number", 3, measured),
            Column("effect", "Effect", "number", 3),
            Column("w_plus", "W+", "number", 1),
            Column("w_minus", "W-", "number", 1),
            Column("p", "p", "p"),
        ),
        rows=tuple(
            _paired_row(name, one, test, per)
            for name, one, test in zip(names, matched, tested, strict=True)
        ),
        method="; ".join(methods)
        + "; two-sided; on means over judges, title by title; effect: matched-pairs "
        "rank-biserial correlation; median difference: Hodges-Lehmann, model minus human",
        notes=gather(
            [
                (name, (*test.notes, *_free(scores.frame, one.code, "have no match")))
                for name, one, test in zip(names, matched, tested, strict=True)
            ]
        )
        + recognition.named(scores.frame, _rows(scores)),
    )


def _free(frame: Frame, code: int, what: str) -> tuple[str, ...]:
    n_free = int(((frame.item_title < 0) & (frame.item_author == code)).sum())
    return (f"poems on a brief of no human poem: {n_free} (they {what})",) if n_free else ()


def _paired_row(name: str, matched: Matched, test: SignedRank, per: float) -> tuple[Cell, ...]:
    both = ~(np.isnan(matched.model) | np.isnan(matched.human))
    none = "no title has a score on both sides"
    model, human = (
        Cell(float(side[both].mean()) / per) if both.any() else Cell(None, none)
        for side in (matched.model, matched.human)
    )
    return (
        Cell(name),
        Cell(test.n),
        Cell(test.n_dropped),
        Cell(test.n_zero),
        model,
        human,
        number(test.median_difference, test.reason, per=per),
        number(test.effect, test.reason),
        Cell(test.statistic),
        Cell(test.w_minus),
        number(test.p, test.reason),
    )
