"""Whether judges answer alike: PAo among experts, and of each machine judge with the experts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from backend.analytics.frames import Frame
from backend.analytics.reports.agreeing import coefficients, two_by_two
from backend.analytics.reports.agreeing.beyond_chance import ac, alpha, by_chance, kappa
from backend.analytics.reports.agreeing.pairing import (
    BY_TITLES,
    Comparison,
    answers,
    compared,
    comparisons,
    named,
    over,
    resting,
)
from backend.analytics.reports.agreeing.variants import Variant, variants
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather, number
from backend.statistics.agreement import pair_agreement
from backend.statistics.clusters import near_the_ends
from backend.statistics.estimate import Estimate

_LEVEL = "pair of ratings of one poem and question"
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
    "judge all three are over its pairs with single experts, pooled (not with a consensus); their "
    "n by question, and intervals of alpha and AC among experts, stand in the table of more "
    "coefficients"
)
# What `pair_agreement` does that its own words leave out.
_DYADIC = "what judges have in common counted J(J - 1) / (J - 2)² times, for small numbers of them"
_AGAINST = "the machine judge itself fixed: judges are the experts"
_COUNTED = (
    "“Left out” counts pairs with N/A where it is left out. With the experts' commonest answer it "
    "counts the poems and questions on which two answers are equally common: such a tie is broken "
    "neither way. With the experts' median nothing is left out for a tie: of an even number it can "
    "lie between two points, where no answer agrees with it; it is N/A only if more than half "
    "chose that, else of those who gave a point."
)


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return the tables of agreement.

    None if no question has points or two sides, or there are no experts to agree with.
    """
    asked = compared(frame)
    found = comparisons(frame, [place for place, _ in asked])
    if not (asked and found):
        return ()
    return (
        _overall(frame, found),
        *((_by_question(frame, found),) if len(asked) > 1 else ()),
        coefficients.table(frame, found),
        _variants(frame, found),
        *two_by_two.tables(frame, found),
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


def how(found: Iterable[tuple[Comparison, Estimate]]) -> str:
    """Return how `observed` reached these figures, the interval of experts and machines apart."""
    return "; ".join(
        dict.fromkeys(
            (
                _METHOD,
                *(
                    f"{'experts among themselves' if one.panel.expert else 'a machine judge'}: "
                    f"{pao.method.removeprefix(_METHOD).lstrip('; ')}, "
                    f"{_DYADIC if one.panel.expert else _AGAINST}"
                    for one, pao in found
                ),
            )
        )
    )


def _overall(frame: Frame, found: Sequence[Comparison]) -> Table:
    asked = [place for place, _ in compared(frame)]
    return _table(
        frame,
        [((), one, asked) for one in found],
        Table(
            key="agreement",
            caption=f"Observed agreement (PAo) between judges, {over(asked)}"
            + (", their answers pooled" if len(asked) > 1 else ""),
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
    return replace(
        begun,
        basis=resting(frame, [one for _, one, _, _ in found]),
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
            Column("titles", "Titles", "count"),
            Column("n_judges", "Judges", "count", unit="in pairs"),
        ),
        rows=tuple(
            (*heads, Cell(one.label), *_figures(frame, one, asked, pao))
            for heads, one, asked, pao in found
        ),
        method=f"{how([(one, pao) for _, one, _, pao in found])}; by chance: independent "
        f"answers, question by question; {_COEFFICIENTS}",
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
        count(pao.counts, "n_titles"),
        Cell(judges.size),
    )


def _variants(frame: Frame, found: Sequence[Comparison]) -> Table:
    asked = [place for place, _ in compared(frame)]
    by_titles = near_the_ends(BY_TITLES)
    rows = [(one, variant) for one in found for variant in variants(frame, one)]
    return Table(
        key="agreement-variants",
        caption=f"Observed agreement (PAo) {over(asked)}, computed in other ways",
        explanation="What is published as PAo is rarely said in full. Each row is one way to "
        "count, the same for experts among themselves and for machine judges: compare rows of "
        f"one kind with one another, never across. {_COUNTED}",
        columns=(
            Column("judges", "Judges"),
            Column("variant", "Counted"),
            Column("pao", "PAo", "number", 3, under="PAo"),
            Column("pao_low", "95 % from", "number", 3, under="PAo"),
            Column("pao_high", "to", "number", 3, under="PAo"),
            Column("n", "n", "count"),
            Column("level", "n is of"),
            Column("agreeing", "Agree", "count", unit="pairs"),
            Column("left_out", "Left out", "count"),
        ),
        rows=tuple((Cell(one.label), *_counted(variant)) for one, variant in rows),
        method=f"PAo = 2A / (nA + nB), exact unless it says otherwise; {by_titles}, for these "
        "judges and no others: those of the first way to count that allow for other judges, too, "
        "stand in the first table",
        notes=gather([(f"{one.label}, {each.says}", each.pao.notes) for one, each in rows]),
        basis=resting(frame, found),
        aside=True,
    )


def _counted(variant: Variant) -> tuple[Cell, ...]:
    counts = variant.pao.counts
    return (
        Cell(variant.says),
        figure(variant.pao),
        *bounds(variant.pao),
        Cell(variant.pao.n),
        Cell(variant.pao.level),
        count(counts, "n_agreements") if "n_agreements" in counts else Cell(None),
        Cell(counts.get("n_dropped", 0) + counts.get("n_excluded", 0)),
    )
