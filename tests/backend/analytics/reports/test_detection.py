"""Telling models from humans, worked out by hand on two titles, two models, three experts."""

import math

import pytest

from annotation.studies.models import Study
from backend.analytics import services
from backend.analytics.tables import Cell
from tests.studies import make_study

pytestmark = pytest.mark.django_db

# What Anna, Ben and Cem said, then the machine Gamma. Beta's poems were scored as the human ones.
SAID = {
    ("human", "Dawn"): (0.8, 0.6, 0.7, 0.9),
    ("human", "Dusk"): (0.5, 0.9, 0.7, 0.4),
    ("Alpha", "Dawn"): (0.6, 0.6, 0.3, 0.4),
    ("Alpha", "Dusk"): (0.7, 0.2, 0.3, 0.1),
    ("Beta", "Dawn"): (0.8, 0.6, 0.7, 0.9),
    ("Beta", "Dusk"): (0.5, 0.9, 0.7, 0.4),
}
WHO = ("Anna", "Ben", "Cem", "Gamma")


def known(**options: object) -> Study:
    return make_study(
        judges=WHO[:3],
        machines=WHO[3:],
        answers=lambda judge, author, title: SAID[author, title][WHO.index(judge)],
        **options,  # type: ignore[arg-type]
    )


def rows(study: Study, key: str) -> dict[object, dict[str, Cell]]:
    table = services.report(study).table(key)
    names = [column.key for column in table.columns]
    return {row[0].value: dict(zip(names, row, strict=True)) for row in table.rows}


def test_auc_per_judgment() -> None:
    # Alpha's six scores in tenths: 2 3 3 6 6 7. Below each human score, ties half:
    # 8 -> 6, 6 -> 3 + 2/2, 7 -> 5 + 1/2, 5 -> 3, 9 -> 6, 7 -> 5 + 1/2; together 30 of 36.
    found = rows(known(), "auc-judgments-experts-q1")
    assert found["Alpha"]["auc"].value == 30 / 36
    assert found["Beta"]["auc"].value == 0.5
    counted = ("human_judgments", "model_judgments", "titles", "judges")
    assert [found["Alpha"][name].value for name in counted] == [6, 6, 2, 3]


def test_auc_per_poem_mean_is_another_number() -> None:
    # Human means .7 and .7; Alpha's .5 and .4: every human poem is above every one of Alpha's.
    found = rows(known(), "auc-poems-experts-q1")
    assert found["Alpha"]["auc"].value == 1.0
    assert found["Beta"]["auc"].value == 0.5
    counted = ("human_poems", "model_poems", "titles", "judges", "unjudged")
    assert [found["Alpha"][name].value for name in counted] == [2, 2, 2, 3, 0]
    assert found["Alpha"]["low"].value is None
    assert found["Alpha"]["low"].reason


def test_a_machine_judge_has_a_table_of_its_own() -> None:
    # Human .9 .4, Alpha .4 .1: .9 beats both, .4 beats one and ties with one: 3.5 of 4.
    found = rows(known(), "auc-judgments-machine-1-q1")
    assert found["Alpha"]["auc"].value == 3.5 / 4
    assert found["Alpha"]["judges"].value == 1


def test_each_level_is_named() -> None:
    report = services.report(known())
    assert "per judgment" in report.table("auc-judgments-experts-q1").caption
    assert "per poem mean" in report.table("auc-poems-experts-q1").caption
    with pytest.raises(LookupError):
        report.table("auc-poems-machine-1-q1")


def test_signed_rank_on_title_matched_means() -> None:
    # Differences .5 - .7 = -.2 and .4 - .7 = -.3: ranks 1 and 2, both negative. Of four sign
    # patterns one is as low and one as high: p = 2/4. Walsh averages -.2 -.25 -.3.
    alpha = rows(known(), "signed-rank-experts-q1")["Alpha"]
    assert (alpha["w_plus"].value, alpha["w_minus"].value) == (0, 3)
    assert alpha["p"].value == 0.5
    assert alpha["effect"].value == -1
    assert alpha["difference"].value == pytest.approx(-0.25)
    assert alpha["model_mean"].value == pytest.approx(0.45)
    assert alpha["human_mean"].value == pytest.approx(0.7)
    assert (alpha["titles"].value, alpha["dropped"].value) == (2, 0)


def test_equal_scores_leave_the_test_undefined_with_its_reason() -> None:
    beta = rows(known(), "signed-rank-experts-q1")["Beta"]
    assert beta["p"] == Cell(None, "the two sides have the same score on every title")
    assert beta["equal"].value == 2


def test_a_title_judged_on_one_side_only_is_dropped_and_counted() -> None:
    def all_but_alphas_dusk(judge: str, author: str, title: str) -> float | None:
        return None if (author, title) == ("Alpha", "Dusk") else SAID[author, title][0]

    study = make_study(judges=["Anna"], answers=all_but_alphas_dusk)
    alpha = rows(study, "signed-rank-experts-q1")["Alpha"]
    assert (alpha["titles"].value, alpha["dropped"].value) == (1, 1)
    assert rows(study, "auc-poems-experts-q1")["Alpha"]["unjudged"].value == 1


def test_a_free_poem_counts_for_the_auc_but_has_no_match() -> None:
    def said(judge: str, author: str, title: str) -> float:
        return SAID.get((author, title), (0.0,) * 4)[WHO.index(judge)]

    study = make_study(judges=WHO[:3], free=["Alpha"], answers=said)
    # Three scores of 0 more, below all six human ones: 30 + 18 of 36 + 18.
    assert rows(study, "auc-judgments-experts-q1")["Alpha"]["auc"].value == 48 / 54
    assert rows(study, "signed-rank-experts-q1")["Alpha"]["titles"].value == 2
    notes = services.report(study).table("signed-rank-experts-q1").notes
    assert "Alpha: poems on a brief of no human poem: 1 (they have no match)" in notes


def test_the_published_question_of_authorship_is_analysed_in_the_same_way() -> None:
    points = {"human": 5, "Alpha": 2, "Beta": 5}

    def said(_judge: str, author: str, _title: str) -> dict[str, object]:
        keys = ("form", "theme", "lexical_diversity", "creativity", "idiosyncrasy")
        keys += ("emotional_resonance", "imagery", "literary_devices", "quality")
        comments = ("literary_devices_comment", "quality_comment", "human_authorship_comment")
        return {
            **dict.fromkeys(keys, 3),
            **dict.fromkeys(comments, "because"),
            "human_authorship": points[author],
        }

    study = make_study(instrument="poemetric-survey", answers=said)
    found = rows(study, "auc-judgments-experts-q12")
    assert (found["Alpha"]["auc"].value, found["Beta"]["auc"].value) == (1.0, 0.5)
    assert math.isclose(rows(study, "signed-rank-experts-q12")["Alpha"]["difference"].value, -3)  # type: ignore[arg-type]
