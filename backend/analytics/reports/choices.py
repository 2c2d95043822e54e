"""Which of two texts judges choose: the human one or the model's, the first or the second."""

from dataclasses import dataclass

from annotation.instruments.choices import ForcedChoice
from backend.analytics.frames import Frame, Panel
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather
from backend.statistics.estimate import Estimate
from backend.statistics.proportions import wilson

_TOO_NARROW = (
    "judgments by one judge or of one pair are counted as if they had nothing in common: the "
    "interval is likely too narrow"
)


@dataclass(frozen=True)
class Chosen:
    """How often the human text, and the text shown first, was chosen over one model's."""

    model: str
    human: Estimate
    first: Estimate
    n_skipped: int


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return a table of choices for each question that asks for one."""
    return tuple(
        _table(frame, panel, place, question)
        for place, question in enumerate(frame.questions)
        if isinstance(question, ForcedChoice) and frame.models
    )


def _chosen(frame: Frame, panel: Panel, place: int) -> list[Chosen]:
    asked = frame.of(panel) & (frame.question == place)
    found = []
    for code, model in enumerate(frame.models, start=1):
        mine = asked & (frame.author == code)
        made = mine & frame.scored
        human = frame.number[made] == 1
        n, n_first = int(made.sum()), int((human == frame.human_first[made]).sum())
        found.append(
            Chosen(
                model,
                human=wilson(int(human.sum()), n, level="judgment"),
                first=wilson(n_first, n, level="judgment"),
                n_skipped=int((mine & frame.skipped).sum()),
            )
        )
    return found


def _table(frame: Frame, panel: Panel, place: int, question: ForcedChoice) -> Table:
    found = _chosen(frame, panel, place)
    skipped = () if question.required else (Column("skipped", "Skipped", "count"),)
    return Table(
        key=f"choices-{panel.key}-q{question.number}",
        caption=f"Choices between two texts, question {question.number}, as judged by "
        f"{panel.label}",
        explanation=(
            f"“{question.text}” How often the human text was chosen over the model's: at a share "
            "of 0.5 neither is preferred. The share of the text that was shown first tells "
            "whether judges lean to a side. Sides are given by chance, so such a leaning draws "
            "the share of the human text towards 0.5."
        ),
        columns=(
            Column("model", "Model"),
            Column("judgments", "Judgments", "count"),
            Column("human_chosen", "Human text chosen", "count"),
            Column("share", "Share", "number", 3),
            Column("low", "95 % from", "number", 3),
            Column("high", "to", "number", 3),
            Column("first_chosen", f"{question.labels[0]} chosen", "count"),
            Column("first_share", "Its share", "number", 3),
            *skipped,
        ),
        rows=tuple(
            (
                Cell(one.model),
                Cell(one.human.n),
                count(one.human.counts, "n_successes"),
                figure(one.human),
                *bounds(one.human),
                count(one.first.counts, "n_successes"),
                figure(one.first),
                *(Cell(one.n_skipped) for _ in skipped),
            )
            for one in found
        ),
        method=found[0].human.method,
        notes=gather([(one.model, (_TOO_NARROW,) if one.human.n else ()) for one in found]),
    )
