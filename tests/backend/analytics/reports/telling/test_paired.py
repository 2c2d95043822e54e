"""The signed-rank tables on titles whose differences are worked out by hand."""

import pytest

from backend.analytics.reports.telling import detection
from backend.analytics.tables import Table
from tests.backend.analytics.reports.made import ALPHA, by_key, cells, made

# Model less human, in tenths, title by title.
GAPS = {"Alpha": (-4, -3, -2, -1, 1, 0), "Beta": (0, 0, 0, 0, 0, 0), "Gamma": (1, 2, 3, 4, 5, 6)}


def tables(judge: str = "Anna", *, margin: float | None = None) -> tuple[Table, ...]:
    said: dict[tuple[str, str, str], float | None] = {}
    for place, title in enumerate("abcdef"):
        said[judge, "human", title] = 0.4
        for model, gaps in GAPS.items():
            said[judge, model, title] = 0.4 + gaps[place] / 10
    frame = made(said, margin=margin)
    return detection.tables(frame, frame.panels[0])


def test_only_tests_with_a_p_value_are_corrected_for() -> None:
    # Gamma: all six above, p = 2/64. Alpha without the tie: 1 1 2 3 4 are ranks 1.5 1.5 3 4 5;
    # W+ = 1.5, and sums as low are {}, {1.5}, {1.5}: p = 2 * 3/32. Beta has none, so m = 2.
    table = by_key(tables(), "signed-rank-experts")
    found = cells(table)
    assert found["Gamma"]["p"].value == pytest.approx(2 / 64)
    assert found["Alpha"]["p"].value == pytest.approx(6 / 32)
    assert found["Gamma"]["p_holm"].value == pytest.approx(4 / 64)
    assert found["Alpha"]["p_holm"].value == pytest.approx(6 / 32)
    assert found["Beta"]["p_holm"].value is None
    assert found["Beta"]["p_holm"].reason == found["Beta"]["p"].reason != ""
    assert next(column for column in table.columns if column.key == "p_holm").unit == "m = 2"


def test_the_median_difference_has_its_interval_in_the_unit_of_the_scores() -> None:
    # Walsh averages of 1..6 tenths run from .1 to .6; with six titles the exact interval of
    # 1 - 2/64 = .969 holds all of them.
    found = cells(by_key(tables(), "signed-rank-experts"))["Gamma"]
    assert found["difference"].value == pytest.approx(0.35)
    assert found["low"].value == pytest.approx(0.1)
    assert found["high"].value == pytest.approx(0.6)


def test_pratts_rule_and_screening_are_folded_away() -> None:
    # Alpha by Pratt: the tie takes rank 1, so 1 1 are 2.5 2.5, then 4 5 6; W+ = 2.5; sums as low
    # are {}, {2.5}, {2.5}: p = 6/32 again. BH over .03125 and .1875: 2/64 * 2, and .1875.
    table = by_key(tables(), "signed-rank-more")
    found = cells(table)
    assert table.aside
    assert (found["Alpha"]["w_plus"].value, found["Alpha"]["w_minus"].value) == (1.5, 13.5)
    assert found["Alpha"]["p_pratt"].value == pytest.approx(6 / 32)
    assert found["Gamma"]["p_bh"].value == pytest.approx(4 / 64)
    assert found["Alpha"]["p_bh"].value == pytest.approx(6 / 32)
    assert table.notes == ("whether means are equivalent is not tested, and no large p shows it",)


def test_a_margin_is_named_only_where_one_was_fixed() -> None:
    (note,) = by_key(tables(margin=0.1), "signed-rank-more").notes
    assert note.startswith("the design fixes a margin of equivalence for the AUC alone")


def test_one_experts_scores_are_no_means_over_judges() -> None:
    table = by_key(tables(), "signed-rank-experts")
    assert "over judges" not in table.basis + table.method
    assert "mean score" not in table.explanation
    frame = made(ALPHA)
    several = by_key(detection.tables(frame, frame.panels[0]), "signed-rank-experts")
    assert "means of its two poems over judges" in several.basis
    assert "on means over judges" in several.method


def test_equal_titles_are_one_caution_for_all_models() -> None:
    # Of six titles 1 is equal of Alpha's, 2 of Delta's, all of Beta's, which is no test, and none
    # of Gamma's.
    said: dict[tuple[str, str, str], float | None] = {}
    for place, title in enumerate("abcdef"):
        said["Anna", "human", title] = 0.4
        for model, gaps in {**GAPS, "Delta": (0, 0, 1, 2, 3, -4)}.items():
            said["Anna", model, title] = 0.4 + gaps[place] / 10
    frame = made(said)
    notes = by_key(detection.tables(frame, frame.panels[0]), "signed-rank-experts").notes
    (note,) = [one for one in notes if "Pratt" in one]
    assert note.startswith("of 2 of 4 models, 1 to 2 of 6 titles have equal scores: ")
