"""How carefully experts answered, and which answers are missing."""

from collections import Counter
from collections.abc import Mapping
from math import nan
from statistics import median

import numpy as np

from annotation.instruments.choices import Altered, ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from backend.analytics.flagging import OTHERS, READ_HERE, records
from backend.analytics.frames import Frame, Mask
from backend.analytics.reports.basis import basis, piece
from backend.analytics.reports.scores.means import blanks
from backend.analytics.reports.telling.subsets import has_without
from backend.analytics.tables import Cell, Column, Table, figure, number
from backend.analytics.turnout import MAIN, Turnout
from backend.panel.careless import LEAST_SECONDS_A_LINE, Kind, Record, Sign, by_run, by_share, signs
from backend.statistics.quality import response_spread

_ANSWER = "answer on a scale of points"
_UNANSWERED = "there is no answer to a closed question"
_NAMES = {Probability: "probabilities", ForcedChoice: "texts A or B", Altered: "altered or not"}
_WORDS = {
    "run": "long run",
    "share": "answers alike",
    "spread": "hardly any spread",
    "seconds": "fast",
    "failed": "failed a test of attention",
}


def tables(frame: Frame, turnout: Turnout) -> tuple[Table, ...]:
    """Return the tables of data quality: signs of carelessness by expert, and what is missing.

    None of a study without experts: of a machine judge, replies that could not be read are told.
    """
    if not any(seat.expert for seat in frame.seats):
        return ()
    found = [_care(frame, turnout), _missing_judgments(frame, turnout)]
    answers = _missing_answers(frame)
    return tuple(found if answers is None else [*found, answers])


def _care(frame: Frame, turnout: Turnout) -> Table:
    found = records(frame, turnout)
    marked = signs(list(found.values()))
    points = any(isinstance(question, Likert) for question in frame.questions)
    items = f"{piece(frame)}s"
    return Table(
        key="quality",
        caption="Signs of careless answering, by expert",
        basis=basis(
            frame, frame.of(frame.panels[0]), unit="an expert, by all judgments in the results"
        ),
        explanation="Signs are no proof: whoever reads fast or judges alike may do so with care, "
        f"and nobody is left out by them.{_hanging(frame, dict(zip(found, marked, strict=True)))}",
        columns=(
            Column("expert", "Expert"),
            Column("poems", "Judged", "count", unit=items),
            Column("longest_run", "equal answers", "count", under="Longest run"),
            Column("run_kind", "of", under="Longest run"),
            Column("run_answers", "n", "count", unit="answers", under="Longest run"),
            Column("commonest", "share", "number", 2, under="Commonest answer"),
            Column("commonest_kind", "of", under="Commonest answer"),
            Column("commonest_answers", "n", "count", unit="answers", under="Commonest answer"),
            *((Column("spread", "Spread (IRV)", "number", 2, "SD, points"),) if points else ()),
            Column("seconds_a_line", "Time per line", "number", 1, "median seconds"),
            Column("share_fast", "Under a second per line", "number", 2, f"share of {items}"),
            Column("timed", "Timed", "count", unit=items),
            Column("tests", "Tests of attention", "count", unit="answered"),
            Column("failed", "Failed", "count", unit="tests"),
            Column("flags", "Flagged for"),
        ),
        rows=tuple(
            (Cell(frame.seats[place].label), *_figures(record, points=points), Cell(_flags(row)))
            for (place, record), row in zip(found.items(), marked, strict=True)
        ),
        method="longest run: long-string index, in the order in which answers were given; run and "
        "commonest answer are of one kind of answer at a time, and of several kinds that one is "
        "shown which tells most"
        + (
            "; IRV: standard deviation (n - 1) of an expert's answers on points, N/A left out"
            if points
            else ""
        )
        + "; time in view by lines of verse; flagged: half of all answers of a kind in one run, "
        "90 % alike, "
        + ("a spread below 0.25, " if points else "")
        + f"a median below 1 second per line (all on five {items} or more; other answers than "
        "points on ten or more), any failed test of attention",
    )


def _alike(kind: Kind, value: float) -> tuple[Cell, ...]:
    """Return a figure of one kind of answers, what kind it is, and how many there are."""
    n = len(kind.answers)
    name = "points" if kind.place is None else _NAMES[OTHERS[kind.place]]
    return number(value, _UNANSWERED), Cell(name if n else None, "" if n else _UNANSWERED), Cell(n)


def _run(record: Record) -> tuple[Cell, ...]:
    kind = by_run(record)
    found, *rest = _alike(kind, kind.run)
    return Cell(int(kind.run)) if kind.answers else found, *rest


def _figures(record: Record, *, points: bool) -> tuple[Cell, ...]:
    times = record.seconds_a_line
    untimed = "no time was measured of a judgment in the results"
    return (
        Cell(record.poems),
        *_run(record),
        *_alike(by_share(record), by_share(record).share),
        *((figure(response_spread(record.points, level=_ANSWER)),) if points else ()),
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
    return ", ".join(_WORDS[sign.index.key] for sign in row if sign.flagged) or "nothing"


def _hanging(frame: Frame, marked: Mapping[int, tuple[Sign, ...]]) -> str:
    """Return where results without the flagged experts are, or that there can be none."""
    experts = frame.panels[0]
    judged = set(np.unique(frame.judge[frame.of(experts)]).tolist())
    by_sign = {
        key: frozenset(place for place, row in marked.items() if key in _flagged(row))
        for key in READ_HERE
    }
    none_left = bool(judged) and judged <= frozenset().union(*by_sign.values())
    if has_without(frame, experts, by_sign):
        rest = "; without all of them, no result is left" if none_left else ""
        return (
            " A table of results with and without the experts who are flagged here shows what "
            f"hangs on them{rest}."
        )
    return " All experts are flagged: without them, no result is left." if none_left else ""


def _flagged(row: tuple[Sign, ...]) -> set[str]:
    return {sign.index.key for sign in row if sign.flagged}


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
        basis=f"One unit is a {piece(frame)} that was given to an expert to judge",
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
        number(1 - rated / n if n else nan, f"no expert judged a {piece(frame)} of this author"),
    )


def _authors(frame: Frame) -> list[tuple[int, str]]:
    """Return authors with their codes; of pairs, models alone: each has a human half."""
    return [(code, name) for code, name in enumerate(frame.authors) if code or not frame.paired]
