"""Reliability of scores, on a table that is printed and on designs with gaps."""

import pytest

from backend.analytics.frames import frame
from backend.analytics.reports.agreeing import reliability
from backend.analytics.tables import Cell
from tests.backend.analytics.reports.scales import figures, likert_study
from tests.studies import Answers, make_study

pytestmark = pytest.mark.django_db

# Shrout and Fleiss (1979), table 2: six targets by four judges; ICC(2,1) .29, ICC(2,4) .62.
PRINTED = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))
TITLES = [f"Poem {number}" for number in range(6)]


def row(said: Answers, judges: str, **options: object) -> dict[str, Cell]:
    study = make_study(titles=TITLES, models=[], judges=list(judges), answers=said, **options)
    (table,) = reliability.tables(frame(study))
    names = [column.key for column in table.columns]
    return dict(zip(names, table.rows[-1], strict=True))


def printed(judge: str, _author: str, title: str) -> float:
    return PRINTED[TITLES.index(title)]["ABCD".index(judge)] / 10


def test_the_printed_correlations_come_out() -> None:
    found = row(printed, "ABCD")
    assert round(found["icc"].value, 2) == 0.29
    assert round(found["icc_mean"].value, 2) == 0.62
    assert [found[key].value for key in ("k", "poems", "ratings")] == [4, 6, 24]


def test_poems_that_not_everybody_rated_are_in_both() -> None:
    found = row(
        lambda judge, author, title: (
            None
            if (judge, title) in {("A", "Poem 0"), ("B", "Poem 1")}
            else printed(judge, author, title)
        ),
        "ABCD",
    )
    # lme4 1.1-31: lmer(y ~ 1 + (1 | poem) + (1 | judge)); k = 6 / (2 / 3 + 4 / 4).
    assert found["icc"].value == pytest.approx(0.299501113, abs=1e-6)
    assert found["k"].value == pytest.approx(3.6)
    assert [found[key].value for key in ("poems", "ratings")] == [6, 22]
    assert found["alpha"].value is not None


def test_where_no_judge_had_all_poems_there_is_an_icc_from_variances() -> None:
    study = make_study(
        titles=TITLES,
        models=[],
        judges=list("ABC"),
        answers=lambda judge, author, title: (
            None
            if (TITLES.index(title) + "ABC".index(judge)) % 3 == 0
            else printed(judge, author, title)
        ),
    )
    (table,) = reliability.tables(frame(study))
    found = dict(zip([column.key for column in table.columns], table.rows[-1], strict=True))
    assert found["k"].value == pytest.approx(2)
    # lme4, as above.
    assert found["icc"].value == pytest.approx(0.338141800, abs=1e-6)
    assert found["icc_low"].value <= found["icc"].value < found["icc_high"].value
    assert "REML" in table.method


def test_where_no_poem_has_two_judges_there_is_no_icc() -> None:
    found = row(
        lambda judge, author, title: (
            printed(judge, author, title) if TITLES.index(title) % 2 == "AB".index(judge) else None
        ),
        "AB",
    )
    reason = "no poem has two judges: poems and judges cannot be told apart"
    assert found["icc"] == Cell(None, reason)


def test_a_machine_judge_is_held_against_the_experts_mean() -> None:
    # Two experts whose means are .1 to .6; the machine says the same: full reliability.
    def said(judge: str, _author: str, title: str) -> float:
        mean = 0.1 * (1 + TITLES.index(title))
        return round(mean + {"A": 0.1, "B": -0.1, "M": 0}[judge], 3)

    found = row(said, "AB", machines=["M"])
    assert found["judges"].value == "M with the experts' mean"
    assert found["icc"].value == pytest.approx(1)
    assert found["alpha"].value == pytest.approx(1)


def test_every_question_with_scores_has_a_row_for_the_experts_and_each_machine() -> None:
    (table,) = reliability.tables(frame(likert_study()))
    assert [(row[0].value, row[1].value) for row in table.rows] == [
        (question, judges)
        for question in ("1 form", "2 imagery", "3 warmth")
        for judges in ("experts", "Gamma with the experts' mean")
    ]
    assert figures(table)["1 form"]  # every row has as many cells as there are columns
    for cells in table.rows:
        assert not any(cell.value is None and not cell.reason for cell in cells)
