"""A study's whole report: which tables its instrument calls for, in the order they are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from annotation.instruments.probability import Probability
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


def assemble(frame: Frame, turnout: Turnout, *, wanted: int) -> Report:
    """Return the report on a frame. `wanted` is K, how many experts were to judge a poem."""
    parts = (
        Section("taking-part", "Taking part", participation.tables(frame, turnout, wanted=wanted)),
        *(_by_panel(frame, panel) for panel in frame.panels if panel.seats),
        Section("agreement", "Agreement between judges", agreement.tables(frame)),
    )
    return Report(tuple(section for section in parts if section.tables))


def _by_panel(frame: Frame, panel: Panel) -> Section:
    title = "What the experts say" if panel.expert else f"What {panel.label} says, as a judge"
    tables = [means.tables(frame, panel), detection.tables(frame, panel)]
    if all(isinstance(question, Probability) for _, question in means.averaged(frame)):
        tables.reverse()  # where authorship is all that was asked, it comes first
    tables += [choices.tables(frame, panel), recognition.tables(frame, panel)]
    return Section(panel.key, title, tuple(chain.from_iterable(tables)))
