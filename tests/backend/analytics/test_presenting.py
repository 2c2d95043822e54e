"""Numbers are rounded on the page and nowhere else, and what is not defined says why."""

import math

import pytest

from backend.analytics.presenting import Page, present, shown
from backend.analytics.tables import Cell, Column, Style, Table, gather, number

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


def interval(key: str = "", under: str = "", label: str = "95 % from") -> tuple[Column, Column]:
    stem = f"{key}_" if key else ""
    return (
        Column(f"{stem}low", label, "number", 3, under=under),
        Column(f"{stem}high", "to", "number", 3, under=under),
    )


def page(*columns: Column, row: tuple[Cell, ...]) -> Page:
    return present(Table("one", "One", "", columns, (row,)))


def test_an_interval_stands_on_one_small_line_under_its_figure() -> None:
    auc = Column("auc", "AUC", "number", 3, under="AUC")
    found = page(
        auc, *interval("auc", "AUC"), row=(Cell(0.3), Cell(0.2071), Cell(0.38666))
    )  # fmt: skip
    assert (found.headings[0].label, found.headings[0].small) == ("AUC", "")  # never twice
    assert found.rows[0][0].text == "0.300"
    assert found.rows[0][0].small == (("95 % 0.207 to 0.387", ""),)


def test_an_interval_that_is_the_main_figure_of_a_cell_is_read_in_one_line() -> None:
    row = (Cell(0.485), Cell(0.592))
    found = page(*interval("delong", "DeLong"), row=row)
    assert (found.headings[0].label, found.headings[0].small) == ("DeLong", "95 % interval")
    assert (found.rows[0][0].text, found.rows[0][0].small) == ("0.485 to 0.592", ())
    columns = (
        Column("low_90", "from", "number", 3, under="90 % interval"),
        Column("high_90", "to", "number", 3, under="90 % interval"),
    )
    narrower = page(*columns, row=row)
    assert (narrower.headings[0].label, narrower.headings[0].small) == ("90 % interval", "")


def test_bounds_without_a_heading_share_one_column() -> None:
    found = page(
        Column("auc", "AUC", "number", 3), *interval(), Column("n", "n", "count"),
        row=(Cell(0.5), Cell(0.4), Cell(0.6), Cell(8)),
    )  # fmt: skip
    assert [heading.label for heading in found.headings] == ["AUC", "95 % interval", "n"]
    assert [cell.text for cell in found.rows[0]] == ["0.500", "0.400 to 0.600", "8"]
    assert found.table.header == ["auc", "low", "high", "n", "not_defined"]


def test_an_undefined_interval_is_none_with_one_mark() -> None:
    auc = Column("auc", "AUC", "number", 3, under="AUC")
    none = Cell(None, "only one judge took part")
    found = page(
        auc, *interval("auc", "AUC"), *interval("more"), row=(Cell(0.5), none, none, none, none)
    )  # fmt: skip
    under, alone = found.rows[0]
    assert under.small == (("no interval", "a"),)
    assert (alone.text, alone.mark) == ("no interval", "a")
    assert found.footnotes == (("a", "only one judge took part"),)


def test_the_ends_of_a_bin_are_no_interval() -> None:
    found = page(
        Column("low", "From", "number", 1), Column("high", "to", "number", 1),
        row=(Cell(0.1), Cell(0.2)),
    )  # fmt: skip
    assert [heading.label for heading in found.headings] == ["From", "to"]


@pytest.mark.parametrize(
    ("style", "value", "text"),
    [
        ("count", 2420, "2,420"), ("count", 6.0, "6"), ("count", 6.5, "6.5"),
        ("number", 2420.5, "2,420.50"),
        ("rank", 1.0, "1"), ("rank", 12.5, "12.5"),
        ("seconds", 0.004, "< 0.1"), ("seconds", 2.34, "2.3"), ("seconds", 12.6, "13"),
        ("seconds", 0.0, "0.0"),
    ],
)  # fmt: skip
def test_each_style_is_read_as_it_is_meant(style: Style, value: float, text: str) -> None:
    assert shown(Cell(value), Column("x", "x", style)) == text


def test_a_further_figure_without_a_reason_takes_no_line_of_its_own() -> None:
    columns = (
        Column("auc", "AUC", "number", 3, under="filtered", blank="–"),
        *interval("auc", "filtered"),
        Column("change", "change", "number", 3, under="filtered"),
        Column("poems", "poems", "count", under="filtered"),
    )
    none = Cell(None)
    found = page(*columns, row=(Cell(None, "too few"), none, none, none, Cell(3)))
    assert (found.rows[0][0].text, found.rows[0][0].mark) == ("–", "a")
    assert found.rows[0][0].small == (("poems 3", ""),)


def test_a_column_that_is_not_shown_is_in_the_file_alone() -> None:
    found = page(
        Column("judge", "Judge"), Column("code", "Code", shown=False), Column("n", "n", "count"),
        row=(Cell("Expert 1"), Cell(None, "a reason"), Cell(8)),
    )  # fmt: skip
    assert [heading.label for heading in found.headings] == ["Judge", "n"]
    assert [cell.text for cell in found.rows[0]] == ["Expert 1", "8"]
    assert found.footnotes == ()
    assert found.table.header == ["judge", "code", "n", "not_defined"]
