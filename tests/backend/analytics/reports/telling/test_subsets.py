"""The headline with and without judgments in doubt: each part counted by hand."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from annotation.instruments.choices import Altered, Recognition
from annotation.instruments.questions import Point
from backend.analytics.excluding import LeftOut, Rule
from backend.analytics.frames import Frame
from backend.analytics.reports.scores import ranking
from backend.analytics.reports.telling import subsets
from backend.analytics.tables import Table
from backend.analytics.turnout import MAIN, Given, Turnout
from tests.backend.analytics.reports.made import ALPHA, POINTS, PROBABILITY, cells, made

KNOWN = Recognition(
    key="recognition", number=2, text="Do you know it?", required=True,
    levels=(Point(0, "never seen"), Point(1, "vaguely"), Point(2, "can name it")),
    named_label="Which?",
)  # fmt: skip


def given(*left: int) -> Turnout:
    """Every expert was given two poems; those at these places left one unanswered."""
    rows = tuple(
        Given(judge, item, None if judge in left and item else 1, MAIN, False, False, (), None)
        for judge in range(3)
        for item in range(2)
    )
    return Turnout(rows, Counter(), Counter(), Counter(), 0, 0)


def parts(frame: Frame, turnout: Turnout, **flagged: frozenset[int]) -> Table:
    (found,) = subsets.tables(frame, frame.panels[0], turnout, flagged)
    return found


def labels(table: Table) -> list[str]:
    return list(dict.fromkeys(column.under for column in table.columns if column.under))


def test_without_flagged_experts_theirs_are_gone() -> None:
    # Without Cem: human .8 .6 .5 .9; Alpha .6 .6 .7 .2. .8 beats all 4, .6 one and ties with two,
    # .5 one, .9 four: 11 of 16.
    table = parts(made(ALPHA), given(), seconds=frozenset({2}), run=frozenset())
    found = cells(table)["Alpha"]
    assert labels(table) == [
        "as in the results", "without experts: too little time for each line",
    ]  # fmt: skip
    assert found["all_auc"].value == 30 / 36
    assert found["flag_1_auc"].value == pytest.approx(11 / 16)
    assert found["flag_1_human"].value == 4


def test_two_signs_are_taken_together_as_well() -> None:
    # Without Anna and Cem: .6 .9 against .6 .2: .5 + 1 + 2 of 4.
    table = parts(made(ALPHA), given(), seconds=frozenset({2}), run=frozenset({0}))
    assert labels(table)[-1] == "without any of these experts"
    assert cells(table)["Alpha"]["flagged_auc"].value == pytest.approx(3.5 / 4)


def test_only_experts_who_answered_everything() -> None:
    table = parts(made(ALPHA), given(2))
    assert cells(table)["Alpha"]["everything_auc"].value == pytest.approx(11 / 16)
    assert "only experts who answered all they were given: 2 experts" in table.notes


def test_where_nothing_is_in_doubt_there_is_no_table() -> None:
    frame = made(ALPHA)
    assert subsets.tables(frame, frame.panels[0], given(), {"run": frozenset()}) == ()


def test_with_what_the_rules_leave_out() -> None:
    whole = made(ALPHA)
    kept = whole.judge != 2
    rule = LeftOut((Rule("too_fast", "read fast"),), {"too_fast": {1: 3}})
    frame = replace(whole.only(kept), left_out=rule, entire=whole)
    found = cells(parts(frame, given()))["Alpha"]
    assert found["all_auc"].value == pytest.approx(11 / 16)
    assert found["entire_auc"].value == 30 / 36


def with_recognition(level: dict[tuple[int, int], int]) -> Frame:
    """`level` of some judges (by place) and items; all others have never seen it."""
    frame = made(ALPHA)
    n = frame.judge.size
    levels = [level.get((j, i), 0) for j, i in zip(frame.judge, frame.item, strict=True)]
    return replace(
        frame,
        questions=(PROBABILITY, KNOWN),
        judge=np.tile(frame.judge, 2),
        item=np.tile(frame.item, 2),
        question=np.repeat([0, 1], n),
        number=np.concatenate([frame.number, np.array(levels, np.float64)]),
        na=np.zeros(2 * n, np.bool_),
        cannot_tell=np.zeros(2 * n, np.bool_),
        human_first=np.zeros(2 * n, np.bool_),
    )


def test_without_poems_that_their_judge_recognised() -> None:
    # Items in order: Alpha's Dawn, human Dawn, Alpha's Dusk, human Dusk. Ben (1) could name the
    # human Dusk (.9), Anna (0) knew the human Dawn (.8) vaguely.
    table = parts(with_recognition({(1, 3): 2, (0, 1): 1}), given())
    found = cells(table)["Alpha"]
    assert labels(table) == [
        "as in the results", "without “vaguely or better”", "without “can name it”",
    ]  # fmt: skip
    # Without .9: 30 - 6 of 30. Without .8 as well: 24 - 6 of 24.
    assert found["recognised_2_auc"].value == pytest.approx(24 / 30)
    assert found["recognised_1_auc"].value == pytest.approx(18 / 24)
    assert found["recognised_1_human"].value == 4


def test_a_machine_judge_has_no_such_table() -> None:
    frame = made({("Gamma", *rest): n for (_, *rest), n in ALPHA.items()}, machines=["Gamma"])  # type: ignore[misc]
    assert subsets.tables(frame, frame.panels[1], given(), {}) == ()


def on_scales(*scales: int) -> Frame:
    """Anna (3 throughout), Ben and Cem (2 of human poems, 4 of Alpha's) on questions of points."""
    base = made({key: 3 if key[0] == "Anna" else 2 if key[1] == "human" else 4 for key in ALPHA},
                question=replace(POINTS, about=""))  # fmt: skip
    n = base.judge.size
    questions = tuple(
        replace(
            POINTS, key=f"q{number}", number=number, about="",
            points=tuple(Point(code, str(code)) for code in range(1, highest + 1)),
        )
        for number, highest in enumerate(scales, start=1)
    )  # fmt: skip
    return replace(
        base,
        questions=questions,
        judge=np.tile(base.judge, len(scales)),
        item=np.tile(base.item, len(scales)),
        question=np.repeat(np.arange(len(scales)), n),
        number=np.tile(base.number, len(scales)),
        **{
            key: np.zeros(n * len(scales), np.bool_) for key in ("na", "cannot_tell", "human_first")
        },
    )


def test_overall_means_with_and_without_are_those_of_the_ranking() -> None:
    frame = on_scales(5, 5)
    table = parts(frame, given(), spread=frozenset({0}))
    found, ranked = cells(table), cells(ranking.tables(frame, frame.panels[0])[0])
    for key, name in (("mean", "overall"), ("low", "overall_low"), ("high", "overall_high")):
        assert found["Alpha"][f"all_{key}"] == ranked["Alpha"][name]
    # Anna says 3, the others 4: without her it is 4.
    assert found["Alpha"]["all_mean"].value == pytest.approx((3 + 4 + 4) / 3)
    assert found["Alpha"]["flag_1_mean"].value == 4
    assert "mean of 2 questions’ means" in table.caption
    assert "per rating" not in table.caption


def test_means_of_few_judges_have_the_cautions_of_the_ranking() -> None:
    table = parts(on_scales(5, 5), given(), spread=frozenset({0}))
    assert [note for note in table.notes if note.startswith("draws of few differ too little")]


def test_there_are_figures_without_the_flagged_only_where_some_are_left() -> None:
    frame = made(ALPHA)
    experts = frame.panels[0]
    assert subsets.has_without(frame, experts, {"run": frozenset({0}), "share": frozenset()})
    assert not subsets.has_without(frame, experts, {"run": frozenset()})
    assert not subsets.has_without(frame, experts, {"run": frozenset({0, 1, 2})})
    # Altered or not has no headline of its own.
    altered = Altered(key="altered", number=1, text="", required=True, labels=("no", "yes"))
    assert not subsets.has_without(
        replace(frame, questions=(altered,)), experts, {"run": frozenset({0})}
    )


def test_means_on_unlike_scales_are_never_averaged() -> None:
    frame = on_scales(5, 9)
    tables = subsets.tables(frame, frame.panels[0], given(), {"spread": frozenset({0})})
    assert [one.key for one in tables] == ["means-parts-experts-q1", "means-parts-experts-q2"]
    assert [one.columns[1].unit for one in tables] == ["points 1 to 5", "points 1 to 9"]
    assert all("per single rating" in one.caption for one in tables)


def test_scores_stand_beside_areas_with_and_without_those_who_knew_the_poem() -> None:
    points = on_scales(5)
    areas = with_recognition({(1, 3): 2})
    both = replace(
        areas,
        questions=(*areas.questions, replace(points.questions[0], number=3)),
        judge=np.concatenate([areas.judge, points.judge]),
        item=np.concatenate([areas.item, points.item]),
        question=np.concatenate([areas.question, points.question + 2]),
        number=np.concatenate([areas.number, points.number]),
        **{
            key: np.zeros(areas.judge.size + points.judge.size, np.bool_)
            for key in ("na", "cannot_tell", "human_first")
        },
    )
    tables = subsets.tables(both, both.panels[0], given(), {})
    assert [one.key for one in tables] == ["auc-parts-experts-q1", "means-parts-experts"]
    # Of six human ratings, Anna's two are 3 and the others 2; one of these goes.
    human = cells(tables[1])["human"]
    assert human["all_mean"].value == pytest.approx(14 / 6)
    assert human["recognised_2_mean"].value == pytest.approx(12 / 5)


def test_one_expert_is_one_expert() -> None:
    table = parts(made(ALPHA), given(0, 2))
    assert "only experts who answered all they were given: 1 expert" in table.notes
