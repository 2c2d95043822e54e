"""AUC by rule of form and by length, on Chinese verse whose scores tie by design."""

import pytest

from backend.analytics.frames import Frame
from backend.analytics.reports.telling import proftap
from backend.analytics.tables import Table
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


def chinese() -> Frame:
    authors = ("human", "Alpha", "Beta", "Gamma")
    said = {("Anna", who, title): score(who, title) for who in authors for title in TITLES}
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
    assert (gamma["lines_auc"].value, gamma["lines_poems"].value) == (None, 9)
    shown = {column.key: column.blank for column in found.columns}
    assert shown["lines_auc"] == "–"


def test_each_length_has_its_own_auc_against_human_poems_of_the_same() -> None:
    found = table(chinese(), "auc-forms")
    names = {column.key: column.under for column in found.columns}
    assert [names[f"form_{n}_auc"] for n in (1, 2, 3)] == ["5-yan", "7-yan", "others"]
    alpha = cells(found)["Alpha"]
    # Eleven human poems of seven and ten of Alpha's; of five characters it has none.
    assert (alpha["form_2_human"].value, alpha["form_2_poems"].value) == (11, 10)
    assert alpha["form_2_auc"].value == 0.5
    assert alpha["form_1_auc"].value is None
    assert alpha["form_3_auc"].reason == "fewer than 10 human poems are left"


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
    # Six of each form: under ten.
    assert cells(found)["Alpha"]["form_1_auc"].reason == "fewer than 10 human poems are left"


def test_one_form_alone_is_no_table() -> None:
    frame = english(("sonnet",))
    assert proftap.tables(frame, frame.panels[0]) == ()
    assert proftap.shares(frame) == ()


def test_poems_without_a_form_say_so() -> None:
    (found,) = proftap.shares(english(("sonnet", "")))
    assert [column.under for column in found.columns if column.key.startswith("poems_")] == [
        "sonnet", "no form named",
    ]  # fmt: skip
