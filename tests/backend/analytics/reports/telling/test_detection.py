"""Telling models from humans, worked out by hand on two titles, two models, three experts."""

import math

import pytest

from annotation.studies.models import Study
from backend.analytics import services
from backend.analytics.reports.telling import detection
from backend.analytics.tables import Cell
from backend.design.models import Design
from tests.backend.analytics.reports.made import ALPHA, by_key, cells, made
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


def test_a_machine_judge_has_a_table_of_its_own() -> None:
    # Human .9 .4, Alpha .4 .1: .9 beats both, .4 beats one and ties with one: 3.5 of 4.
    found = rows(known(), "auc-judgments-machine-1-q1")
    assert found["Alpha"]["auc"].value == 3.5 / 4
    assert found["Alpha"]["judges"].value == 1


def test_the_header_names_the_level_and_what_it_rests_on() -> None:
    report = services.report(known())
    table = report.table("auc-judgments-experts-q1")
    assert "per judgment" in table.caption
    assert table.basis == (
        "One unit is a judgment. 18 judgments of 6 poems on 2 titles by 3 judges"
    )
    assert "two-way cluster-robust" in table.method
    alone = report.table("auc-judgments-machine-1-q1")
    assert alone.basis.endswith("6 judgments of 6 poems on 2 titles by 1 judge")
    assert "by titles only" in alone.method


def many(margin: float | None) -> dict[str, Cell]:
    """Six judges, twelve titles; Alpha's poems are scored lower on some of them alone."""
    said = {
        (judge, author, title): (
            (5 * ord(judge) + 3 * ord(title) + 4 * (author == "human" and title < "e")) % 11
        )
        / 10
        for judge in "ABCDEF"
        for author in ("human", "Alpha")
        for title in "abcdefghijkl"
    }
    frame = made(said, margin=margin)
    return cells(by_key(detection.tables(frame, frame.panels[0]), "auc-judgments"))["Alpha"]


@pytest.mark.parametrize("margin", [None, 0.01, 0.05, 0.25])
def test_the_verdict_is_that_of_both_intervals_and_the_margin(margin: float | None) -> None:
    row = many(margin)
    low, high, low_90, high_90 = (
        float(row[name].value)  # type: ignore[arg-type]
        for name in ("low", "high", "low_90", "high_90")
    )
    assert low < low_90 < high_90 < high
    if margin is not None and 0.5 - margin < low_90 and high_90 < 0.5 + margin:
        assert row["verdict"].value == f"equivalent within {margin:g}"
    elif low <= 0.5 <= high:
        assert row["verdict"].value == "inconclusive"
    else:
        assert row["verdict"].value == "different"


def test_with_a_wide_margin_the_same_scores_are_equivalent_and_with_none_they_are_not() -> None:
    assert many(0.25)["verdict"].value == "equivalent within 0.25"
    assert many(None)["verdict"].value == "inconclusive"


def test_the_margin_is_the_one_that_the_design_fixed() -> None:
    study = known()
    Design.objects.filter(study=study).update(margin=0.08)
    assert (
        "within 0.08 of 0.5" in services.report(study).table("auc-judgments-experts-q1").explanation
    )


def test_without_an_interval_there_is_no_verdict_but_its_reason() -> None:
    # Beta's poems were scored as the human ones, judge by judge and title by title.
    beta = rows(known(), "auc-judgments-experts-q1")["Beta"]
    assert beta["verdict"].value is None
    assert beta["verdict"].reason == beta["low"].reason != ""


def test_signed_rank_on_title_matched_means() -> None:
    # Differences .5 - .7 = -.2 and .4 - .7 = -.3: ranks 1 and 2, both negative. Of four sign
    # patterns one is as low and one as high: p = 2/4. Walsh averages -.2 -.25 -.3.
    alpha = rows(known(), "signed-rank-experts-q1")["Alpha"]
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
    assert rows(study, "auc-levels-experts-q1")["Alpha"]["poems_dropped"].value == 1


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


def test_of_one_machine_nothing_is_said_of_judges() -> None:
    said = {("Gamma", *rest): n for (who, *rest), n in ALPHA.items() if who == "Anna"}
    beta = {("Gamma", "Beta", title): 0.4 for title in ("Dawn", "Dusk")}
    frame = made({**said, **beta}, machines=["Gamma"])  # type: ignore[dict-item]
    found = detection.tables(frame, frame.panels[1])
    headline = by_key(found, "auc-judgments")
    assert "At 0.5 Gamma cannot tell them apart; at 1 it always can" in headline.explanation
    assert "share titles, which" in by_key(found, "auc-differences").explanation
    paired = by_key(found, "signed-rank-machine")
    assert paired.basis.startswith("One unit is a title, with the scores of its two poems. ")
    assert "over judges" not in f"{paired.basis} {paired.explanation} {paired.method}"


def test_of_experts_their_number_is_allowed_for() -> None:
    beta = {(who, "Beta", title): 0.4 for who, author, title in ALPHA if author == "human"}
    frame = made({**ALPHA, **beta})
    found = detection.tables(frame, frame.panels[0])
    assert "the judges cannot tell them apart; at 1 they" in by_key(found, "auc-jud").explanation
    assert "share judges and titles" in by_key(found, "auc-differences").explanation
    assert "over judges" in by_key(found, "signed-rank-experts").basis
