"""Surface figures of a poem: all that the baseline judge goes by."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from backend.generation.builtin.brief import is_chinese
from backend.generation.builtin.ngram import CHINESE, ENGLISH, NgramModel, Script
from backend.poetics.lexis import type_token_ratio
from backend.poetics.pronunciation import rhyme_sound, syllables

# Type-token ratios depend on length; the first words of any poem are of one length.
FIRST_TOKENS = 100
# Where a figure is 0 and where it is 1 on a judge's scale: near the 5th and the 95th percentile of
# English verse, by people and by large language models together.
RANGES = {
    "varied": (0.55, 0.90),
    "even": (0.60, 0.98),
    "rhymed": (0.0, 1.0),
    "unusual": (6.2, 8.0),
    "on_theme": (0.0, 0.6),
}


@dataclass(frozen=True)
class Figures:
    """Surface figures of one poem.

    Attributes
    ----------
    varied : float
        Different words among its first 100, as a share.
    even : float
        1 less the coefficient of variation of its lines' syllables.
    rhymed : float
        Share of lines whose end word rhymes with another line's.
    unusual : float
        Mean of ``-ln p`` over its words under the n-gram model, in nats.
    on_theme : float
        Share of the brief's telling words that the poem says.

    Notes
    -----
    A figure is ``nan`` where the poem has no words, ``on_theme`` where the brief tells nothing,
    and ``rhymed`` in Chinese, whose sounds no dictionary here knows.
    """

    varied: float
    even: float
    rhymed: float
    unusual: float
    on_theme: float

    def share(self, name: str) -> float:
        """Where a figure lies in its range, from 0 to 1; ``nan`` stays ``nan``."""
        value = float(getattr(self, name))
        low, high = RANGES[name]
        return value if math.isnan(value) else min(max((value - low) / (high - low), 0.0), 1.0)


class Surface:
    """Takes the figures of poems, with n-gram models that have not read the poem at hand.

    The training texts are dealt to two models. A poem that one of them has read is measured by
    the other: a judge that knew some poems by heart would be no baseline.
    """

    def __init__(self, *, english: Sequence[str], chinese: Sequence[str], order: int = 2) -> None:
        self._english = _halves(english, order, ENGLISH)
        self._chinese = _halves(chinese, order, CHINESE)

    def measure(self, poem: str, theme: frozenset[str]) -> Figures:
        """Take the figures of a poem written on a brief with these telling words."""
        chinese = is_chinese(poem)
        script = CHINESE if chinese else ENGLISH
        lines = [tokens for line in script.lines(poem) if (tokens := script.tokens(line))]
        if not lines:
            return Figures(*[math.nan] * 5)
        tokens = [token for line in lines for token in line]
        lengths = [len(line) if chinese else sum(map(syllables, line)) for line in lines]
        model = min(self._chinese if chinese else self._english, key=lambda m: _read(m, lines))
        return Figures(
            varied=type_token_ratio(poem, first=FIRST_TOKENS),
            even=1 - pstdev(lengths) / fmean(lengths),
            rhymed=math.nan if chinese else _rhymed(lines),
            unusual=-model.logprob(poem),
            on_theme=fmean(word in tokens for word in theme) if theme else math.nan,
        )


def _halves(texts: Sequence[str], order: int, script: Script) -> tuple[NgramModel, NgramModel]:
    return (
        NgramModel.train(texts[::2], order, script=script),
        NgramModel.train(texts[1::2], order, script=script),
    )


def _read(model: NgramModel, lines: Sequence[Sequence[str]]) -> float:
    return fmean(model.recites(line) for line in lines)


def _rhymed(lines: Sequence[Sequence[str]]) -> float:
    """Share of lines whose end word sounds like another line's end; the same word is no rhyme."""
    ends = {line[-1] for line in lines}
    sounds = Counter(sound for end in ends if (sound := rhyme_sound(end)))
    return fmean(sounds[rhyme_sound(line[-1]) or ""] > 1 for line in lines)
