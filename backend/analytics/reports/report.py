"""A study's whole report: which tables its instrument calls for, in the order they are read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from annotation.instruments.probability import Probability
from backend.analytics.excluding import NOTHING, LeftOut
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
    """Tables under one heading.

    Attributes
    ----------
    key, title : str
    tables : tuple of Table
    panel : str
        Whose judgments alone they are about; empty where they are about several panels'.
    """

    key: str
    title: str
    tables: tuple[Table, ...]
    panel: str = ""


@dataclass(frozen=True)
class Report:
    """Every table of a study's results.

    Attributes
    ----------
    sections : tuple of Section
        In the order in which they are read.
    margin : float or None
        How far from 0.5 an AUC is as good as chance; None if the design fixed none.
    """

    sections: tuple[Section, ...]
    margin: float | None = None

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
    wanted : mapping of int to int
        K, how many experts were to judge an item, by the items that experts are to judge.
    """

    frame: Frame
    turnout: Turnout
    repeats: Repeats
    wanted: Mapping[int, int]


def assemble(material: Material) -> Report:
    """Return the report on what was read of a study."""
    parts: list[Section] = []
    for panel in material.frame.panels:
        if panel.seats:
            parts += _by_panel(material, panel)
    parts += _of_all(material.frame)
    # Last, as what was found is asked for before who found it.
    parts.append(_taking_part(material))
    return Report(
        tuple(section for section in parts if section.tables), margin=material.frame.margin
    )


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
    ]
    known = _section("known", "How well poems were known", panel, recognition.tables, frame=frame)
    parts = _in_doubt(material, panel)
    # Rules of the design are about experts alone.
    note = frame.left_out if panel.expert else NOTHING
    return [*(_noted(one, note) for one in found), known, _noted(parts, note)]


def _in_doubt(material: Material, panel: Panel) -> Section:
    frame, flags = material.frame, dict[str, frozenset[int]]()
    if panel.expert:
        flags = dict(flagged(frame, material.turnout))
    tables = subsets.tables(frame, panel, material.turnout, flags)
    title = f"With and without judgments in doubt: {panel.label}"
    return Section(f"parts-{panel.key}", title, tables, panel.label)


def _section(
    key: str,
    title: str,
    panel: Panel,
    *makers: Callable[[Frame, Panel], tuple[Table, ...]],
    frame: Frame,
) -> Section:
    tables = chain.from_iterable(make(frame, panel) for make in makers)
    return Section(f"{key}-{panel.key}", f"{title}: {panel.label}", tuple(tables), panel.label)


def _of_all(frame: Frame) -> list[Section]:
    agreed = (*agreement.tables(frame), *reliability.tables(frame), *concordance.tables(frame))
    judged = _noted(
        Section("each-judge", "Judge by judge", selection.tables(frame)), frame.left_out
    )
    # What somebody knew is told of all judgments, those with what rules leave out.
    judged = replace(judged, tables=(*judged.tables, *by_judge.tables(frame)))
    return [
        _noted(Section("agreement", "Agreement between judges", agreed), frame.left_out),
        judged,
        Section("poems", "The poems themselves", (*proftap.shares(frame), *lexical.tables(frame))),
    ]


def _noted(section: Section, left_out: LeftOut) -> Section:
    """Return a section with how many judgments rules of the design left out, on each table."""
    if not left_out.note:
        return section
    tables = tuple(replace(table, notes=(*table.notes, left_out.note)) for table in section.tables)
    return replace(section, tables=tables)
