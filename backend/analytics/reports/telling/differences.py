"""Which of two models' poems are told from human ones more often: every two of them."""

from itertools import combinations

from backend.analytics.reports.basis import basis
from backend.analytics.reports.telling.answers import Telling
from backend.analytics.reports.telling.corrected import BH, HOLM, p_bh, p_holm
from backend.analytics.tables import Cell, Column, Table, gather, number
from backend.statistics.detection import Difference, auc, auc_difference


def tables(telling: Telling) -> tuple[Table, ...]:
    """Return the table of every two models, folded away; none if there is only one."""
    if len(telling.frame.models) < 2:
        return ()
    return (_table(telling),)


def _compared(telling: Telling, first: int, second: int) -> Difference:
    titles, judges = telling.titles, telling.judges
    return auc_difference(
        telling.numbers(0),
        telling.numbers(first),
        telling.numbers(second),
        (titles(0), titles(first), titles(second)),
        (judges(0), judges(first), judges(second)) if telling.several else None,
        level="judgment",
    )


def _table(telling: Telling) -> Table:
    pairs = list(combinations(telling.models, 2))
    found = [_compared(telling, first, second) for (first, _), (second, _) in pairs]
    area = {
        code: auc(telling.numbers(0), telling.numbers(code), level="judgment")
        for code, _ in telling.models
    }
    p, reasons = [one.p for one in found], [one.reason for one in found]
    (holm, by_holm), (bh, by_bh) = p_holm(p, reasons), p_bh(p, reasons)
    return Table(
        key=f"auc-differences-{telling.suffix}",
        caption=f"Difference in ROC-AUC of every two models, per judgment, {telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a judgment"),
        explanation="The first model's AUC less the second's: above 0, the first model's poems "
        "are told from human ones more often. Both are set against the same human poems and "
        f"share {'judges and titles' if telling.several else 'titles'}, which the interval allows "
        "for.",
        columns=(
            Column("model", "Model"),
            Column("other", "Other model"),
            Column("auc", "AUC", "number", 3),
            Column("other_auc", "Other's AUC", "number", 3),
            Column("difference", "Difference", "number", 3),
            Column("low", "95 % from", "number", 3),
            Column("high", "to", "number", 3),
            Column("p", "p", "p"),
            holm,
            bh,
            Column("t", "t", "number", 2),
            Column("df", "df", "count"),
            Column("judgments", "Judgments", "count"),
        ),
        rows=tuple(
            (
                Cell(name),
                Cell(other),
                number(area[code].value, area[code].reason),
                number(area[code_of_other].value, area[code_of_other].reason),
                number(one.value, one.reason),
                number(one.low, one.reason),
                number(one.high, one.reason),
                number(one.p, one.reason),
                corrected,
                screened,
                number(one.t, one.reason),
                Cell(one.df),
                Cell(one.n),
            )
            for ((code, name), (code_of_other, other)), one, corrected, screened in zip(
                pairs, found, by_holm, by_bh, strict=True
            )
        ),
        method=f"{found[0].method}; two-sided; {HOLM}; {BH}",
        notes=gather(
            [
                (f"{name} and {other}", one.notes)
                for ((_, name), (_, other)), one in zip(pairs, found, strict=True)
            ]
        ),
        aside=True,
    )
