"""AUC by rule of form and by length, on Chinese verse whose scores tie by design."""

import pytest

from backend.analytics.frames import Frame
from backend.analytics.reports.telling import proftap
from backend.analytics.reports.telling.answers import Telling
from backend.analytics.tables import Table
from backend.statistics.estimate import Estimate
from tests.backend.analytics.reports.made import by_key, cells, made

FIVE = "白日依山尽，黄河入海流。"
SEVEN = "月落乌啼霜满天，江枫渔火对愁眠。"
UNEVEN = "无言独上西楼，月如钩。"
REPEATED = "举头望明月，低头思故乡。"
TITLES = [f"title {n:02}" for n in range(12)]


def text(author: str, title: str) -> str:
    """Of twelve titles a model's last two poems are uneven, and one of Beta's repeats itself."""
    place = TITLES.index(title)
    if author == "human":
        return SEVEN if place < 11 else REPEATED
    if author == "Beta" and place == 0:
        return REPEATED
    if author == "Gamma":
        return SEVEN if place < 9 else UNEVEN
    return SEVEN if place < 10 else UNEVEN


def score(author: str, title: str) -> float:
    """All poems score .6, but uneven ones .1."""
    return 0.1 if text(author, title) == UNEVEN else 0.6


def chinese(judges: tuple[str, ...] = ("Anna",)) -> Frame:
    authors = ("human", "Alpha", "Beta", "Gamma")
    said = {
        (judge, who, title): score(who, title)
        for judge in judges
        for who in authors
        for title in TITLES
    }
    return made(said, text=text, language="zh-Hans")


def table(frame: Frame, start: str) -> Table:
    return by_key(proftap.tables(frame, frame.panels[0]), start)


def test_without_uneven_poems_a_model_is_told_less() -> None:
    # Twelve human poems at .6 against ten at .6 and two at .1: (10 / 2 + 2) / 12; without: 1/2.
    found = cells(table(chinese(), "auc-rules"))["Alpha"]
    assert found["auc"].value == pytest.approx(7 / 12)
    assert found["lines_auc"].value == 0.5
    assert found["lines_arrow"].value == "↓ lower"
    assert found["lines_change"].value == pytest.approx(-1 / 12)
    assert found["lines_poems"].value == 10


def test_only_the_models_poems_are_removed() -> None:
    # A human poem repeats a character and stays: twelve human ones.
    found = cells(table(chinese(), "auc-rules"))["Alpha"]
    assert found["human_poems"].value == 12
    assert found["characters_poems"].value == 12
    assert found["characters_arrow"].value == "= unchanged"


def test_under_ten_poems_there_is_a_dash_and_its_reason() -> None:
    found = table(chinese(), "auc-rules")
    beta, gamma = cells(found)["Beta"], cells(found)["Gamma"]
    assert (beta["lines_auc"].value, beta["lines_poems"].value) == (0.5, 10)
    assert beta["both_auc"].value is None
    assert beta["both_auc"].reason == "fewer than 10 of the model's poems are left"
    assert beta["both_poems"].value == 9
    assert (gamma["lines_auc"].value, gamma["lines_poems"].value) == (None, 9)
    shown = {column.key: column.blank for column in found.columns}
    assert shown["lines_auc"] == "–"


def test_one_dash_stands_for_all_that_is_not_defined() -> None:
    gamma = cells(table(chinese(), "auc-rules"))["Gamma"]
    others = ("lines_low", "lines_high", "lines_arrow", "lines_change")
    assert gamma["lines_auc"].reason
    assert [(gamma[key].value, gamma[key].reason) for key in others] == [(None, "")] * 4


def test_all_poems_have_their_interval_beside_those_left() -> None:
    found = table(chinese(judges=("Anna", "Ben", "Cleo")), "auc-rules")
    alpha = cells(found)["Alpha"]
    assert alpha["auc_low"].value < alpha["auc"].value < alpha["auc_high"].value
    assert [column.key for column in found.columns if column.under == "all poems"] == [
        "auc", "auc_low", "auc_high",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("filtered", "arrow"),
    [(0.5834, "= unchanged"), (0.5836, "↑ higher"), (0.582, "↓ lower"), (0.5826, "= unchanged")],
)
def test_an_arrow_marks_only_a_change_that_three_decimals_show(
    filtered: float, arrow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = chinese()

    def areas(telling: Telling) -> tuple[Estimate, ...]:
        value = 0.583 if telling.rows.sum() == len(frame.number) else filtered
        return (Estimate(value, n=1, method="", level="judgment"),) * len(frame.models)

    monkeypatch.setattr(proftap, "areas", areas)
    found = table(frame, "auc-rules")
    assert cells(found)["Alpha"]["lines_arrow"].value == arrow
    assert "they are no test" in found.explanation


def test_poems_are_said_to_be_left_only_where_a_rule_took_some_away() -> None:
    # Gamma has nine poems, none of which breaks a rule.
    said = {("Anna", who, title): 0.5 for who in ("human", "Alpha") for title in TITLES}
    said |= {("Anna", "Gamma", title): 0.5 for title in TITLES[:9]}
    found = table(made(said, text=lambda *_: SEVEN, language="zh"), "auc-rules")
    assert cells(found)["Gamma"]["lines_auc"].reason == "fewer than 10 of the model's poems"
    assert cells(found)["Alpha"]["lines_auc"].value == 0.5


def test_filters_that_leave_no_figure_at_all_are_one_sentence_folded_away() -> None:
    said = {("Anna", who, title): 0.5 for who in ("human", "Alpha") for title in TITLES[:9]}
    found = table(made(said, text=text, language="zh"), "auc-rules")
    assert (found.rows, found.explanation, found.aside) == ((), "", True)
    assert found.notes == (
        "no AUC without poems that break a rule of form: each would rest on fewer than 10 human "
        "poems, or on fewer than 10 of the model's",
    )
    assert list(found.records()) == []


def test_each_length_has_its_own_auc_against_human_poems_of_the_same() -> None:
    found = table(chinese(), "auc-forms")
    names = {column.key: column.under for column in found.columns}
    assert [names[f"form_{n}_auc"] for n in (1, 2, 3)] == ["5-yan", "7-yan", "others"]
    alpha = cells(found)["Alpha"]
    # Eleven human poems of seven and ten of Alpha's; of five characters it has none.
    assert (alpha["form_2_human"].value, alpha["form_2_poems"].value) == (11, 10)
    assert alpha["form_2_auc"].value == 0.5
    assert alpha["form_1_auc"].value is None
    assert alpha["form_3_auc"].reason == "fewer than 10 human poems"


def test_shares_of_each_author_add_up() -> None:
    (found,) = proftap.shares(chinese())
    human, alpha = cells(found)["human"], cells(found)["Alpha"]
    assert [human[f"poems_{n}"].value for n in (1, 2, 3)] == [1, 11, 0]
    assert [alpha[f"poems_{n}"].value for n in (1, 2, 3)] == [0, 10, 2]
    assert alpha["share_3"].value == pytest.approx(2 / 12)


def english(forms: tuple[str, ...]) -> Frame:
    said = {("Anna", who, title): 0.5 for who in ("human", "Alpha") for title in TITLES}
    return made(said, form=lambda title: forms[TITLES.index(title) % len(forms)])


def test_english_poems_are_set_apart_by_form_and_no_rule_is_offered() -> None:
    frame = english(("sonnet", "ballad"))
    (found,) = proftap.tables(frame, frame.panels[0])
    assert found.key == "auc-forms-experts-q1"
    assert [column.under for column in found.columns if column.key.endswith("_auc")] == [
        "ballad", "sonnet",
    ]  # fmt: skip
    assert "are for Chinese verse" in found.explanation


def test_forms_too_small_for_any_figure_are_one_sentence_folded_away() -> None:
    # Six poems of each form.
    frame = english(("sonnet", "ballad"))
    (found,) = proftap.tables(frame, frame.panels[0])
    assert (found.rows, found.aside) == ((), True)
    assert found.notes == (
        "no AUC by form: each would rest on fewer than 10 human poems, or on fewer than 10 of the "
        "model's",
    )


@pytest.mark.parametrize(
    ("humans", "models", "reason"),
    [
        (10, 10, ""),
        (9, 10, "fewer than 10 human poems"),
        (10, 9, "fewer than 10 of the model's poems"),
    ],
)
def test_ten_poems_of_each_side_give_a_figure_and_nine_none(
    humans: int, models: int, reason: str
) -> None:
    numbers = {"human": humans, "Alpha": models}
    said = {
        ("Anna", who, f"{form} {n:02}"): 0.5
        for who in numbers
        for form in ("ballad", "sonnet")
        for n in range(12 if form == "ballad" else numbers[who])
    }
    frame = made(said, form=lambda title: title.split()[0])
    (found,) = proftap.tables(frame, frame.panels[0])
    alpha = cells(found)["Alpha"]
    assert alpha["form_1_auc"].value == 0.5
    assert (alpha["form_2_human"].value, alpha["form_2_poems"].value) == (humans, models)
    assert alpha["form_2_auc"].value == (None if reason else 0.5)
    assert alpha["form_2_auc"].reason == reason
    assert not found.aside


def test_shares_by_form_are_there_for_english_poems_too() -> None:
    (found,) = proftap.shares(english(("sonnet", "ballad", "sonnet")))
    assert found.caption == "Share of each author's poems by form"
    for author in ("human", "Alpha"):
        row = cells(found)[author]
        assert (row["poems_1"].value, row["poems_2"].value) == (4, 8)
        assert row["share_1"].value == pytest.approx(1 / 3)


def test_one_form_alone_is_no_table() -> None:
    frame = english(("sonnet",))
    assert proftap.tables(frame, frame.panels[0]) == ()
    assert proftap.shares(frame) == ()


def test_poems_without_a_form_say_so() -> None:
    (found,) = proftap.shares(english(("sonnet", "")))
    assert [column.under for column in found.columns if column.key.startswith("poems_")] == [
        "sonnet", "no form named",
    ]  # fmt: skip
