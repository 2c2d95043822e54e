"""How well the poems were known to those who judged them."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from annotation.instruments.choices import Recognition
from backend.analytics.excluding import RECOGNISED
from backend.analytics.frames import Codes, Frame, Mask, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather
from backend.statistics.clusters import clustered_share
from backend.statistics.estimate import Estimate


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return how often experts knew each author's poems; nothing of a language model."""
    # What a language model says that it knows is no recognition.
    if not panel.expert:
        return ()
    return tuple(_table(frame, panel, place, question) for place, question in _asked(frame))


def named(frame: Frame, rows: Mask) -> tuple[str, ...]:
    """Return how many of the judgments in `rows` were by someone who could name the poem."""
    ruled = any(rule.key == RECOGNISED for rule in frame.left_out.rules)
    kept = "" if ruled else "; they are in these figures, as no rule leaves them out"
    return tuple(
        f"judgments by someone who chose “{question.levels[-1].label}”: "
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
    found = [
        (name, mine, _share(frame, of_panel & mine & frame.scored, question))
        for name, mine in _by_author(frame)
    ]
    return Table(
        key=f"recognition-q{question.number}",
        caption="How well the poems were known, per judgment",
        basis=basis(frame, of_panel, unit="a judgment"),
        explanation=(
            f"Judgments by {panel.label}, by how well they said to know the poem before they "
            "judged it. A poem that is known may be known to be human: look at this before the "
            "figures on telling poems apart."
        ),
        columns=(
            Column("author", "Model" if frame.paired else "Author"),
            *(Column(f"level_{level.code}", level.label, "count") for level in question.levels),
            *skipped,
            Column("share", "share", "number", 2, under=f"“{named_as}”"),
            Column("low", "95 % from", "number", 2, under=f"“{named_as}”"),
            Column("high", "to", "number", 2, under=f"“{named_as}”"),
            Column("poems", "Poems", "count", unit="judged"),
            Column("poems_named", "Poems that somebody could name", "count"),
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
