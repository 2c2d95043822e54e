"""English verse from an n-gram model: rhyme words first, each line from its end backwards."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from backend.generation.builtin.brief import Slot, read_english
from backend.generation.builtin.ngram import Draw, NgramModel, words
from backend.poetics.pronunciation import rhyme_sound, syllables

LINES_TRIED = 16
# A word of the brief weighs this much more than another as an end word.
THEME_WEIGHT = 20
# A word is common, and no theme, when it is more than one token in so many.
COMMON = 300

_WRITTEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_STOPS: Mapping[str, float] = {"": 4, ",": 5, ";": 1}
# Words that lean on the next line and take no stop.
_LEANING = frozenset(
    words("""a an and as at but by for from if in my no nor of on or our so than that the their
    thy to was were when where which who with your""")
)


class RhymeBook:
    """The words that end lines in the training texts, by what they rhyme on."""

    def __init__(self, line_ends: Mapping[str, int]) -> None:
        self._ends = line_ends
        self._groups: dict[str, dict[str, int]] = defaultdict(dict)
        for word, count in line_ends.items():
            if sound := rhyme_sound(word):
                self._groups[sound][word] = count

    def end_words(self, slots: Sequence[Slot], theme: frozenset[str], draw: Draw) -> list[str]:
        """An end word for each line, rhyming as its slot says as far as the texts can.

        Each rhyme has its own sound. A rhyme with more lines than words takes words again.
        """
        lines = [_end_name(slot, at) for at, slot in enumerate(slots)]
        by_rhyme: dict[str, list[str]] = defaultdict(list)
        for slot, line in zip(slots, lines, strict=True):
            if line not in by_rhyme[slot.rhyme]:
                by_rhyme[slot.rhyme].append(line)
        chosen: dict[str, str] = {}
        taken: set[str | None] = set()
        # The largest rhymes choose first, while the large groups are free.
        for asked in sorted(by_rhyme.values(), key=len, reverse=True):
            words = self._rhyming(len(asked), taken, theme, draw)
            chosen |= zip(asked, words, strict=True)
        return [chosen[line] for line in lines]

    def _rhyming(
        self, wanted: int, taken: set[str | None], theme: frozenset[str], draw: Draw
    ) -> list[str]:
        group = self._group(wanted, taken, theme, draw) if wanted > 1 else None
        words = draw.several(_weighed(group or self._free(taken), theme), wanted)
        taken.add(rhyme_sound(words[0]))
        return words

    def _free(self, taken: set[str | None]) -> Mapping[str, int]:
        """The line ends on a sound of their own; all of them when none is left."""
        free = {word: n for word, n in self._ends.items() if rhyme_sound(word) not in taken}
        return free or self._ends

    def _group(
        self, wanted: int, taken: set[str | None], theme: frozenset[str], draw: Draw
    ) -> Mapping[str, int] | None:
        """A group of at least so many rhyming words; the largest when none has as many."""
        free = {sound: group for sound, group in self._groups.items() if sound not in taken}
        if not free:
            return None
        most = max(map(len, free.values()))
        large = {
            sound: sum(_weighed(group, theme).values())
            for sound, group in free.items()
            if len(group) >= min(wanted, most)
        }
        return free[draw.choose(large)]


class EnglishWriter:
    """Writes verse in the stanzas, rhymes and line lengths of a brief, as near as it draws."""

    def __init__(self, model: NgramModel, texts: Iterable[str]) -> None:
        self._model = model
        self._texts = texts

    @cached_property
    def _rhymes(self) -> RhymeBook:
        return RhymeBook(self._model.line_ends)

    @cached_property
    def _spelling(self) -> dict[str, str]:
        """How a word is mostly written where a capital is not the line's own."""
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        for text in self._texts:
            for line in text.splitlines():
                for written in _WRITTEN.findall(line.replace("’", "'"))[1:]:
                    if written == "I" or not written.isupper():
                        seen[written.lower()][written] += 1
        return {word: spellings.most_common(1)[0][0] for word, spellings in seen.items()}

    def write(self, brief: str, draw: Draw) -> str:
        """Write the poem a brief asks for."""
        asked = read_english(brief)
        theme = self._telling(asked.theme)
        slots = [slot for stanza in asked.stanzas for slot in stanza]
        ends = self._rhymes.end_words(slots, theme, draw)
        lines: dict[str, list[str]] = {}
        for at, (slot, end) in enumerate(zip(slots, ends, strict=True)):
            name = _line_name(slot, at)
            if name not in lines:
                lines[name] = self._line(slot, end, theme, list(lines.values()), draw)
        poem = iter([lines[_line_name(slot, at)] for at, slot in enumerate(slots)])
        return "\n\n".join(
            "\n".join(
                self._verse(
                    next(poem), draw, ends_sentence=bool(slot.refrain) or slot is stanza[-1]
                )
                for slot in stanza
            )
            for stanza in asked.stanzas
        )

    def _line(
        self,
        slot: Slot,
        end: str,
        theme: frozenset[str],
        written: Sequence[Sequence[str]],
        draw: Draw,
    ) -> list[str]:
        """The best of some lines on an end word: its length, its start, a word of the theme."""

        def enough(tokens: Sequence[str]) -> bool:
            return sum(map(syllables, tokens)) >= slot.syllables

        def fault(line: Sequence[str]) -> float:
            return (
                abs(sum(map(syllables, line)) - slot.syllables)
                + (line[0] not in self._model.line_starts)
                + (len(line) - len(set(line))) / 2
                + 3 * (line in written)
                - (not theme.isdisjoint(line))
            )

        # Every other line is held to its length. At temperature 0 all tries are the same line.
        drawn = (
            self._model.write_line(draw, last=end, enough=enough, may_fall_short=bool(at % 2))
            for at in range(LINES_TRIED if draw.temperature else 1)
        )
        return min(drawn, key=fault)

    def _telling(self, words: frozenset[str]) -> frozenset[str]:
        """Of the words of a brief those the model knows and does not meet in every poem."""
        counts = self._model.counts
        common = sum(counts.values()) / COMMON
        return frozenset(word for word in words if 0 < counts.get(word, 0) < common)

    def _verse(self, tokens: Sequence[str], draw: Draw, *, ends_sentence: bool) -> str:
        line = " ".join(self._spelling.get(token, token) for token in tokens)
        stop = "" if tokens[-1] in _LEANING else draw.choose(_STOPS)
        at = next(at for at, letter in enumerate(line) if letter.isalpha())
        return line[:at] + line[at].upper() + line[at + 1 :] + ("." if ends_sentence else stop)


def _line_name(slot: Slot, at: int) -> str:
    return slot.refrain or f"line {at}"


def _end_name(slot: Slot, at: int) -> str:
    return f"{slot.rhyme}=" if slot.same_word else _line_name(slot, at)


def _weighed(words: Mapping[str, int], theme: frozenset[str]) -> dict[str, float]:
    return {word: n * (THEME_WEIGHT if word in theme else 1) for word, n in words.items()}
