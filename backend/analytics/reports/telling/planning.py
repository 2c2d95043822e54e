"""What a study of another size would tell: a pilot's own variance, scaled."""

import math
from statistics import fmean

from backend.analytics.reports.basis import basis, counted
from backend.analytics.reports.telling.answers import Telling
from backend.analytics.tables import Cell, Column, Table, number
from backend.statistics.planner import Components, Planned, components_of, half_width

JUDGES = (5, 10, 20, 40)
PER_POEM = (2, 5)
_FEWER = "a poem cannot have more judges than there are"
WIDEST = 0.5
_TOO_WIDE = "the half width would be above 0.5: such a study would tell nothing of an area"


def tables(telling: Telling) -> tuple[Table, ...]:
    """Return the table, folded away; none of one machine judge, whose like cannot vary."""
    if not telling.several:
        return ()
    found = _averaged(telling)
    titles = found.n_titles
    sizes = [(many, each) for many in (titles, 2 * titles) for each in PER_POEM]
    rows = sorted({*JUDGES, telling.n_judges} - {0, 1})
    planned = [
        (judges, [_planned(found, many, judges, each) for many, each in sizes]) for judges in rows
    ]
    return (
        Table(
            key=f"plan-{telling.suffix}",
            caption=f"How wide the interval of one model's AUC would be in a study of another "
            f"size, {telling.asked}",
            basis=basis(telling.frame, telling.rows, unit="a judgment"),
            explanation="Half the width of the 95 % interval to expect, by the number of experts, "
            "of titles, and of judgments of each poem, if titles, experts and judgments vary as "
            "they did here. After a pilot, this is how to choose the size of the study.",
            columns=(
                Column("judges", "Experts", "count"),
                *(
                    Column(f"titles_{many}_k_{each}", f"K = {each}", "number", 3, _titles(many))
                    for many, each in sizes
                ),
            ),
            rows=tuple((Cell(judges), *map(_half, cells)) for judges, cells in planned),
            method="components of variance between titles, between judges and between cells of the "
            "two, averaged over the models, each scaled by its own number; t(J - 1)",
            # A caution names the size that it is about.
            notes=tuple(
                dict.fromkeys(
                    note for _, cells in planned for one in cells if one for note in one.notes
                )
            ),
            aside=True,
        ),
    )


def _titles(many: int) -> str:
    return counted(many, "title")


def _averaged(telling: Telling) -> Components:
    """Return the components of this panel's areas, averaged over the models that have them."""
    every = [components_of(telling.scores, code) for code, _ in telling.models]
    known = [one for one in every if not one.reason]
    if not known:
        one = every[0]
        nothing = (math.nan, math.nan, math.nan)
        return Components(*nothing, max(1, one.n_titles), one.n_judges, one.per_poem, one.reason)
    return Components(
        title=fmean(one.title for one in known),
        judge=fmean(one.judge for one in known),
        cell=fmean(one.cell for one in known),
        n_titles=max(one.n_titles for one in known),
        n_judges=max(one.n_judges for one in known),
        per_poem=fmean(one.per_poem for one in known),
        area=fmean(one.area for one in known),
    )


def _planned(found: Components, titles: int, judges: int, per_poem: int) -> Planned | None:
    """Return what to expect of a study of this size; None if there can be none."""
    if per_poem > judges:
        return None
    return half_width(found, titles=titles, judges=judges, per_poem=per_poem)


def _half(planned: Planned | None) -> Cell:
    if planned is None:
        return Cell(None, _FEWER)
    if planned.half_width > WIDEST:
        return Cell(None, _TOO_WIDE)
    return number(planned.half_width, planned.reason)
