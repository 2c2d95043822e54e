"""How well poems were known is counted, and told beside the figures it may have moved."""

import pytest

from annotation.studies.models import Assignment, Study
from backend.analytics import services
from backend.analytics.reports.report import Report
from backend.design.models import Design
from tests.backend.analytics.answering import answer, closed, fitting, reopened
from tests.backend.analytics.reports.scales import figures
from tests.studies import make_study

pytestmark = pytest.mark.django_db

# Level of recognition by judge and author; every judge reads two poems by each author.
LEVEL = {
    ("Anna", "human"): 3,
    ("Anna", "Alpha"): 0,
    ("Ben", "human"): 1,
    ("Ben", "Alpha"): 1,
}
KNOWN = {
    "recognition": 3, "recognition.named": "Keats", "overall_quality": 3, "emotional_resonance": 2,
    "quality_comment": "", "probability_human": 0.9,
}  # fmt: skip


@pytest.fixture
def study() -> Study:
    made = reopened(
        make_study(instrument="recognised-probability", models=["Alpha"], answers=lambda *_: None)
    )
    given = Assignment.objects.filter(judge__study=made).select_related("item__placement")
    for assignment in given:
        author = "Alpha" if assignment.item.placement.generation_id else "human"
        answers = fitting(made.instrument)
        answers["recognition"] = LEVEL[assignment.judge.name, author]
        answer(assignment, answers)
    return closed(made)


def test_levels_are_counted_for_each_author(study: Study) -> None:
    rows = figures(services.report(study).table("recognition-q1"))
    levels = ("level_0", "level_1", "level_2", "level_3")
    assert [rows["human"][level].value for level in levels] == [0, 2, 0, 2]
    assert [rows["Alpha"][level].value for level in levels] == [2, 2, 0, 0]


def test_the_share_of_poems_that_could_be_named_is_told_with_its_n(study: Study) -> None:
    # Anna could name both human poems, Ben neither: half of four judgments, both of two poems.
    human = figures(services.report(study).table("recognition-q1"))["human"]
    assert human["share"].value == 0.5
    assert (human["poems"].value, human["poems_named"].value) == (2, 2)


def test_the_headline_is_given_without_poems_that_were_known(study: Study) -> None:
    table = services.report(study).table("auc-parts-experts-q5")
    found = figures(table)["Alpha"]
    # Of four human judgments two stay if those who could name it go, none if all who knew it go.
    assert (found["all_human"].value, found["recognised_3_human"].value) == (4, 2)
    assert found["recognised_1_human"].value == 0
    assert found["recognised_1_auc"].reason == "no human poem was judged"


def test_a_level_is_no_amount(study: Study) -> None:
    assert not any(
        column.key.startswith("recognition_")
        for column in services.report(study).table("ratings-experts").columns
    )


def test_figures_on_telling_apart_say_how_many_could_name_the_poem(study: Study) -> None:
    report = services.report(study)
    names = ("auc-judgments", "signed-rank-experts", "signal-experts", "calibration-experts")
    tables = [table for table in report.tables() if table.key.startswith(names)]
    assert len(tables) == len(names)
    for table in tables:
        assert (
            "judgments by someone who chose “I can name it”: 2 of 8; they are in these figures, "
            "as no rule leaves them out" in table.notes
        )


def test_a_study_without_the_question_says_nothing_of_it() -> None:
    report = services.report(make_study())
    assert not any("name it" in note for table in report.tables() for note in table.notes)


def ruled(study: Study, level: int) -> Report:
    Design.objects.filter(study=study).update(exclusions={"recognised": level})
    return services.report(study)


@pytest.mark.parametrize("level", [1, 3])
def test_a_rule_about_known_poems_leaves_the_share_that_was_known(study: Study, level: int) -> None:
    before, after = services.report(study), ruled(study, level)
    for key in ("recognition-q1", "known-q1"):
        assert after.table(key).rows == before.table(key).rows
        assert after.table(key).basis == before.table(key).basis
        assert not any("left out by rules" in note for note in after.table(key).notes)
        assert "leave out of the results is in this table" in after.table(key).explanation
        assert "leave out" not in before.table(key).explanation
    assert any("left out by rules" in n for n in after.table("auc-judgments-experts-q5").notes)


def test_a_machine_judges_tables_say_that_the_rule_is_about_experts() -> None:
    study = make_study(
        instrument="recognised-probability", models=["Alpha"], machines=["Gamma"],
        answers=lambda judge, *_: KNOWN if judge == "Gamma" else None,
    )  # fmt: skip
    (note,) = [
        note
        for note in ruled(study, 3).table("auc-judgments-machine-1-q5").notes
        if "I can name it" in note
    ]
    assert note == (
        "judgments by this language model where it chose “I can name it”: 4 of 4; they are in "
        "these figures, as the design’s rule is about experts alone"
    )
