"""How carefully experts answered, and which answers are missing."""

from collections import Counter
from math import nan
from statistics import median

import numpy as np

from backend.analytics.flagging import records
from backend.analytics.frames import Frame, Mask
from backend.analytics.reports.basis import basis
from backend.analytics.reports.scores.means import blanks
from backend.analytics.tables import Cell, Column, Table, figure, number
from backend.analytics.turnout import MAIN, Turnout
from backend.panel.careless import (
    LEAST_SECONDS_A_LINE,
    Record,
    Sign,
    signs,
)
from backend.statistics.quality import commonest_share, longest_run, response_spread

_ANSWER = "answer on a scale of points"
_WORDS = {
    "run": "long run",
    "share": "answers alike",
    "spread": "hardly any spread",
    "seconds": "fast",
    "failed": "failed a test of attention",
}


def tables(frame: Frame, turnout: Turnout) -> tuple[Table, ...]:
    """Return the tables of data quality: signs of carelessness by expert, and what is missing."""
    found = [_care(frame, turnout), _missing_judgments(frame, turnout)]
    answers = _missing_answers(frame)
    return tuple(found if answers is None else [*found, answers])


def _care(frame: Frame, turnout: Turnout) -> Table:
    found = records(frame, turnout)
    marked = signs(list(found.values()))
    return Table(
        key="quality",
        caption="Signs of careless answering, by expert",
        basis=basis(
            frame, frame.of(frame.panels[0]), unit="an expert, by all judgments in the results"
        ),
        explanation="Signs are no proof: whoever reads fast or judges alike may do so with care, "
        "and nobody is left out by them. A table of results with and without the experts who are "
        "flagged here shows what hangs on them.",
        columns=(
            Column("expert", "Expert"),
            Column("poems", "Judged", "count", unit="poems"),
            Column("answers", "Answers", "count", unit="on points"),
            Column("longest_run", "Longest run", "count", unit="equal answers"),
            Column("commonest", "Commonest answer", "number", 2, "share"),
            Column("spread", "Spread (IRV)", "number", 2, "SD, points"),
            Column("seconds_a_line", "Time per line", "number", 1, "median seconds"),
            Column("share_fast", "Under a second per line", "number", 2, "share of poems"),
            Column("timed", "Timed", "count", unit="poems"),
            Column("tests", "Tests of attention", "count", unit="answered"),
            Column("failed", "Failed", "count", unit="tests"),
            Column("flags", "Flagged for"),
        ),
        rows=tuple(
            (Cell(frame.seats[place].label), *_figures(record), Cell(_flags(row)))
            for (place, record), row in zip(found.items(), marked, strict=True)
        ),
        method="longest run: long-string index over all answers on points, in the order in which "
        "they were given; IRV: standard deviation (n - 1) of an expert's answers on points, N/A "
        "left out; time in view by lines of verse; flagged: half of all answers in one run, 90 % "
        "alike, a spread below 0.25, a median below 1 second per line (all on five poems or more; "
        "other answers than points on ten or more), any failed test of attention",
    )


def _figures(record: Record) -> tuple[Cell, ...]:
    times = record.seconds_a_line
    untimed = "no time was measured of a judgment in the results"
    return (
        Cell(record.poems),
        Cell(len(record.points)),
        figure(longest_run(record.points, level=_ANSWER)),
        figure(commonest_share(record.points, level=_ANSWER)),
        figure(response_spread(record.points, level=_ANSWER)),
        number(median(times) if times else nan, untimed),
        number(
            sum(time < LEAST_SECONDS_A_LINE for time in times) / len(times) if times else nan,
            untimed,
        ),
        Cell(len(times)),
        Cell(record.tests),
        Cell(record.failed),
    )


def _flags(row: tuple[Sign, ...]) -> str:
    return ", ".join(_WORDS[sign.index.key] for sign in row if sign.flagged)


def _missing_judgments(frame: Frame, turnout: Turnout) -> Table:
    experts = {seat.key for seat in frame.seats if seat.expert}
    author = {
        item.key: code for item, code in zip(frame.items, frame.item_author.tolist(), strict=True)
    }
    given, counted, left_out = Counter[int](), Counter[int](), Counter[int]()
    for one in turnout.given:
        if one.judge in experts and one.purpose == MAIN:
            given[author[one.item]] += 1
            counted[author[one.item]] += one.counted
            left_out[author[one.item]] += one.judged and not one.counted
    what = "Model" if frame.paired else "Author"
    return Table(
        key="missing-judgments",
        caption=f"Judgments by experts that are missing, by {what.lower()}",
        basis="One unit is a poem that was given to an expert to judge",
        explanation="What was given to an expert and not judged, or judged and left out of the "
        "results. Shares that differ between authors mean that what is left is no longer a fair "
        "sample of what was given.",
        columns=(
            Column("author", what),
            Column("given", "Given", "count"),
            Column("in_results", "In the results", "count"),
            Column("not_judged", "Not judged", "count"),
            Column("left_out", "Left out", "count"),
            Column("share_missing", "Share missing", "number", 3),
        ),
        rows=tuple(
            (
                Cell(name),
                Cell(given[code]),
                Cell(counted[code]),
                Cell(given[code] - counted[code] - left_out[code]),
                Cell(left_out[code]),
                number(
                    1 - counted[code] / given[code] if given[code] else nan,
                    "nothing by this author was given to an expert",
                ),
            )
            for code, name in _authors(frame)
        ),
        method="counts of assignments to experts; not judged: given back or unanswered; nothing is "
        "imputed",
        aside=True,
    )


def _missing_answers(frame: Frame) -> Table | None:
    asked = [
        (place, question, blanks(question))
        for place, question in enumerate(frame.questions)
        if blanks(question)
    ]
    if not asked:
        return None
    of_experts = frame.of(frame.panels[0])
    return Table(
        key="missing-answers",
        caption="Answers by experts that are no rating, by "
        f"{'model' if frame.paired else 'author'} and question",
        basis=basis(frame, of_experts, unit="a judgment"),
        explanation="Only questions that may stay without a rating are listed. Means and figures "
        "of agreement beyond chance leave such answers out: nothing is imputed.",
        columns=(
            Column("question", "Question"),
            Column("author", "Model" if frame.paired else "Author"),
            Column("judgments", "Judgments", "count"),
            Column("rated", "Rated", "count"),
            Column("na", "N/A", "count"),
            Column("cannot_tell", "Cannot tell", "count"),
            Column("skipped", "Skipped", "count"),
            Column("share_missing", "Share without a rating", "number", 3),
        ),
        rows=tuple(
            (
                Cell(f"{question.number} {question.key.replace('_', ' ')}"),
                Cell(name),
                *_blank_counts(
                    frame, of_experts & (frame.question == place) & (frame.author == code)
                ),
            )
            for place, question, _ in asked
            for code, name in _authors(frame)
        ),
        method="counts of the judgments in the results",
        aside=True,
    )


def _blank_counts(frame: Frame, rows: Mask) -> tuple[Cell, ...]:
    n, rated = int(rows.sum()), int((rows & frame.scored).sum())
    kinds = (frame.na, frame.cannot_tell, frame.skipped)
    return (
        Cell(n),
        Cell(rated),
        *(Cell(int(np.count_nonzero(rows & kind))) for kind in kinds),
        number(1 - rated / n if n else nan, "no expert judged a poem of this author"),
    )


def _authors(frame: Frame) -> list[tuple[int, str]]:
    """Return authors with their codes; of pairs, models alone: each has a human half."""
    return [(code, name) for code, name in enumerate(frame.authors) if code or not frame.paired]
