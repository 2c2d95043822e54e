"""An n-gram model of verse: counts, back-off, and lines that recite nothing."""

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice

# Kept back from every count for the shorter context. Small, because what is kept back is also
# how often a line leaves what it has read: a held-out estimate (about 0.8) writes word salad.
DISCOUNT = 0.2
EDGE = "\n"
COLDEST = 0.05
DRAWS_AT_EACH_ORDER = 8
LONGEST_LINE = 24

_WORD = re.compile(
    r"\bth'|(?:'(?=(?:tis|twas|twere|twill|twixt|gainst|neath)\b))?[^\W\d_]+(?:'[^\W\d_]+)*"
)
_CLAUSE_END = re.compile(r"[\s，。！？；：、,.!?;:]+")
_IDEOGRAPH = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


class OnlyRecitation(Exception):
    """Every line drawn stood in the training texts: they are too few to write anything else."""


@dataclass(frozen=True)
class Script:
    """How a text is read: cut into lines, a line into tokens, tokens put back into a line."""

    lines: Callable[[str], list[str]]
    tokens: Callable[[str], list[str]]
    space: str


def words(line: str) -> list[str]:
    """The words of a line in lower case, without punctuation."""
    return _WORD.findall(line.replace("’", "'").lower())


def clauses(text: str) -> list[str]:
    """The lines of a Chinese poem, whether it breaks them or only punctuates them."""
    return [clause for clause in _CLAUSE_END.split(text) if clause]


ENGLISH = Script(lines=str.splitlines, tokens=words, space=" ")
CHINESE = Script(lines=clauses, tokens=_IDEOGRAPH.findall, space="")


class Draw:
    """Choices among weighted tokens, the same for the same seed.

    A temperature of 0 takes the heaviest; 1 follows the weights; more flattens them.
    """

    def __init__(self, seed: int | str, *, temperature: float = 1.0) -> None:
        self._random = random.Random(seed)  # noqa: S311 - it draws verse, not secrets
        self.temperature = 0.0 if temperature < COLDEST else temperature

    def choose(self, weights: Mapping[str, float], *, rank: int = 0) -> str:
        """One token; at temperature 0 the heaviest but ``rank``, or the lightest if fewer."""
        if self.temperature == 0:
            ranked = sorted(weights, key=lambda token: (-weights[token], token))
            return ranked[min(rank, len(ranked) - 1)]
        shares: Iterable[float] = weights.values()
        if self.temperature != 1:
            heaviest = max(shares)
            shares = [(weight / heaviest) ** (1 / self.temperature) for weight in shares]
        return self._random.choices(list(weights), list(shares))[0]

    def several(self, weights: Mapping[str, float], wanted: int) -> list[str]:
        """So many different tokens; the same again, in order, when there are fewer."""
        left = dict(weights)
        tokens: list[str] = []
        while left and len(tokens) < wanted:
            tokens.append(self.choose(left))
            del left[tokens[-1]]
        return list(islice(cycle(tokens), wanted))

    def leaves(self, share: float) -> bool:
        """Whether to leave a context that keeps ``share`` of its weight back."""
        if self.temperature == 0 or share <= 0:
            return False
        odds: float = ((1 - share) / share) ** (1 / self.temperature)
        return self._random.random() < 1 / (1 + odds)


class NgramModel:
    """Which token stands before which, as counted in some texts.

    Lines are read from their last token to their first, so that a line can be asked for by the
    word it rhymes on. A context is the tokens that follow in the line, nearest last; the end of
    the line counts as one.
    """

    def __init__(self, order: int, script: Script) -> None:
        if order < 1:
            raise ValueError(f"an n-gram model has an order of 1 or more, not {order}")
        self.order = order
        self.script = script
        self._after: dict[tuple[str, ...], dict[str, int]] = {}
        self._totals: dict[tuple[str, ...], int] = {}
        self._weights: dict[tuple[str, ...], dict[str, float]] = {}
        self._read = ""

    @classmethod
    def train(cls, texts: Iterable[str], order: int, *, script: Script = ENGLISH) -> "NgramModel":
        """Count the lines of the texts."""
        model = cls(order, script)
        lines = [
            tokens
            for text in texts
            for line in script.lines(text)
            if (tokens := script.tokens(line))
        ]
        if not lines:
            raise ValueError("there is no line to train on")
        for tokens in lines:
            model._count(tokens)
        model._totals = {context: sum(seen.values()) for context, seen in model._after.items()}
        model._read = EDGE + EDGE.join(f" {' '.join(tokens)} " for tokens in lines) + EDGE
        return model

    def _count(self, tokens: Sequence[str]) -> None:
        sequence = (EDGE, *reversed(tokens), EDGE)
        for at in range(1, len(sequence)):
            for length in range(min(self.order - 1, at) + 1):
                seen = self._after.setdefault(sequence[at - length : at], {})
                seen[sequence[at]] = seen.get(sequence[at], 0) + 1

    @cached_property
    def line_ends(self) -> Counter[str]:
        """How often each token ends a line."""
        ends = re.findall(rf"(\S+) {EDGE}", self._read)
        return Counter(ends)

    @cached_property
    def line_starts(self) -> Counter[str]:
        """How often each token starts a line."""
        starts = re.findall(rf"{EDGE} (\S+)", self._read)
        return Counter(starts)

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each token stands in the texts; the edge of a line counts as a token."""
        return self._after[()]

    def recites(self, tokens: Sequence[str]) -> bool:
        """Whether these tokens stand together within one line of the training texts.

        One token recites only what was a line by itself.
        """
        edge = EDGE if len(tokens) == 1 else ""
        return f"{edge} {' '.join(tokens)} {edge}" in self._read

    def probability(self, token: str, context: Sequence[str]) -> float:
        """Probability of a token in a context.

        Parameters
        ----------
        token : str
            A token, or ``EDGE`` for the start of the line.
        context : sequence of str
            What follows it in the line, nearest last, from ``EDGE`` on.

        Returns
        -------
        float
            ``(max(c - D, 0) + D T p') / C``: the token seen ``c`` times of ``C`` in the context,
            ``T`` kinds of token seen there, ``D = DISCOUNT``, ``p'`` the same in the context
            without its farthest token. Below the empty context all known tokens, and one that
            stands for every unknown token, are equally likely.

        References
        ----------
        Ney, H., Essen, U., & Kneser, R. (1994). On structuring probabilistic dependences in
        stochastic language modelling. Computer Speech & Language, 8(1), 1-38.
        """
        estimate = 1 / (len(self.counts) + 1)
        for known in reversed(self._known(context, self.order)):
            seen, total = self._after[known], self._totals[known]
            kept = max(seen.get(token, 0) - DISCOUNT, 0)
            estimate = (kept + DISCOUNT * len(seen) * estimate) / total
        return estimate

    def distribution(self, context: Sequence[str]) -> dict[str, float]:
        """The probability of every known token in a context; the rest is for unknown ones."""
        return {token: self.probability(token, context) for token in self.counts}

    def logprob(self, text: str) -> float:
        """Mean natural log-probability of the tokens of a text and of the starts of its lines.

        Parameters
        ----------
        text : str
            One or more lines.

        Returns
        -------
        float
            At most 0; ``nan`` if the text has no token.
        """
        logs: list[float] = []
        for line in self.script.lines(text):
            tokens = self.script.tokens(line)
            if tokens:
                sequence = (EDGE, *reversed(tokens), EDGE)
                logs += [
                    math.log(self.probability(sequence[at], sequence[:at]))
                    for at in range(1, len(sequence))
                ]
        return math.fsum(logs) / len(logs) if logs else math.nan

    def write_line(
        self,
        draw: Draw,
        *,
        last: str | None = None,
        enough: Callable[[Sequence[str]], bool] = lambda tokens: False,
        may_fall_short: bool = True,
    ) -> list[str]:
        """Write one line that the training texts do not hold.

        A line that recites is drawn again: eight times at the model's order, then eight times at
        each lower one, down to single tokens.

        Parameters
        ----------
        draw : Draw
            Where chance comes from.
        last : str, optional
            The token to end on; any line's end otherwise.
        enough : callable
            Tells of the tokens so far, last first, whether the line is long enough to stop.
        may_fall_short : bool
            Whether a line may also stop where one of the texts would, before it is enough.

        Raises
        ------
        OnlyRecitation
            If none of these draws is new.
        """
        for order in range(self.order, 0, -1):
            for attempt in range(DRAWS_AT_EACH_ORDER):
                line = self._draw_line(
                    draw, last, enough, order=order, rank=attempt, may_fall_short=may_fall_short
                )
                if line and not self.recites(line):
                    return line
        raise OnlyRecitation("the training texts are too few to write a line they do not hold")

    def _draw_line(
        self,
        draw: Draw,
        last: str | None,
        enough: Callable[[Sequence[str]], bool],
        *,
        order: int,
        rank: int,
        may_fall_short: bool,
    ) -> list[str]:
        written = [EDGE] if last is None else [EDGE, last]
        while len(written) <= LONGEST_LINE and not enough(written[1:]):
            token = self._next(draw, written, order=order, rank=rank, may_end=may_fall_short)
            if token == EDGE:
                break
            written.append(token)
            rank = 0
        return written[:0:-1]

    def _next(
        self, draw: Draw, written: Sequence[str], *, order: int, rank: int, may_end: bool
    ) -> str:
        """Draw from the longest known context, or from a shorter one as often as backing off says.

        From the empty context the unknown is not drawn: there is nothing to write for it.
        """
        for known in self._known(written, order):
            weights = self._discounted(known)
            if not may_end:
                weights = {token: weight for token, weight in weights.items() if token != EDGE}
            share = DISCOUNT * len(self._after[known]) / self._totals[known]
            if weights and not (known and draw.leaves(share)):
                return draw.choose(weights, rank=rank)
        raise AssertionError("the empty context is always known and holds a token")

    def _discounted(self, context: tuple[str, ...]) -> dict[str, float]:
        """The counts of a context less the discount, kept once drawn from: they are many."""
        if context not in self._weights:
            counts = self._after[context]
            self._weights[context] = {token: n - DISCOUNT for token, n in counts.items()}
        return self._weights[context]

    def _known(self, context: Sequence[str], order: int) -> list[tuple[str, ...]]:
        """The contexts seen in training that this one ends with, longest first, down to none."""
        longest = tuple(context[-(order - 1) :]) if order > 1 else ()
        suffixes = (longest[at:] for at in range(len(longest) + 1))
        return [suffix for suffix in suffixes if suffix in self._after]
