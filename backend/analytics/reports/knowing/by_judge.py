"""What share of the human poems each judge knew already."""

import numpy as np

from annotation.instruments.choices import Recognition
from backend.analytics.frames import Frame, Mask
from backend.analytics.reports.agreeing.pairing import named
from backend.analytics.reports.basis import basis
from backend.analytics.reports.knowing import recognition
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather
from backend.statistics.clusters import clustered_share
from backend.statistics.estimate import Estimate
from backend.statistics.proportions import wilson

_LEVEL = "human poem, by one judge"


def tables(frame: Frame) -> tuple[Table, ...]:
    """Return a table for each question that asks whether a poem is known; none without one.

    It is of all judgments, those with what rules of the design leave out.
    """
    every = recognition.everything(frame)
    return tuple(
        _table(every, place, question)
        for place, question in enumerate(frame.questions)
        if isinstance(question, Recognition)
    )


def _table(frame: Frame, place: int, question: Recognition) -> Table:
    # Of a pair one text is human, so every item has something to be known.
    asked = (frame.question == place) & frame.scored & ((frame.author == 0) | frame.paired)
    rows = [
        (
            "all experts" if panel.expert else panel.label,
            asked & frame.of(panel),
            panel.expert,
        )
        for panel in frame.panels
        if panel.seats
    ]
    single = [
        (seat.label, asked & (frame.judge == code), False)
        for code, seat in enumerate(frame.seats)
        if seat.expert and (asked & (frame.judge == code)).any()
    ]
    found = [
        (label, mine, _share(frame, mine, question.name_level, several=several))
        for label, mine, several in (*rows, *single)
    ]
    what = "pairs" if frame.paired else "human poems"
    return Table(
        key=f"known-q{question.number}",
        caption=f"Share of {what} that each judge knew, question {named(question)}",
        explanation=f"“Named” is the share of answers at “{question.levels[-1].label}”; “seen” is "
        f"the share of those above “{question.levels[0].label}”. A machine judge's row is what a "
        "language model says of itself: it is no recognition that was checked."
        + recognition.whole(frame),
        columns=(
            Column("judge", "Judge"),
            Column("named", "Named", "number", 3, "share", "Named"),
            Column("named_low", "95 % from", "number", 3, under="Named"),
            Column("named_high", "to", "number", 3, under="Named"),
            Column("n_named", "Named", "count", unit="answers"),
            Column("n_seen", "Seen or better", "count", unit="answers"),
            Column("answers", "Answers", "count"),
            Column("poems", "Pairs" if frame.paired else "Human poems", "count"),
        ),
        rows=tuple(
            (
                Cell(label),
                figure(share),
                *bounds(share),
                Cell(int((mine & (frame.number == question.name_level)).sum())),
                Cell(int((mine & (frame.number > question.levels[0].code)).sum())),
                Cell(int(mine.sum())),
                Cell(np.unique(frame.item[mine]).size),
            )
            for label, mine, share in found
        ),
        method="; ".join(dict.fromkeys(f"{share.method}" for _, _, share in found))
        + "; of one judge the interval is Wilson's, each poem being judged once",
        notes=gather([(label, share.notes) for label, _, share in found]),
        basis=basis(
            frame,
            asked,
            unit=f"a judge’s answer about a {'pair' if frame.paired else 'human poem'}",
        ),
    )


def _share(frame: Frame, rows: Mask, level: int, *, several: bool) -> Estimate:
    hits = frame.number[rows] == level
    if not several:
        return wilson(int(hits.sum()), int(hits.size), level=_LEVEL)
    titles = frame.item_title[frame.item[rows]]
    return clustered_share(hits, titles, frame.judge[rows], level=_LEVEL)
