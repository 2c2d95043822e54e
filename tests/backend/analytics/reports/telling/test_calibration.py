"""Probabilities against what came true, by hand on twelve judgments."""

import pytest

from backend.analytics.reports.telling import calibration
from tests.backend.analytics.reports.made import ALPHA, POINTS, by_key, cells, made


def tables():
    frame = made(ALPHA)
    return calibration.tables(frame, frame.panels[0])


def test_the_brier_score_and_its_parts() -> None:
    # Human .8 .6 .7 .5 .9 .7 miss 1 by .04 .16 .09 .25 .01 .09; Alpha's .6 .6 .3 .7 .2 .3 miss 0
    # by .36 .36 .09 .49 .04 .09: together 2.07 of 12. Half the judgments are of human poems.
    found = cells(by_key(tables(), "calibration-experts"))["the experts"]
    assert found["brier"].value == pytest.approx(2.07 / 12)
    assert found["uncertainty"].value == 0.25
    assert found["skill"].value == pytest.approx(1 - 2.07 / 12 / 0.25)
    assert (found["judgments"].value, found["human_judgments"].value) == (12, 6)
    assert found["base_rate"].value == 0.5
    parts = [found[name].value for name in ("reliability", "resolution", "uncertainty")]
    assert parts[0] - parts[1] + parts[2] == pytest.approx(2.07 / 12)  # type: ignore[operator]


def test_the_calibration_error_by_bins() -> None:
    # .2: 1, none human, off by .2. .3: 2, none, .3. .5: 1, human, .5. .6: 3, one human, .8/3.
    # .7: 3, two human, .1/3. .8: 1, .2. .9: 1, .1. Together 2.5 of 12.
    found = cells(by_key(tables(), "calibration-experts"))["the experts"]
    assert found["ece"].value == pytest.approx(2.5 / 12)
    bins = by_key(tables(), "reliability")
    assert bins.aside
    shares = [(row[2].value, row[4].value) for row in bins.rows]
    assert shares == [
        (1, 0), (2, 0), (1, 1), (3, pytest.approx(1 / 3)), (3, pytest.approx(2 / 3)), (1, 1),
        (1, 1),
    ]  # fmt: skip


def test_the_calibration_line() -> None:
    # R 4.2.2: glm(y ~ qlogis(p), family = binomial): -0.8419757856 and 2.1141243648.
    found = cells(by_key(tables(), "calibration-experts"))["the experts"]
    assert found["intercept"].value == pytest.approx(-0.8419757856)
    assert found["slope"].value == pytest.approx(2.1141243648)


def test_the_base_rate_is_named() -> None:
    (note, *_) = by_key(tables(), "calibration-experts").notes
    assert note.startswith("base rate: 0.500 of the judgments are of human poems")
    assert "does not tell judges this share" in note
    for figure in ("Brier score", "skill", "ECE", "calibration curve", "intercept"):
        assert figure in note


def test_reliability_is_said_of_briers_part_alone() -> None:
    scores, bins = by_key(tables(), "calibration-experts"), by_key(tables(), "reliability")
    labels = [column.label for column in scores.columns]
    assert "Reliability (Brier)" in labels
    assert bins.caption.startswith("Calibration curve: ")


def test_forecasts_at_the_ends_are_one_caution_about_slope_and_intercept() -> None:
    # Anna names 1 of a human poem and 0 of one of Alpha's, Ben 1 of a human poem.
    ends = {
        ("Anna", "human", "Dawn"): 1.0, ("Anna", "Alpha", "Dawn"): 0.0,
        ("Ben", "human", "Dawn"): 1.0,
    }  # fmt: skip
    frame = made({**ALPHA, **ends})
    found = calibration.tables(frame, frame.panels[0])
    for key in ("calibration-experts", "calibration-judges"):
        (note,) = [one for one in by_key(found, key).notes if "moved inwards" in one]
        assert note.startswith(
            "3 forecasts of 0 or 1 were moved inwards by half of 1/1000, for slope and intercept "
            "alone"
        )


def test_each_judge_stands_in_a_table_folded_away() -> None:
    table = by_key(tables(), "calibration-judges")
    # Cem: .7 .7 of human poems, .3 .3 of Alpha's: each misses by .09.
    assert cells(table)["Cem"]["brier"].value == pytest.approx(0.09)
    assert table.aside


def test_points_are_no_forecasts() -> None:
    points = {key: round(number * 5) for key, number in ALPHA.items() if number is not None}
    frame = made(points, question=POINTS)
    assert calibration.tables(frame, frame.panels[0]) == ()


def test_a_caution_that_holds_for_score_and_line_is_said_once() -> None:
    notes = by_key(tables(), "calibration-experts").notes
    assert notes.count("only 3 judges: the interval is a rough guide") == 1
    assert len(notes) == len(set(notes))
