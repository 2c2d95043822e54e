"""What a report comes to: each headline's verdicts, and both ends of each order."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from backend.analytics.presenting import shown
from backend.analytics.reports.report import Report, Section
from backend.analytics.tables import Cell, Column, Table

VERDICTS = ("different", "equivalent", "inconclusive")
UNDEFINED = "not defined"


@dataclass(frozen=True)
class Called:
    """All models of which one thing is said.

    Attributes
    ----------
    word : str
        The verdict.
    models : tuple of (name, AUC)
    """

    word: str
    models: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Verdicts:
    """What a headline table says of all models."""

    table: Table
    called: tuple[Called, ...]


@dataclass(frozen=True)
class End:
    """One row at an end of an order: its figure, and its interval where there is one."""

    name: str
    figure: str
    low: str
    high: str


@dataclass(frozen=True)
class Ends:
    """Both ends of an order: several rows where they are equal.

    Attributes
    ----------
    table : Table
    kind : {"means", "choices"}
        What it is an order of.
    highest, lowest : tuple of End
        `lowest` is empty where all are equal.
    """

    table: Table
    kind: str
    highest: tuple[End, ...]
    lowest: tuple[End, ...]


@dataclass(frozen=True)
class PanelSummary:
    """What one panel's judgments come to.

    Attributes
    ----------
    label : str
    judgments : str
        How many there are, of how many poems on how many titles, by how many judges.
    verdicts : tuple of Verdicts
    orders : tuple of Ends
    """

    label: str
    judgments: str
    verdicts: tuple[Verdicts, ...]
    orders: tuple[Ends, ...]


@dataclass(frozen=True)
class Summary:
    """What a report comes to.

    Attributes
    ----------
    panels : tuple of PanelSummary
        Those of whose judgments there is something to say.
    margin : float or None
        How far from 0.5 an AUC is as good as chance; None if the design fixed none.
    """

    panels: tuple[PanelSummary, ...]
    margin: float | None


Row = Mapping[str, tuple[Cell, Column]]


def summary(report: Report) -> Summary:
    """Return what a report comes to, read from its tables."""
    panels: dict[str, list[Section]] = {}
    for section in report.sections:
        if section.panel:
            panels.setdefault(section.panel, []).append(section)
    found = (_panel(label, sections) for label, sections in panels.items())
    return Summary(tuple(one for one in found if one.judgments), report.margin)


def _panel(label: str, sections: Iterable[Section]) -> PanelSummary:
    tables = [table for section in sections for table in section.tables]
    ranked = [_ends(table, "means", _ranked) for table in tables if _is(table, "ranking")]
    chosen = [_ends(table, "choices", _chosen) for table in tables if _is(table, "choices")]
    heads = [table for table in tables if _is(table, "auc-judgments")]
    return PanelSummary(
        label,
        _judgments(heads or tables),
        tuple(_verdicts(table) for table in heads),
        tuple(one for one in ranked + chosen if one.highest),
    )


def _is(table: Table, start: str) -> bool:
    """Whether it is a panel's main table of a kind, not one that is looked up."""
    return table.key.startswith(f"{start}-") and not table.aside


def _judgments(tables: Iterable[Table]) -> str:
    """Return what the first table that says so rests on, without what its unit is."""
    stated = next((table.basis for table in tables if table.basis), "")
    return stated.split(". ", 1)[-1]


def _verdicts(table: Table) -> Verdicts:
    models: dict[str, list[tuple[str, str]]] = {word: [] for word in (*VERDICTS, UNDEFINED)}
    for row in _rows(table):
        said = str(row["verdict"][0].value or UNDEFINED)
        word = next((word for word in VERDICTS if said.startswith(word)), UNDEFINED)
        models[word].append((shown(*row["model"]), shown(*row["auc"])))
    return Verdicts(
        table,
        tuple(
            Called(word, tuple(sorted(named, key=lambda one: one[1], reverse=True)))
            for word, named in models.items()
            if named or word != UNDEFINED
        ),
    )


def _ends(table: Table, kind: str, end: Callable[[Row], tuple[float, End] | None]) -> Ends:
    found = [one for one in map(end, _rows(table)) if one is not None]
    values = [value for value, _ in found]
    if not found:
        return Ends(table, kind, (), ())
    highest, lowest = max(values), min(values)
    return Ends(
        table,
        kind,
        tuple(one for value, one in found if value == highest),
        tuple(one for value, one in found if value == lowest < highest),
    )


def _ranked(row: Row) -> tuple[float, End] | None:
    """Return an author's overall mean with the interval of its rank; None if it has none."""
    return _end(row, "author", "overall", ("rank_low", "rank_high"))


def _chosen(row: Row) -> tuple[float, End] | None:
    """Return how often the human text was chosen, with the interval that holds."""
    clustered = row["clustered_low"][0].value is not None
    bounds = ("clustered_low", "clustered_high") if clustered else ("low", "high")
    return _end(row, "model", "share", bounds)


def _end(row: Row, name: str, figure: str, bounds: tuple[str, str]) -> tuple[float, End] | None:
    value = row[figure][0].value
    if value is None:
        return None
    low, high = (
        "" if row[bound][0].value is None else shown(*row[bound]).removesuffix(".0")
        for bound in bounds
    )
    return float(value), End(shown(*row[name]), shown(*row[figure]), low, high)


def _rows(table: Table) -> Iterator[Row]:
    for row in table.rows:
        pairs = zip(row, table.columns, strict=True)
        yield {column.key: (cell, column) for cell, column in pairs}
