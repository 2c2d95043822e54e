"""Means and spreads of what each author's poems were given, worked out by hand."""

import math

import pytest

from annotation.instruments.loading import published
from backend.analytics import services
from backend.analytics.tables import Cell
from tests.backend.analytics.reports.scales import figures, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_means_and_spreads_of_single_ratings() -> None:
    # Form of the human poem: 4 4 3; mean 11/3, squares (1/9 + 1/9 + 4/9) / 2 = 1/3.
    human = figures(services.report(likert_study()).table("ratings-experts"))["human"]
    assert human["form_mean"].value == pytest.approx(11 / 3)
    assert human["form_sd"].value == pytest.approx(math.sqrt(1 / 3))
    assert human["form_n"].value == 3


def test_not_applicable_is_counted_and_in_no_mean() -> None:
    # Imagery of the human poem: N/A N/A 5; of the model's: 3 4 N/A.
    found = figures(services.report(likert_study()).table("ratings-experts"))
    assert [found["human"][name].value for name in ("imagery_mean", "imagery_n", "imagery_na")] == [
        5, 1, 2,
    ]  # fmt: skip
    assert [found["Alpha"][name].value for name in ("imagery_mean", "imagery_n", "imagery_na")] == [
        3.5, 2, 1,
    ]  # fmt: skip


def test_the_spread_of_one_rating_is_not_defined_and_says_why() -> None:
    human = figures(services.report(likert_study()).table("ratings-experts"))["human"]
    assert human["imagery_sd"] == Cell(None, "only one value was given: it has no spread")


def test_a_skipped_question_is_counted_and_in_no_mean() -> None:
    # Warmth may be left empty: Anna did so on both poems.
    human = figures(services.report(likert_study()).table("ratings-experts"))["human"]
    assert [human[name].value for name in ("warmth_mean", "warmth_n", "warmth_skipped")] == [
        2,
        2,
        1,
    ]


def test_a_machine_judge_is_in_no_mean_of_the_experts() -> None:
    report = services.report(likert_study())
    gamma = figures(report.table("ratings-machine-1"))
    assert (gamma["human"]["form_mean"].value, gamma["human"]["form_n"].value) == (4, 1)
    assert figures(report.table("ratings-experts"))["human"]["form_n"].value == 3


def test_poem_means_spread_less_and_count_poems() -> None:
    # Poem means .5 and .4: mean .45, SD .1 / sqrt(2); single ratings: squares .215 / 5.
    said = {"Dawn": (0.6, 0.6, 0.3), "Dusk": (0.7, 0.2, 0.3)}
    study = make_study(
        judges=["0", "1", "2"], answers=lambda judge, _author, title: said[title][int(judge)]
    )
    report = services.report(study)
    single = figures(report.table("ratings-experts"))["Alpha"]
    means = figures(report.table("poem-means-experts"))["Alpha"]
    assert single["probability_human_mean"].value == pytest.approx(0.45)
    assert single["probability_human_sd"].value == pytest.approx(math.sqrt(0.215 / 5))
    assert single["probability_human_n"].value == 6
    assert means["probability_human_mean"].value == pytest.approx(0.45)
    assert means["probability_human_sd"].value == pytest.approx(0.1 / math.sqrt(2))
    assert means["probability_human_n"].value == 2


def test_whoever_cannot_tell_is_counted_and_in_no_mean() -> None:
    data = published("proftap-probability")
    offers = {**data["questions"][0], "cannot_tell": "I cannot tell", "required": False}
    said = {"Anna": "cannot_tell", "Ben": 0.25, "Cem": 0.75, "Dan": ""}
    study = make_study(
        instrument={**data, "questions": [offers]},
        titles=["Dawn"],
        judges=list(said),
        answers=lambda judge, _author, _title: {"probability_human": said[judge]},
    )
    report = services.report(study)
    human = figures(report.table("ratings-experts"))["human"]
    told = ("mean", "n", "cannot_tell", "skipped")
    assert [human[f"probability_human_{name}"].value for name in told] == [0.5, 2, 1, 1]
    # Two of the four judges have a score: "cannot tell" is not one half.
    alpha = figures(report.table("auc-judgments-experts-q1"))["Alpha"]
    assert (alpha["human_judgments"].value, alpha["model_judgments"].value) == (2, 2)


def test_altered_is_a_share() -> None:
    # Of the human poem 1 of 3 experts says altered, of Alpha's all; squares (1/9 + 1/9 + 4/9) / 2.
    study = make_study(
        instrument="altered-text",
        titles=["Dawn"],
        models=["Alpha"],
        judges=["Anna", "Ben", "Cem"],
        answers=lambda judge, author, _title: {
            "altered": 1 if author == "Alpha" or judge == "Anna" else 0
        },
    )
    table = services.report(study).table("ratings-experts")
    found = figures(table)
    assert found["human"]["altered_mean"].value == pytest.approx(1 / 3)
    assert found["human"]["altered_sd"].value == pytest.approx(math.sqrt(1 / 3))
    assert found["Alpha"]["altered_mean"].value == 1
    assert {column.unit for column in table.columns if column.key == "altered_mean"} == {
        "share of “altered”"
    }
    assert not any(one.key.startswith("auc") for one in services.report(study).tables())


def test_few_judges_are_a_caution_and_one_judge_is_none() -> None:
    titles = [f"T{n}" for n in range(6)]

    def said(judge: str, _author: str, title: str) -> float:
        return (titles.index(title) + 2 * (judge == "Ben")) / 10

    report = services.report(make_study(titles=titles, answers=said))
    assert report.table("ratings-experts").notes == (
        "only 2 judges: the interval is a rough guide",
    )
    assert report.table("poem-means-experts").notes == ()
    alone = services.report(make_study(slug="alone", judges=["Anna"], titles=titles, answers=said))
    assert alone.table("ratings-experts").notes == ()


def test_ratings_by_one_machine_judge_differ_between_poems_alone() -> None:
    report = services.report(make_study(machines=["Gamma"]))
    told = {
        panel: report.table(f"ratings-{panel}").explanation for panel in ("experts", "machine-1")
    }
    assert "between poems and between judges." in told["experts"]
    assert "between poems. n counts" in told["machine-1"]
