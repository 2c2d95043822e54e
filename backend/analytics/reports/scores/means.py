"""What each author's poems were given: means and spreads, author by question."""

from itertools import chain

import numpy as np

from annotation.instruments.choices import Altered
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from backend.analytics.frames import Closed, Codes, Frame, Mask, Numbers, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather
from backend.statistics.clusters import clustered_mean, design
from backend.statistics.descriptive import MeanSD, mean_sd
from backend.statistics.estimate import Estimate

THOUSANDTHS = 1000
CONFIDENCE = 0.95

# A level of recognition is no amount, and choices between two texts have a table of their own.
Averaged = Likert | Probability | Altered

_METHOD = "arithmetic mean; standard deviation with n - 1"


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return the table over single ratings and, for experts, the one over poem means.

    One machine judge rates a poem once: its two tables would be the same. None if no question
    has a mean.
    """
    if not averaged(frame):
        return ()
    levels = (False, True) if panel.expert else (False,)
    return tuple(_table(frame, panel, over_poems=over_poems) for over_poems in levels)


def averaged(frame: Frame) -> list[tuple[int, Averaged]]:
    """Return the questions that have means, with their codes in the frame."""
    return [(place, one) for place, one in enumerate(frame.questions) if isinstance(one, Averaged)]


def poem_means(frame: Frame, rows: Mask) -> Numbers:
    """Return each item's mean over the ratings in `rows`; ``nan`` for an item without any."""
    return group_means(frame.item[rows], frame.number[rows], len(frame.items))


def group_means(group: Codes, values: Numbers, n_groups: int) -> Numbers:
    """Return the mean of the values in each group; ``nan`` for a group without any."""
    how_many = np.bincount(group, minlength=n_groups)
    sums = np.bincount(group, weights=values, minlength=n_groups)
    found: Numbers = np.full(n_groups, np.nan)
    # Sums of whole numbers are exact, so that equal means come out equal and tie.
    np.divide(sums, how_many, out=found, where=how_many > 0)
    return found


def unit(question: Averaged) -> str:
    """Return what a mean of this question is measured in."""
    if isinstance(question, Likert):
        return f"points {question.low} to {question.high}"
    if isinstance(question, Altered):
        return f"share of “{question.labels[1]}”"
    return "probability"


def per(question: Averaged) -> float:
    """Return by what its numbers are divided to be in that unit."""
    return THOUSANDTHS if isinstance(question, Probability) else 1


def _table(frame: Frame, panel: Panel, *, over_poems: bool) -> Table:
    level = "poem mean" if over_poems else "single rating"
    asked = averaged(frame)
    units = dict.fromkeys(unit(question) for _, question in asked)
    of_panel = frame.of(panel)
    author = frame.author
    found = [
        (
            name,
            [
                _figures(
                    frame,
                    of_panel & (author == code) & (frame.question == place),
                    question,
                    level=level,
                )
                for place, question in asked
            ],
        )
        for code, name in enumerate(frame.authors)
        if code or not frame.paired
    ]
    return Table(
        key=f"{'poem-means' if over_poems else 'ratings'}-{panel.key}",
        caption=f"Mean of each {'model' if frame.paired else 'author'}'s "
        f"{'pairs' if frame.paired else 'poems'}, by question, as rated by {panel.label} "
        f"(per {level})",
        explanation=_explanation(panel, over_poems=over_poems),
        columns=(
            Column("author", "Model" if frame.paired else "Author"),
            *(one for _, question in asked for one in _columns(question, level)),
        ),
        rows=tuple(
            (Cell(name), *(cell for cells, _ in figures for cell in cells))
            for name, figures in found
        ),
        method=f"{_METHOD}; one value is a {level}; in {' or '.join(units)}"
        + ("" if over_poems else f"; {design(CONFIDENCE, two_way=panel.expert)}"),
        basis=basis(
            frame,
            of_panel & np.isin(frame.question, [place for place, _ in asked]) & frame.scored,
            unit=f"a {level}",
        ),
        notes=gather(
            [(name, tuple(dict.fromkeys(chain(*(said for _, said in of))))) for name, of in found]
        ),
        aside=over_poems,
    )


def _explanation(panel: Panel, *, over_poems: bool) -> str:
    if over_poems:
        return (
            "Each poem's ratings are first averaged over its judges. The standard deviation (SD) "
            "then tells how much an author's poems differ, and n counts poems."
        )
    return (
        "The standard deviation (SD) tells how much single ratings differ, between poems"
        f"{' and between judges' if panel.expert else ''}. n counts ratings; N/A, “cannot tell” "
        "and skipped answers are counted beside them and are in no mean."
    )


def _columns(question: Averaged, level: str) -> tuple[Column, ...]:
    key, under = question.key, f"{question.number} {question.key.replace('_', ' ')}"
    of = "poems" if level == "poem mean" else "ratings"
    return (
        Column(f"{key}_mean", "mean", "number", 2, unit(question), under),
        *_interval(question, level, under),
        Column(f"{key}_sd", "SD", "number", 2, unit(question), under),
        Column(f"{key}_n", "n", "count", unit=of, under=under),
        *(
            Column(f"{key}_{blank}", label, "count", unit="ratings", under=under)
            for blank, label in blanks(question).items()
        ),
    )


def _interval(question: Averaged, level: str, under: str) -> tuple[Column, ...]:
    """Return the columns of a mean's interval; over poem means it could not allow for judges."""
    if level == "poem mean":
        return ()
    return (
        Column(f"{question.key}_low", "95 % from", "number", 2, unit(question), under),
        Column(f"{question.key}_high", "to", "number", 2, unit(question), under),
    )


def blanks(question: Closed) -> dict[str, str]:
    """Return the ways in which this question can stay without a rating."""
    offered = {
        "na": "N/A" if isinstance(question, Likert) and question.na else "",
        "cannot_tell": (
            "cannot tell" if isinstance(question, Probability) and question.cannot_tell else ""
        ),
        "skipped": "" if question.required else "skipped",
    }
    return {blank: label for blank, label in offered.items() if label}


def _figures(
    frame: Frame, rows: Mask, question: Averaged, *, level: str
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Return an author's figures on one question, and cautions about them."""
    scored = rows & frame.scored
    values = poem_means(frame, scored) if level == "poem mean" else frame.number[scored]
    found: MeanSD = mean_sd(values, level=level)
    blank = {"na": frame.na, "cannot_tell": frame.cannot_tell, "skipped": frame.skipped}
    within = None if level == "poem mean" else _clustered(frame, scored, question)
    cells = (
        figure(found.mean, per=per(question)),
        *(() if within is None else bounds(within, per=per(question))),
        figure(found.sd, per=per(question)),
        Cell(found.n),
        *(Cell(int((rows & blank[why]).sum())) for why in blanks(question)),
    )
    return cells, () if within is None else within.notes


def _clustered(frame: Frame, rows: Mask, question: Averaged) -> Estimate:
    """Return a mean with its interval; of one machine judge it allows for other titles alone."""
    judges = frame.judge[rows]
    return clustered_mean(
        frame.number[rows],
        frame.item_title[frame.item[rows]],
        None if _machine(frame, judges) else judges,
        level="single rating",
        span=_span(question),
        confidence=CONFIDENCE,
    )


def _machine(frame: Frame, judges: Codes) -> bool:
    return bool(judges.size) and not frame.seats[int(judges[0])].expert


def _span(question: Averaged) -> tuple[float, float]:
    if isinstance(question, Likert):
        return question.low, question.high
    return 0, per(question)
