"""How well the poems were known to those who judged them."""

import numpy as np

from annotation.instruments.choices import Recognition
from backend.analytics.excluding import RECOGNISED
from backend.analytics.frames import Frame, Mask, Panel
from backend.analytics.tables import Cell, Column, Table


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
        f"{_n_named(frame, rows, place, question)} of {_judgments(frame, rows).size}{kept}"
        for place, question in _asked(frame)
        if rows.any()
    )


def _asked(frame: Frame) -> list[tuple[int, Recognition]]:
    return [
        (place, one) for place, one in enumerate(frame.questions) if isinstance(one, Recognition)
    ]


def _judgments(frame: Frame, rows: Mask) -> np.ndarray:
    return np.unique(frame.judge[rows] * len(frame.items) + frame.item[rows])


def _n_named(frame: Frame, rows: Mask, place: int, question: Recognition) -> int:
    knew = (frame.question == place) & (frame.number == question.name_level)
    return int(np.isin(_judgments(frame, rows), _judgments(frame, knew)).sum())


def _table(frame: Frame, panel: Panel, place: int, question: Recognition) -> Table:
    of_panel = frame.of(panel) & (frame.question == place)
    skipped = () if question.required else (Column("skipped", "skipped", "count"),)
    return Table(
        key=f"recognition-q{question.number}",
        caption="How well the poems were known",
        explanation=(
            f"Judgments by {panel.label}, by how well they said to know the poem before they "
            "judged it. A poem that is known may be known to be human: look at this before the "
            "figures on telling poems apart."
        ),
        columns=(
            Column("author", "Model" if frame.paired else "Author"),
            *(Column(f"level_{level.code}", level.label, "count") for level in question.levels),
            *skipped,
        ),
        rows=tuple(
            (
                Cell(name),
                *(
                    Cell(int((of_panel & mine & (frame.number == level.code)).sum()))
                    for level in question.levels
                ),
                *(Cell(int((of_panel & mine & frame.skipped).sum())) for _ in skipped),
            )
            for name, mine in _by_author(frame)
        ),
        method="counts of judgments",
    )


def _by_author(frame: Frame) -> list[tuple[str, Mask]]:
    return [
        (name, frame.author == code)
        for code, name in enumerate(frame.authors)
        if code or not frame.paired
    ]
