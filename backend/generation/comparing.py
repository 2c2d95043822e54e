"""A reply beside the poem that was found in it: which lines were kept, which were cut, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from backend.generation.cleaning import Found, NoPoem, find_poem
from backend.generation.models import Generation

# A longer stretch that was cut is folded away: it is thinking, or talk.
LONG = 12


@dataclass(frozen=True)
class Stretch:
    """Lines of a reply that follow each other, and were all kept, or all cut for one reason."""

    lines: tuple[str, ...]
    is_kept: bool
    reason: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_long(self) -> bool:
        return len(self.lines) > LONG


@dataclass(frozen=True)
class Comparison:
    """How a poem came out of a reply.

    Attributes
    ----------
    stretches : list of Stretch
        The whole reply, in order.
    changes : list of (str, str)
        What was taken off lines that were kept, and why.
    reasoning : str
        What the model thought within its reply.
    """

    stretches: list[Stretch]
    changes: list[tuple[str, str]]
    reasoning: str = ""


def compare(generation: Generation) -> Comparison:
    """Return how the poem came out of the reply, before any person corrected it.

    The rules may have changed since the poem was found. Then its lines are looked for in the
    reply, and what was cut is shown without a reason.
    """
    lines = generation.reply.split("\n")
    first = generation.corrections.first()
    text = first.text_before if first else generation.text
    found = _found_anew(generation)
    if found is None or found.text != text:
        kept = _aligned(lines, text.split("\n")) if text else set()
        return Comparison(_stretches(lines, kept, {}), [])
    reasons = {number: cut.reason for cut in found.cuts for number in cut.lines}
    changes = list(dict.fromkeys((change.said, change.reason) for change in found.changes))
    return Comparison(_stretches(lines, set(found.kept), reasons), changes, found.reasoning)


def _found_anew(generation: Generation) -> Found | None:
    finish = generation.answer.finish if generation.answer else "stop"
    try:
        return find_poem(generation.reply, finish=finish, prompt=generation.brief.text)
    except NoPoem:
        return None


def _aligned(reply: Iterable[str], poem: Iterable[str]) -> set[int]:
    """Return the numbers of the reply's lines that the poem's lines come from, as it seems."""
    matcher = SequenceMatcher(
        None, [_bare(one) for one in reply], [_bare(one) for one in poem], False
    )
    return {
        number
        for block in matcher.get_matching_blocks()
        for number in range(block.a, block.a + block.size)
    }


def _bare(line: str) -> str:
    return line.strip().strip("*_#>` \t").rstrip()


def _stretches(lines: list[str], kept: set[int], reasons: Mapping[int, str]) -> list[Stretch]:
    # A blank line goes with what is before it, so that a stanza's end makes no stretch of its own.
    verdicts: list[tuple[bool, str]] = []
    for number, line in enumerate(lines):
        if not line.strip() and number not in kept and verdicts:
            verdicts.append(verdicts[-1])
        else:
            verdicts.append((number in kept, "" if number in kept else reasons.get(number, "")))
    together = groupby(enumerate(verdicts), key=lambda one: one[1])
    return [
        Stretch(tuple(lines[number] for number, _ in group), is_kept, reason)
        for (is_kept, reason), group in ((verdict, list(group)) for verdict, group in together)
    ]
