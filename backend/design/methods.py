"""Published methods as a beginning: what the builder's form is filled with."""

from dataclasses import dataclass
from typing import Any

from annotation.studies.models import Study


@dataclass(frozen=True)
class Method:
    """A method: its key, its name, how it goes, and what the form begins with."""

    key: str
    name: str
    what: str
    initial: dict[str, Any]


METHODS = (
    Method(
        "poemetric",
        "POEMetric",
        "A survey of agreement scales, ten poems at a time, two judges for each.",
        {
            "instrument": "poemetric-survey",
            "dealing": Study.Dealing.BATCH,
            "batch_size": 10,
            "judges_per_item": 2,
        },
    ),
    Method(
        "proftap",
        "ProFTAP",
        "The probability that a human wrote it, poem after poem, least-judged ones first; two "
        "judges for each, 13 in all.",
        {
            "instrument": "proftap-probability",
            "dealing": Study.Dealing.DRAW,
            "batch_size": 20,
            "judges_per_item": 2,
            # Poems were shuffled over 13 judges, who cannot each have one author alone on a brief.
            "twins": Study.Twins.LAST,
            "experts": 13,
            "margin": 0.05,
        },
    ),
    Method(
        "pairs",
        "Pairs",
        "A human poem beside a machine's on the same brief: which is the better?",
        {
            "instrument": "pair-choice",
            "dealing": Study.Dealing.BATCH,
            "batch_size": 10,
            "judges_per_item": 3,
        },
    ),
)


def beginning(key: str) -> dict[str, Any]:
    """Return what the form begins with for a method; nothing if there is none of that key."""
    return next((dict(one.initial) for one in METHODS if one.key == key), {})
