"""How strong each author is where judges choose between two texts: Bradley-Terry."""

import numpy as np

from backend.analytics.frames import Frame, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.choosing.contests import TIES
from backend.analytics.tables import Cell, Column, Table, number
from backend.statistics.ranking import bradley_terry, wins_of


def tables(frame: Frame, panel: Panel, place: int) -> tuple[Table, ...]:
    """Return the strengths of humans and models, from all choices of a panel together."""
    question = frame.questions[place]
    made = frame.of(panel) & (frame.question == place) & frame.scored
    human, model = frame.number[made] == 1, frame.author[made]
    wins = wins_of(
        np.where(human, 0, model), np.where(human, model, 0), n_players=len(frame.authors)
    )
    found = bradley_terry(wins, players=frame.authors, level="choice")
    order = sorted(range(len(found.players)), key=lambda place: -_rank(found.strength[place]))
    return (
        Table(
            key=f"strengths-{panel.key}-q{question.number}",
            caption="Authors ranked by the choices between their texts, per judgment, question "
            f"{question.number}, as judged by {panel.label}",
            basis=basis(frame, made, unit="a choice"),
            explanation="The strength is the log odds of being chosen for human over a human "
            "text: below 0, the human text is chosen more often.",
            columns=(
                Column("author", "Author"),
                Column("strength", "Strength", "number", 2, "log odds"),
                Column("low", "95 % from", "number", 2),
                Column("high", "to", "number", 2),
                Column("chosen", "Chosen", "count"),
                Column("choices", "Choices", "count"),
            ),
            rows=tuple(
                (
                    Cell(found.players[one]),
                    number(found.strength[one], found.reason),
                    *(
                        number(bound, found.reason or "it is what the others are set against")
                        for bound in (found.low[one], found.high[one])
                    ),
                    Cell(int(wins[one].sum())),
                    Cell(int(wins[one].sum() + wins[:, one].sum())),
                )
                for one in order
            ),
            method=f"{found.method}; {TIES}",
            notes=_cautions(np.unique(frame.judge[made]).size),
            aside=True,
        ),
    )


def _cautions(n_judges: int) -> tuple[str, ...]:
    if not n_judges:
        return ()
    if n_judges == 1:
        return (
            "all choices are by one judge: the intervals tell of this judge alone, and take the "
            "choices for independent of each other",
        )
    return (
        "choices of one judge, or on one title, are taken for independent of each other: "
        "the intervals are likely too narrow",
    )


def _rank(strength: float) -> float:
    return 0.0 if np.isnan(strength) else strength
