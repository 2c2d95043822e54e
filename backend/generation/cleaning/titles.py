"""The title of a poem: marked as one, standing alone, or named in what is said above."""

import re
from collections.abc import Sequence

from backend.generation.cleaning import chinese, wording
from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import (
    BOLD,
    HEADING,
    LONGEST_MARKED,
    TAGGED,
    Block,
    Line,
    blocks,
    strip_blank,
)
from backend.generation.cleaning.opening import Above, cut_labels, is_label
from backend.generation.cleaning.rules import SUBTITLE, TITLE
from backend.generation.cleaning.talk import words

LONGEST = 120  # characters of a title that is marked
LONGEST_ALONE = 70
MANY_WORDS = 12
NAMED = re.compile(
    r"[\s*_#]*(?:the )?(?:poem )?title[\s*_]*[:：][\s*_]*(?P<title>\S.*)", re.IGNORECASE
)
BRACKETED = re.compile(
    r"\s*[*_#\s]*(?:《(?P<a>[^》]{1,60})》|【(?P<b>[^】]{1,60})】)[*_\s]*(?P<rest>.{0,40})"
)
QUOTED = re.compile(r"\s*[“\"‘「『](?P<title>[^“”\"「」『』]{1,100})[”\"’」』]\s*")
NUMERAL = re.compile(r"(?:[IVXLC]+|\d{1,3})[.)]?")
UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*")
MINOR = re.compile(
    r"a|an|the|of|in|on|at|to|for|and|but|or|nor|so|yet|with|from|by|as|into|over|upon"
    r"|under|after|before|through|between|beneath|above|against|without|within|is|it|its"
    r"|o'er|vs|versus"
)
ENDS_A_VERSE = (",", ";", ":", "—", "–", "-", "，", "；", "：", "、")
ENDS_A_SENTENCE = (".", "!", "?", "。", "！", "？", "…")


def take_title(lines: Sequence[Line], log: Log, above: Above) -> tuple[str, list[Line]]:
    """Return the title, and the lines without it; labels and bylines go with it."""
    kept = cut_labels(lines, log)
    title, rest = _marked(kept, log)
    if not title:
        title, rest = _unmarked(kept, log, announced=bool(above.said))
    if title or (kept and len(kept) > 2 and _is_form_alone(kept)):
        rest = _cut_under_title(strip_blank(rest), log)
    kept = cut_labels(rest, log)
    return _clean(title or _named_above(above)), kept


def _clean(title: str) -> str:
    """Take the marks off: quotes only in pairs, since a title may end in one."""
    tagged = TAGGED.fullmatch(title)
    said = (tagged[2] if tagged else title).strip().strip("#*_ ").strip()
    named = NAMED.fullmatch(said)
    said = (named["title"] if named else said).strip("*_ ").rstrip(":：").strip()
    for opened, closed in ("“”", '""', "''", "‘’", "《》", "「」", "【】", "()"):
        if said[:1] == opened and said[-1:] == closed and len(said) > 2:
            inner = said[1:-1]
            if opened not in inner and closed not in inner:
                said = inner.strip()
    numbered = wording.NUMBERED_WORK.match(said)
    if numbered and ":" in said[numbered.end() : numbered.end() + 3]:
        said = said.partition(":")[2].strip()
    if wording.KIND.fullmatch(said) and said.lower().split()[-1] in {"untitled", "poem"}:
        return ""
    return said.strip("*_ ")[:300]


def _named_above(above: Above) -> str:
    """Return the title that an announcement names, as in: a poem titled “Dusk”."""
    if above.marked and len(above.marked) <= LONGEST:
        return above.marked
    for said in reversed(above.said):
        if called := wording.CALLED.search(said[:1000]):
            return called["title"]
    return ""


def _take(lines: Sequence[Line], log: Log, *, count: int = 1) -> list[Line]:
    log.cut(TITLE, [line.number for line in lines[:count]], _clean(lines[0].text) or lines[0].text)
    return list(lines[count:])


def _marked(lines: Sequence[Line], log: Log) -> tuple[str, list[Line]]:
    if len(lines) < 2 or len(lines[0].text) > LONGEST_MARKED:
        return "", list(lines)
    text = lines[0].text
    if NAMED.fullmatch(text) or chinese.TITLE.fullmatch(lines[0].plain):
        said = chinese.TITLE.fullmatch(lines[0].plain)
        return (said["title"] if said else text), _take(lines, log)
    if bracketed := BRACKETED.fullmatch(text):
        rest = bracketed["rest"].strip()
        if not rest or chinese.AUTHOR.fullmatch(rest) or len(rest) <= 6:
            return (bracketed["a"] or bracketed["b"]), _take(lines, log)
    if UNDERLINE.fullmatch(lines[1].text) and words(text) <= MANY_WORDS and "=" in lines[1].text:
        return text, _take(lines, log, count=2)
    if _is_heading(lines):
        return text, _take(lines, log)
    return "", list(lines)


def _is_heading(lines: Sequence[Line]) -> bool:
    """Whether the first line is marked as a heading, and not one of several like it."""
    first = lines[0]
    heading, bold = HEADING.fullmatch(first.text), BOLD.fullmatch(first.text)
    quoted = QUOTED.fullmatch(first.text) and lines[1].is_blank
    tagged = TAGGED.fullmatch(first.text)
    if (
        not (heading or bold or tagged or quoted)
        or words(first.plain) > 20
        or len(first.text) > LONGEST + 20
    ):
        return False
    if first.plain.rstrip("*_ ").endswith((",", ";", "，", "；", "—")):
        return False
    if not any(not line.is_blank for line in lines[1:]):
        return False
    return not _is_one_of_several(lines)


def _is_one_of_several(lines: Sequence[Line]) -> bool:
    """Whether stanzas below begin in the same way: then it heads its own stanza only."""
    below = strip_blank(lines[1:])
    if below and below[0].is_marked and lines[1].is_blank and not _whole_is_marked(lines):
        return False  # a title above the first heading
    mark = _mark(lines[0])
    groups = [block for block in blocks(lines)[1:] if not block.is_rule]
    like = [block for block in groups if mark and _mark(block.lines[0]) == mark]
    if not lines[1].is_blank:
        # A title right above its stanza, or verse that begins in bold.
        return bool(like) or _mark(lines[1]) == mark != ""
    return bool([block for block in like if block.stop < len(lines)]) and not _closes_bold(lines)


def _closes_bold(lines: Sequence[Line]) -> bool:
    """Whether only the last lines are bold, too: an emphatic ending."""
    groups = [block for block in blocks(lines)[1:] if not block.is_rule]
    like = [at for at, block in enumerate(groups) if _mark(block.lines[0]) == _mark(lines[0])]
    return bool(like) and all(
        all(line.is_marked for line in block.lines) for block in groups[like[0] :]
    )


def _whole_is_marked(lines: Sequence[Line]) -> bool:
    said = [line for line in lines if not line.is_blank and not line.is_rule]
    return all(line.is_marked for line in said)


def _mark(line: Line) -> str:
    if len(line.text) > LONGEST_MARKED:
        return ""
    if heading := HEADING.fullmatch(line.text):
        return heading[1]
    bold = BOLD.fullmatch(line.text)
    return bold[1] if bold else ""


def _unmarked(lines: Sequence[Line], log: Log, *, announced: bool) -> tuple[str, list[Line]]:
    if len(lines) < 3 or lines[0].is_blank or lines[0].width > LONGEST_ALONE:
        return "", list(lines)
    text = lines[0].text.strip()
    if is_label(lines[0]) or NUMERAL.fullmatch(text) or text[:1] in "([（":
        return "", list(lines)
    if lines[0].is_marked or text.endswith(ENDS_A_VERSE):
        return "", list(lines)
    if is_title_case(text) and _is_subtitle(lines[1], lines[2]):
        return text, _take(lines, log)
    taken = (
        _stands_alone(lines) if lines[1].is_blank else _heads_a_stanza(lines, announced=announced)
    )
    return (text, _take(lines, log)) if taken else ("", list(lines))


def _stands_alone(lines: Sequence[Line]) -> bool:
    """Whether a first line above a blank one is a title: nothing below looks like it."""
    text = lines[0].text.strip()
    groups = [block for block in blocks(lines)[1:] if not block.is_rule]
    body = [line for block in groups for line in block.lines]
    if not groups or _is_han_title(text, body):
        return bool(groups)
    alone = sum(block.alone for block in groups)
    if chinese.HAN.search(text):
        return not alone and _is_short_han(text, body)
    if is_title_case(text):
        return _is_title_of(text, groups)
    if text.endswith(ENDS_A_SENTENCE) or words(text) > MANY_WORDS - 4 or alone:
        return False
    # Verse without stops may well begin with a line by itself.
    below = "\n".join(line.text for line in body).casefold()
    return _ended(body) >= 0.5 and text.casefold() not in below


def _is_title_of(text: str, groups: Sequence[Block]) -> bool:
    """Whether a line in title case is no line of the poem: neither refrain nor one of its kind."""
    body = [line.text.strip() for block in groups for line in block.lines]
    if len(groups[0].lines) < 2 and len(groups) < 3:
        return False
    # More lone lines of the kind are headings of sections, unless one follows at once.
    like = [block.alone and is_title_case(block.lines[0].text.strip()) for block in groups]
    if any(like) and not like[0]:
        return False
    refrain = text.casefold() in (line.casefold() for line in body)
    return not refrain or len(text.split()) > 1


def _is_short_han(text: str, body: Sequence[Line]) -> bool:
    lengths = sorted(len(line.text.strip()) for line in body)
    stopped = chinese.END_OF_VERSE.search(text)
    return not stopped and len(text) <= 0.8 * lengths[len(lengths) // 2]


def _ended(body: Sequence[Line]) -> float:
    """Return the share of lines that end in a stop."""
    ends = (*ENDS_A_VERSE, *ENDS_A_SENTENCE)
    return sum(line.text.rstrip(" *_\\").endswith(ends) for line in body) / len(body)


def _heads_a_stanza(lines: Sequence[Line], *, announced: bool) -> bool:
    """Whether the first line of the first stanza is a title that lacks its blank line."""
    text = lines[0].text.strip()
    others = [line for line in lines[1:] if not line.is_blank and not line.is_rule]
    if _is_han_title(text, others):
        return True
    titled = is_title_case(text) and not text.endswith(ENDS_A_SENTENCE)
    if not titled or len(text.split()) < 2 or not others:
        return False
    sizes = [len(block.lines) for block in blocks(lines) if not block.is_rule]
    odd = len(sizes) > 1 and set(sizes[1:]) == {sizes[0] - 1} and sizes[0] > 2
    cased = sum(is_title_case(line.text.strip()) for line in others)
    if odd:
        return cased * 4 <= len(others)
    return announced and len(others) > 3 and not cased and _ended(others) >= 0.9


def _is_han_title(text: str, others: Sequence[Line]) -> bool:
    """Whether a Chinese first line without a stop stands above verses that have stops."""
    if not chinese.HAN.search(text) or chinese.END_OF_VERSE.search(text) or len(text) > 20:
        return False
    verses = [line.text.strip() for line in others]
    if len(verses) > 2 and _is_han_author(verses[0], verses[1]):
        verses = verses[1:]
    if len(verses) < 2:
        return len(verses) == 1 and len(chinese.END_OF_VERSE.findall(verses[0])) >= 2
    if all(chinese.END_OF_VERSE.search(verse) for verse in verses):
        return True
    lengths = {len(verse) for verse in verses}
    return len(verses) >= 4 and len(lengths) == 1 and len(text) not in lengths


def _is_han_author(text: str, below: str) -> bool:
    """Whether it is an author's name between a Chinese title and the verse."""
    said = text.strip("*_ ")
    if chinese.AUTHOR.fullmatch(said):
        return True
    named = re.fullmatch(r"[\u3400-\u9fff]{2,3}", said)
    return bool(named) and len(below) > len(said) and bool(chinese.END_OF_VERSE.search(below))


def is_title_case(text: str) -> bool:
    """Whether its words are written as in an English title."""
    found = [word.strip("“”\"'‘’()[]*_,.:;!?…") for word in text.split()]
    said = [word for word in found if any(char.isalpha() for char in word)]
    if not said or len(said) > MANY_WORDS or not said[0][:1].isupper() or len(text) > LONGEST_ALONE:
        return False
    main = [word for word in said[1:] if not MINOR.fullmatch(word.casefold())]
    return all(word[:1].isupper() or word[:1].isdigit() for word in main) and (
        bool(main) or len(said) <= 2
    )


def _cut_under_title(lines: Sequence[Line], log: Log) -> list[Line]:
    """Cut a byline, or a line that names the form, between the title and the poem."""
    kept = cut_labels(lines, log)
    for _ in range(2):
        if len(kept) < 2 or not _is_subtitle(kept[0], kept[1]):
            break
        log.cut(SUBTITLE, [kept[0].number], kept[0].text)
        kept = cut_labels(kept[1:], log)
    return kept


def _is_form_alone(lines: Sequence[Line]) -> bool:
    """Whether the first line says in brackets what the poem is, and no more."""
    text = lines[0].text.strip()
    return lines[1].is_blank and text[:1] in "([（" and _is_subtitle(lines[0], lines[1])


def _is_subtitle(line: Line, below: Line) -> bool:
    text = line.text.strip()[:LONGEST_MARKED]
    bare = text.strip("*_()（）[] ")
    if _is_han_author(text, below.text.strip()):
        return True
    by = wording.BYLINE.fullmatch(bare)
    if by and (below.is_blank or wording.MODEL.search(by["who"])):
        names = [name for name in by["who"].split() if name not in {"of", "de", "von", "van"}]
        return len(names) <= 5 and all(name[:1].isupper() or name[:1] in "[<(" for name in names)
    framed = text[:1] in "(（[*_" and text[-1:] in ")）]*_" and words(bare) <= MANY_WORDS
    if framed and below.is_blank and wording.SUBTITLE.search(bare):
        return True
    return bool(
        below.is_blank and re.fullmatch(rf"(?:an? )(?:[\w’'-]+ ){{0,4}}{wording.WORK}", bare, re.I)
    )
