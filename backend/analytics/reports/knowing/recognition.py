"""How well the poems were known to those who judged them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from annotation.instruments.choices import Recognition
from backend.analytics.excluding import RECOGNISED
from backend.analytics.frames import Codes, Frame, Mask, Panel
from backend.analytics.reports.basis import basis, piece
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather
from backend.statistics.clusters import clustered_share
from backend.statistics.estimate import Estimate


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return how often experts knew each author's poems; nothing of a language model.

    It is of all judgments, those with what rules of the design leave out.
    """
    # What a language model says that it knows is no recognition.
    if not panel.expert:
        return ()
    every = everything(frame)
    return tuple(_table(every, panel, place, question) for place, question in _asked(frame))


def everything(frame: Frame) -> Frame:
    """Return the judgments with those that rules of the design leave out.

    A rule about whoever knew a poem would leave nothing to be known.
    """
    return frame if frame.entire is None else replace(frame.entire, left_out=frame.left_out)


def whole(frame: Frame) -> str:
    """Return the sentence that says that no rule thinned out these judgments; empty without one."""
    if not frame.left_out.judgments:
        return ""
    return " What rules of the design leave out of the results is in this table."


def named(frame: Frame, rows: Mask) -> tuple[str, ...]:
    """Return how many of the judgments in `rows` were by someone who could name the poem.

    The judgments are those of one panel.
    """
    machine = rows.any() and not frame.seats[int(frame.judge[rows][0])].expert
    ruled = any(rule.key == RECOGNISED for rule in frame.left_out.rules)
    why = "the design’s rule is about experts alone" if machine else ""
    why = why if ruled else "no rule leaves them out"
    kept = f"; they are in these figures, as {why}" if why else ""
    who = "this language model where it" if machine else "someone who"
    return tuple(
        f"judgments by {who} chose “{question.levels[-1].label}”: "
        f"{_n_named(frame, rows, place, question)} of {np.unique(_judgments(frame, rows)).size}"
        f"{kept}"
        for place, question in _asked(frame)
        if rows.any()
    )


def known(frame: Frame) -> Iterator[tuple[int, str, Mask]]:
    """Yield each level of knowing a poem above the lowest: its code, what it says, and the ratings.

    The ratings are those of all questions, in judgments by whoever knew the poem so well or
    better.
    """
    for place, question in _asked(frame):
        for level in question.levels[1:]:
            knew = (frame.question == place) & frame.scored & (frame.number >= level.code)
            better = "" if level.code == question.name_level else " or better"
            judgments = _judgments(frame, knew)
            found = np.isin(_judgments(frame, np.ones_like(knew)), judgments)
            yield level.code, f"{level.label}{better}", found


def _asked(frame: Frame) -> list[tuple[int, Recognition]]:
    return [
        (place, one) for place, one in enumerate(frame.questions) if isinstance(one, Recognition)
    ]


def _judgments(frame: Frame, rows: Mask) -> Codes:
    found: Codes = frame.judge[rows] * len(frame.items) + frame.item[rows]
    return found


def _n_named(frame: Frame, rows: Mask, place: int, question: Recognition) -> int:
    knew = (frame.question == place) & (frame.number == question.name_level)
    return int(np.isin(np.unique(_judgments(frame, rows)), _judgments(frame, knew)).sum())


def _table(frame: Frame, panel: Panel, place: int, question: Recognition) -> Table:
    of_panel = frame.of(panel) & (frame.question == place)
    skipped = () if question.required else (Column("skipped", "skipped", "count"),)
    named_as = question.levels[-1].label
    items = f"{piece(frame)}s"
    found = [
        (name, mine, _share(frame, of_panel & mine & frame.scored, question))
        for name, mine in _by_author(frame)
    ]
    return Table(
        key=f"recognition-q{question.number}",
        caption=f"How well the {items} were known, per judgment",
        basis=basis(frame, of_panel, unit="a judgment"),
        explanation=(
            f"Judgments by {panel.label}, by how well they said to know the poem before they "
            "judged it. A poem that is known may be known to be human: look at this before the "
            f"figures on telling poems apart.{whole(frame)}"
        ),
        columns=(
            Column("author", "Model" if frame.paired else "Author"),
            *(Column(f"level_{level.code}", level.label, "count") for level in question.levels),
            *skipped,
            Column("share", "share", "number", 2, under=f"“{named_as}”"),
            Column("low", "95 % from", "number", 2, under=f"“{named_as}”"),
            Column("high", "to", "number", 2, under=f"“{named_as}”"),
            Column("poems", items.capitalize(), "count", unit="judged"),
            Column("poems_named", f"{items.capitalize()} that somebody could name", "count"),
        ),
        rows=tuple(
            (
                Cell(name),
                *(
                    Cell(int((of_panel & mine & (frame.number == level.code)).sum()))
                    for level in question.levels
                ),
                *(Cell(int((of_panel & mine & frame.skipped).sum())) for _ in skipped),
                figure(share),
                *bounds(share),
                count(share.counts, "n_poems"),
                count(share.counts, "n_poems_named"),
            )
            for name, mine, share in found
        ),
        method=f"counts of judgments; {found[0][2].method}",
        notes=gather([(name, share.notes) for name, _, share in found]),
    )


def _share(frame: Frame, rows: Mask, question: Recognition) -> Estimate:
    """Return the share of judgments by someone who could name the poem."""
    items = frame.item[rows]
    hits = frame.number[rows] == question.name_level
    found = clustered_share(hits, frame.item_title[items], frame.judge[rows], level="judgment")
    poems = {"n_poems": np.unique(items).size, "n_poems_named": np.unique(items[hits]).size}
    return replace(found, counts={**found.counts, **poems})


def _by_author(frame: Frame) -> list[tuple[str, Mask]]:
    return [
        (name, frame.author == code)
        for code, name in enumerate(frame.authors)
        if code or not frame.paired
    ]
