"""The AUC at other levels, worked out by hand on two titles and three experts."""

import pytest

from backend.analytics.reports.telling import detection
from tests.backend.analytics.reports.made import ALPHA, by_key, cells, made


def row(**options: object):
    frame = made(ALPHA, **options)  # type: ignore[arg-type]
    table = by_key(detection.tables(frame, frame.panels[0]), "auc-levels")
    assert table.aside
    return cells(table)["Alpha"]


def test_per_poem_mean_every_human_poem_is_above_every_one_of_the_models() -> None:
    # Human means .7 and .7; Alpha's .5 and .4.
    found = row()
    assert found["poems_auc"].value == 1
    counted = ("poems_human", "poems_model", "poems_dropped")
    assert [found[name].value for name in counted] == [2, 2, 0]
    assert found["poems_low"].value is None
    assert found["poems_low"].reason


def test_within_judges_only_poems_of_the_same_judge_are_compared() -> None:
    # Anna .8 .5 against .6 .7: 2 of 4. Ben .6 .9 against .6 .2: 3.5. Cem .7 .7 against .3 .3: 4.
    assert row()["within_auc"].value == pytest.approx(9.5 / 12)


def test_the_interval_of_delong_is_that_of_proc() -> None:
    # pROC 1.18.0: ci.auc(roc(c(rep(1,6), rep(0,6)), c(human, alpha), direction="<"))
    found = row()
    assert found["delong_low"].value == pytest.approx(0.6023493626)
    assert found["delong_high"].value == 1


def test_the_bootstrap_is_drawn_with_the_studys_seed() -> None:
    said = {
        (judge, author, title): ((7 * ord(judge) + 5 * ord(title) + 3 * ord(author[0])) % 11) / 10
        for judge in "ABCDE"
        for author in ("human", "Alpha")
        for title in "abcdefghij"
    }
    drawn = []
    for seed in (17, 17, 3):
        frame = made(said, seed=seed)
        table = by_key(detection.tables(frame, frame.panels[0]), "auc-levels")
        found = cells(table)["Alpha"]
        drawn.append((found["bootstrap_low"].value, found["bootstrap_high"].value))
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_a_machine_judge_has_no_other_level_and_no_judges_to_draw() -> None:
    frame = made(
        {("Gamma", *rest): number for (_, *rest), number in ALPHA.items()}, machines=["Gamma"]
    )  # type: ignore[misc]
    (machine,) = [panel for panel in frame.panels if not panel.expert]
    table = by_key(detection.tables(frame, machine), "auc-levels")
    assert [column.key for column in table.columns] == ["model", "delong_low", "delong_high"]


def test_where_every_draw_agrees_the_bootstrap_has_no_interval_and_says_why() -> None:
    said = {(*key, title): n for key, n in {("Anna", "human"): 0.9, ("Ben", "human"): 0.8,
            ("Anna", "Alpha"): 0.2, ("Ben", "Alpha"): 0.1}.items() for title in "abc"}  # fmt: skip
    frame = made(said)
    found = cells(by_key(detection.tables(frame, frame.panels[0]), "auc-levels"))["Alpha"]
    for bound in (found["bootstrap_low"], found["bootstrap_high"]):
        assert bound.value is None
        assert bound.reason == "nothing varies between titles or judges"
