"""Classical Chinese verse from an n-gram model of characters."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from backend.generation.builtin.brief import read_chinese
from backend.generation.builtin.ngram import CHINESE, Draw, NgramModel

LINES_TRIED = 24
# How much more a character of the title, or one that rhymes, weighs as a line's end.
TITLE_WEIGHT = 20
SHAPES = {"五言絕句": (4, 5), "七言絕句": (4, 7), "五言律詩": (8, 5), "七言律詩": (8, 7)}


class ChineseWriter:
    """Writes four or eight lines of five or seven characters, the even lines rhyming.

    No dictionary says how a character sounds, so it takes for rhymes what ended the even lines of
    one poem in the training texts.
    """

    def __init__(self, model: NgramModel, texts: Iterable[str]) -> None:
        self._model = model
        self._texts = texts

    @cached_property
    def _rhymes(self) -> dict[str, dict[str, int]]:
        """For each character that ends an even line, what ended the other even lines with it."""
        rhymes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for text in self._texts:
            ends = [line[-1] for line in CHINESE.lines(text)[1::2]]
            for one in ends:
                for other in set(ends) - {one}:
                    rhymes[one][other] += 1
        return {one: dict(others) for one, others in rhymes.items()}

    def write(self, brief: str, draw: Draw) -> str:
        """Write the poem a brief asks for."""
        asked = read_chinese(brief)
        shapes = {
            name: 1.0
            for name, (lines, characters) in SHAPES.items()
            if asked.lines in (0, lines) and asked.characters in (0, characters)
        }
        lines, characters = SHAPES[draw.choose(shapes)]
        title = frozenset(asked.title)
        poem: list[list[str]] = []
        for end in self._ends(lines, title, draw):
            poem.append(self._line(end, characters, title, poem, draw))
        return "\n".join("".join(line) + ("。" if at % 2 else "，") for at, line in enumerate(poem))

    def _ends(self, lines: int, title: frozenset[str], draw: Draw) -> list[str]:
        """The last character of each line: the even ones from one rhyme, none of them twice."""
        wanted = lines // 2
        wide = {one: len(others) for one, others in self._rhymes.items() if len(others) >= wanted}
        ends = self._model.line_ends
        first = draw.choose(_weighed(wide or ends, title))
        rhymes = self._rhymes.get(first) or {first: 1}
        rhyming = [first, *draw.several(_weighed(rhymes, title), wanted - 1)]
        rest = {one: n for one, n in ends.items() if one != first and one not in rhymes}
        others = draw.several(_weighed(rest or ends, title), wanted)
        return [end for pair in zip(others, rhyming, strict=True) for end in pair]

    def _line(
        self,
        end: str,
        characters: int,
        title: frozenset[str],
        poem: list[list[str]],
        draw: Draw,
    ) -> list[str]:
        """The best of some lines: with few characters met before."""
        met = {character for line in poem for character in line}

        def long_enough(so_far: Sequence[str]) -> bool:
            return len(so_far) == characters

        def fault(line: list[str]) -> float:
            return (
                (line[0] not in self._model.line_starts)
                + len(met.intersection(line))
                + (len(line) - len(set(line)))
                - (not title.isdisjoint(line))
            )

        # At temperature 0 every try is the same line.
        tries = LINES_TRIED if draw.temperature else 1
        drawn = (
            self._model.write_line(draw, last=end, enough=long_enough, may_fall_short=False)
            for _ in range(tries)
        )
        return min(drawn, key=fault)


def _weighed(characters: Mapping[str, int], title: frozenset[str]) -> dict[str, float]:
    return {one: n * (TITLE_WEIGHT if one in title else 1) for one, n in characters.items()}
