"""What a command writes to a terminal and to a file."""

import re
from io import StringIO

import pytest
from django.core.management.base import OutputWrapper

from backend.generation import terminal
from backend.generation.terminal import Display, cut, plain, table, width


def test_a_chinese_character_takes_two_columns_and_an_accent_none() -> None:
    assert [width(text) for text in ("ab", "李白", "e\u0301", "")] == [2, 4, 1, 0]


def test_the_columns_of_a_table_stand_below_each_other_in_any_script() -> None:
    said = table(("run", "done"), [("李白", "12"), ("Dawn and dusk", "3")], left=(0,))
    assert said.splitlines() == [
        "run            done",
        "李白             12",
        "Dawn and dusk     3",
    ]


@pytest.mark.parametrize(
    ("text", "columns", "kept"),
    [("Dawn", 4, "Dawn"), ("Dawns", 4, "Daw…"), ("李白行", 5, "李白…"), ("李白行", 4, "李…")],
)
def test_what_does_not_fit_is_cut_by_columns(text: str, columns: int, kept: str) -> None:
    assert cut(text, columns) == kept


def test_a_terminal_is_given_nothing_to_obey() -> None:
    assert plain("A\x1b[2J\nB\x07 \x9b31m") == "A?[2J B? ?31m"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def shown_on(terminal_text: str) -> list[str]:
    """Return the lines that a terminal shows in the end, by the two orders that are used."""
    lines, row = [""], 0
    for part in re.split(r"(\r|\x1b\[\d+A|\x1b\[J|\n)", terminal_text):
        if part == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part.endswith("A") and part.startswith("\x1b["):
            row -= int(part[2:-1])
        elif part == "\x1b[J":
            lines = [*lines[:row], ""]
        elif part != "\r":
            lines[row] += part
    return lines


def test_on_a_terminal_what_is_new_takes_the_place_of_what_was_shown() -> None:
    stream = Terminal()
    display = Display(OutputWrapper(stream))
    for text in ("one\ntwo\nthree", "four\nfive", "six"):
        display.show(text)
        assert shown_on(stream.getvalue()) == text.split("\n")
    display.clear()
    assert shown_on(stream.getvalue()) == [""]


def test_on_a_terminal_lines_and_columns_that_do_not_fit_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    monkeypatch.setenv("LINES", "4")
    stream = Terminal()
    Display(OutputWrapper(stream)).show("1\n2\n3 and so much more\n4\n5")
    assert shown_on(stream.getvalue()) == ["1", "2", "… and 3 …"]


def test_in_a_file_a_line_follows_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    stream = StringIO()
    display = Display(OutputWrapper(stream), every=10)
    for second, text in enumerate(["a", "b", *"c" * 9, "d", *"d" * 10]):
        now[0] = 100.0 + second
        display.show(text)
    display.clear()
    assert stream.getvalue() == "a\nc\nd\n"
