"""What a command does with a terminal: tables, lines that are rewritten, and being interrupted."""

import os
import shutil
import signal
import sys
import threading
import time
import unicodedata
from argparse import RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from django.core.management.base import DjangoHelpFormatter, OutputWrapper

SAY_EVERY = 10.0  # seconds, where each time is a line more
# Exit statuses.
FAILED, WRONG_USE, CAPPED, INTERRUPTED = 1, 2, 3, 128 + signal.SIGINT


class Help(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, the examples' own line breaks."""


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible(text: str) -> str:
    """Return the text without what a terminal would obey.

    A provider's error or a model's name may hold an escape sequence.
    """
    return "".join(
        "?" if unicodedata.category(each) == "Cc" and each != "\n" else each for each in text
    )


def plain(text: str) -> str:
    """Return the text on one line, without what a terminal would obey."""
    return visible(" ".join(text.split()))


def cut(text: str, columns: int) -> str:
    """Return as much of the text as fits into so many columns, and … for what does not."""
    if width(text) <= columns:
        return text
    kept, taken = [], 1
    for character in text:
        taken += _columns(character)
        if taken > columns:
            break
        kept.append(character)
    return "".join(kept) + "…"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int]) -> str:
    """Return the rows below their header; columns that are not `left` end at the right."""
    lines = [list(header), *([plain(cell) for cell in row] for row in rows)]
    widths = [max(width(line[column]) for line in lines) for column in range(len(header))]
    begins = set(left)
    return "\n".join(
        "  ".join(
            _filled(cell, widths[column], begins=column in begins)
            for column, cell in enumerate(line)
        ).rstrip()
        for line in lines
    )


def _filled(text: str, columns: int, *, begins: bool) -> str:
    space = " " * (columns - width(text))
    return text + space if begins else space + text


def _fitted(lines: list[str]) -> list[str]:
    """Return what fits on the terminal, since what has scrolled off it cannot be rewritten."""
    size = shutil.get_terminal_size()
    if len(lines) >= size.lines > 2:
        room = size.lines - 2
        lines = [*lines[:room], f"… and {len(lines) - room} lines more"]
    return [cut(line, size.columns - 1) for line in lines]


class Display:
    """Shows how things stand: in one place on a terminal, else in a line now and then."""

    def __init__(self, stream: OutputWrapper, *, every: float = SAY_EVERY) -> None:
        self._stream = stream
        self._rewrites = stream.isatty()
        self._every = every
        self._shown: list[str] = []
        self._said_at: float | None = None

    def show(self, text: str) -> None:
        """Put the text in the place of what was shown before."""
        if self._rewrites:
            lines = _fitted(text.split("\n"))
            self._write(self._back() + "\n".join(lines))
            self._shown = lines
        elif self._is_time() and text.split("\n") != self._shown:
            self._said_at = time.monotonic()
            self._shown = text.split("\n")
            self._write(text + "\n")

    def clear(self) -> None:
        """Take what is shown away, so that other lines can follow."""
        if self._rewrites and self._shown:
            self._write(self._back())
        self._shown = []

    def keep(self) -> None:
        """Leave what is shown, and go on below it."""
        if self._rewrites and self._shown:
            self._write("\n")
        self._shown = []

    def _is_time(self) -> bool:
        return self._said_at is None or time.monotonic() >= self._said_at + self._every

    def _back(self) -> str:
        """Return what leads to the beginning of what is shown, and wipes it out."""
        up = f"\x1b[{len(self._shown) - 1}A" if len(self._shown) > 1 else ""
        return f"\r{up}\x1b[J" if self._shown else ""

    def _write(self, text: str) -> None:
        self._stream.write(text, ending="")
        self._stream.flush()


@contextmanager
def interruptible(*, first: str, second: str) -> Iterator[threading.Event]:
    """Set the event at the first Ctrl-C and say so; leave the process at once at the second."""
    stop = threading.Event()

    def heard(*_: object) -> None:
        # Printing proper may be in the middle of a line, and is not to be entered twice.
        if stop.is_set():
            os.write(sys.stderr.fileno(), f"\n{second}\n".encode())
            # Threads that wait for an answer would else hold the process up until it comes.
            os._exit(INTERRUPTED)
        stop.set()
        os.write(sys.stderr.fileno(), f"\n{first}\n".encode())

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {each: signal.signal(each, heard) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
