"""Keys under which lines of verse are found again among very many: 64-bit numbers.

Equal keys say where to look and prove nothing: two texts may have one by chance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

from backend.poetics.function_words import FUNCTION_WORDS
from backend.poetics.overlap import HAN, VerseLine, is_evidence, units

SHINGLE = 3  # words, or characters of Chinese
STRETCH = 8  # words: a longer line is known by the ends of each such stretch of it
_TELLING = 11  # letters of three words: "of the sea" is met with everywhere


@dataclass(frozen=True, slots=True)
class LineKeys:
    """What a stretch of a line is found by.

    Attributes
    ----------
    line : int
        Index of the line, from 0.
    pair : int or None
        Of this line and the next, if equal ones could be evidence.
    opening, middle, closing : int or None
        Of its first three words, three in between and its last three, so that few edits touch all.
    """

    line: int
    pair: int | None
    opening: int | None
    middle: int | None
    closing: int | None


def line_keys(lines: Sequence[VerseLine]) -> list[LineKeys]:
    """Return the keys by which a known poem is found, in the order of its lines."""
    found = []
    for index, line in enumerate(lines):
        pair = _pair(line, lines[index + 1]) if index + 1 < len(lines) else None
        for stretch in _stretches(units(line.folded)):
            shingles = _telling_ends(stretch)
            if pair or shingles[0]:
                found.append(LineKeys(index, pair, *shingles))
            pair = None
    return found


def pair_keys(lines: Sequence[VerseLine]) -> list[int]:
    """Return the keys of a text's consecutive lines, as far as equal ones could be evidence."""
    return [key for pair in pairwise(lines) if (key := _pair(*pair)) is not None]


def shingle_keys(lines: Sequence[VerseLine]) -> list[tuple[int, int]]:
    """Return every three consecutive words of a text, across its lines too: place, key."""
    words = [word for line in lines for word in units(line.folded)]
    return [
        (place, _key(" ".join(shingle)))
        for place, shingle in enumerate(_shingles(words))
        if _is_telling(shingle)
    ]


def _pair(line: VerseLine, following: VerseLine) -> int | None:
    a, b = line.letters, following.letters
    # Of two lines one may be short: a run of three may stand on the first and the last.
    if a == b or not (is_evidence(line.folded) or is_evidence(following.folded)):
        return None
    return _key(f"{a}\n{b}")


def _stretches(words: Sequence[str]) -> Iterator[Sequence[str]]:
    number = max(1, round(len(words) / STRETCH))
    edges = [round(len(words) * index / number) for index in range(number + 1)]
    for start, stop in pairwise(edges):
        yield words[start:stop]


def _telling_ends(words: Sequence[str]) -> tuple[int | None, int | None, int | None]:
    telling = [shingle for shingle in _shingles(words) if _is_telling(shingle)]
    if not telling:
        return None, None, None
    places = sorted({0, len(telling) // 2, len(telling) - 1})
    opening, *others = (_key(" ".join(telling[place])) for place in places)
    closing = others.pop() if others else None
    return opening, others.pop() if others else None, closing


def _shingles(words: Sequence[str]) -> list[Sequence[str]]:
    return [words[place : place + SHINGLE] for place in range(len(words) - SHINGLE + 1)]


def _is_telling(words: Sequence[str]) -> bool:
    if HAN.match(words[0]):
        return len(set(words)) > 1
    return sum(map(len, words)) >= _TELLING and not FUNCTION_WORDS.issuperset(words)


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
