"""What stands above the poem: the prompt again, announcements, thinking aloud, labels."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from backend.generation.cleaning import chinese, wording
from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import Block, Line, blocks, numbers, strip_blank
from backend.generation.cleaning.rules import (
    ECHO,
    LABEL,
    OPENING,
    PARTLY_REFUSED,
    RULED,
    THOUGHT_ALOUD,
    TURN,
)
from backend.generation.cleaning.talk import (
    LOOKED_AT,
    Measure,
    announces,
    is_announcement,
    is_note,
    is_prose,
    is_refusal,
    opens,
    start_of,
    words,
)

UNKNOWN_ABOVE = 3  # lines of no certain kind that may stand between talk
SHORT_HEAD = 5  # words
MUCH = 6  # blocks of talk above a poem: more than an announcement


@dataclass
class Above:
    """What was said above the poem: it may name the title, or promise several poems."""

    said: list[str]
    marked: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.said)[: 10 * LOOKED_AT]


def is_verse(block: Block, measure: Measure) -> bool:
    """Whether it is a group of lines that are mostly neither talk, prose nor a list."""
    if len(block.lines) < 2 or block.is_rule:
        return False
    other = sum(
        line.is_bullet or opens(line, measure) or is_prose(line, measure) or is_note(line)
        for line in block.lines
    )
    return other * 2 <= len(block.lines) - (len(block.lines) == 2)


def cut_opening(
    lines: Sequence[Line], measure: Measure, log: Log, prompt: str = ""
) -> tuple[list[Line], Above]:
    """Cut all talk above the first lines of verse."""
    kept = _cut_echo(_cut_speaker(lines, log), log, prompt)
    above = Above([])
    kept = _cut_drafts(kept, measure, log, above)
    groups = blocks(kept)
    until = _end_of_talk(groups, measure)
    if until:
        gone = [block for block in groups if block.stop <= until and not block.is_rule]
        _note_what_is_gone(gone, log, above)
        _cut(kept[:until], log)
        if len(gone) >= MUCH:
            log.flag(THOUGHT_ALOUD)
    return _cut_glued(strip_blank(kept[until:]), log, above), above


def _cut(gone: Sequence[Line], log: Log) -> None:
    said = [line for line in gone if not line.is_blank and not line.is_rule]
    ruled = [line for line in gone if line.is_rule and not line.is_blank]
    if said:
        log.cut(OPENING, numbers(said), said[0].text)
    if ruled:
        log.cut(RULED, numbers(ruled))


def _note_what_is_gone(gone: Sequence[Block], log: Log, above: Above) -> None:
    for block in gone:
        for line in block.lines:
            above.said.append(line.text)
            if is_refusal(start_of(line)):
                log.flag(PARTLY_REFUSED)
            named = line.is_marked and not wording.STAGE.fullmatch(line.text.strip())
            if named and not is_label(line) and not is_announcement(line):
                above.marked = above.marked or line.text


def _cut_speaker(lines: Sequence[Line], log: Log) -> list[Line]:
    """Cut “User: …” and “Assistant:” before the poem."""
    kept = strip_blank(lines)
    for _ in range(2):
        turn = wording.TURN.fullmatch(kept[0].text[:LOOKED_AT]) if kept else None
        said = turn or (chinese.TURN.fullmatch(kept[0].text[:LOOKED_AT]) if kept else None)
        if said is None:
            break
        rest = said["said"].strip()
        who = turn["who"].lower() if turn else kept[0].text.strip()[:2]
        asks = who in {"user", "human", "system", "instruction", "prompt", "用户", "用戶", "提问"}
        if not (asks or who in {"assistant", "ai", "model", "bot", "response", "助手"}):
            break
        log.cut(TURN, [kept[0].number], kept[0].text)
        left = [] if asks or not rest else [Line(kept[0].number, rest)]
        kept = strip_blank([*left, *kept[1:]])
    return kept


def _cut_echo(lines: Sequence[Line], log: Log, prompt: str) -> list[Line]:
    kept = list(lines)
    asked = {" ".join(line.split()).casefold() for line in prompt.split("\n") if line.strip()}
    while kept and (kept[0].is_blank or " ".join(kept[0].plain.split()).casefold() in asked):
        if not kept[0].is_blank:
            log.cut(ECHO, [kept[0].number], kept[0].text)
        kept = kept[1:]
    if len(kept) > 2 and kept[1].is_blank:
        said = start_of(kept[0])
        if wording.ECHO.match(said) or chinese.ECHO.fullmatch(said):
            log.cut(ECHO, [kept[0].number], kept[0].text)
            kept = strip_blank(kept[1:])
    return kept


def _cut_drafts(lines: Sequence[Line], measure: Measure, log: Log, above: Above) -> list[Line]:
    """Cut all above “Here is the final poem:”, where the reply began by thinking aloud."""
    groups = blocks(lines)
    if not groups or not all(opens(line, measure) for line in groups[0].lines):
        return list(lines)
    for block in reversed(groups):
        line = block.lines[0]
        if not wording.FINAL.search(start_of(line)) or not (
            is_announcement(line)
            or is_label(line)
            or (line.is_marked and words(line.plain) <= SHORT_HEAD)
        ):
            continue
        below = [one for one in groups if one.start > block.start]
        if len(block.lines) > 2 or any(is_verse(one, measure) for one in below):
            gone = lines[: block.start + 1]
            above.said.append(line.text)
            _cut(gone, log)
            if any(is_verse(one, measure) for one in blocks(gone)):
                log.flag(THOUGHT_ALOUD)
            return strip_blank(lines[block.start + 1 :])
    return list(lines)


def _end_of_talk(groups: Sequence[Block], measure: Measure) -> int:
    """Return where the last block of talk above the verse ends; 0 if there is none."""
    until, unknown = 0, 0
    for at, block in enumerate(groups):
        if block.is_rule:
            continue
        if _all_talk(block, measure, sure=unknown > 0):
            until, unknown = block.stop, 0
        elif is_verse(block, measure) or unknown >= UNKNOWN_ABOVE:
            break
        elif at and _goes_on(block, groups[at - 1], until, measure):
            until = block.stop
        else:
            unknown += 1
    return until


def _all_talk(block: Block, measure: Measure, *, sure: bool) -> bool:
    if sure:
        return all(announces(line) or is_refusal(start_of(line)) for line in block.lines)
    talk = sum(opens(line, measure) for line in block.lines)
    return talk == len(block.lines) or (
        talk > 0
        and opens(block.lines[0], measure)
        and all(
            line.is_bullet or is_prose(line, measure) or opens(line, measure)
            for line in block.lines
        )
    )


def _goes_on(block: Block, before: Block, until: int, measure: Measure) -> bool:
    """Whether a list or prose goes on with the talk right above it."""
    return before.stop == until and all(
        (line.is_bullet and words(line.plain) >= 3) or is_prose(line, measure)
        for line in block.lines
    )


def _cut_glued(lines: Sequence[Line], log: Log, above: Above) -> list[Line]:
    """Cut announcements that stand right above the first verse, without a blank line."""
    kept = list(lines)
    while len(kept) > 1 and (
        is_announcement(kept[0])
        or (
            not kept[1].is_blank
            and wording.INTERJECTION.match(start_of(kept[0]))
            and re.match(r"\W*[!.]", start_of(kept[0])[3:20].lstrip("urelyktainofcs "))
            and wording.ANNOUNCEMENT.search(start_of(kept[0]))
        )
    ):
        above.said.append(kept[0].text)
        log.cut(OPENING, [kept[0].number], kept[0].text)
        kept = strip_blank(kept[1:])
    return kept


def is_label(line: Line) -> bool:
    """Whether it names a part of the form: “Stanza 1:”, “[Chorus]”, “Poem:”."""
    text = line.text.strip()
    if len(text) > 60:
        return False
    said = line.plain.rstrip(")]）】*_ ")
    named = said.endswith((":", "：")) or line.is_marked or text[:1] in "([【（<"
    bare = said.rstrip(":： ").rstrip(")]）】*_ ")
    if wording.LABEL.fullmatch(bare):
        return named or bool(re.search(r"\d|\b[IVX]+$", bare))
    if (numbered := wording.NUMBERED_WORK.match(bare)) and (
        numbered.end() == len(bare) or bare[numbered.end() :].lstrip().startswith("(")
    ):
        return True
    if (
        chinese.LABEL.fullmatch(bare)
        or chinese.KIND.fullmatch(bare)
        or chinese.NUMBERED.fullmatch(bare)
    ):
        return named
    return bool(wording.KIND.fullmatch(bare)) and (
        said.endswith((":", "："))
        or (bare.lower().split()[-1] in {"poem", "untitled", "text", "output"} and named)
    )


def cut_labels(lines: Sequence[Line], log: Log) -> list[Line]:
    """Cut labels, rules and ornaments above the first line."""
    kept = strip_blank(lines)
    for at, line in enumerate(kept[:-1]):
        if line.is_rule:
            log.cut(RULED, [line.number])
        elif is_label(line):
            log.cut(LABEL, [line.number], line.text)
        elif not line.is_blank:
            return kept[at:]
    return kept[-1:]
