"""Numbers are rounded on the page and nowhere else, and what is not defined says why."""

import math

import pytest

from backend.analytics.presenting import present, shown
from backend.analytics.tables import Cell, Column, Table, gather, number

MEAN = Column("form_mean", "mean", "number", 2, "points", under="1 form")
SD = Column("form_sd", "SD", "number", 2, "points", under="1 form")
N = Column("form_n", "n", "count", unit="ratings", under="1 form")
TABLE = Table(
    key="ratings",
    caption="Ratings",
    explanation="",
    columns=(Column("author", "Author"), MEAN, SD, N),
    rows=(
        (Cell("human"), Cell(11 / 3), Cell(None, "one value"), Cell(1)),
        (Cell("Alpha"), Cell(None, "no value"), Cell(None, "no value"), Cell(0)),
    ),
)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(11 / 3, 2, "3.67"), (-0.25, 3, "−0.250"), (-0.0004, 3, "0.000"), (2, 1, "2.0")],
)
def test_a_number_is_rounded_to_its_columns_decimals(
    value: float, decimals: int, text: str
) -> None:
    assert shown(Cell(value), Column("x", "x", "number", decimals)) == text


@pytest.mark.parametrize(("p", "text"), [(0.0583, "0.058"), (1.0, "1.000"), (1e-12, "< 0.001")])
def test_a_p_value_is_never_shown_as_zero(p: float, text: str) -> None:
    assert shown(Cell(p), Column("p", "p", "p")) == text


def test_figures_of_one_question_share_a_cell() -> None:
    page = present(TABLE)
    assert [heading.label for heading in page.headings] == ["Author", "1 form"]
    assert page.rows[0][1].text == "3.67"
    assert page.rows[0][1].small == (("SD not defined", "a"), ("n 1", ""))


def test_what_is_not_defined_points_to_its_reason() -> None:
    page = present(TABLE)
    assert page.footnotes == (("a", "one value"), ("b", "no value"))
    assert (page.rows[1][1].text, page.rows[1][1].mark) == ("not defined", "b")


def test_the_file_is_not_rounded_and_tells_reasons() -> None:
    assert TABLE.header == ["author", "form_mean", "form_sd", "form_n", "not_defined"]
    assert list(TABLE.records()) == [
        ["human", 11 / 3, None, 1, "form_sd: one value"],
        ["Alpha", None, None, 0, "form_mean: no value; form_sd: no value"],
    ]


def test_nan_never_leaves_as_a_number() -> None:
    assert number(math.nan, "because") == Cell(None, "because")


def test_a_caution_about_every_row_is_said_once() -> None:
    notes = [("Alpha", ("few judges", "few titles")), ("Beta", ("few judges",))]
    assert gather(notes) == ("few judges", "Alpha: few titles")


def test_a_column_can_have_a_sign_of_its_own_for_what_is_not_defined() -> None:
    column = Column("auc", "AUC", "number", 3, blank="–")
    assert shown(Cell(None, "fewer than 10 poems"), column) == "–"
    assert shown(Cell(0.5), column) == "0.500"
