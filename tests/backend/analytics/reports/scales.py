"""A small study on scales of points, with answers that can be counted by hand."""

from collections.abc import Mapping
from typing import Any

from annotation.instruments.loading import published
from annotation.studies.models import Study
from backend.analytics.tables import Cell, Table
from tests.studies import make_study

POINTS = [[code, f"point {code}"] for code in range(1, 6)]

# One title. What Anna, Ben and Cem said, then the machine Gamma; 0 is N/A, None is left empty.
SAID: Mapping[tuple[str, str], tuple[int | None, ...]] = {
    ("form", "human"): (4, 4, 3, 4),
    ("form", "Alpha"): (2, 2, 2, 3),
    ("imagery", "human"): (0, 0, 5, 0),
    ("imagery", "Alpha"): (3, 4, 0, 4),
    ("warmth", "human"): (None, 1, 3, None),
    ("warmth", "Alpha"): (None, 5, 5, None),
}
WHO = ("Anna", "Ben", "Cem", "Gamma")


def instrument() -> dict[str, Any]:
    """Return three questions: a plain one, one that offers N/A, one that may be left empty."""
    likert = {"kind": "likert", "points": POINTS}
    return {
        **published("poemetric-survey"),
        "questions": [
            {**likert, "key": "form", "text": "The form is kept."},
            {**likert, "key": "imagery", "text": "The imagery is apt.", "na": [0, "N/A (none)"]},
            {**likert, "key": "warmth", "text": "The poem is warm.", "required": False},
        ],
    }


def likert_study() -> Study:
    def answers(judge: str, author: str, _title: str) -> dict[str, object]:
        keys = ("form", "imagery", "warmth")
        return {key: SAID[key, author][WHO.index(judge)] for key in keys}

    return make_study(
        instrument=instrument(), titles=["Dawn"], models=["Alpha"], judges=WHO[:3],
        machines=WHO[3:], answers=answers,
    )  # fmt: skip


def figures(table: Table) -> dict[object, dict[str, Cell]]:
    """Return a table's cells by the first cell of the row and the key of the column."""
    names = [column.key for column in table.columns]
    return {row[0].value: dict(zip(names, row, strict=True)) for row in table.rows}
