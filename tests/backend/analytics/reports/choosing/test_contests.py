"""Models set against each other by choices between two texts, counted by hand."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from annotation.instruments.choices import ForcedChoice
from backend.analytics.frames import Frame, Placed, Seat
from backend.analytics.reports.choosing import choices
from backend.analytics.reports.telling import subsets
from backend.analytics.turnout import Turnout
from tests.backend.analytics.reports.made import by_key, cells

QUESTION = ForcedChoice(
    key="human_text", number=1, text="Which did a human write?", required=False, about="authorship"
)


def chosen(said: Mapping[tuple[str, str, str], bool | None], *, machine: str = "") -> Frame:
    """Return a frame in which a judge chose the human text over a model's on a title, or not."""
    judges = sorted({judge for judge, _, _ in said}, key=lambda name: (name == machine, name))
    pairs = sorted({(model, title) for _, model, title in said})
    titles = sorted({title for _, title in pairs})
    rows = [
        (judges.index(judge), pairs.index((model, title)), human)
        for (judge, model, title), human in said.items()
    ]
    n = len(rows)
    return Frame(
        seats=tuple(Seat(n, name, name, expert=name != machine) for n, name in enumerate(judges)),
        items=tuple(
            Placed(n, model, "a poet", titles.index(title) + 1, title, "sonnet", "first")
            for n, (model, title) in enumerate(pairs)
        ),
        questions=(QUESTION,),
        models=tuple(sorted({model for model, _ in pairs})),
        judge=np.array([row[0] for row in rows], np.intp),
        item=np.array([row[1] for row in rows], np.intp),
        question=np.zeros(n, np.intp),
        number=np.array([np.nan if row[2] is None else row[2] for row in rows], np.float64),
        na=np.zeros(n, np.bool_),
        cannot_tell=np.zeros(n, np.bool_),
        human_first=np.ones(n, np.bool_),
    )


def tables(frame: Frame, panel: int = 0):
    return choices.tables(frame, frame.panels[panel])


def six(judge: str = "Anna") -> dict[tuple[str, str, str], bool | None]:
    """Six titles: Alpha is told on all, Beta on the first alone."""
    return {
        (judge, model, title): model == "Alpha" or title == "a"
        for model in ("Alpha", "Beta")
        for title in "abcdef"
    }


def test_models_are_compared_on_titles_that_a_judge_saw_with_both() -> None:
    # Five titles tell them apart, all for Alpha: McNemar's exact p is 2 / 2**5.
    said = {**six(), ("Anna", "Alpha", "g"): True, ("Anna", "Beta", "b"): False}
    found = cells(by_key(tables(chosen(said)), "choices-models"))["Alpha"]
    counted = ("shared", "both", "only_first", "only_second", "neither")
    assert [found[name].value for name in counted] == [6, 1, 5, 0, 0]
    assert found["p"].value == pytest.approx(2 / 2**5)
    assert found["p_holm"].value == found["p"].value
    assert found["difference"].value == pytest.approx(5 / 6)


def test_a_skipped_choice_is_in_no_comparison() -> None:
    said = {**six(), ("Anna", "Alpha", "b"): None}
    found = cells(by_key(tables(chosen(said)), "choices-models"))["Alpha"]
    assert (found["shared"].value, found["only_first"].value) == (5, 4)


def test_two_judges_count_apart() -> None:
    found = cells(by_key(tables(chosen({**six(), **six("Ben")})), "choices-models"))["Alpha"]
    assert (found["shared"].value, found["only_first"].value) == (12, 10)


def test_a_machine_judge_stands_beside_the_experts() -> None:
    # Experts 3 of 4 over Alpha, Gamma 1 of 4: Fisher's two tables as likely or less on each side,
    # (1 + 16 + 16 + 1) / 70 (R 4.2.2: fisher.test(matrix(c(3, 1, 1, 3), 2))$p.value, .4857143).
    said = {("Anna", "Alpha", title): title != "d" for title in "abcd"}
    said |= {("Gamma", "Alpha", title): title == "a" for title in "abcd"}
    frame = chosen(said, machine="Gamma")
    found = cells(by_key(tables(frame, panel=1), "choices-beside-experts"))["Alpha"]
    counted = ("experts_chosen", "experts_judgments", "judge_chosen", "judge_judgments")
    assert [found[name].value for name in counted] == [3, 4, 1, 4]
    assert found["p"].value == pytest.approx(34 / 70)
    assert found["difference"].value == 0.5


def test_strengths_are_log_odds_against_the_human_text() -> None:
    # Alpha's text was chosen on two of six titles, Beta's on three: log(2/4) and log(3/3).
    said = {("Anna", "Alpha", title): title not in "ab" for title in "abcdef"}
    said |= {("Anna", "Beta", title): title not in "abc" for title in "abcdef"}
    found = cells(by_key(tables(chosen(said)), "strengths"))
    assert found["Alpha"]["strength"].value == pytest.approx(np.log(0.5))
    assert found["Beta"]["strength"].value == pytest.approx(0, abs=1e-9)
    assert found["human"]["strength"].value == 0
    # The standard error of a log odds of 2 and 4: sqrt(1/2 + 1/4); 1.959964 of it on either side.
    assert found["Alpha"]["low"].value == pytest.approx(np.log(0.5) - 1.959964 * 0.75**0.5)
    assert [found[name]["choices"].value for name in ("human", "Alpha")] == [12, 6]


def test_a_model_that_was_never_chosen_leaves_no_ranking_and_is_named() -> None:
    found = cells(by_key(tables(chosen(six())), "strengths"))
    assert found["human"]["strength"].value is None
    assert "Alpha" in found["human"]["strength"].reason


def test_of_several_judges_the_interval_allows_for_them() -> None:
    said = {**six(), **six("Ben"), ("Ben", "Beta", "b"): True}
    table = by_key(tables(chosen(said)), "choices-experts")
    found = cells(table)["Beta"]
    assert (found["judgments"].value, found["human_chosen"].value) == (12, 3)
    assert found["clustered_low"].value is not None
    assert found["clustered_low"].value != found["low"].value
    assert "two-way cluster-robust" in table.method
    assert "a choice has no ties" in table.method


def test_of_one_judge_wilsons_interval_alone_is_given() -> None:
    table = by_key(tables(chosen(six())), "choices-experts")
    found = cells(table)["Beta"]
    assert found["clustered_low"].reason == "one judge: Wilson's interval holds"
    assert any("by one judge" in note for note in table.notes)


def test_of_one_machine_judge_no_table_speaks_of_several_judges() -> None:
    frame = chosen(six("Gamma"), machine="Gamma")
    alone = by_key(tables(frame, panel=1), "choices-models")
    assert "a title" in alone.basis
    assert "per title" in alone.caption
    assert alone.columns[2].unit == "titles"
    assert alone.notes[0].startswith("all choices are by one judge")
    assert "the judge leans" in by_key(tables(frame, panel=1), "choices-machine").explanation
    said = by_key(tables(frame, panel=1), "strengths")
    assert said.notes[0].startswith("all choices are by one judge")


def test_every_table_of_choices_says_what_became_of_ties() -> None:
    said = {**six(), **six("Gamma")}
    frame = chosen(said, machine="Gamma")
    for table in (*tables(frame), *tables(frame, panel=1)):
        assert "a choice has no ties; a pair that was skipped is in no figure" in table.method


def test_shares_without_experts_in_doubt_stand_beside_all() -> None:
    frame = chosen({**six(), **six("Ben"), ("Ben", "Beta", "b"): True})
    turnout = Turnout((), Counter(), Counter(), Counter(), 0, 0)
    (table,) = subsets.tables(frame, frame.panels[0], turnout, {"run": frozenset({1})})
    found = cells(table)["Beta"]
    assert (found["all_share"].value, found["all_judgments"].value) == (3 / 12, 12)
    assert (found["flag_1_share"].value, found["flag_1_judgments"].value) == (1 / 6, 6)
