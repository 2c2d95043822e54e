"""Poems by rote: the same for the same name, another for any other."""

import random

NOUNS = [
    "river",
    "stone",
    "lantern",
    "orchard",
    "harbour",
    "window",
    "sparrow",
    "ladder",
    "meadow",
    "winter",
    "kettle",
    "mirror",
    "candle",
    "valley",
    "anchor",
    "thistle",
    "bridge",
    "feather",
    "mountain",
    "cellar",
    "garden",
    "shadow",
    "needle",
    "furrow",
]
VERBS = [
    "carries",
    "forgets",
    "remembers",
    "answers",
    "follows",
    "crosses",
    "gathers",
    "opens",
    "mends",
    "borrows",
    "hides",
    "counts",
    "wakens",
    "shelters",
    "leaves",
    "measures",
]
SHAPES = [
    "quiet",
    "narrow",
    "amber",
    "patient",
    "hollow",
    "silver",
    "broken",
    "early",
    "distant",
    "gentle",
    "crooked",
    "idle",
    "salted",
    "grey",
]
TURNS = ("and nothing else", "before the rain", "without a word", "until it sleeps", "all the same")

# Sonnet 18, which is in the shipped sample too.
RECITED = (
    "Shall I compare thee to a summer's day?\n"
    "Thou art more lovely and more temperate:\n"
    "Rough winds do shake the darling buds of May,\n"
    "And summer's lease hath all too short a date:\n"
    "Sometime too hot the eye of heaven shines,\n"
    "And often is his gold complexion dimm'd;"
)


def poem(name: str) -> str:
    """Return the poem of this name: three stanzas of four lines."""
    draw = random.Random(name)
    stanzas = ("\n".join(_line(draw) for _ in range(4)) for _ in range(3))
    return "\n\n".join(stanzas)


def _line(draw: random.Random) -> str:
    subject, thing = draw.sample(NOUNS, 2)
    line = f"The {draw.choice(SHAPES)} {subject} {draw.choice(VERBS)} the {thing}"
    return f"{line} {draw.choice(TURNS)}," if draw.random() < 0.4 else f"{line},"
