"""Whether the human text is chosen over one model's more often than over another's."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from backend.analytics.frames import Frame, Mask, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.telling.corrected import BH, HOLM, p_bh, p_holm
from backend.analytics.tables import Cell, Column, Table, bounds, figure, number
from backend.statistics.estimate import Estimate
from backend.statistics.proportions import (
    Test,
    fisher_exact,
    mcnemar_exact,
    newcombe,
    newcombe_paired,
)

TIES = "a choice has no ties; a pair that was skipped is in no figure"
_UNIT = "one judge's two choices on a title"
_INDEPENDENT = (
    "choices of one judge, or on one title, are taken for independent of each other: where judges "
    "or titles differ, intervals are too narrow and p-values too small"
)
_ONE_JUDGE = (
    "all choices are by one judge, on titles that are taken for independent of each other: "
    "intervals and p-values tell of other titles, not of other judges"
)


@dataclass(frozen=True)
class Contest:
    """Two models on the titles that the same judges saw with both."""

    models: tuple[str, str]
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def cells(self) -> tuple[int, int, int, int]:
        return self.both, self.only_first, self.only_second, self.neither


def tables(frame: Frame, panel: Panel, place: int) -> tuple[Table, ...]:
    """Return, folded away, every two models and, for a machine judge, the experts beside it."""
    found = []
    made = (frame.question == place) & frame.scored
    if len(frame.models) > 1:
        found.append(_table(frame, panel, place, made & frame.of(panel)))
    experts = frame.panels[0]
    if not panel.expert and (made & frame.of(experts)).any():
        found.append(_beside_experts(frame, panel, place, made))
    return tuple(found)


def _contest(frame: Frame, made: Mask, first: int, second: int) -> Contest:
    titles = np.unique(frame.item_title, return_inverse=True)[1]
    judged = frame.judge * (int(titles.max(initial=0)) + 1) + titles[frame.item]
    sides = []
    for code in (first, second):
        rows = made & (frame.author == code)
        # A judge who saw a title twice with one model keeps the first of the two.
        keys, at = np.unique(judged[rows], return_index=True)
        sides.append((keys, frame.number[rows][at] == 1))
    (ones, of_first), (others, of_second) = sides
    _, mine, theirs = np.intersect1d(ones, others, return_indices=True)
    one, other = of_first[mine], of_second[theirs]
    return Contest(
        (frame.models[first - 1], frame.models[second - 1]),
        both=int((one & other).sum()),
        only_first=int((one & ~other).sum()),
        only_second=int((~one & other).sum()),
        neither=int((~one & ~other).sum()),
    )


def _table(frame: Frame, panel: Panel, place: int, made: Mask) -> Table:
    question = frame.questions[place]
    alone = np.unique(frame.judge[made]).size == 1
    codes = range(1, len(frame.models) + 1)
    found = [_contest(frame, made, *pair) for pair in combinations(codes, 2)]
    tests = [mcnemar_exact(one.only_first, one.only_second, level=_UNIT) for one in found]
    apart = [newcombe_paired(*one.cells, level=_UNIT) for one in found]
    p, reasons = [test.p for test in tests], [test.reason for test in tests]
    (holm, by_holm), (bh, by_bh) = p_holm(p, reasons), p_bh(p, reasons)
    return Table(
        key=f"choices-models-{panel.key}-q{question.number}",
        caption="The human text chosen over one model's and over another's, per "
        f"{'title' if alone else 'judge and title'}, "
        f"question {question.number}, as judged by {panel.label}",
        basis=basis(frame, made, unit=_UNIT),
        explanation=f"Only titles that {'the' if alone else 'a'} judge saw with both models count. "
        "The difference is the "
        "share of human texts chosen over the first model's less that over the other's: above 0, "
        "the first model's texts are told more often.",
        columns=(
            Column("model", "Model"),
            Column("other", "Other model"),
            Column("shared", "Shared", "count", unit="titles" if alone else "titles by judges"),
            Column("both", "Human over both", "count"),
            Column("only_first", "Over the first alone", "count"),
            Column("only_second", "Over the other alone", "count"),
            Column("neither", "Over neither", "count"),
            *_difference_columns(),
            holm,
            bh,
        ),
        rows=tuple(
            (
                *map(Cell, one.models),
                Cell(sum(one.cells)),
                *map(Cell, one.cells),
                *_difference_cells(gap, test),
                corrected,
                screened,
            )
            for one, test, gap, corrected, screened in zip(
                found, tests, apart, by_holm, by_bh, strict=True
            )
        ),
        method=f"{tests[0].method}; {apart[0].method}; {TIES}; {HOLM}; {BH}",
        notes=(_ONE_JUDGE if alone else _INDEPENDENT,),
        aside=True,
    )


def _beside_experts(frame: Frame, panel: Panel, place: int, made: Mask) -> Table:
    question = frame.questions[place]
    experts = frame.panels[0]
    counted = []
    for code, name in enumerate(frame.models, start=1):
        mine = made & (frame.author == code)
        sides = [frame.number[mine & frame.of(one)] == 1 for one in (experts, panel)]
        counted.append((name, [(int(side.sum()), int(side.size)) for side in sides]))
    flat = [(*experts_side, *machine) for _, (experts_side, machine) in counted]
    tests = [fisher_exact(*cells, level="judgment") for cells in flat]
    apart = [newcombe(*cells, level="judgment") for cells in flat]
    holm, by_holm = p_holm([one.p for one in tests], [one.reason for one in tests])
    return Table(
        key=f"choices-beside-experts-{panel.key}-q{question.number}",
        caption=f"The human text chosen by the experts and by {panel.label}, per judgment, "
        f"question {question.number}",
        basis=basis(frame, made & (frame.of(experts) | frame.of(panel)), unit="a judgment"),
        explanation="The difference is the experts' share of human texts chosen less that of "
        f"{panel.label}: above 0, the experts tell more often.",
        columns=(
            Column("model", "Model"),
            Column("experts_chosen", "Chosen by experts", "count"),
            Column("experts_judgments", "of", "count"),
            Column("judge_chosen", f"By {panel.label}", "count"),
            Column("judge_judgments", "of", "count"),
            *_difference_columns(),
            holm,
        ),
        rows=tuple(
            (Cell(name), *map(Cell, cells), *_difference_cells(gap, test), corrected)
            for (name, _), cells, test, gap, corrected in zip(
                counted, flat, tests, apart, by_holm, strict=True
            )
        ),
        method=f"{tests[0].method}; {apart[0].method}; {TIES}; {HOLM}",
        notes=(_INDEPENDENT,),
        aside=True,
    )


def _difference_columns() -> tuple[Column, ...]:
    return (
        Column("difference", "Difference", "number", 3),
        Column("low", "95 % from", "number", 3),
        Column("high", "to", "number", 3),
        Column("p", "p", "p"),
    )


def _difference_cells(gap: Estimate, test: Test) -> tuple[Cell, ...]:
    return figure(gap), *bounds(gap), number(test.p, test.reason)
