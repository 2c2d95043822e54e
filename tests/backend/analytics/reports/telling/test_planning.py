"""What a study of another size would tell, by the variance that this one had."""

import numpy as np
import pytest

from backend.analytics.reports.telling import detection
from tests.backend.analytics.reports.made import ALPHA, by_key, cells, made


def many() -> dict[tuple[str, str, str], float]:
    """Thirty titles, some easier than others; five experts, some of whom tell better."""
    rng = np.random.default_rng(5)
    easier = rng.normal(0, 0.25, 30)
    skill = {judge: 0.1 + place * 0.05 for place, judge in enumerate("ABCDE")}
    return {
        (judge, author, f"{title:02}"): round(
            float(np.clip(0.5 + up * (skill[judge] + easier[title]) + rng.normal(0, 0.1), 0, 1)), 2
        )
        for judge in "ABCDE"
        for author, up in (("human", 0.5), ("Alpha", -0.5))
        for title in range(30)
    }


def plan(said: dict[tuple[str, str, str], float]):
    frame = made(said)
    return by_key(detection.tables(frame, frame.panels[0]), "plan")


def test_the_studys_own_size_gives_the_width_of_its_own_interval() -> None:
    frame = made(many())
    told = detection.tables(frame, frame.panels[0])
    headline = cells(by_key(told, "auc-judgments"))["Alpha"]
    own = {row[0].value: row for row in by_key(told, "plan").rows}[5]
    by_column = dict(zip([one.key for one in by_key(told, "plan").columns], own, strict=True))
    half = (headline["high"].value - headline["low"].value) / 2
    assert headline["auc"].value < 0.9  # so that no end of the scale is near
    assert by_column["titles_30_k_5"].value == pytest.approx(half, abs=1e-9)


def test_twice_the_titles_and_more_judges_narrow_it() -> None:
    rows = {row[0].value: [cell.value for cell in row[1:]] for row in plan(many()).rows}
    assert rows[5][0] > rows[5][2] > rows[10][2] > rows[40][2]
    assert rows[5][0] > rows[5][1]


def test_more_judges_for_each_poem_than_there_are_has_a_reason() -> None:
    first = plan(dict(ALPHA)).rows[0]
    assert first[0].value == 3
    assert first[2].reason == "a poem cannot have more judges than there are"


def test_one_expert_tells_nothing_of_others() -> None:
    table = plan({key: said for key, said in ALPHA.items() if key[0] == "Anna"})
    assert all("only one judge" in cell.reason for cell in table.rows[0][1:])


def test_a_half_width_above_a_half_is_none_and_says_why() -> None:
    # Two judges at odds: their t has one degree of freedom.
    found = {key: n for key, n in many().items() if key[0] in "AE" and key[2] < "04"}
    table = plan(found)
    wide = {row[0].value: row for row in table.rows}[2][1]
    assert wide.value is None
    assert wide.reason.startswith("the half width would be above 0.5")
    known = [cell.value for row in table.rows for cell in row[1:] if cell.value is not None]
    assert known
    assert max(known) <= 0.5


def test_cautions_of_the_planner_are_told_once() -> None:
    notes = plan(dict(ALPHA)).notes
    assert "only 3 judges: the interval is a rough guide" in notes
    assert len(notes) == len(set(notes))


def test_an_area_near_the_end_of_its_scale_is_cautioned_against() -> None:
    apart = {
        key: min(1, n + 0.15) if key[1] == "human" else max(0, n - 0.15)
        for key, n in many().items()
    }
    assert any("the bounds will not be even" in note for note in plan(apart).notes)
    assert not any("the bounds will not be even" in note for note in plan(many()).notes)


def test_one_title_is_one_title() -> None:
    table = plan({key: said for key, said in ALPHA.items() if key[2] == "Dawn"})
    assert [column.unit for column in table.columns[1:4:2]] == ["1 title", "2 titles"]


def test_bounds_near_the_end_of_the_scale_are_said_not_to_be_even() -> None:
    apart = {
        (judge, author, title): n if author == "human" else max(0.0, n - 0.3)
        for (judge, author, title), n in many().items()
    }
    assert any("will not be even" in note for note in plan(apart).notes)
    assert not any("will not be even" in note for note in plan(many()).notes)
