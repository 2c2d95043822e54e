"""Skill and leaning, by hand: above the middle is "human", at the middle half."""

import pytest

from backend.analytics.presenting import present
from backend.analytics.reports.telling import detection
from tests.backend.analytics.reports.made import ALPHA, POINTS, by_key, cells, made


def test_sensitivity_and_criterion_of_a_model() -> None:
    # Human: five above .5 and one at it, 5.5 of 6, so H = 6/7. Alpha: 3 of 6, so F = 1/2.
    # qnorm(6/7) = 1.067570524 (R 4.2.2).
    frame = made(ALPHA)
    found = cells(by_key(detection.tables(frame, frame.panels[0]), "signal-experts"))["Alpha"]
    assert found["dprime"].value == pytest.approx(1.067570524)
    assert found["criterion"].value == pytest.approx(-1.067570524 / 2)
    assert found["human_as_human"].value == pytest.approx(5.5 / 6)
    assert found["model_as_human"].value == pytest.approx(3 / 6)
    assert found["at_middle"].value == 1


def test_the_middle_of_a_probability_is_a_half() -> None:
    frame = made(ALPHA)
    table = by_key(detection.tables(frame, frame.panels[0]), "signal-experts")
    assert "above 0.5 is human, exactly at it half" in table.method


def test_the_interval_of_sensitivity_says_that_it_takes_judgments_for_independent() -> None:
    frame = made(ALPHA)
    page = present(by_key(detection.tables(frame, frame.panels[0]), "signal-experts"))
    (small,) = [one.small for one in page.headings if one.label == "95 % interval"]
    assert small == "independent judgments"


def test_all_models_together_come_first() -> None:
    beta = {(who, "Beta", title): 0.1 for who in ("Anna", "Ben") for title in ("Dawn", "Dusk")}
    frame = made({**ALPHA, **beta})
    table = by_key(detection.tables(frame, frame.panels[0]), "signal-experts")
    assert [row[0].value for row in table.rows] == ["all models together", "Alpha", "Beta"]
    counted = [row[-1].value for row in table.rows]
    assert counted == [10, 6, 4]


def test_each_judge_is_described_and_nobody_ranked() -> None:
    frame = made(ALPHA)
    table = by_key(detection.tables(frame, frame.panels[0]), "signal-judges")
    # Anna .8 .5 against .6 .7: 2 of 4. Ben .6 .9 against .6 .2: 3.5. Cem .7 .7 against .3 .3: 4.
    assert [row[1].value for row in table.rows] == [2 / 4, 3.5 / 4, 1]
    assert table.aside
    assert any("nobody is left out" in note for note in table.notes)


def test_on_a_scale_of_points_the_middle_is_that_of_the_scale() -> None:
    points = {key: round(number * 5) for key, number in ALPHA.items() if number is not None}
    frame = made(points, question=POINTS)
    table = by_key(detection.tables(frame, frame.panels[0]), "signal-experts")
    assert "above 3 is human" in table.method
    # Human: 4 3 4 2 4 4 (.5 * 5 and .7 * 5 round to even), so 4 above and one at 3 of six.
    assert cells(table)["Alpha"]["human_as_human"].value == pytest.approx(4.5 / 6)


def test_one_judges_area_has_an_interval_by_titles_alone() -> None:
    # Anna's .8 .5 against .6 .7: Dawn's human poem beats both, Dusk's none; Alpha's poems beat one
    # each. Influences (1 - 1/2)/2 and 0 on Dawn: .25, on Dusk -.25; V = 2/1 * 2/16 = 1/4.
    frame = made(ALPHA)
    found = cells(by_key(detection.tables(frame, frame.panels[0]), "signal-judges"))["Anna"]
    assert found["auc"].value == 0.5
    assert (found["auc_low"].value, found["auc_high"].value) == (0, 1)  # t(1) * 1/2 reaches beyond
    table = by_key(detection.tables(frame, frame.panels[0]), "signal-judges")
    assert "by titles only, not for other judges" in table.method
    assert cells(table)["Cem"]["auc_low"].reason
