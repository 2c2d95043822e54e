"""Whether a line or block is talk: the model's words to whoever asked, or about its poem."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from backend.generation.cleaning import chinese, wording
from backend.generation.cleaning.lines import HEADING, LONGEST_MARKED, Block, Line

LOOKED_AT = 600  # characters; what a line is shows in its beginning and its end
SENTENCES = re.compile(r"[a-z0-9)”\"’'*][.!?][”\"’')*]* +[“\"‘'(*]*[A-Z]|[。！？]\s*[^\s”」』）)]")
PROSE_WORDS = 18
BEGINS_TALK = ("i ", "we ", "please ", "let me know", "note")
SHORT_TALK = 5  # words


@dataclass(frozen=True)
class Measure:
    """How wide the reply's lines of verse are."""

    usual: float
    wide: float

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> "Measure":
        """Measure the lines that stand in groups; all lines, if none do."""
        grouped = [line.width for block in blocks if len(block.lines) > 1 for line in block.lines]
        widths = sorted(grouped or [block.lines[0].width for block in blocks]) or [0]
        return cls(median(widths), widths[int(len(widths) * 0.9) - (len(widths) >= 10)])


def words(text: str) -> int:
    """Count words; three Chinese characters are about two words."""
    han = len(chinese.HAN.findall(text))
    return len(text.split()) + han * 2 // 3


def start_of(line: Line) -> str:
    return line.plain[:LOOKED_AT]


def ends_in_colon(line: Line) -> bool:
    return line.plain.rstrip().endswith((":", "："))


def is_prose(line: Line, measure: Measure) -> bool:
    """Whether the line is far longer than the verse, and runs on as sentences do."""
    if line.width < max(70, 1.6 * measure.usual) or line.width < 1.25 * measure.wide:
        return False
    said = line.text[:LOOKED_AT]
    return words(line.text) >= PROSE_WORDS or bool(SENTENCES.search(said))


def speaks_of_writing(text: str) -> bool:
    """Whether it has words of the workshop, or to the reader of a reply."""
    hits = len(set(wording.JARGON.findall(text)))
    return (
        hits >= 2
        or bool(wording.TO_READER.search(text))
        or bool(wording.OF_WORK.search(text) and (hits or wording.ASKED_FOR.search(text)))
    )


def is_refusal(text: str) -> bool:
    """Whether it declines to write. A verse may be sorry, too: it names nothing declined."""
    said = text[:LOOKED_AT]
    refused = wording.REFUSAL.search(said[:200])
    if refused and wording.DECLINED.search(said, refused.start()):
        return True
    return bool(chinese.REFUSAL.match(said) and chinese.DECLINED.search(said))


def is_announcement(line: Line) -> bool:
    """Whether it can be nothing else than the announcement of a poem, wherever it stands."""
    said = start_of(line)
    if ends_in_colon(line) and len(line.plain) <= LOOKED_AT:
        about = wording.OF_WORK.search(said)
        announced = wording.ANNOUNCEMENT.search(said) or wording.INTERJECTION.match(said)
        return bool(
            (about and (announced or wording.ASKED_FOR.search(said)))
            or (announced and wording.ASKED_FOR.search(said))
            or chinese.OPENING.fullmatch(said)
        )
    return False


def announces(line: Line) -> bool:
    """Whether a line that stands alone begins by announcing a poem."""
    said = start_of(line)
    found = wording.ANNOUNCEMENT.search(said[:60])
    return is_announcement(line) or bool(
        found
        and wording.OF_WORK.search(said, found.start())
        and words(said) >= SHORT_TALK
        and line.plain.rstrip().endswith((".", "!", ":"))
    )


def opens(line: Line, measure: Measure) -> bool:
    """Whether a line that stands alone above the poem is talk."""
    said = start_of(line)
    return (
        is_announcement(line)
        or _is_interjection(said)
        or is_refusal(said)
        or bool(wording.STAGE.fullmatch(line.text.strip()))
        or bool(chinese.HAN.search(said) and chinese.OPENING.fullmatch(said))
        or _offers(line, said, measure)
        or _takes_up_the_request(line, said)
    )


def _offers(line: Line, said: str, measure: Measure) -> bool:
    """Whether it says, in whatever words, that a poem follows."""
    announced = wording.ANNOUNCEMENT.search(said)
    if announced and wording.OF_WORK.search(said):
        return True
    if is_prose(line, measure):
        return speaks_of_writing(line.text) or bool(announced)
    if not ends_in_colon(line):
        return False
    short = announced and announced.start() == 0 and words(said) <= SHORT_TALK
    return bool(short or wording.SUBTITLE.search(said) or wording.HOPES.match(said))


def _takes_up_the_request(line: Line, said: str) -> bool:
    """Whether it answers what was asked: “Ah, a poem in the style of Whitman!”"""
    ends = line.plain.rstrip()
    if wording.PRAISE.fullmatch(said):
        return True
    asked = wording.OF_WORK.search(said) and wording.ASKED.search(said)
    if asked and words(said) > SHORT_TALK and ends.endswith((".", "!", ":", "?")):
        return True
    return bool(wording.ADDRESSES.match(said)) and ends.endswith(("?", "!", "."))


def _is_interjection(said: str) -> bool:
    begun = wording.INTERJECTION.match(said)
    if not begun:
        return False
    rest = said[begun.end() :].lstrip()
    if not rest or not rest.strip("!.,:~ "):
        return True
    if rest[0] in "!.:":
        return bool(wording.ANNOUNCEMENT.search(rest) or wording.OF_WORK.search(rest)) or (
            words(rest) <= SHORT_TALK + 3
        )
    return bool(wording.ANNOUNCEMENT.search(rest) or wording.OF_WORK.search(rest))


def is_note(line: Line) -> bool:
    """Whether it is the head of a note: “Note: …”, “### Analysis”, “【注释】”."""
    said = start_of(line)
    bare = said.rstrip(":：*_ ").rstrip(")]】")
    if chinese.NOTE.match(said) and (len(bare) <= 8 or re.search(r"[：:】\]]", said[:14])):
        return True
    noted = wording.NOTE.match(said)
    if not noted:
        return False
    rest = said[noted.end() :].lstrip("*_ ")
    if rest.startswith((":", "：")):
        return True
    marked = bool(HEADING.fullmatch(line.text[:LONGEST_MARKED])) or line.is_marked
    return marked and len(bare) <= 60 and (not rest or (marked and words(rest) <= SHORT_TALK))


def is_translation(line: Line) -> bool:
    """Whether it is the head of a translation."""
    said = start_of(line)
    if chinese.TRANSLATION.match(said) and len(said) <= 40:
        return True
    found = wording.TRANSLATION.match(said)
    rest = said[found.end() :].strip("*_ )]") if found else "-"
    return bool(found) and (rest.startswith((":", "：")) or (not rest and line.is_marked))


def closes(line: Line, measure: Measure) -> bool:
    """Whether a line that stands alone below the poem is talk."""
    said = start_of(line)
    if closes_anywhere(line) or is_note(line) or is_announcement(line):
        return True
    if chinese.HAN.search(said):
        return _closes_in_chinese(line, said)
    if (
        wording.ADDRESSES.match(said)
        or _is_hope(said)
        or wording.STAGE.fullmatch(line.text.strip())
    ):
        return True
    if wording.ABOUT.search(said) and _is_about(line, said, measure):
        return True
    if wording.ITSELF.match(said) and (
        wording.JARGON.search(said) or wording.ASKED_FOR.search(said)
    ):
        return True
    if words(said) >= 10 and wording.ABOUT_FIRST.match(said) and speaks_of_writing(said):
        return True
    if _is_aside(line, said):
        return True
    return _is_prose_below(line, said, measure)


def _is_hope(said: str) -> bool:
    return bool(wording.HOPES.match(said)) and (
        said.rstrip().endswith("!") or bool(wording.HOPED.search(said))
    )


def _is_about(line: Line, said: str, measure: Measure) -> bool:
    """Whether a line with “this poem is …” in it is no verse: too long, or of the workshop."""
    if is_prose(line, measure):
        return True
    wide = line.width > 1.3 * max(measure.usual, 30)
    named = wording.JARGON.search(said) or wording.SUBTITLE.search(said[20:])
    return bool(wording.ABOUT_FIRST.match(said)) and (wide or bool(named))


def _closes_in_chinese(line: Line, said: str) -> bool:
    framed = line.text.strip().startswith(("（", "(", "【", "*", "——"))
    return bool(chinese.CLOSING.match(said)) and (framed or words(said) >= 6)


def _is_aside(line: Line, said: str) -> bool:
    """Whether it stands in brackets and speaks of writing."""
    text = line.text.strip().strip("*_ ")
    framed = text[:1] in "([（【" and text[-1:] in ")]）】"
    return framed and bool(
        wording.OF_WORK.search(said)
        or wording.SUBTITLE.search(said)
        or wording.JARGON.search(said)
        or wording.COUNT.fullmatch(said.rstrip(")]）】"))
    )


def _is_prose_below(line: Line, said: str, measure: Measure) -> bool:
    if is_prose(line, measure):
        return bool(
            words(line.text) >= PROSE_WORDS + 7
            or SENTENCES.search(said)
            or speaks_of_writing(said)
            or wording.OF_WORK.search(said)
        )
    return words(said) >= 8 and speaks_of_writing(said) and bool(wording.TO_READER.search(said))


def closes_anywhere(line: Line) -> bool:
    """Whether it is talk even where it is the last line of a stanza."""
    said = start_of(line)
    if not said.lower().startswith(BEGINS_TALK):
        return False
    if re.match(r"(?:please )?let me know (?:if|what|how|whether)\b", said, re.IGNORECASE):
        return True
    if wording.HOPES.match(said) and wording.HOPED.search(said):
        return True
    noted = re.match(r"(?:\(|\[|\*|_)*(?:please )?note: ", line.text.strip()[:12], re.IGNORECASE)
    return bool(noted and words(said) >= SHORT_TALK)
