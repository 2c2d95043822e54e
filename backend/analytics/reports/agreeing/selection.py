"""How well each judge tells poems from one another, and which machine judge to choose."""

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Frame, Mask
from backend.analytics.reports.agreeing.agreement import how, observed
from backend.analytics.reports.agreeing.beyond_chance import alpha, by_chance
from backend.analytics.reports.agreeing.pairing import (
    UNIT,
    compared,
    comparisons,
    met,
    named,
    over,
)
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import (
    Averaged,
    averaged,
    group_means,
    per,
    poem_means,
    unit,
)
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather, number
from backend.statistics.descriptive import mean_sd

# The published question for the overall quality of a poem.
OVERALL = "quality"
_SPREAD = "a single rating, an author’s mean or a poem’s, as the column says"
_WHY_TWO = (
    "Published standard deviations of a judge's scores are of single scores or of means, mostly "
    "unsaid. Both are here: that of raw scores is how far single ratings differ; those of means "
    "are how far authors, and poems, differ once ratings are averaged, and are smaller by nature."
)


def headline(frame: Frame) -> tuple[int, Averaged]:
    """Return the question for overall quality; without one, the last on points, or the last.

    Raises
    ------
    LookupError
        If no question has means.
    """
    asked = averaged(frame)
    if not asked:
        raise LookupError("no question has means")
    points = [one for one in asked if isinstance(one[1], Likert) and one[1].about == "quality"]
    overall = [one for one in points if one[1].key == OVERALL]
    return (overall or points or asked)[-1]


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return which machine judge to choose, if there is one, and how each judge discriminates."""
    asked = averaged(frame)
    if not asked:
        return ()
    place, question = headline(frame)
    found = [_discrimination(frame, [(place, question)])]
    if len(asked) > 1:
        found.append(_discrimination(frame, asked))
    machines = len(frame.panels) > 1
    chosen = machines and compared(frame) and frame.panels[0].seats
    return (*((_selection(frame),) if chosen else ()), *found)


def _judges(frame: Frame) -> list[tuple[str, Mask]]:
    """Return the experts together, each machine judge, and then each expert."""
    panels = [
        ("all experts" if panel.expert else panel.label, frame.of(panel))
        for panel in frame.panels
        if panel.seats
    ]
    experts = [
        (seat.label, frame.judge == code) for code, seat in enumerate(frame.seats) if seat.expert
    ]
    return [*panels, *experts]


def _discrimination(frame: Frame, asked: list[tuple[int, Averaged]]) -> Table:
    whole = len(asked) > 1
    which = "by question" if whole else f"question {named(asked[0][1])}"
    units = dict.fromkeys(unit(question) for _, question in asked)
    return Table(
        key="discrimination-questions" if whole else "discrimination",
        caption=f"How far each judge tells poems and authors from one another, {which}",
        explanation=_WHY_TWO,
        columns=(
            *((Column("question", "Question"),) if whole else ()),
            Column("judge", "Judge"),
            *_spread_columns(),
        ),
        rows=tuple(
            (
                *((Cell(named(question)),) if whole else ()),
                Cell(label),
                *_spreads(frame, mine & (frame.question == place), question),
            )
            for place, question in asked
            for label, mine in _judges(frame)
        ),
        method="standard deviations with n - 1; an author's mean is over all single ratings of "
        f"the author's poems; in {' or '.join(units)}",
        basis=basis(
            frame,
            np.isin(frame.question, [place for place, _ in asked]) & frame.scored,
            unit=_SPREAD,
        ),
        aside=whole,
    )


def _spread_columns() -> tuple[Column, ...]:
    return (
        Column("mean", "Mean", "number", 2),
        Column("sd_raw", "SD", "number", 2, under="Raw scores"),
        Column("ratings", "n", "count", unit="ratings", under="Raw scores"),
        Column("sd_authors", "SD", "number", 2, under="Author means"),
        Column("authors", "n", "count", unit="authors", under="Author means"),
        Column("sd_poems", "SD", "number", 2, under="Poem means"),
        Column("poems", "n", "count", unit="poems", under="Poem means"),
    )


def _spreads(frame: Frame, rows: Mask, question: Averaged) -> tuple[Cell, ...]:
    scored = rows & frame.scored
    raw = mean_sd(frame.number[scored], level="single rating")
    by_author = group_means(frame.author[scored], frame.number[scored], len(frame.authors))
    authors = mean_sd(by_author, level="author mean")
    poems = mean_sd(poem_means(frame, scored), level="poem mean")
    return (
        figure(raw.mean, per=per(question)),
        *(
            cell
            for found in (raw, authors, poems)
            for cell in (figure(found.sd, per=per(question)), Cell(found.n))
        ),
    )


def _selection(frame: Frame) -> Table:
    asked = [place for place, _ in compared(frame)]
    place, question = headline(frame)
    found = [(one, observed(frame, one)) for one in comparisons(frame, asked)]
    beyond = [alpha(frame, one, asked) for one, _ in found]
    what = named(question)
    return Table(
        key="judge-selection",
        caption=f"Which machine judge to choose: agreement with the experts {over(asked)}, "
        f"and discrimination on question {what}",
        explanation="A judge that is to stand in for experts agrees with them about as well as "
        "they do among themselves, and tells poems apart about as far as they do. The first row "
        f"is the experts': no candidate, but what candidates are measured by. {_WHY_TWO}",
        columns=(
            Column("judge", "Judge"),
            Column("pao", "PAo", "number", 3, under="PAo with experts"),
            Column("pao_low", "95 % from", "number", 3, under="PAo with experts"),
            Column("pao_high", "to", "number", 3, under="PAo with experts"),
            Column("pairs", "n", "count", unit="pairs", under="PAo with experts"),
            Column("by_chance", "By chance", "number", 3, "PAo"),
            Column("alpha", "Alpha", "number", 3, under="Krippendorff's alpha"),
            Column("alpha_n", "n", "count", unit="ratings", under="Krippendorff's alpha"),
            *_spread_columns(),
        ),
        rows=tuple(
            (
                Cell("all experts" if one.panel.expert else one.panel.label),
                figure(pao),
                *bounds(pao),
                Cell(pao.n),
                number(by_chance(frame, one), pao.reason),
                figure(coefficient),
                Cell(coefficient.n),
                *_spreads(frame, frame.of(one.panel) & (frame.question == place), question),
            )
            for (one, pao), coefficient in zip(found, beyond, strict=True)
        ),
        method=f"{how(found)}; alpha: Krippendorff's, as in the table of agreement, without N/A, "
        "its n the ratings that have a partner, of a machine judge both of each pair; standard "
        "deviations with n - 1",
        notes=gather([(one.label, pao.notes) for one, pao in found]),
        basis=f"Agreement: {basis(frame, met(frame, [one for one, _ in found]), unit=UNIT)}. "
        f"Discrimination: {basis(frame, (frame.question == place) & frame.scored, unit=_SPREAD)}",
    )
