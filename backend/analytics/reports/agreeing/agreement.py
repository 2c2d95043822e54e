"""Whether judges answer alike: PAo among experts, and of each machine judge with the experts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Frame
from backend.analytics.reports.agreeing.beyond_chance import ac, alpha, by_chance, kappa
from backend.analytics.reports.agreeing.pairing import (
    Comparison,
    Pairs,
    answers,
    by_two,
    compared,
    comparisons,
    named,
)
from backend.analytics.reports.agreeing.variants import plain, variants
from backend.analytics.reports.basis import basis
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather, number
from backend.statistics.agreement import pair_agreement
from backend.statistics.estimate import Estimate

_LEVEL = "pair of ratings of one poem and question"
_UNIT = "a pair of two judges’ ratings of one poem and question"
_METHOD = (
    "PAo = 2A / (nA + nB) over all pairs, so nA = nB = n; exact agreement; N/A as an answer like "
    "any other; every pair of experts pooled, a machine's answer paired with each expert's"
)
_EXPLANATION = (
    "PAo is the share of pairs of answers that are the same: 1 if two judges always choose the "
    "same answer, 0 if they never do. A pair is two judges' answers to one question about one "
    "poem. “By chance” is the PAo of judges who use the answers as often but independently of one "
    "another. Compare a machine judge's row with the experts' own: that is the agreement that "
    "people reach among themselves."
)
_BEYOND = (
    "The coefficients beside it take chance off: 0 is chance, 1 is full agreement. They differ in "
    "what they hold chance to be, and Gwet's is the least disturbed where nearly all answers are "
    "the same."
)
_COEFFICIENTS = (
    "Krippendorff's alpha (ordinal on points, nominal between two answers), Gwet's AC2 with "
    "quadratic weights (AC1 between two answers) and Cohen's kappa with quadratic weights (none "
    "between two answers) leave N/A out, as no point of a scale; among experts alpha and AC are of "
    "all judges together, kappa is over all pairs, each entered both ways round; of a machine "
    "judge all three are over its pairs with single experts, pooled (not with a consensus)"
)


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return the tables of agreement, or none if no question has points or two sides."""
    asked = compared(frame)
    if not asked:
        return ()
    found = comparisons(frame, [place for place, _ in asked])
    return (
        _overall(frame, found),
        *((_by_question(frame, found),) if len(asked) > 1 else ()),
        _variants(frame, found),
        _expert_pairs(frame, found[0]),
    )


def observed(frame: Frame, found: Comparison) -> Estimate:
    """Return PAo over a comparison's pairs, with an interval by titles and judges."""
    first, second = found.pairs.first, found.pairs.second
    return pair_agreement(
        answers(frame, first) == answers(frame, second),
        frame.item_title[frame.item[first]],
        frame.judge[first],
        frame.judge[second],
        level=_LEVEL,
        method=_METHOD,
        one_side="dyads" if found.panel.expert else "against",
    )


def _overall(frame: Frame, found: Sequence[Comparison]) -> Table:
    asked = [place for place, _ in compared(frame)]
    return _table(
        frame,
        [((), one, asked) for one in found],
        Table(
            key="agreement",
            caption=f"Observed agreement (PAo) between judges, {_over(asked)}",
            explanation=f"{_EXPLANATION} {_BEYOND}",
            columns=(Column("judges", "Judges"),),
            rows=(),
            notes=(
                (
                    "over several questions, alpha, AC and kappa also reward telling the "
                    "questions apart: read them by question",
                )
                if len(asked) > 1
                else ()
            ),
        ),
    )


def _over(asked: Sequence[int]) -> str:
    return "over all questions, their answers pooled" if len(asked) > 1 else "over the question"


def _by_question(frame: Frame, found: Sequence[Comparison]) -> Table:
    return _table(
        frame,
        [
            ((Cell(named(question)),), one.only(frame, [place]), [place])
            for place, question in compared(frame)
            for one in found
        ],
        Table(
            key="agreement-questions",
            caption="Observed agreement (PAo) between judges, by question",
            explanation=_BEYOND,
            columns=(Column("question", "Question"), Column("judges", "Judges")),
            rows=(),
        ),
    )


def _table(
    frame: Frame,
    rows: Sequence[tuple[tuple[Cell, ...], Comparison, Sequence[int]]],
    begun: Table,
) -> Table:
    """Return a table that was begun, with its rows, each for some questions alone."""
    found = [(heads, one, asked, observed(frame, one)) for heads, one, asked in rows]
    intervals = dict.fromkeys(
        f"{'experts among themselves' if one.panel.expert else 'a machine judge'}: "
        f"{pao.method.removeprefix(_METHOD).lstrip('; ')}"
        for _, one, _, pao in found
    )
    return replace(
        begun,
        basis=_basis(frame),
        columns=(
            *begun.columns,
            Column("pao", "PAo", "number", 3, under="PAo"),
            Column("pao_low", "95 % from", "number", 3, under="PAo"),
            Column("pao_high", "to", "number", 3, under="PAo"),
            Column("by_chance", "By chance", "number", 3, "PAo"),
            Column("alpha", "Alpha", "number", 3, "Krippendorff"),
            Column("ac", "AC", "number", 3, "Gwet"),
            Column("kappa", "Kappa", "number", 3, "Cohen"),
            Column("pairs", "Pairs", "count"),
            Column("agreeing", "Agree", "count", unit="pairs"),
            Column("poems", "Poems", "count"),
            Column("n_judges", "Judges", "count", unit="in pairs"),
        ),
        rows=tuple(
            (*heads, Cell(one.label), *_figures(frame, one, asked, pao))
            for heads, one, asked, pao in found
        ),
        method=f"{_METHOD}; {'; '.join(intervals)}; by chance: independent "
        f"answers, question by question; "
        f"{_COEFFICIENTS}",
        notes=begun.notes
        + gather(
            [
                (" ".join([*(str(head.value) for head in heads), one.label]), pao.notes)
                for heads, one, _, pao in found
            ]
        ),
    )


def _figures(
    frame: Frame, found: Comparison, asked: Sequence[int], pao: Estimate
) -> tuple[Cell, ...]:
    first, second = found.pairs.first, found.pairs.second
    judges = np.union1d(frame.judge[first], frame.judge[second])
    return (
        figure(pao),
        *bounds(pao),
        number(by_chance(frame, found), pao.reason),
        *(figure(each(frame, found, asked)) for each in (alpha, ac, kappa)),
        Cell(pao.n),
        Cell(int((answers(frame, first) == answers(frame, second)).sum())),
        Cell(np.unique(frame.item[first]).size),
        Cell(judges.size),
    )


def _variants(frame: Frame, found: Sequence[Comparison]) -> Table:
    rows = [(one, variant) for one in found for variant in variants(frame, one)]
    return Table(
        key="agreement-variants",
        caption="Observed agreement (PAo) over all questions, computed in other ways",
        explanation="What is published as PAo is rarely said in full. Each row is one way to "
        "count, the same for experts among themselves and for machine judges: compare rows of "
        "one kind with one another, never across.",
        columns=(
            Column("judges", "Judges"),
            Column("variant", "Counted"),
            Column("pao", "PAo", "number", 3),
            Column("n", "n", "count"),
            Column("level", "n is of"),
            Column("agreeing", "Agree", "count", unit="pairs"),
        ),
        rows=tuple(
            (
                Cell(one.label),
                Cell(variant.says),
                figure(variant.pao),
                Cell(variant.pao.n),
                Cell(variant.pao.level),
                count(variant.pao.counts, "n_agreements")
                if "n_agreements" in variant.pao.counts
                else Cell(None),
            )
            for one, variant in rows
        ),
        method="PAo = 2A / (nA + nB), exact unless it says otherwise; no intervals: those of the "
        "first way to count stand in the first table",
        basis=_basis(frame),
        aside=True,
    )


def _expert_pairs(frame: Frame, experts: Comparison) -> Table:
    rows = tuple(_two(frame, *two, experts) for two in by_two(frame, experts.pairs))
    offers_na = any(one.na for one in frame.questions if isinstance(one, Likert))
    na = ", N/A as an answer like any other" if offers_na else ""
    return Table(
        key="agreement-expert-pairs",
        caption="Observed agreement (PAo) of every two experts who share a poem, all questions",
        explanation="A pair far below the others can point to a scale read the other way round.",
        columns=(
            Column("expert", "Expert"),
            Column("other", "Other expert"),
            Column("poems", "Poems", "count"),
            Column("pao", "PAo", "number", 3, "share of pairs"),
            Column("pairs", "Pairs", "count"),
            Column("agreeing", "Agree", "count", unit="pairs"),
            Column("by_chance", "By chance", "number", 3, "PAo"),
        ),
        rows=rows,
        method=f"PAo = 2A / (nA + nB), exact agreement{na}; by chance: independent answers, "
        "question by question",
        notes=() if rows else ("no two experts share a poem in the results",),
        basis=_basis(frame),
        aside=True,
    )


def _basis(frame: Frame) -> str:
    asked = [place for place, _ in compared(frame)]
    return basis(frame, np.isin(frame.question, asked) & ~np.isnan(frame.number), unit=_UNIT)


def _two(frame: Frame, one: int, other: int, pairs: Pairs, experts: Comparison) -> tuple[Cell, ...]:
    found = plain(frame, pairs)
    two = replace(experts, pairs=pairs)
    return (
        Cell(frame.seats[one].label),
        Cell(frame.seats[other].label),
        Cell(np.unique(frame.item[pairs.first]).size),
        figure(found),
        Cell(found.n),
        count(found.counts, "n_agreements"),
        number(by_chance(frame, two), found.reason),
    )
