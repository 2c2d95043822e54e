"""What a person should look at in a poem that was found."""

import re
from collections.abc import Sequence

from backend.generation.cleaning import chinese, rules, wording
from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import Block, Line, blocks
from backend.generation.cleaning.opening import is_label
from backend.generation.cleaning.talk import (
    SENTENCES,
    Measure,
    closes_anywhere,
    is_announcement,
    is_prose,
    words,
)

NUMBERED = re.compile(r"\s*\d{1,3}[.):]\s*\S")
ANNOTATED = re.compile(
    r"(?:[(\[{（](?:[A-Ha-h]['′]?|\d{1,2}|\d{1,2}[ -]?syllables?"
    r"|[^\s)\]]{1,3} ?/ ?[^\s)\]]{1,3})[)\]}）]"
    r"|\s[–—-]\s*(?:[A-H]|\d{1,2})|\d[字音])\s*"
)
SLASHED = re.compile(r"\S ?/{1,2} ?\S")
MARKED = re.compile(r"\*\*|__|```|</?\w{1,10}>|^#{1,6} |^> |\[\w[^\]]*\]\(http", re.MULTILINE)
STOPS = ".!?…”\"’')]。！？）」』—–-,;:，；："
UNFINISHED = re.compile(
    r"the|a|an|and|or|but|of|to|in|on|at|with|for|from|by|as|is|are|was|were|his|her|its"
    r"|their|my|your|our|that|which|who|whose|when|where|while|into|through|beneath|upon"
    r"|like|than|if|so|then|they|we|i|he|she|it|you|not|no|all|every|each|this|these|those"
    r"|yet|nor"
)
LONG = 160  # characters: more than a line of verse holds
VERSES_BY_STOPS = 3


def flag_poem(lines: Sequence[Line], log: Log, *, ends_reply: bool) -> None:
    """Note all that seems doubtful in the poem's lines."""
    said = [line for line in lines if not line.is_blank and not line.is_rule]
    if not said:
        return
    text = "\n".join(line.text for line in said)
    _flag_inside(lines, said, log)
    _flag_marks(said, text, log)
    _flag_breaks(said, text, log)
    if ends_reply and looks_cut_off(lines):
        log.flag(rules.CUT_OFF)
    if wording.AS_MODEL.search(text):
        log.flag(rules.AS_MODEL)
    if wording.ORDERS.search(text):
        log.flag(rules.SUSPICIOUS)


def flag_headings(lines: Sequence[Line], log: Log) -> None:
    """Note labels and headings between stanzas, by their marks."""
    said = [line for line in lines if not line.is_blank and not line.is_rule]
    if any(is_label(line) for line in said):
        log.flag(rules.LABELS)
    heads = [block.lines[0] for block in blocks(lines) if not block.is_rule]
    marked = sum(line.is_marked and not is_label(line) for line in heads)
    if marked > 1 and not all(line.is_marked for line in said):
        log.flag(rules.SECTIONS)


def _flag_inside(lines: Sequence[Line], said: Sequence[Line], log: Log) -> None:
    groups = [block for block in blocks(lines) if not block.is_rule]
    measure = Measure.of(groups)
    inner = [block.lines[0] for block in groups if block.alone and len(groups) > 2]
    if any(is_prose(line, measure) and SENTENCES.search(line.text[:600]) for line in inner):
        log.flag(rules.PROSE_INSIDE)
    if any(is_announcement(line) or closes_anywhere(line) or _hands_over(line) for line in said):
        log.flag(rules.TALK_INSIDE)


def _hands_over(line: Line) -> bool:
    said = line.plain[:100]
    return (
        said.endswith(":")
        and words(said) <= 6
        and bool(re.match(r"here(?:[’']s| is) (?:my|the|a|an)\b", said, re.IGNORECASE))
    )


def _flag_marks(said: Sequence[Line], text: str, log: Log) -> None:
    numbered = sum(bool(NUMBERED.match(line.text)) for line in said)
    if numbered > 1:
        log.flag(rules.NUMBERS)
    annotated = sum(
        bool(ANNOTATED.search(line.text[-20:] + "\n", 0)) and _ends_annotated(line) for line in said
    )
    if annotated > 1 and annotated * 3 >= len(said):
        log.flag(rules.ANNOTATIONS)
    if MARKED.search(text):
        log.flag(rules.MARKS)


def _ends_annotated(line: Line) -> bool:
    tail = line.text.rstrip(" *_")[-24:]
    return any(found.end() == len(tail) for found in ANNOTATED.finditer(tail))


def _flag_breaks(said: Sequence[Line], text: str, log: Log) -> None:
    if len(said) == 1 and said[0].width > LONG:
        log.flag(rules.LONG_LINE)
    if len(said) <= 3 and len(SLASHED.findall(text)) > 1:
        log.flag(rules.SLASHES)
    if any(
        chinese.HAN.search(line.text)
        and len(chinese.END_OF_VERSE.findall(line.text)) >= VERSES_BY_STOPS
        for line in said
    ):
        log.flag(rules.VERSES_IN_A_LINE)


def looks_cut_off(lines: Sequence[Line]) -> bool:
    """Whether the poem's last line ends as no other does: in mid-sentence or mid-stanza."""
    groups = [block for block in blocks(lines) if not block.is_rule]
    said = [line.text.rstrip(" *_\\") for block in groups for line in block.lines]
    last = said[-1]
    if last.endswith((",", "，", "、")) or (last.endswith("-") and last[-2:-1].isalpha()):
        return True
    if last.endswith(tuple(STOPS)):
        return False
    final = last.split()[-1].lower().strip("“\"'‘(") if last.split() else ""
    if UNFINISHED.fullmatch(final):
        return True
    others = said[:-1]
    stopped = sum(line.endswith(tuple(STOPS)) for line in others)
    return (len(others) > 3 and stopped >= 0.8 * len(others)) or _breaks_off(groups)


def _breaks_off(groups: Sequence[Block]) -> bool:
    """Whether the last of equal stanzas is shorter and ends without the others' stop."""
    sizes = [len(block.lines) for block in groups]
    if len(sizes) < 3 or len(set(sizes[:-1])) > 1 or sizes[-1] >= sizes[0]:
        return False
    ends = [block.lines[-1].text.rstrip(" *_\\") for block in groups[:-1]]
    return all(end.endswith(tuple('.!?…。！？”"')) for end in ends)
