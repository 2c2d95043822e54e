"""Which of two texts judges choose, and how many texts they hold for altered: shares."""

from dataclasses import dataclass

import numpy as np

from annotation.instruments.choices import Altered, ForcedChoice
from backend.analytics.frames import Codes, Frame, Mask, Numbers, Panel
from backend.analytics.reports.basis import basis
from backend.analytics.reports.choosing import contests, strengths
from backend.analytics.tables import Cell, Column, Table, bounds, count, figure, gather
from backend.statistics.clusters import clustered_share
from backend.statistics.estimate import Estimate
from backend.statistics.proportions import wilson

_ONE_JUDGE = (
    "all judgments are by one judge: the interval tells of this judge alone, and takes the "
    "judgments for independent"
)


@dataclass(frozen=True)
class Share:
    """How many of some judgments are hits, by both intervals.

    Attributes
    ----------
    alone : Estimate
        With Wilson's interval, which takes judgments for independent.
    clustered : Estimate or None
        With the interval by titles and judges; None for one judge, of whom Wilson's holds.
    """

    alone: Estimate
    clustered: Estimate | None

    @property
    def notes(self) -> tuple[str, ...]:
        if self.clustered is None:
            return (_ONE_JUDGE,) if self.alone.n else ()
        return self.clustered.notes


@dataclass(frozen=True)
class Chosen:
    """How often the human text, and the text shown first, was chosen over one model's."""

    model: str
    human: Share
    first: Estimate
    n_skipped: int


def share(hits: Numbers | Mask, titles: Codes, judges: Codes) -> Share:
    """Return a share with Wilson's interval and, of several judges, that by titles and judges."""
    alone = wilson(int(hits.sum()), hits.size, level="judgment")
    if np.unique(judges).size < 2:
        return Share(alone, None)
    return Share(alone, clustered_share(hits, titles, judges, level="judgment"))


def tables(frame: Frame, panel: Panel) -> tuple[Table, ...]:
    """Return, for each choice between two texts, shares, contests of models and strengths."""
    found: list[Table] = []
    for place, question in enumerate(frame.questions):
        if isinstance(question, ForcedChoice) and frame.models:
            found += [
                _table(frame, panel, place, question),
                *contests.tables(frame, panel, place),
                *strengths.tables(frame, panel, place),
            ]
        if isinstance(question, Altered):
            found.append(_altered(frame, panel, place, question))
    return tuple(found)


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
                human=share(human, frame.item_title[frame.item[made]], frame.judge[made]),
                first=wilson(n_first, n, level="judgment"),
                n_skipped=int((mine & frame.skipped).sum()),
            )
        )
    return found


def _table(frame: Frame, panel: Panel, place: int, question: ForcedChoice) -> Table:
    found = _chosen(frame, panel, place)
    skipped = () if question.required else (Column("skipped", "Skipped", "count"),)
    asked = frame.of(panel) & (frame.question == place) & frame.scored
    alone = np.unique(frame.judge[asked]).size == 1
    return Table(
        key=f"choices-{panel.key}-q{question.number}",
        caption=f"Choices between two texts, per judgment, question {question.number}, as judged "
        f"by {panel.label}",
        basis=basis(frame, asked, unit="a judgment"),
        explanation=(
            f"“{question.text}” How often the human text was chosen over the model's: at a share "
            "of 0.5 neither is preferred. The share of the text that was shown first tells "
            f"whether {'the judge leans' if alone else 'judges lean'} to a side. Sides are given "
            "by chance, so such a leaning draws the share of the human text towards 0.5."
        ),
        columns=(
            Column("model", "Model"),
            Column("judgments", "Judgments", "count"),
            Column("human_chosen", "Human text chosen", "count"),
            *_share_columns("share", "Share"),
            Column("first_chosen", f"{question.labels[0]} chosen", "count"),
            Column("first_share", "Its share", "number", 3),
            *skipped,
        ),
        rows=tuple(
            (
                Cell(one.model),
                *_share_cells(one.human),
                count(one.first.counts, "n_successes"),
                figure(one.first),
                *(Cell(one.n_skipped) for _ in skipped),
            )
            for one in found
        ),
        method=f"{_method([one.human for one in found])}; {contests.TIES}",
        notes=gather([(one.model, one.human.notes) for one in found]),
    )


def _share_columns(key: str, label: str) -> tuple[Column, ...]:
    clustered = "By titles and judges"
    return (
        Column(key, label, "number", 3),
        Column("clustered_low", "95 % from", "number", 3, under=clustered),
        Column("clustered_high", "to", "number", 3, under=clustered),
        Column("low", "95 % from", "number", 3, under="Wilson"),
        Column("high", "to", "number", 3, under="Wilson"),
    )


def _share_cells(one: Share) -> tuple[Cell, ...]:
    """Return n, hits, their share and both intervals."""
    none = Cell(None, "one judge: Wilson's interval holds")
    return (
        Cell(one.alone.n),
        count(one.alone.counts, "n_successes"),
        figure(one.alone),
        *((none, none) if one.clustered is None else bounds(one.clustered)),
        *bounds(one.alone),
    )


def _method(found: list[Share]) -> str:
    methods = dict.fromkeys(
        one.method for each in found for one in (each.clustered, each.alone) if one is not None
    )
    return "; ".join(methods)


def _altered(frame: Frame, panel: Panel, place: int, question: Altered) -> Table:
    asked = frame.of(panel) & (frame.question == place)
    made = asked & frame.scored
    titles = frame.item_title[frame.item]
    found = []
    for code, name in enumerate(frame.authors):
        if code or not frame.paired:
            mine = made & (frame.author == code)
            hits = frame.number[mine] == 1
            n_skipped = int((asked & frame.skipped & (frame.author == code)).sum())
            found.append((name, share(hits, titles[mine], frame.judge[mine]), n_skipped))
    return Table(
        key=f"altered-{panel.key}-q{question.number}",
        caption=f"Texts held to be altered, per judgment, question {question.number}, as judged "
        f"by {panel.label}",
        basis=basis(frame, made, unit="a judgment"),
        explanation=f"“{question.text}” How often the answer was “{question.labels[1]}”, by who "
        "wrote the text.",
        columns=(
            Column("author", "Model" if frame.paired else "Author"),
            Column("judgments", "Judgments", "count"),
            Column("altered", question.labels[1].capitalize(), "count"),
            *_share_columns("share", "Share"),
            Column("skipped", "Skipped", "count"),
        ),
        rows=tuple((Cell(name), *_share_cells(one), Cell(n)) for name, one, n in found),
        method=f"{_method([one for _, one, _ in found])}; an answer is one of two "
        "and has no ties; a text that was skipped is in no figure",
        notes=gather([(name, one.notes) for name, one, _ in found]),
    )
