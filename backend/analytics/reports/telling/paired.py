"""Each model against human poems of the same title: the signed-rank test and its effects."""

from dataclasses import dataclass

import numpy as np

from backend.analytics.frames import Codes, Frame, Numbers
from backend.analytics.reports.basis import basis
from backend.analytics.reports.knowing import recognition
from backend.analytics.reports.scores.means import group_means, per, poem_means, unit
from backend.analytics.reports.telling.answers import Telling, free
from backend.analytics.reports.telling.corrected import BH, HOLM, p_bh, p_holm
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.statistics.paired import SignedRank, rank_biserial, wilcoxon_signed_rank
from backend.statistics.paired.signs import BY_PRATT

_NO_MEANS = "whether means are equivalent is not tested, and no large p shows it"
_AUC_ALONE = f"the design fixes a margin of equivalence for the AUC alone: {_NO_MEANS}"


@dataclass(frozen=True)
class Matched:
    """A model's and the human's score of each title that either was asked to write."""

    code: int
    name: str
    model: Numbers
    human: Numbers


def tables(telling: Telling) -> tuple[Table, ...]:
    """Return the table of tests and, folded away, what else can be said of the same ranks."""
    matched = [_matched(telling, code, name) for code, name in telling.models]
    tested = [wilcoxon_signed_rank(one.model, one.human) for one in matched]
    return _tests(telling, matched, tested), _more(telling, matched, tested)


def _matched(telling: Telling, code: int, name: str) -> Matched:
    frame = telling.frame
    means = poem_means(frame, telling.rows)
    asked = (frame.item_author == 0) | (frame.item_author == code)
    titles = np.unique(frame.item_title[asked & (frame.item_title >= 0)])
    return Matched(
        code,
        name,
        _title_means(frame, means, code, titles),
        _title_means(frame, means, 0, titles),
    )


def _title_means(frame: Frame, means: Numbers, code: int, titles: Codes) -> Numbers:
    """Mean of an author's poem means on each title; ``nan`` where it has none that was judged."""
    mine = (frame.item_author == code) & (frame.item_title >= 0) & ~np.isnan(means)
    place = np.searchsorted(titles, frame.item_title[mine])
    return group_means(place, means[mine], titles.size)


def _tests(telling: Telling, matched: list[Matched], tested: list[SignedRank]) -> Table:
    measured = unit(telling.question)
    holm, corrected = p_holm([one.p for one in tested], [one.reason for one in tested])
    return Table(
        key=f"signed-rank-{telling.suffix}",
        caption=f"Each model against human poems of the same title, per title, {telling.asked}",
        basis=basis(
            telling.frame,
            telling.rows,
            unit="a title, with the means of its two poems over judges"
            if telling.n_judges > 1
            else "a title, with the scores of its two poems",
        ),
        explanation=(
            f"Each title's {'mean ' if telling.n_judges > 1 else ''}score for the model's poem is "
            "set against that for the human poem. The effect runs from -1 (the human poem is "
            "always held more human) to 1 (the model's always is). A large p does not show that "
            "they are alike."
        ),
        columns=(
            Column("model", "Model"),
            Column("model_mean", "Model's mean", "number", 3, measured),
            Column("human_mean", "Human mean", "number", 3, measured),
            Column("difference", "Median difference", "number", 3, measured),
            Column("low", "95 % from", "number", 3),
            Column("high", "to", "number", 3),
            Column("effect", "Effect", "number", 3),
            Column("p", "p", "p"),
            holm,
            Column("titles", "Titles", "count"),
            Column("dropped", "Titles left out", "count"),
            Column("equal", "Equal", "count", unit="titles"),
        ),
        rows=tuple(
            (
                *_row(telling, one, test),
                p,
                Cell(test.n),
                Cell(test.n_dropped),
                Cell(test.n_zero),
            )
            for one, test, p in zip(matched, tested, corrected, strict=True)
        ),
        method=_methods(tested)
        + f"; two-sided; {'on means over judges, ' if telling.n_judges > 1 else ''}title by title; "
        "effect: matched-pairs rank-biserial correlation; median difference: Hodges-Lehmann, model "
        f"minus human; it allows for other titles, not for other judges; {HOLM}",
        notes=gather(
            [
                (
                    one.name,
                    (*_without_equal(test), *free(telling.frame, one.code, "have no match")),
                )
                for one, test in zip(matched, tested, strict=True)
            ]
        )
        + _equal(tested)
        + recognition.named(telling.frame, telling.rows),
    )


def _without_equal(test: SignedRank) -> tuple[str, ...]:
    return tuple(note for note in test.notes if not note.endswith(BY_PRATT))


def _equal(tested: list[SignedRank]) -> tuple[str, ...]:
    """Return one caution for all models with many titles whose scores are equal."""
    many = [one for one in tested if one.notes != _without_equal(one)]
    if not many:
        return ()
    zeros, titles = (
        f"{min(found):,}" if min(found) == max(found) else f"{min(found):,} to {max(found):,}"
        for found in ([one.n_zero for one in many], [one.n for one in many])
    )
    models = "each model" if len(many) == len(tested) else f"{len(many)} of {len(tested)} models"
    return (
        f"of {models}, {zeros} of {titles} titles have equal scores: compare with zeros by Pratt's "
        "rule, in the folded table of the same tests",
    )


def _row(telling: Telling, matched: Matched, test: SignedRank) -> tuple[Cell, ...]:
    scale = per(telling.question)
    both = ~(np.isnan(matched.model) | np.isnan(matched.human))
    none = "no title has a score on both sides"
    model, human = (
        Cell(float(side[both].mean()) / scale) if both.any() else Cell(None, none)
        for side in (matched.model, matched.human)
    )
    # Why the bounds are missing where the estimate is not, the test says in its notes.
    unbounded = test.reason or "there is no interval: see the notes"
    return (
        Cell(matched.name),
        model,
        human,
        number(test.median_difference, test.reason, per=scale),
        number(test.low, unbounded, per=scale),
        number(test.high, unbounded, per=scale),
        number(test.effect, test.reason),
        number(test.p, test.reason),
    )


def _more(telling: Telling, matched: list[Matched], tested: list[SignedRank]) -> Table:
    pratt = [wilcoxon_signed_rank(one.model, one.human, zeros="pratt") for one in matched]
    effects = [rank_biserial(one.model, one.human) for one in matched]
    reasons = [one.reason for one in tested]
    bh, screened = p_bh([one.p for one in tested], reasons)
    holm, by_pratt = p_holm([one.p for one in pratt], [one.reason for one in pratt])
    under = "zeros by Pratt's rule"
    return Table(
        key=f"signed-rank-more-{telling.suffix}",
        caption="The same signed-rank tests in full: rank sums, equal titles by Pratt's rule, "
        f"screening, {telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a title"),
        explanation="Pratt's rule ranks titles with equal scores, too, and then leaves their "
        "ranks out; where equal titles are many, the two p-values can part.",
        columns=(
            Column("model", "Model"),
            Column("w_plus", "W+", "number", 1),
            Column("w_minus", "W−", "number", 1),
            Column("equal", "Equal", "count", unit="titles"),
            Column("effect", "Effect", "number", 3),
            Column("effect_low", "95 % from", "number", 3),
            Column("effect_high", "to", "number", 3),
            Column("p", "p", "p"),
            bh,
            Column("p_pratt", "p", "p", under=under),
            Column("p_pratt_holm", "p (Holm)", "p", unit=holm.unit, under=under),
        ),
        rows=tuple(
            (
                Cell(one.name),
                Cell(test.statistic),
                Cell(test.w_minus),
                Cell(test.n_zero),
                figure(effect),
                *bounds(effect),
                number(test.p, test.reason),
                bh_cell,
                number(other.p, other.reason),
                pratt_cell,
            )
            for one, test, effect, bh_cell, other, pratt_cell in zip(
                matched, tested, effects, screened, pratt, by_pratt, strict=True
            )
        ),
        method=f"{_methods(pratt)}; effect: {effects[0].method}; {HOLM}; {BH}",
        notes=(_AUC_ALONE if telling.frame.margin else _NO_MEANS,),
        aside=True,
    )


def _methods(tested: list[SignedRank]) -> str:
    """Return what was done in any test; what holds for several is said once."""
    return "; ".join(dict.fromkeys(part for one in tested for part in one.method.split("; ")))
