"""How far judges tell poems apart, and which machine judge to choose, by hand."""

import math

import pytest

from backend.analytics.frames import frame
from backend.analytics.reports.agreeing import selection
from backend.analytics.tables import Table
from tests.backend.analytics.reports.scales import POINTS, figures, instrument, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db

# What Anna, Ben and the machine Gamma said of quality, and of warmth.
SAID = {
    ("human", "Dawn"): (5, 3, 4), ("human", "Dusk"): (4, 4, 4),
    ("Alpha", "Dawn"): (2, 2, 4), ("Alpha", "Dusk"): (1, 3, 3),
}  # fmt: skip
WHO = ("Anna", "Ben", "Gamma")


def tables(*, machines: tuple[str, ...] = ("Gamma",), experts: int = 2) -> dict[str, Table]:
    likert = {"kind": "likert", "points": POINTS}
    asked = [
        {**likert, "key": "quality", "text": "It is good."},
        {**likert, "key": "warmth", "text": "It is warm."},
    ]
    study = make_study(
        instrument={**instrument(), "questions": asked}, models=["Alpha"], judges=WHO[:experts],
        machines=machines,
        answers=lambda judge, author, title: {
            "quality": SAID[author, title][WHO.index(judge)], "warmth": 3,
        },
    )  # fmt: skip
    return {one.key: one for one in selection.tables(frame(study))}


def test_raw_scores_and_means_have_spreads_of_their_own() -> None:
    # The experts said 5 3 4 4 and 2 2 1 3: mean 3, squares 4 0 1 1 1 1 4 0 = 12 by 7. Author
    # means 4 and 2. Poem means 4 4 2 2: squares 4 by 3.
    found = figures(tables()["discrimination"])["all experts"]
    assert found["mean"].value == 3
    assert found["sd_raw"].value == pytest.approx(math.sqrt(12 / 7))
    assert found["sd_authors"].value == pytest.approx(math.sqrt(2))
    assert found["sd_poems"].value == pytest.approx(math.sqrt(4 / 3))
    assert [found[key].value for key in ("ratings", "authors", "poems")] == [8, 2, 4]


def test_it_is_of_the_question_for_overall_quality_and_of_each_judge() -> None:
    found = tables()
    assert "1 quality" in found["discrimination"].caption
    assert set(figures(found["discrimination"])) == {"all experts", "Gamma", "Expert 1", "Expert 2"}
    # Gamma: 4 4 4 3; author means 4 and 3.5.
    gamma = figures(found["discrimination"])["Gamma"]
    assert gamma["sd_raw"].value == pytest.approx(0.5)
    assert gamma["sd_authors"].value == pytest.approx(0.5 / math.sqrt(2))
    whole = found["discrimination-questions"]
    assert whole.aside
    assert {row[0].value for row in whole.rows} == {"1 quality", "2 warmth"}


def test_candidate_judges_stand_beside_the_experts() -> None:
    # Pairs of experts: on quality 4 4 and 2 2 agree of four, on warmth all four. Gamma with them:
    # 4 with 5 3 4 4 2 2 and 3 with 1 3: three of eight; on warmth all eight.
    table = tables()["judge-selection"]
    found = figures(table)
    assert (found["all experts"]["pao"].value, found["all experts"]["pairs"].value) == (6 / 8, 8)
    assert (found["Gamma"]["pao"].value, found["Gamma"]["pairs"].value) == (11 / 16, 16)
    assert found["all experts"]["sd_raw"].value == pytest.approx(math.sqrt(12 / 7))
    assert found["Gamma"]["sd_raw"].value == pytest.approx(0.5)


def test_its_method_and_basis_say_what_each_figure_rests_on() -> None:
    table = tables()["judge-selection"]
    assert "a machine judge: 95 % interval by titles and judges (two-way" in table.method
    assert "experts among themselves: 95 %" in table.method
    agreement, discrimination = table.basis.split(". Discrimination: ")
    assert agreement.startswith("Agreement: One unit is a pair")
    assert discrimination.endswith("12 judgments of 4 poems on 2 titles by 3 judges")
    # Eight pairs of experts, so sixteen ratings with a partner; of Gamma's sixteen pairs, both.
    found = figures(table)
    assert [found[name]["alpha_n"].value for name in ("all experts", "Gamma")] == [16, 32]


def test_without_experts_there_is_none_to_choose_by() -> None:
    assert "judge-selection" not in tables(experts=0)


def test_without_a_machine_judge_there_is_none_to_choose() -> None:
    assert "judge-selection" not in tables(machines=())


def test_without_a_question_for_overall_quality_the_last_about_quality_stands_in() -> None:
    found = frame(likert_study())
    place, question = selection.headline(found)
    assert (place, question.key) == (2, "warmth")


def test_probabilities_are_in_their_own_unit() -> None:
    study = make_study(
        judges=["Anna"], answers=lambda _j, author, _t: 0.9 if author == "human" else 0.5
    )
    (table,) = selection.tables(frame(study))
    # Author means .9 .5 .5.
    assert figures(table)["all experts"]["sd_authors"].value == pytest.approx(0.4 / math.sqrt(3))
