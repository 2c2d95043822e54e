"""What the rules of today, and the first ones, answer to a reply."""

from backend.generation.cleaning import NoPoem, find_poem
from tests.backend.generation.cleaning import baseline
from tests.backend.generation.cleaning.replies import Answer


def by_rules(reply: str) -> Answer:
    """Return what the rules of today find."""
    try:
        found = find_poem(reply)
    except NoPoem as none:
        return Answer(kind=none.kind)
    lines = reply.split("\n")
    kept = frozenset(number for number in found.kept if lines[number].strip())
    return Answer(kept, found.title, flags=frozenset(flag.rule for flag in found.flags))


def by_baseline(reply: str) -> Answer:
    """Return what the first rules find; their lines are looked up in the reply, in order."""
    try:
        found = baseline.find_poem(reply)
    except baseline.NoPoem as none:
        return Answer(kind=none.kind)
    left = [line.replace("*", "").strip() for line in found.text.split("\n") if line.strip()]
    kept = set()
    for number, line in reversed([*enumerate(reply.split("\n"))]):
        if left and line.strip() and line.replace("*", "").strip() == left[-1]:
            kept.add(number)
            left.pop()
    return Answer(frozenset(kept), found.title)
