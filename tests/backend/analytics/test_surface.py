"""Chinese verse by its lines, on poems whose lines anybody can count."""

import pytest

from backend.analytics.surface import (
    has_repeated_characters,
    has_uneven_lines,
    is_chinese,
    line_lengths,
    yan,
)

# Li Bai, 静夜思: four lines of five; 明 and 月 and 头 stand in it twice or more.
QUIET_NIGHT = "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。"
# Zhang Ji, 枫桥夜泊: four lines of seven, no character twice.
MAPLE_BRIDGE = "月落乌啼霜满天，江枫渔火对愁眠。姑苏城外寒山寺，夜半钟声到客船。"
# Li Yu, 相见欢 (opening): lines of six, three and nine.
SONG = "无言独上西楼，月如钩。寂寞梧桐深院锁清秋。"


def test_a_couplet_in_one_row_is_two_lines() -> None:
    assert line_lengths(QUIET_NIGHT) == (5, 5, 5, 5)
    assert line_lengths(MAPLE_BRIDGE) == (7, 7, 7, 7)
    assert line_lengths(SONG) == (6, 3, 9)


def test_a_row_without_marks_is_one_line() -> None:
    assert line_lengths("白日依山尽\n黄河入海流\n\n欲穷千里目\n更上一层楼\n") == (5, 5, 5, 5)


def test_spaces_part_lines_and_an_enumeration_comma_does_not() -> None:
    assert line_lengths("白日依山尽　黄河入海流") == (5, 5)
    assert line_lengths("风、雨、雪花飞") == (5,)


@pytest.mark.parametrize(
    ("text", "category"),
    [(QUIET_NIGHT, "5-yan"), (MAPLE_BRIDGE, "7-yan"), (SONG, "others"), ("", "others")],
)
def test_a_poem_is_of_one_length_only_if_every_line_is(text: str, category: str) -> None:
    assert yan(text) == category


def test_six_characters_to_each_line_are_even_and_neither_five_nor_seven() -> None:
    text = "山下孤烟远村，天边独树高原。"  # Wang Wei
    assert yan(text) == "others"
    assert not has_uneven_lines(text)
    assert has_uneven_lines(SONG)


def test_one_character_twice_is_a_repetition() -> None:
    assert has_repeated_characters(QUIET_NIGHT)
    assert not has_repeated_characters(MAPLE_BRIDGE)


def test_latin_words_are_neither_lines_nor_repetitions() -> None:
    assert line_lengths("la la la, la la") == ()
    assert not has_repeated_characters("la la la")


@pytest.mark.parametrize(
    ("tag", "chinese"), [("zh", True), ("zh-Hant", True), ("ZH-hans", True), ("en", False)]
)
def test_chinese_is_told_by_its_tag(tag: str, chinese: bool) -> None:
    assert is_chinese(tag) is chinese
