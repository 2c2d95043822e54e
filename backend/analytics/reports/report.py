"""A study's whole report: which tables its instrument calls for, in the order they are read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from annotation.instruments.probability import Probability
from backend.analytics.excluding import LeftOut
from backend.analytics.frames import Frame, Panel
from backend.analytics.reports import (
    agreement,
    choices,
    detection,
    means,
    participation,
    recognition,
)
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


def assemble(frame: Frame, turnout: Turnout, *, wanted: tuple[int, ...]) -> Report:
    """Return the report on a frame.

    `wanted` is K, how many experts were to judge a poem; several where groups of poems differ.
    """
    agreed = _noted(agreement.tables(frame), frame.left_out)
    parts = (
        Section("taking-part", "Taking part", participation.tables(frame, turnout, wanted=wanted)),
        *(_by_panel(frame, panel) for panel in frame.panels if panel.seats),
        Section("agreement", "Agreement between judges", agreed),
    )
    return Report(tuple(section for section in parts if section.tables))


def _by_panel(frame: Frame, panel: Panel) -> Section:
    title = "What the experts say" if panel.expert else f"What {panel.label} says, as a judge"
    tables = [means.tables(frame, panel), detection.tables(frame, panel)]
    if all(isinstance(question, Probability) for _, question in means.averaged(frame)):
        tables.reverse()  # where authorship is all that was asked, it comes first
    tables += [choices.tables(frame, panel), recognition.tables(frame, panel)]
    found = tuple(chain.from_iterable(tables))
    return Section(panel.key, title, _noted(found, frame.left_out) if panel.expert else found)


def _noted(tables: tuple[Table, ...], left_out: LeftOut) -> tuple[Table, ...]:
    """Return the tables with how many judgments rules of the design left out of them."""
    if not left_out.note:
        return tables
    return tuple(replace(table, notes=(*table.notes, left_out.note)) for table in tables)
