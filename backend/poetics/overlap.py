"""Verse as it is compared: folded, parted into lines, and where two texts share lines.

ProFTAP (appendix A.3) calls a poem duplicative if no less than two consecutive lines of it match
lines of a known poem. Here lines match that are equal once case, punctuation, spacing, marks above
letters, elisions ("wand'ring") and the variants of Chinese characters are folded.
"""

import re
import threading
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from opencc import OpenCC

# Raised whenever anything below folds or parts lines differently: an index then knows it is old.
FOLDING = 1

# Fewer are too common to show where a line comes from: "and so", 春風. A shorter line may stand in
# a run of equal lines, but two lines of the run have to be long enough, and differ.
LEAST_WORDS = 3
LEAST_CHARACTERS = 4
LEAST_LINES = 2

HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Scripts that write no space between words: each character counts as a word.
_UNIT = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|"
    r"[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_MARKS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
    | dict.fromkeys("’‘ʼ´`′", "'")
)
_THE = re.compile(r"\bth'(?=\s*\w)")
_V = re.compile(r"(?<=[oe])'(?=e[nr]\b)")  # o'er, ne'er, e'en
_E = re.compile(r"(?<=[^\W\d_])'(?=d\b|st\b|n|r)")  # dimm'd, ow'st, heav'nly, wand'ring
_HYPHEN = re.compile(r"(?<=\w)[-\u2010](?=\w)")
_SIGNS = re.compile(r"(?:[^\w\n]|_)+")

_BREAKS = "，。！？；：,.!?;:…"
_CHINESE_VERSE = re.compile(rf"[^{_BREAKS}]+[{_BREAKS}]*[”’」』》〉）)\"']*")
_PARTED = re.compile(r"\s+/{1,2}\s+")  # verse quoted in a running text


class _Simplified(dict[int, str]):
    """The simplified form of each character, by OpenCC.

    By character, where OpenCC looks at phrases: 乾 alone becomes 干, but stays in 乾坤. A verse has
    to fold alike wherever it stands and however it was typed.
    """

    # What OpenCC leaves apart, as editions differ: the first of each pair becomes the second.
    _VARIANTS = dict(zip("著馀祇衹疎荅徧妳囬甯", "着余只只疏答遍你回宁", strict=True))

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._converter: OpenCC | None = None

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if HAN.match(character):
            with self._lock:
                if self._converter is None:
                    self._converter = OpenCC("t2s")
                character = self._converter.convert(character)
        self[code] = found = self._VARIANTS.get(character, character)
        return found


_SIMPLIFIED = _Simplified()


@dataclass(frozen=True, slots=True)
class VerseLine:
    """A line of verse.

    Attributes
    ----------
    number : int
        Among the lines of its text, from 1; blank lines are not counted.
    text : str
        As it is written, without the spaces around it.
    folded : str
        Its words as `fold_line` gives them.
    """

    number: int
    text: str
    folded: str

    @property
    def letters(self) -> str:
        """Return what is compared: no spacing tells two lines apart."""
        return self.folded.replace(" ", "")


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive lines of one text that equal consecutive lines of another, by index from 0."""

    own: int
    theirs: int
    length: int


@dataclass(frozen=True)
class Shared:
    """Consecutive lines that several texts share: as the first has them, and which have them."""

    lines: tuple[str, ...]
    texts: tuple[int, ...]


def fold_line(line: str, language: str = "") -> str:
    """Return the words of a line as they are compared, a space between them.

    Parameters
    ----------
    language : str
        If it is named and not English, apostrophes stand for no letter: they are dropped.
    """
    return " ".join(_folded(line.replace("\n", " "), language).split())


def verse_lines(text: str, language: str = "") -> list[VerseLine]:
    """Return the lines of a poem in order, without those that hold no word.

    A line of Chinese that holds several verses (床前明月光，疑是地上霜。) counts as several:
    the verses between punctuation are ProFTAP's lines. So does a line with " / " between verses.
    """
    written = [
        verse.strip() for line in text.splitlines() if line.strip() for verse in _verses(line)
    ]
    if not written:
        return []
    folded = (words.strip() for words in _folded("\n".join(written), language).split("\n"))
    held = ((line, words) for line, words in zip(written, folded, strict=True) if words)
    return [VerseLine(number, line, words) for number, (line, words) in enumerate(held, start=1)]


def units(folded: str) -> list[str]:
    """Return the words of a folded line; of Chinese and Japanese, its characters."""
    return folded.split() if folded.isascii() else _UNIT.findall(folded)


def is_evidence(folded: str) -> bool:
    """Whether a folded line is long enough to show where it comes from.

    It has three different words at least, so no "la la la" is evidence; of Chinese, four
    characters, of which three differ.
    """
    found = units(folded)
    least = LEAST_CHARACTERS if HAN.search(folded) else LEAST_WORDS
    return len(found) >= least and len(set(found)) >= LEAST_WORDS


def are_evidence(lines: Iterable[VerseLine]) -> bool:
    """Whether lines in a row, equal to those of a known poem, show that they come from it."""
    return len({line.letters for line in lines if is_evidence(line.folded)}) >= LEAST_LINES


def equal_runs(own: Sequence[VerseLine], theirs: Sequence[VerseLine]) -> list[Run]:
    """Find the longest runs of lines of one text that another has as well, in order of `own`.

    Every line of `own` stands in one run at most. A run counts if `are_evidence` says so.
    """
    places = defaultdict(list)
    for place, line in enumerate(theirs):
        places[line.letters].append(place)
    mine = [line.letters for line in own]
    others = [line.letters for line in theirs]
    found = []
    for start, letters in enumerate(mine):
        for place in places.get(letters, ()):
            if start and place and mine[start - 1] == others[place - 1]:
                continue  # the run began before
            length = _length(mine[start:], others[place:])
            if length >= LEAST_LINES and are_evidence(own[start : start + length]):
                found.append(Run(start, place, length))
    return _apart(found)


def shared_lines(texts: Sequence[str], language: str = "") -> list[Shared]:
    """Find two or more consecutive lines that several texts share, in the order of the texts.

    Language models that share lines have them from somewhere, even if no collection holds it.
    """
    read = [verse_lines(text, language) for text in texts]
    having: dict[tuple[str, str], set[int]] = defaultdict(set)
    for index, lines in enumerate(read):
        for pair in pairwise(lines):
            if are_evidence(pair):
                having[pair[0].letters, pair[1].letters].add(index)
    found: dict[tuple[str, ...], Shared] = {}
    for lines in read:
        for run, texts_having in _common(lines, having):
            letters = tuple(line.letters for line in run)
            shown = tuple(line.text for line in run)
            found.setdefault(letters, Shared(shown, tuple(sorted(texts_having))))
    return list(found.values())


def _folded(text: str, language: str) -> str:
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
        text = text.casefold().translate(_LETTERS)
        text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
        if HAN.search(text):
            text = text.translate(_SIMPLIFIED)
    else:
        text = text.casefold().replace("`", "'")
    if "'" in text:
        if language[:2] in ("", "en"):
            text = _E.sub("e", _V.sub("v", _THE.sub("the ", text)))
        text = text.replace("'", "")
    return _SIGNS.sub(" ", _HYPHEN.sub("", text.replace("&", " and ")))


def _verses(line: str) -> list[str]:
    if line.isascii() or not _is_chinese(line):
        return _PARTED.split(line) if "/" in line else [line]
    pieces = line.split()
    if all(len(piece) == 1 for piece in pieces):  # a space after every character parts no verses
        pieces = [line]
    return [verse for piece in pieces for verse in _CHINESE_VERSE.findall(piece)]


def _is_chinese(line: str) -> bool:
    return 2 * len(HAN.findall(line)) > sum(map(str.isalpha, line))


def _length(own: Sequence[str], theirs: Sequence[str]) -> int:
    length = 0
    for mine, other in zip(own, theirs, strict=False):
        if mine != other:
            break
        length += 1
    return length


def _apart(runs: list[Run]) -> list[Run]:
    taken: set[int] = set()
    kept = []
    for run in sorted(runs, key=lambda run: (-run.length, run.own, run.theirs)):
        lines = range(run.own, run.own + run.length)
        if taken.isdisjoint(lines):
            taken.update(lines)
            kept.append(run)
    return sorted(kept, key=lambda run: run.own)


def _common(
    lines: Sequence[VerseLine], having: dict[tuple[str, str], set[int]]
) -> Iterable[tuple[list[VerseLine], set[int]]]:
    """Runs of lines of which each pair is in the same several texts, and these texts."""
    run: list[VerseLine] = []
    texts: set[int] = set()
    for pair in pairwise(lines):
        common = having.get((pair[0].letters, pair[1].letters), set())
        if run and common == texts:
            run.append(pair[1])
            continue
        if len(texts) > 1:
            yield run, texts
        run, texts = list(pair), common
    if len(texts) > 1:
        yield run, texts
