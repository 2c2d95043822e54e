"""The lines of a reply, each with its number in the raw text, and the blocks they form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.generation.cleaning.found import Log
from backend.generation.cleaning.rules import BREAKS, INVISIBLE

# Joiners stay: they shape letters in several scripts, and emoji.
UNSEEN = re.compile("[\u200b\u2060\ufeff\u00ad\x00]")
NO_BREAK = re.compile("[\u00a0\u202f]|&nbsp;")
BREAK = re.compile(r"(?:<br ?/?>|[\u2028\u2029\x0b\x0c\x85\r])", re.IGNORECASE)
ODD = re.compile(f"{UNSEEN.pattern}|{NO_BREAK.pattern}|{BREAK.pattern}|\\\\n", re.IGNORECASE)
WRITTEN_OUT = re.compile(r"(?:\\r)?\\n")
RULE = re.compile(r"[ \t]*(?:([-*_=~─━═•·])(?:[ \t]*\1){2,}|[*~⁂❦❧☙✦✧◆◇])[ \t]*")
# What frames a line without being of it: marks of headings, quotes, emphasis and bullets.
FRAME_BEFORE = " \t\u3000#>*_~`([【（“\"'‘•–—-"
FRAME_BEHIND = " \t\u3000*_~`"
NO_RULE = frozenset("“”\"'‘’(（《,.!?…")
BULLETS = "-*•‣◦–"
LONGEST_MARKED = 300  # no heading and no label is longer, and no pattern need look further
BULLET = re.compile(r"[ \t]*(?:[-*•‣◦–]|\d{1,2}[.)])[ \t]+\S")
HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t#]*")
BOLD = re.compile(r"[ \t]*(\*{1,3}|_{1,3})(?=[^\s*_])([^*_\n]+?)(?<=\S)\1[ \t]*[:：]?[ \t]*")
TAGGED = re.compile(
    r"[ \t]*<(title|h[1-6]|b|i|strong|em|center)>([^<>\n]+)</\1>[ \t]*", re.IGNORECASE
)
WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]")


@dataclass(frozen=True)
class Line:
    """A line of the reply; `number` counts the raw reply's lines from 0."""

    number: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def is_rule(self) -> bool:
        said = self.text.lstrip()
        if not said or said[0] in NO_RULE or said[0].isalnum() or len(said) > LONGEST_MARKED:
            return False
        return bool(RULE.fullmatch(said)) or is_ornament(said)

    @property
    def plain(self) -> str:
        """The words, without what frames them."""
        return self.text.lstrip(FRAME_BEFORE).rstrip(FRAME_BEHIND)

    @property
    def is_bullet(self) -> bool:
        said = self.text.lstrip()[:1]
        if not (said.isdigit() or (said and said in BULLETS)):
            return False
        return bool(BULLET.match(self.text)) and not self.is_rule

    @property
    def width(self) -> int:
        text = self.text.strip()
        return len(text) + len(WIDE.findall(text))

    @property
    def is_marked(self) -> bool:
        """Whether the whole line is a heading or emphasized."""
        said = self.text.lstrip()[:1]
        if not said or said not in "#*_<" or len(self.text) > LONGEST_MARKED:
            return False
        marks = (HEADING, BOLD, TAGGED)
        return any(mark.fullmatch(self.text) for mark in marks)


def is_ornament(text: str) -> bool:
    """Whether it is emoji or other pictures alone."""
    said = text.strip()
    return bool(said) and all(
        char.isspace() or char in "*_~-\u200d\ufe0f" or _is_picture(char) for char in said
    )


def _is_picture(char: str) -> bool:
    # Stops and brackets of Chinese, and their full-width forms, are no pictures.
    at = ord(char)
    stop = 0x3000 <= at < 0x30A0 or 0xFE30 <= at < 0xFFF0
    return at >= 0x2600 and not char.isalnum() and not stop


def read(reply: str, log: Log) -> list[Line]:
    """Return the lines of `reply`; where breaks are written out, a raw line gives several."""
    raw = reply.split("\n")
    if not ODD.search(reply):
        return [Line(number, text) for number, text in enumerate(raw)]
    literal = len(raw) <= 3 and len(WRITTEN_OUT.findall(reply)) >= 2
    lines: list[Line] = []
    unseen, broken = [], []
    for number, said in enumerate(raw):
        text = said.removesuffix("\r")
        seen = NO_BREAK.sub(" ", UNSEEN.sub("", text))
        if seen != text:
            unseen.append(number)
        parts = BREAK.split(seen)
        if literal:
            parts = [piece for part in parts for piece in WRITTEN_OUT.split(part)]
        if len(parts) > 1:
            broken.append(number)
            if not parts[-1].strip():  # a break at the very end is the end of the line
                parts.pop()
        lines += [Line(number, part) for part in parts]
    log.change(INVISIBLE, unseen)
    log.change(BREAKS, broken)
    return lines


@dataclass(frozen=True)
class Block:
    """Lines that stand together; `start` and `stop` count the lines given to `blocks`."""

    start: int
    stop: int
    lines: tuple[Line, ...]

    @property
    def is_rule(self) -> bool:
        return self.lines[0].is_rule

    @property
    def alone(self) -> bool:
        return len(self.lines) == 1


def blocks(lines: Sequence[Line]) -> list[Block]:
    """Return the blocks between blank lines; a rule is a block of its own."""
    found: list[Block] = []
    start = 0
    for at in range(len(lines) + 1):
        ends = at == len(lines) or lines[at].is_blank or lines[at].is_rule
        if not ends:
            continue
        if at > start:
            found.append(Block(start, at, tuple(lines[start:at])))
        if at < len(lines) and lines[at].is_rule and not lines[at].is_blank:
            found.append(Block(at, at + 1, (lines[at],)))
        start = at + 1
    return found


def strip_blank(lines: Sequence[Line]) -> list[Line]:
    """Return the lines without blank ones at either end."""
    kept = list(lines)
    start, stop = 0, len(kept)
    while start < stop and kept[start].is_blank:
        start += 1
    while stop > start and kept[stop - 1].is_blank:
        stop -= 1
    return kept[start:stop]


def numbers(lines: Sequence[Line]) -> list[int]:
    """Return the raw numbers of the lines that are not blank."""
    return [line.number for line in lines if not line.is_blank]
