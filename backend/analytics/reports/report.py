"""A study's whole report: which tables its instrument calls for, in the order they are read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from annotation.instruments.probability import Probability
from backend.analytics.excluding import LeftOut
from backend.analytics.flagging import flagged
from backend.analytics.frames import Frame, Panel
from backend.analytics.repeating import Repeats
from backend.analytics.reports.agreeing import agreement, concordance, reliability, selection
from backend.analytics.reports.choosing import choices
from backend.analytics.reports.knowing import by_judge, recognition
from backend.analytics.reports.scores import means, ranking
from backend.analytics.reports.taking_part import participation, quality, repeats
from backend.analytics.reports.telling import calibration, detection, proftap, subsets
from backend.analytics.reports.words import lexical
from backend.analytics.tables import Table
from backend.analytics.turnout import Turnout


@dataclass(frozen=True)
class Section:
    """Tables under one heading."""

    key: str
    title: str
    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Report:
    """Every table of a study's results."""

    sections: tuple[Section, ...]

    def tables(self) -> Iterator[Table]:
        for section in self.sections:
            yield from section.tables

    def table(self, key: str) -> Table:
        """Return one table.

        Raises
        ------
        LookupError
            If the report has none of that key.
        """
        for table in self.tables():
            if table.key == key:
                return table
        raise LookupError(f"there is no table {key!r}")


@dataclass(frozen=True)
class Material:
    """All that a report is made of, and nothing else.

    Attributes
    ----------
    frame : Frame
    turnout : Turnout
    repeats : Repeats
    wanted : tuple of int
        K, how many experts were to judge a poem; several where groups of poems differ.
    """

    frame: Frame
    turnout: Turnout
    repeats: Repeats
    wanted: tuple[int, ...]


def assemble(material: Material) -> Report:
    """Return the report on what was read of a study."""
    parts = [_taking_part(material)]
    for panel in material.frame.panels:
        if panel.seats:
            parts += _by_panel(material, panel)
    parts += _of_all(material.frame)
    return Report(tuple(section for section in parts if section.tables))


def _taking_part(material: Material) -> Section:
    frame, turnout = material.frame, material.turnout
    tables = (
        *participation.tables(frame, turnout, wanted=material.wanted),
        *quality.tables(frame, turnout),
        *repeats.tables(frame, material.repeats),
    )
    return Section("taking-part", "Taking part", tables)


def _by_panel(material: Material, panel: Panel) -> list[Section]:
    frame = material.frame
    scores = _section("scores", "Scores", panel, means.tables, ranking.tables, frame=frame)
    telling = _section(
        "telling", "Telling human from machine", panel, detection.tables, frame=frame
    )
    found = [scores, telling]
    if all(isinstance(question, Probability) for _, question in means.averaged(frame)):
        found.reverse()  # where authorship is all that was asked, it comes first
    found += [
        _section("calibration", "Calibration", panel, calibration.tables, frame=frame),
        _section("choices", "Choices", panel, choices.tables, frame=frame),
        _section("forms", "By rule and form", panel, proftap.tables, frame=frame),
        _section("known", "How well poems were known", panel, recognition.tables, frame=frame),
    ]
    if panel.expert:
        flags = flagged(frame, material.turnout)
        parts = subsets.tables(frame, panel, material.turnout, flags)
        found.append(Section(f"parts-{panel.key}", "With and without judgments in doubt", parts))
    # Rules of the design are about experts alone.
    return [_noted(one, frame.left_out) for one in found] if panel.expert else found


def _section(
    key: str,
    title: str,
    panel: Panel,
    *makers: Callable[[Frame, Panel], tuple[Table, ...]],
    frame: Frame,
) -> Section:
    tables = chain.from_iterable(make(frame, panel) for make in makers)
    return Section(f"{key}-{panel.key}", f"{title}: {panel.label}", tuple(tables))


def _of_all(frame: Frame) -> list[Section]:
    agreed = (*agreement.tables(frame), *reliability.tables(frame), *concordance.tables(frame))
    judges = (*selection.tables(frame), *by_judge.tables(frame))
    return [
        _noted(Section("agreement", "Agreement between judges", agreed), frame.left_out),
        _noted(Section("each-judge", "Judge by judge", judges), frame.left_out),
        Section("poems", "The poems themselves", (*proftap.shares(frame), *lexical.tables(frame))),
    ]


def _noted(section: Section, left_out: LeftOut) -> Section:
    """Return a section with how many judgments rules of the design left out, on each table."""
    if not left_out.note:
        return section
    tables = tuple(replace(table, notes=(*table.notes, left_out.note)) for table in section.tables)
    return replace(section, tables=tables)
