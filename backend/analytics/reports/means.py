"""What each author's poems were given: means and spreads, author by question."""

import numpy as np

from annotation.instruments.questions import Likert
from backend.analytics.frames import Closed, Codes, Frame, Mask, Numbers, Panel
from backend.analytics.tables import Cell, Column, Table, figure
from backend.statistics.descriptive import MeanSD, mean_sd

THOUSANDTHS = 1000

_METHOD = "arithmetic mean; standard deviation with n - 1"


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return the table over single ratings and, for experts, the one over poem means.

    One machine judge rates a poem once: its two tables would be the same.
    """
    levels = (False, True) if panel.expert else (False,)
    return tuple(_table(frame, panel, over_poems=over_poems) for over_poems in levels)


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


def unit(question: Closed) -> str:
    """Return what a mean of this question is measured in."""
    if isinstance(question, Likert):
        return f"points {question.low} to {question.high}"
    return "probability"


def _table(frame: Frame, panel: Panel, *, over_poems: bool) -> Table:
    level = "poem mean" if over_poems else "single rating"
    units = dict.fromkeys(unit(question) for question in frame.questions)
    of_panel = frame.of(panel)
    author = frame.author
    rows = tuple(
        (
            Cell(name),
            *(
                cell
                for place, question in enumerate(frame.questions)
                for cell in _cells(
                    frame,
                    of_panel & (author == code) & (frame.question == place),
                    question,
                    level=level,
                )
            ),
        )
        for code, name in enumerate(frame.authors)
    )
    return Table(
        key=f"{'poem-means' if over_poems else 'ratings'}-{panel.key}",
        caption=f"Mean of each author's poems, by question, as rated by {panel.label} "
        f"(per {level})",
        explanation=_explanation(over_poems=over_poems),
        columns=(
            Column("author", "Author"),
            *(one for question in frame.questions for one in _columns(question, level)),
        ),
        rows=rows,
        method=f"{_METHOD}; one value is a {level}; in {' or '.join(units)}",
    )


def _explanation(*, over_poems: bool) -> str:
    if over_poems:
        return (
            "Each poem's ratings are first averaged over its judges. The standard deviation (SD) "
            "then tells how much an author's poems differ, and n counts poems."
        )
    return (
        "The standard deviation (SD) tells how much single ratings differ, between poems and "
        "between judges. n counts ratings; N/A and skipped answers are counted beside them and "
        "are in no mean."
    )


def _columns(question: Closed, level: str) -> tuple[Column, ...]:
    key, under = question.key, f"{question.number} {question.key.replace('_', ' ')}"
    of = "poems" if level == "poem mean" else "ratings"
    return (
        Column(f"{key}_mean", "mean", "number", 2, unit(question), under),
        Column(f"{key}_sd", "SD", "number", 2, unit(question), under),
        Column(f"{key}_n", "n", "count", unit=of, under=under),
        *(
            Column(f"{key}_{blank}", label, "count", unit="ratings", under=under)
            for blank, label in _blanks(question).items()
        ),
    )


def _blanks(question: Closed) -> dict[str, str]:
    """Return the ways in which this question can stay without a rating."""
    offers_na = isinstance(question, Likert) and question.na is not None
    na = {"na": "N/A"} if offers_na else {}
    return na if question.required else {**na, "skipped": "skipped"}


def _cells(frame: Frame, rows: Mask, question: Closed, *, level: str) -> tuple[Cell, ...]:
    scored = rows & frame.scored
    values = poem_means(frame, scored) if level == "poem mean" else frame.number[scored]
    found: MeanSD = mean_sd(values, level=level)
    per = 1 if isinstance(question, Likert) else THOUSANDTHS
    blank = {"na": frame.na, "skipped": np.isnan(frame.number)}
    return (
        figure(found.mean, per=per),
        figure(found.sd, per=per),
        Cell(found.n),
        *(Cell(int((rows & blank[why]).sum())) for why in _blanks(question)),
    )
