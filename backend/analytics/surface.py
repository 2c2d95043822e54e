"""Line lengths and repeated characters of Chinese verse: the rules ProFTAP filters by."""

import re
from collections.abc import Mapping

from backend.poetics.lexis import HAN

FIVE, SEVEN, OTHERS = "5-yan", "7-yan", "others"

# Lines of verse are set two to a row, parted by marks; an enumeration comma stands inside a line.
_BREAKS = re.compile(r"[\s，。！？；：,.!?;:]+")
_YAN: Mapping[frozenset[int], str] = {frozenset({5}): FIVE, frozenset({7}): SEVEN}


def is_chinese(language: str) -> bool:
    """Whether a language tag is one of Chinese."""
    return language.lower().split("-")[0] == "zh"


def line_lengths(text: str) -> tuple[int, ...]:
    """Return how many Chinese characters each line of verse has, in order.

    A line ends at a break, a space or a mark that ends a clause, so that a couplet set in one row
    is two lines. Without such marks a row is a line. Lines of no Chinese character are left out.
    """
    lengths = (len(HAN.findall(line)) for line in _BREAKS.split(text))
    return tuple(length for length in lengths if length)


def yan(text: str) -> str:
    """Return "5-yan" or "7-yan" if every line has so many characters, else "others"."""
    return _YAN.get(frozenset(line_lengths(text)), OTHERS)


def has_uneven_lines(text: str) -> bool:
    """Whether not all lines have the same number of Chinese characters."""
    return len(set(line_lengths(text))) > 1


def has_repeated_characters(text: str) -> bool:
    """Whether a Chinese character stands in the poem more than once, doubled ones included."""
    found = HAN.findall(text)
    return len(set(found)) < len(found)
