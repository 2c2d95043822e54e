"""Agreement counted pair by pair, by hand, on the answers in ``scales``."""

import pytest

from backend.analytics import services
from backend.analytics.tables import Table
from tests.backend.analytics.reports.scales import figures, likert_study
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def share(table: Table, row: str, question: str) -> tuple[object, object, object]:
    cells = figures(table)[row]
    return tuple(cells[f"{question}_{what}"].value for what in ("pao", "agreeing", "pairs"))  # type: ignore[return-value]


def test_every_pair_of_experts_is_pooled() -> None:
    # form: 4 4 3 has one equal pair of three, 2 2 2 three of three.
    # imagery, N/A an answer: N/A N/A 5 one of three, 3 4 N/A none.
    # warmth: Anna left it empty, so Ben and Cem alone: 1 3 no, 5 5 yes.
    table = services.report(likert_study()).table("agreement")
    assert share(table, "experts with experts", "form") == (4 / 6, 4, 6)
    assert share(table, "experts with experts", "imagery") == (1 / 6, 1, 6)
    assert share(table, "experts with experts", "warmth") == (1 / 2, 1, 2)
    assert share(table, "experts with experts", "all") == (6 / 14, 6, 14)


def test_a_machines_rating_is_paired_with_each_experts() -> None:
    # form: 4 meets 4 4 3, 3 meets 2 2 2. imagery: N/A meets N/A N/A 5, 4 meets 3 4 N/A.
    table = services.report(likert_study()).table("agreement")
    assert share(table, "Gamma with experts", "form") == (2 / 6, 2, 6)
    assert share(table, "Gamma with experts", "imagery") == (3 / 6, 3, 6)
    assert share(table, "Gamma with experts", "all") == (5 / 12, 5, 12)


def test_a_question_that_no_two_answered_is_not_defined() -> None:
    table = services.report(likert_study()).table("agreement")
    cell = figures(table)["Gamma with experts"]["warmth_pao"]
    assert cell.value is None
    assert cell.reason == "the two raters have no rated poem in common"


def test_without_na_its_pairs_are_left_out() -> None:
    # imagery: of the human poem every pair has an N/A; of Alpha's only 3 against 4 is left.
    table = services.report(likert_study()).table("agreement-without-na")
    assert share(table, "experts with experts", "imagery") == (0, 0, 1)
    assert share(table, "experts with experts", "all") == (5 / 9, 5, 9)
    assert "N/A left out" in table.method


def test_each_two_experts_are_shown() -> None:
    # Experts are numbered by random codes, so only the set of figures is known:
    # Anna-Ben 2 of 2 form, 1 of 2 imagery; Anna-Cem 1 of 2, 0 of 2;
    # Ben-Cem 1 of 2, 0 of 2, and 1 of 2 warmth.
    table = services.report(likert_study()).table("agreement-expert-pairs")
    counted = sorted((row[4].value, row[5].value) for row in table.rows)
    assert counted == [(4, 1), (4, 3), (6, 2)]
    assert {row[2].value for row in table.rows} == {2}


def test_two_who_share_no_poem_are_no_pair() -> None:
    study = make_study(
        instrument="poemetric-survey",
        judges=["Anna", "Ben"],
        answers=lambda judge, author, _title: (
            {
                **dict.fromkeys(
                    ("form", "theme", "lexical_diversity", "creativity", "idiosyncrasy"), 3
                ),
                **dict.fromkeys(("emotional_resonance", "imagery", "literary_devices"), 3),
                **dict.fromkeys(("quality", "human_authorship"), 3),
                "literary_devices_comment": "a",
                "quality_comment": "b",
                "human_authorship_comment": "c",
            }
            if (judge == "Anna") == (author == "human")
            else None
        ),
    )
    report = services.report(study)
    assert report.table("agreement-expert-pairs").rows == ()
    assert figures(report.table("agreement"))["experts with experts"]["all_pairs"].value == 0


def test_a_study_of_probabilities_has_no_table_of_agreement() -> None:
    report = services.report(make_study())
    assert [section.key for section in report.sections] == ["taking-part", "experts"]
