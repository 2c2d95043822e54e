"""What stands below the poem: notes, other poems, translations, words to whoever asked."""

import re
from collections.abc import Sequence

from backend.generation.cleaning import chinese, wording
from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import Block, Line, blocks, numbers, strip_blank
from backend.generation.cleaning.opening import Above, is_label, is_verse
from backend.generation.cleaning.rules import (
    ALTERNATIVE,
    CLOSING,
    END,
    LABEL,
    QUOTED,
    RULED,
    SAYS_ANOTHER_TURN,
    SEVERAL,
    SIGNATURE,
    TRANSLATED,
    TRANSLATION,
    TURN,
    Rule,
)
from backend.generation.cleaning.talk import (
    Measure,
    closes,
    closes_anywhere,
    is_announcement,
    is_note,
    is_prose,
    is_translation,
    speaks_of_writing,
    start_of,
    words,
)

ONE = {"1", "i", "a", "one"}
SENTENCE = 8  # words
DASHED = re.compile(r"\s*[—–~-]{1,2}\s*(?P<who>[^\W\d_][\w.’' -]{1,40})\s*")


def cut_closing(lines: Sequence[Line], measure: Measure, log: Log, above: Above) -> list[Line]:
    """Cut from the first line below the verse that is none of the poem."""
    kept = _cut_turn(strip_blank(lines), log)
    groups = blocks(kept)
    several = _several_promised(above)
    if several:
        log.flag(SEVERAL)
    first = next((at for at, one in enumerate(groups) if is_verse(one, measure)), 0)
    for at in range(first + 1, len(groups)):
        rule = _boundary(groups, at, first, measure, several=several)
        if rule:
            kept = _cut_from(kept, groups[at].start, rule, log)
            if rule is ALTERNATIVE and re.match(r"\s*1[.)] ", kept[0].text):
                log.change(QUOTED, [kept[0].number])
                kept[0] = Line(kept[0].number, kept[0].text.lstrip()[2:].lstrip())
            break
    return _cut_last_lines(kept, measure, log)


def _cut_from(lines: list[Line], start: int, rule: Rule, log: Log) -> list[Line]:
    gone = [line for line in lines[start:] if not line.is_blank]
    words_of = next((line.text for line in gone if not line.is_rule), "")
    log.cut(rule, numbers(gone), words_of)
    if rule is ALTERNATIVE:
        log.flag(SEVERAL)
    if rule is TRANSLATION or any(is_translation(line) for line in gone):
        log.flag(TRANSLATED)
    return strip_blank(lines[:start])


def _several_promised(above: Above) -> bool:
    said = above.text
    found = wording.COUNTED_WORKS.search(said)
    return bool(found or chinese.COUNTED.search(said))


def _boundary(
    groups: Sequence[Block], at: int, first: int, measure: Measure, *, several: bool
) -> Rule | None:
    """Return the rule by which the reply ends at this block, if any."""
    block = groups[at]
    line = block.lines[0]
    if block.is_rule:
        after = groups[at + 1] if at + 1 < len(groups) else None
        return ALTERNATIVE if several and after and is_verse(after, measure) else None
    if is_translation(line):
        return TRANSLATION
    if _begins_another(line, groups, first, several=several):
        return ALTERNATIVE
    if is_announcement(line) and (len(block.lines) > 1 or at + 1 < len(groups)):
        # "Here is another one:" after a poem; a voice within the poem says less
        rest = any(is_verse(one, measure) for one in groups[at + 1 :])
        return ALTERNATIVE if rest and block.alone else _talk_from(groups, at, measure)
    return _talk_from(groups, at, measure)


def _begins_another(line: Line, groups: Sequence[Block], first: int, *, several: bool) -> bool:
    said = start_of(line).strip().rstrip(":*_ ")
    number = wording.NUMBERED_WORK.match(start_of(line))
    if number and number["number"].lower() not in ONE:
        return bool(line.is_marked or line.text.rstrip("* _").endswith(":") or several)
    if chinese.ANOTHER.match(said) and len(said) <= 14:
        return True
    another = wording.ANOTHER.fullmatch(start_of(line).strip())
    if another and (wording.OF_WORK.search(said) or re.search(r"\boption\b|:", line.text)):
        return line.plain.rstrip().endswith((":", "：")) or line.is_marked
    if not several:
        return False
    headed = line.is_marked and any(one.lines[0].is_marked for one in groups[: first + 1])
    return headed or bool(re.match(r"[\s*#]*2[.)]", line.text[:20]))


def _talk_from(groups: Sequence[Block], at: int, measure: Measure) -> Rule | None:
    """Return CLOSING if the reply is talk from this block to its end."""
    block = groups[at]
    line = block.lines[0]
    ruled = groups[at - 1].is_rule
    if not (
        _is_talk(block, measure) or (ruled and _is_said_apart(block, groups[at + 1 :], measure))
    ):
        return None
    below = _to_next_part(groups[at + 1 :])
    if is_note(line) and (line.is_marked or ruled):
        verse_below = sum(len(one.lines) for one in below if is_verse(one, measure))
        verse_above = sum(len(one.lines) for one in groups[:at])
        return CLOSING if verse_below <= verse_above else None
    if any(is_verse(one, measure) for one in below):
        return None
    unknown = [
        one
        for one in below
        if one.alone
        and not one.is_rule
        and not _is_talk(one, measure)
        and not one.lines[0].is_bullet
        and not is_prose(one.lines[0], measure)
    ]
    sure = ruled or is_note(line) or is_announcement(line)
    return CLOSING if sure or len(unknown) <= 1 else None


def _to_next_part(groups: Sequence[Block]) -> list[Block]:
    """Return the blocks up to where a translation or another note begins."""
    kept: list[Block] = []
    for block in groups:
        if is_translation(block.lines[0]) or is_note(block.lines[0]):
            break
        kept.append(block)
    return kept


def _is_talk(block: Block, measure: Measure) -> bool:
    first, rest = block.lines[0], block.lines[1:]
    if not closes(first, measure):
        return False
    listed = all(
        line.is_bullet or closes(line, measure) or is_prose(line, measure) for line in rest
    )
    if listed or (
        is_note(first) and (first.is_marked or start_of(first).rstrip("*_ ").endswith(":"))
    ):
        return True
    # a stanza may begin as talk does: but no stanza begins with a line of prose
    return (is_note(first) and len(rest) <= 2) or (is_prose(first, measure) and len(rest) <= 1)


def _is_said_apart(block: Block, below: Sequence[Block], measure: Measure) -> bool:
    """Whether a lone line below a rule, at the end of the reply, speaks of writing."""
    if is_verse(block, measure) or len(below) > 3 or len(block.lines) > 3:
        return False
    said = " ".join(start_of(line) for line in block.lines)
    framed = block.alone and block.lines[0].text.strip()[:1] in "*_(["
    if framed and words(said) >= SENTENCE and block.lines[0].width > 1.3 * measure.usual:
        return True
    return bool(
        speaks_of_writing(said)
        or wording.OF_WORK.search(said)
        or (words(said) >= 6 and wording.TO_READER.search(said))
        or chinese.CLOSING.match(said)
    )


def _cut_turn(lines: Sequence[Line], log: Log) -> list[Line]:
    """Cut from where the model writes what a person would ask next."""
    for at, line in enumerate(lines):
        if at == 0 or not lines[at - 1].is_blank:
            continue
        turn = wording.TURN.match(line.text[:200])
        who = turn["who"].lower() if turn else ""
        if who in {"human", "user", "assistant"} or wording.NEXT_TASK.fullmatch(line.text[:200]):
            gone = [one for one in lines[at:] if not one.is_blank]
            log.cut(TURN, numbers(gone), line.text)
            log.flag(SAYS_ANOTHER_TURN)
            return strip_blank(lines[:at])
    return list(lines)


def _cut_last_lines(lines: Sequence[Line], measure: Measure, log: Log) -> list[Line]:
    kept = strip_blank(lines)
    stop = len(kept)
    while stop > 1:
        last, before = kept[stop - 1], kept[stop - 2]
        rule = _of_last(last, measure, alone=before.is_blank or before.is_rule)
        if rule is None:
            break
        log.cut(rule, [last.number], "" if rule is RULED else last.text)
        stop -= 1
        while stop > 1 and kept[stop - 1].is_blank:
            stop -= 1
    return kept[:stop]


def _of_last(line: Line, measure: Measure, *, alone: bool) -> Rule | None:
    """Return the rule that cuts a last line, if any."""
    if line.is_rule:
        return RULED
    if closes_anywhere(line):
        return CLOSING
    if not alone:
        return END if line.is_marked and _is_end(line) else None
    if _is_end(line):
        return END
    if is_label(line):
        return LABEL
    if _is_count(line):
        return CLOSING
    return SIGNATURE if _is_signature(line) else None


def _is_end(line: Line) -> bool:
    said = line.text.strip().strip("*_[]()（）~—–- ").strip()
    return len(said) <= 30 and bool(wording.END.fullmatch(said) or chinese.END.fullmatch(said))


def _is_count(line: Line) -> bool:
    said = line.plain.rstrip(")]）】*_ ")
    return len(said) <= 60 and bool(wording.COUNT.fullmatch(said) and re.search(r"[A-Za-z]", said))


def _is_signature(line: Line) -> bool:
    text = line.text.strip().strip("*_ ")[:80]
    dashed = DASHED.fullmatch(text)
    if dashed:
        names = dashed["who"].split()
        return len(names) <= 5 and all(name[:1].isupper() for name in names)
    by = wording.BYLINE.fullmatch(text)
    return bool(by and wording.MODEL.search(by["who"])) or bool(
        chinese.AUTHOR.fullmatch(text) and text[:1] in "—–-"
    )
