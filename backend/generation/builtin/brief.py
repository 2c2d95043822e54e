"""Reading a brief: which form, how many lines, which rhymes, about what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

from backend.generation.builtin.ngram import words

_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")
_SLOT = re.compile(r"([A-Z])(\d?)(=?)")
_NUMBERS = {
    name: number
    for number, name in enumerate(
        words("two three four five six seven eight nine ten eleven twelve thirteen fourteen"), 2
    )
}
_NUMBER = rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_LINES_ASKED = re.compile(rf"{_NUMBER}[- ]lines?\b")
_STANZAS_ASKED = re.compile(rf"{_NUMBER}(?: (?!line)[a-z]+)? (?:stanza|quatrain)s?\b")
_TITLE = re.compile(r"《([^》]+)》")
_THEME = re.compile(r"\btheme: *(\S.*)")
MOST_LINES = 100

_FEET = {"dimeter": 4, "trimeter": 6, "tetrameter": 8, "pentameter": 10, "hexameter": 12}
# What a brief says about the task, and so not about the poem.
_TASK_WORDS = frozenset(
    words("""about above according adhere also and are around based believe below brief classical
    compose content create each english ensure every famous follow following follows for
    form format from generated given has have how human iambic imagery imagine include
    includes instructions into its know lead let line lines literary machine machines meter
    metre must not only original output pattern people please poem poems poet poetic poetry
    provide reader real realize reply rhyme rhymes rhyming scheme should specific stanza
    stanzas style text that the them theme themed themes then these they this title titled
    trochaic verse who with without words write writes written your""")
)


@dataclass(frozen=True)
class Slot:
    """One line to be written: what it rhymes with, what it repeats, about how long it is."""

    rhyme: str
    syllables: int
    refrain: str = ""
    same_word: bool = False


@dataclass(frozen=True)
class EnglishBrief:
    """What the writer takes from a brief in English."""

    form: str
    stanzas: tuple[tuple[Slot, ...], ...]
    theme: frozenset[str]


@dataclass(frozen=True)
class ChineseBrief:
    """What the writer takes from a brief in Chinese; 0 where the brief leaves the choice."""

    title: str
    lines: Literal[0, 4, 8]
    characters: Literal[0, 5, 7]


@dataclass(frozen=True)
class Form:
    """A fixed form: its stanzas and the syllables of its lines, both by turns.

    In a scheme a letter is a rhyme, a digit after it a line that comes back whole, ``=`` an end
    word that comes back, a space the end of a stanza.
    """

    scheme: str
    syllables: tuple[int, ...]


FORMS = {
    "sonnet": Form("ABABCDCDEFEFGG", (10,)),
    "villanelle": Form("A1BA2 ABA1 ABA2 ABA1 ABA2 ABA1A2", (10,)),
    "pantoum": Form("A1B1A2B2 B1C1B2C2 C1D1C2D2 D1A2D2A1", (8,)),
    "sestina": Form(
        "A=B=C=D=E=F= F=A=E=B=D=C= C=F=D=A=B=E= E=C=B=F=A=D= D=E=A=C=F=B= B=D=F=E=C=A= E=C=A=",
        (10,),
    ),
    "ghazal": Form("A=A= BA= CA= DA= EA= FA=", (12,)),
    "limerick": Form("AABBA", (8, 8, 5, 5, 8)),
    "ballad": Form("ABCB DEFE GHIH JKLK MNON", (8, 6)),
    "haiku": Form("ABC", (5, 7, 5)),
    "couplet": Form("AA BB CC DD EE FF", (10,)),
    "quatrain": Form("ABAB CDCD EFEF", (8,)),
}
UNNAMED = Form("ABCB DEFE GHIH", (8,))
ANY_LENGTH = frozenset({"", "ballad", "couplet", "quatrain"})
# Edward Lear's limerick: the third line is the two short ones in one.
LEAR = Form("AABA", (8, 8, 10, 8))


def is_chinese(text: str) -> bool:
    """Whether a text has more Chinese characters than Latin words."""
    return len(_IDEOGRAPH.findall(text)) > len(_LATIN.findall(text))


def read_chinese(brief: str) -> ChineseBrief:
    """Read a brief such as 写一首题为《静夜思》的五言绝句."""
    title = _TITLE.search(brief)
    request = _TITLE.sub("", brief)
    lines: Literal[0, 4, 8] = 0
    characters: Literal[0, 5, 7] = 0
    if re.search("绝句|絕句|五绝|七绝|五絕|七絕|四句", request):
        lines = 4
    elif re.search("律诗|律詩|五律|七律|八句", request):
        lines = 8
    if re.search("五言|五[绝絕律]", request):
        characters = 5
    elif re.search("七言|七[绝絕律]", request):
        characters = 7
    return ChineseBrief(title.group(1) if title else "", lines, characters)


def read_english(brief: str) -> EnglishBrief:
    """Read a brief in English; what it does not say follows its form, or plain quatrains."""
    named = brief.lower()
    form = min((name for name in FORMS if name in named), key=named.index, default="")
    shape = FORMS.get(form, UNNAMED)
    pattern = rhyme_pattern(brief)
    lines = _asked(_LINES_ASKED, named)
    if form == "limerick" and pattern == LEAR.scheme:
        shape, pattern = LEAR, ""
    if _recurs(shape.scheme):
        pattern, lines = "", 0
    elif form in ANY_LENGTH and (stanzas := _asked(_STANZAS_ASKED, named)):
        lines = stanzas * (lines or len(pattern.replace(" ", "")) or 4)
    scheme = _scheme(shape, pattern, min(lines, MOST_LINES))
    feet = next((n for name, n in _FEET.items() if name in named), 0)
    return EnglishBrief(form, _stanzas(scheme, (feet,) if feet else shape.syllables), _theme(named))


def _asked(what: re.Pattern[str], named: str) -> int:
    """How many a brief asks for, in figures or a number word; 0 if it does not say."""
    found = what.search(named)
    if not found:
        return 0
    number = found.group(1)
    return _NUMBERS.get(number) or int(number)


def rhyme_pattern(brief: str) -> str:
    """The rhyme pattern a brief spells out, such as ``ABCB`` or ``ABBAABBA CDDCEE``; else none.

    Letters must come up in the order of the alphabet, which keeps ordinary words out.
    """
    parts: list[str] = []
    for word in re.split(r"[\s/-]+", brief):
        bare = word.strip("\"'“”‘’()[],.;:")
        if len(bare) > 1 and bare.isalpha() and bare.isupper() and _in_order("".join(parts) + bare):
            parts.append(bare)
            if word[-1] in ".;:)":
                break
        elif parts:
            break
    pattern = " ".join(parts)
    return pattern if len(pattern) > 2 else ""


def _in_order(letters: str) -> bool:
    """Whether a pattern starts with A and brings in one new letter at a time."""
    highest = ord("A") - 1
    for letter in letters:
        if not "A" <= letter <= chr(highest + 1):
            return False
        highest = max(highest, ord(letter))
    return True


def _recurs(scheme: str) -> bool:
    """Whether whole lines or end words come back, which no pattern in the brief can overrule."""
    return bool(re.search(r"[\d=]", scheme))


def _scheme(shape: Form, pattern: str, lines: int) -> str:
    """A scheme of the lines asked for: the pattern once, or stanza by stanza if it is shorter."""
    if not pattern and not lines:
        return shape.scheme
    usual = len(shape.scheme.replace(" ", ""))
    unit = pattern or (shape.scheme if usual >= lines else shape.scheme.split()[0])
    letters = unit.replace(" ", "")
    wanted = lines or max(usual, len(letters))
    if len(letters) >= wanted:
        return _first_lines(unit, wanted)
    return _repeated(letters, wanted, gap="" if " " not in shape.scheme else " ")


def _first_lines(scheme: str, lines: int) -> str:
    """The scheme up to so many lines, its stanza breaks kept."""
    kept = ""
    for mark in scheme:
        if len(kept.replace(" ", "")) < lines:
            kept += mark
    return kept


def _repeated(letters: str, lines: int, *, gap: str) -> str:
    """One stanza's pattern over and over with new rhymes; two lines left over make a couplet."""
    kinds = len(set(letters))
    stanzas: list[str] = []
    written = 0
    while written < lines:
        left = lines - written
        stanza = "AA" if left == 2 else letters[:left]
        shift = len(stanzas) * kinds
        stanzas.append("".join(chr(ord("A") + (ord(mark) - 65 + shift) % 26) for mark in stanza))
        written += len(stanza)
    return gap.join(stanzas)


def _stanzas(scheme: str, syllables: Sequence[int]) -> tuple[tuple[Slot, ...], ...]:
    lengths = cycle(syllables)
    return tuple(
        tuple(
            Slot(rhyme, next(lengths), rhyme + digit if digit else "", same_word=bool(same))
            for rhyme, digit, same in _SLOT.findall(stanza)
        )
        for stanza in scheme.split()
    )


def _theme(named: str) -> frozenset[str]:
    """The words of the theme a brief names, or else all its words but those about the task."""
    theme = _THEME.search(named)
    words = {word for word in _LATIN.findall(theme.group(1) if theme else named) if len(word) > 2}
    forms = {ending for form in FORMS for ending in (form, f"{form}s")}
    return frozenset(words - _TASK_WORDS - forms - set(_FEET))
