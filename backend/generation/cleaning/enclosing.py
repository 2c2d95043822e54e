"""What sets the poem apart in a reply: a code fence or a tag around it."""

import re
from collections.abc import Sequence

from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import Line, blocks, numbers, strip_blank
from backend.generation.cleaning.opening import Above, is_label, is_verse
from backend.generation.cleaning.rules import (
    ALTERNATIVE,
    CLOSING,
    FENCE,
    OPENING,
    QUOTED,
    SEVERAL_FENCES,
    TAG,
)
from backend.generation.cleaning.talk import Measure, is_announcement, is_note

QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
FENCED = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*[\w+-]{0,20}[ \t]*")
TAGGED = re.compile(
    r"<(?P<close>/?)(?P<name>poem|poetry|answer|final_answer|output|response|result|verse|p|pre|div)>",
    re.IGNORECASE,
)


def unwrap(lines: Sequence[Line], log: Log, above: Above) -> list[Line]:
    """Take the text inside the first fence, tag or quotation, if the poem stands in there."""
    return _unquote(_unfence(_untag(lines, log), log, above), log)


def _unquote(lines: Sequence[Line], log: Log) -> list[Line]:
    """Take the marks off a quotation, unless there is verse outside of it."""
    at = [n for n, line in enumerate(lines) if QUOTE.match(line.text)]
    said = [n for n in at if QUOTE.sub("", lines[n].text, count=1).strip()]
    if len(said) < 2:
        return list(lines)
    first, last = at[0], at[-1]
    outside = [*lines[:first], Line(-1, ""), *lines[last + 1 :]]
    quoted = set(at)
    broken = any(n not in quoted and not lines[n].is_blank for n in range(first, last))
    measure = Measure.of([block for block in blocks(lines) if not block.is_rule])
    if broken or any(is_verse(one, measure) for one in blocks(outside)):
        return list(lines)
    log.change(QUOTED, [lines[n].number for n in said])
    return [
        Line(line.number, QUOTE.sub("", line.text, count=1)) if n in quoted else line
        for n, line in enumerate(lines)
    ]


def _untag(lines: Sequence[Line], log: Log) -> list[Line]:
    """Take the text between a tag and its end; drop a tag that has no other."""
    opened: tuple[int, str] | None = None
    for at, line in enumerate(lines):
        for tag in TAGGED.finditer(line.text):
            name = tag["name"].lower()
            if not tag["close"] and opened is None:
                opened = (at, name)
            elif tag["close"] and opened and opened[1] == name and (at > opened[0] + 1):
                inside = [
                    Line(one.number, TAGGED.sub("", one.text)) for one in lines[opened[0] : at + 1]
                ]
                if sum(not one.is_blank for one in inside) < 2:
                    return list(lines)
                gone = [*lines[: opened[0]], *lines[at + 1 :]]
                log.cut(TAG, [line.number, lines[opened[0]].number, *numbers(gone)])
                return strip_blank(inside)
    return list(lines)


def _unfence(lines: Sequence[Line], log: Log, above: Above) -> list[Line]:
    marks = [at for at, line in enumerate(lines) if FENCED.fullmatch(line.text[:60])]
    if not marks:
        return list(lines)
    start = marks[0]
    stop = marks[1] if len(marks) > 1 else len(lines)
    inside, before, after = lines[start + 1 : stop], lines[:start], lines[stop + 1 :]
    measure = Measure.of([block for block in blocks(inside) if not block.is_rule])
    if _holds_verse(before, measure) and _holds_verse(inside, measure):
        inside, before, after = [*before, *inside], [], after if len(marks) > 1 else []
    if sum(not line.is_blank for line in inside) < 2:
        return [line for line in lines if not FENCED.fullmatch(line.text[:60])]
    log.cut(FENCE, [lines[at].number for at in marks])
    title = _title_above(before)
    _leave_out(before, title, after, len(marks), log, above)
    return [*title, *inside]


def _holds_verse(lines: Sequence[Line], measure: Measure) -> bool:
    return any(len(one.lines) > 2 and is_verse(one, measure) for one in blocks(lines))


def _title_above(before: Sequence[Line]) -> list[Line]:
    """Return the heading right above the fence, with a blank line below it."""
    said = strip_blank(before)
    if not said or not said[-1].is_marked or is_announcement(said[-1]):
        return []
    if is_label(said[-1]) or is_note(said[-1]):
        return []
    return [said[-1], Line(said[-1].number, "")]


def _leave_out(
    before: Sequence[Line],
    title: Sequence[Line],
    after: Sequence[Line],
    marks: int,
    log: Log,
    above: Above,
) -> None:
    gone = [line for line in before if not line.is_blank and line not in title]
    if gone:
        above.said += [line.text for line in gone]
        log.cut(OPENING, numbers(gone), gone[0].text)
    rest = [line for line in after if not line.is_blank]
    if rest and marks > 2:
        log.cut(ALTERNATIVE, numbers(rest), rest[0].text)
        log.flag(SEVERAL_FENCES)
    elif rest:
        log.cut(CLOSING, numbers(rest), rest[0].text)
