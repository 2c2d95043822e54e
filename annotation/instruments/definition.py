"""One object in the data of an instrument, read name by name, with the path of what is wrong."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from annotation.instruments.questions import NO_TEXT, Point

LABEL_LIMIT = 200  # characters
MOST_POINTS = 101  # a scale from 0 to 100 in ones
LARGEST_CODE = 999_999_999

PAIR = 'a point is [code, label], as [1, "Strongly disagree"]'


class Definition:
    """One object of the data at a path.

    Reading never stops at what is wrong: that is added to `problems`, and something that fits is
    returned in its place.
    """

    def __init__(self, data: Mapping[str, Any], path: str, problems: list[str]) -> None:
        self.data = data
        self._path = path
        self._problems = problems

    def at(self, name: str) -> str:
        """Return the path of what is under `name`."""
        return f"{self._path}.{name}" if self._path else name

    def wrong(self, name: str, what: str) -> None:
        """Note what is wrong under `name`."""
        self._problems.append(f"{self.at(name)}: {what}")

    def only(self, known: Collection[str], what: str) -> None:
        """Note every name that is none of the `known` names of `what`."""
        for name in self.data:
            if name not in known:
                readable = name if name.isprintable() else ascii(name)
                self.wrong(readable, f"not a key of {what}; known: {', '.join(known)}")

    def text(
        self, name: str, limit: int, *, needed: bool = False, default: str | None = None
    ) -> str:
        """Return a text of at most `limit` characters, which must not be blank where `needed`."""
        value = self.data.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self.wrong(name, "a text is missing" if value is None else "must be a text")
        elif needed and not value.strip():
            self.wrong(name, "must not be empty")
        elif trouble := _unfit(value, limit):
            self.wrong(name, trouble)
        else:
            return value
        return ""

    def pattern(self, name: str, limit: int, pattern: str, says: str) -> str:
        """Return a text that must be written as `pattern`, which `says` puts in words."""
        value = self.text(name, limit, needed=True)
        if value and not re.fullmatch(pattern, value):
            self.wrong(name, says)
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.data.get(name, default)
        if isinstance(value, bool):
            return value
        self.wrong(name, "must be true or false")
        return default

    def points(self, name: str) -> tuple[Point, ...]:
        """Return the points of a scale, with codes that rise."""
        value = self.data.get(name)
        if not isinstance(value, list) or len(value) < 2:
            self.wrong(name, "a scale has at least two points, each [code, label]")
            return ()
        if len(value) > MOST_POINTS:
            self.wrong(name, f"a scale has at most {MOST_POINTS} points")
            return ()
        read = [self.point(f"{name}[{index}]", each) for index, each in enumerate(value)]
        points = tuple(point for point in read if point)
        codes = [point.code for point in points]
        if len(points) == len(value) and codes != sorted(set(codes)):
            self.wrong(name, "codes must rise from point to point")
        return points

    def point(self, where: str, value: object) -> Point | None:
        """Return a point, which stands at `where` in this object; None if it is none."""
        match value:
            case [int(code), str(label)] if not isinstance(code, bool):
                if trouble := _off(code) or _unlabelled(label):
                    self.wrong(where, trouble)
                return Point(code, label)
        self.wrong(where, PAIR)
        return None

    def labels(self, name: str, default: tuple[str, str] | None = None) -> tuple[str, str]:
        """Return two different labels."""
        value = self.data.get(name)
        if value is None and default:
            return default
        match value:
            case [str(first), str(second)]:
                for index, label in enumerate((first, second)):
                    if trouble := _unlabelled(label):
                        self.wrong(f"{name}[{index}]", trouble)
                if first == second:
                    self.wrong(name, "the two labels must differ")
                return first, second
        self.wrong(name, 'must be two texts, as ["not altered", "altered"]')
        return "", ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, empty if there is none."""
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.wrong(name, "must be a list of texts")
            return ()
        for index, each in enumerate(value):
            if trouble := _unlabelled(each):
                self.wrong(f"{name}[{index}]", trouble)
        return tuple(value)


def _unfit(value: str, limit: int) -> str:
    if len(value) > limit:
        return f"has {len(value)} characters; the limit is {limit}"
    if NO_TEXT.search(value):
        return "holds a character that is no text (NUL or half a pair)"
    return ""


def _unlabelled(label: str) -> str:
    return _unfit(label, LABEL_LIMIT) if label.strip() else "a label must not be empty"


def _off(code: int) -> str:
    return "" if abs(code) <= LARGEST_CODE else "a code has at most nine digits"
