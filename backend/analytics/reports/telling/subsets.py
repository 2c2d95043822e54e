"""The headline figures with and without judgments that one may doubt, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.instruments.choices import ForcedChoice
from backend.analytics.frames import Frame, Mask, Panel
from backend.analytics.reports.basis import basis, counted
from backend.analytics.reports.choosing.choices import share
from backend.analytics.reports.knowing import recognition
from backend.analytics.reports.scores.ranking import ROUGH, Overall, cautions, comparable, too_few
from backend.analytics.reports.telling.answers import Telling, tellings
from backend.analytics.reports.telling.detection import areas
from backend.analytics.tables import Cell, Column, Table, bounds, figure, gather
from backend.analytics.turnout import MAIN, Turnout
from backend.statistics.estimate import Estimate

_EXPLANATION = (
    "The same figures on parts of the judgments. Where they agree, the result does not rest on "
    "the judgments in doubt. No part is the right one: what counts was fixed when the study opened."
)


_SIGNS = {
    "run": "long runs of one answer",
    "share": "answers nearly all alike",
    "spread": "answers that hardly differ",
    "seconds": "too little time for each line",
    "failed": "failed tests of attention",
}


@dataclass(frozen=True)
class Part:
    """Some of the judgments.

    Attributes
    ----------
    key, label : str
    frame : Frame
        With these judgments alone.
    """

    key: str
    label: str
    frame: Frame = field(repr=False)


def tables(
    frame: Frame,
    panel: Panel,
    turnout: Turnout,
    flagged: Mapping[str, frozenset[int]],
) -> tuple[Table, ...]:
    """Return the headline figures on each part of the experts' judgments.

    AUC for each question about authorship, overall means where authors are ranked, and shares of
    choices. None for a machine judge, and none if no part differs from the whole.

    Parameters
    ----------
    flagged : mapping of str to set of int
        By sign of carelessness, the places among the frame's seats of experts who show it.
    """
    if not panel.expert:
        return ()
    parts = list(_parts(frame, panel, turnout, flagged))
    if len(parts) < 2:
        return ()
    return (
        *(_areas(telling, parts) for telling in tellings(frame, panel)),
        *_means(frame, panel, parts),
        *_choices(frame, panel, parts),
    )


def has_without(frame: Frame, panel: Panel, flagged: Mapping[str, frozenset[int]]) -> bool:
    """Return whether the tables give figures without the experts whom one of the signs flags."""
    by = frame.judge[frame.of(panel)]
    theirs = [np.isin(by, sorted(places)) for places in flagged.values()]
    return any(one.any() and not one.all() for one in theirs) and _has_figures(frame, panel)


def _has_figures(frame: Frame, panel: Panel) -> bool:
    if frame.paired:
        asked = any(isinstance(one, ForcedChoice) for one in frame.questions)
    else:
        asked = any(True for _ in tellings(frame, panel)) or bool(comparable(frame))
    return bool(frame.models) and asked


def _parts(
    frame: Frame, panel: Panel, turnout: Turnout, flagged: Mapping[str, frozenset[int]]
) -> Iterator[Part]:
    """Yield the whole, then each part that is neither all of it nor nothing."""
    yield Part("all", "as in the results", frame)
    if frame.entire is not None:
        label = "with what the design's rules leave out"
        yield Part("entire", label, frame.entire)
    for key, label, rows in _kept(frame, panel, turnout, flagged):
        of_panel = rows[frame.of(panel)]
        if of_panel.any() and not of_panel.all():
            yield Part(key, label, frame.only(rows))


def _kept(
    frame: Frame, panel: Panel, turnout: Turnout, flagged: Mapping[str, frozenset[int]]
) -> Iterator[tuple[str, str, Mask]]:
    for level, label, known in recognition.known(frame):
        yield f"recognised_{level}", f"without “{label}”", ~known
    doubted = {why: places for why, places in flagged.items() if places}
    for number_of, (why, places) in enumerate(doubted.items(), start=1):
        yield f"flag_{number_of}", f"without experts: {_SIGNS.get(why, why)}", ~_by(frame, places)
    if len(doubted) > 1:
        yield "flagged", "without any of these experts", ~_by(frame, *doubted.values())
    everything = answered_everything(frame, panel, turnout)
    label = "only experts who answered all they were given"
    yield "everything", label, _by(frame, everything)


def _by(frame: Frame, *places: frozenset[int]) -> Mask:
    return np.isin(frame.judge, sorted(frozenset().union(*places)))


def answered_everything(frame: Frame, panel: Panel, turnout: Turnout) -> frozenset[int]:
    """Return the places of experts of whom every poem they were given has its judgment."""
    left = {
        one.judge
        for one in turnout.given
        if one.purpose == MAIN and not (one.judged or one.withdrawn)
    }
    return frozenset(place for place in panel.seats if frame.seats[place].key not in left)


def _areas(telling: Telling, parts: Sequence[Part]) -> Table:
    found = [
        (part, areas(Telling(part.frame, telling.panel, telling.question, telling.place)))
        for part in parts
    ]
    return Table(
        key=f"auc-parts-{telling.suffix}",
        caption="ROC-AUC of each model with and without judgments in doubt, per judgment, "
        f"{telling.asked}",
        basis=basis(telling.frame, telling.rows, unit="a judgment"),
        explanation=_EXPLANATION,
        columns=(
            Column("model", "Model"),
            *(column for part in parts for column in _columns(part, "auc", "AUC", decimals=3)),
        ),
        rows=tuple(
            (
                Cell(name),
                *(
                    cell
                    for _, each in found
                    for cell in (
                        figure(each[place]),
                        *bounds(each[place]),
                        Cell(each[place].counts["n_human"]),
                        Cell(each[place].counts["n_machine"]),
                    )
                ),
            )
            for place, name in enumerate(telling.frame.models)
        ),
        method=found[0][1][0].method,
        notes=_notes(parts, telling.panel),
    )


def _columns(part: Part, key: str, label: str, *, decimals: int) -> tuple[Column, ...]:
    under = part.label
    return (
        Column(f"{part.key}_{key}", label, "number", decimals, under=under),
        Column(f"{part.key}_low", "95 % from", "number", decimals, under=under),
        Column(f"{part.key}_high", "to", "number", decimals, under=under),
        Column(f"{part.key}_human", "human judgments", "count", under=under),
        Column(f"{part.key}_model", "model's judgments", "count", under=under),
    )


def _notes(parts: Sequence[Part], panel: Panel) -> tuple[str, ...]:
    return tuple(
        f"{part.label}: {counted(_n_experts(part.frame, panel), 'expert')}" for part in parts
    )


def _n_experts(frame: Frame, panel: Panel) -> int:
    return int(np.unique(frame.judge[frame.of(panel)]).size)


def _means(frame: Frame, panel: Panel, parts: Sequence[Part]) -> Iterator[Table]:
    """Yield a table of means for each scale of points: unlike scales have no mean of their own."""
    if frame.paired or not frame.models:
        return
    scales = comparable(frame)
    for asked in scales:
        yield _averaged(panel, parts, asked, alone=len(scales) == 1)


def _averaged(panel: Panel, parts: Sequence[Part], asked: Sequence[int], *, alone: bool) -> Table:
    found = [(part, Overall(part.frame, panel, asked)) for part in parts]
    whole = found[0][1]
    frame = whole.frame
    numbers = [str(frame.questions[place].number) for place in asked]
    of = f"question{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
    return Table(
        key=f"means-parts-{panel.key}{'' if alone else f'-q{numbers[0]}'}",
        caption="Overall mean of each author's poems with and without judgments in doubt, "
        f"{of}, as rated by {panel.label} ({whole.level})",
        basis=basis(frame, whole.rows, unit=whole.unit),
        explanation=_EXPLANATION,
        columns=(
            Column("author", "Author"),
            *(
                column
                for part, one in found
                for column in (
                    Column(f"{part.key}_mean", "mean", "number", 2, one.scale, part.label),
                    Column(f"{part.key}_low", "95 % from", "number", 2, under=part.label),
                    Column(f"{part.key}_high", "to", "number", 2, under=part.label),
                    Column(f"{part.key}_ratings", "ratings", "count", under=part.label),
                )
            ),
        ),
        rows=tuple(
            (Cell(name), *(cell for _, one in found for cell in one.cells(code)))
            for code, name in enumerate(frame.authors)
        ),
        method=whole.method,
        notes=_notes(parts, panel)
        + gather(
            [(part.label, (ROUGH,) if too_few(one) else cautions(one)) for part, one in found]
        ),
    )


def _choices(frame: Frame, panel: Panel, parts: Sequence[Part]) -> Iterator[Table]:
    """Yield how often the human text was chosen: for studies of pairs."""
    for place, question in enumerate(frame.questions):
        if isinstance(question, ForcedChoice) and frame.models:
            yield _chosen(frame, panel, parts, place)


def _chosen(frame: Frame, panel: Panel, parts: Sequence[Part], place: int) -> Table:
    question = frame.questions[place]
    found = [_shares(part.frame, panel, place) for part in parts]
    return Table(
        key=f"choices-parts-{panel.key}-q{question.number}",
        caption="The human text chosen, with and without judgments in doubt, per judgment, "
        f"question {question.number}, as judged by {panel.label}",
        basis=basis(frame, frame.of(panel) & (frame.question == place), unit="a judgment"),
        explanation=_EXPLANATION,
        columns=(
            Column("model", "Model"),
            *(
                column
                for part in parts
                for column in (
                    Column(f"{part.key}_share", "share", "number", 3, under=part.label),
                    Column(f"{part.key}_low", "95 % from", "number", 3, under=part.label),
                    Column(f"{part.key}_high", "to", "number", 3, under=part.label),
                    Column(f"{part.key}_judgments", "judgments", "count", under=part.label),
                )
            ),
        ),
        rows=tuple(
            (
                Cell(name),
                *(
                    cell
                    for one in (each[at] for each in found)
                    for cell in (figure(one), *bounds(one), Cell(one.n))
                ),
            )
            for at, name in enumerate(frame.models)
        ),
        method="; ".join(dict.fromkeys(one.method for each in found for one in each)),
        notes=_notes(parts, panel),
    )


def _shares(frame: Frame, panel: Panel, place: int) -> list[Estimate]:
    made = frame.of(panel) & (frame.question == place) & frame.scored
    found = []
    for code in range(1, len(frame.authors)):
        rows = made & (frame.author == code)
        one = share(frame.number[rows] == 1, frame.item_title[frame.item[rows]], frame.judge[rows])
        found.append(one.clustered or one.alone)
    return found
