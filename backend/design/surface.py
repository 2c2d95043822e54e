"""How well human and machine texts are told apart without reading: by their surface alone.

The surface is punctuation, spacing, line and poem length, headings, markup and classes of
characters. No word is looked at, in any language.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from backend.statistics.detection import auc, auc_interval
from backend.statistics.estimate import Estimate

FOLDS = 5
REPEATS = 3  # partitions into folds, over which a text's scores are averaged
# Classifiers share most of what they learnt from, so that their scores err together: the variance
# grows by K * n_unseen / n_seen (Nadeau and Bengio, 2003, Inference for the generalization error).
# Where nothing differed, simulated intervals held 0.5 in about 95 % with it, in 85 % without.
WIDER = math.sqrt(1 + FOLDS / (FOLDS - 1))
LEAST_TEXTS = 10  # of each kind
LEAST_BRIEFS = 5  # with texts of each kind
SHOWN = 8  # give-aways
NOTHING = 1e-9  # an AUC this near 0.5 gives nothing away

# Full-width marks count as what they are in a Latin text.
_WIDE = str.maketrans("，、。．；：！？（）", ",,..;:!?()") | {
    ord(mark): '"' for mark in "「」『』《》〈〉"
}
_MARKS = {
    "commas a line": ",",
    "full stops a line": ".",
    "semicolons a line": ";",
    "colons a line": ":",
    "exclamation marks a line": "!",
    "question marks a line": "?",
    "em dashes a line": "—",
    "other dashes a line": "-–―",
    "apostrophes a line": "'’‘`",
    "quotation marks a line": '"“”',
    "brackets a line": "()[]{}",
}
_ENDS = {
    "share of lines that end in a comma": ",",
    "share of lines that end in a full stop": ".",
    "share of lines that end in another mark": ";:!?—-–",
}
_MARKUP = re.compile(r"^ *(?:#{1,6} |>|`{3}|[-*_]{3,} *$)|\*\*|__|(?<!\w)[*_]\w|</?[a-z]+>", re.M)

Matrix = NDArray[np.float64]
Kinds = NDArray[np.bool_]


@dataclass(frozen=True)
class GiveAway:
    """One feature that the two kinds of text differ in.

    Attributes
    ----------
    name : str
    auc : float
        Chance that a text of the kind that has more of it has more than one of the other kind,
        ties counted half: from 0.5 to 1.
    more_in : str
        "human" or "machine".
    human, machine : float
        Means of both kinds.
    """

    name: str
    auc: float
    more_in: str
    human: float
    machine: float


@dataclass(frozen=True)
class Surface:
    """How well a classifier that cannot read does on texts that it has not seen.

    Attributes
    ----------
    auc : float
        Chance that a human text is scored more human than a machine text. ``nan`` if there are
        too few texts; `reason` says so.
    low, high : float
        95 % interval over briefs, widened for what classifiers have in common. ``nan`` with a
        `reason` if undefined, as when every text is told.
    human, machine : int
        How many texts of each kind.
    reason : str
    giveaways : tuple of GiveAway
        The features that tell most each by itself, strongest first.
    """

    auc: float
    low: float
    high: float
    human: int
    machine: int
    reason: str = ""
    giveaways: tuple[GiveAway, ...] = ()


def features(text: str, *, title: str = "") -> dict[str, float]:
    """Return what can be counted on the surface of a text as shown, by names for a page."""
    rows = text.split("\n")
    lines = [row for row in rows if row.strip()]
    stripped = [line.strip().translate(_WIDE) for line in lines]
    joined = "\n".join(stripped)
    n = max(len(lines), 1)
    counted = _shape(text, lines)
    counted |= {name: _occurrences(joined, marks) / n for name, marks in _MARKS.items()}
    counted |= {name: _ending(stripped, marks) / n for name, marks in _ENDS.items()}
    return {
        **counted,
        "share of lines that begin with a capital": sum(map(_begins_high, stripped)) / n,
        "ellipses a line": len(re.findall(r"\.{3,}|…+", joined)) / n,
        "curly quotes": float(_occurrences(text, "“”‘’")),
        "share of lines with an indent": sum(line[:1] in " \t\u3000" for line in lines) / n,
        "wide gaps a line": len(re.findall(r"(?<=\S)[ \t\u3000]{2,}(?=\S)", text)) / n,
        "lines with trailing spaces": float(sum(row != row.rstrip() for row in rows)),
        "headings or markup": float(len(_MARKUP.findall(text))),
        "first line stands alone": float(_stands_alone(rows)),
        "last line stands alone": float(_stands_alone(rows[::-1])),
        "characters in the title": float(len(title)),
        **_characters(text),
    }


def _shape(text: str, lines: Sequence[str]) -> dict[str, float]:
    widths = [len(line.strip()) for line in lines] or [0]
    stanzas = [
        sum(bool(line.strip()) for line in part.split("\n"))
        for part in re.split(r"\n[ \t]*\n\s*", text.strip())
    ]
    return {
        "lines": float(len(lines)),
        "characters": float(len(text)),
        "mean line length (characters)": fmean(widths),
        "spread of line length (characters)": pstdev(widths),
        "longest line (characters)": float(max(widths)),
        "stanzas": float(len(stanzas)),
        "lines a stanza": fmean(stanzas),
        "stanza lengths all equal": float(len(stanzas) > 1 and len(set(stanzas)) == 1),
        "stanzas of four lines, share": fmean(size == 4 for size in stanzas),
        "blank lines": float(text.count("\n") + 1 - len(lines)) if text else 0.0,
    }


def _characters(text: str) -> dict[str, float]:
    letters = [letter for letter in text if letter.isalpha()]
    n = max(len(letters), 1)
    return {
        "digits": float(sum(map(str.isdigit, text))),
        "share of letters that are capitals": sum(map(str.isupper, letters)) / n,
        "share of letters that are not ASCII": sum(not one.isascii() for one in letters) / n,
        "other characters that are not ASCII": float(
            sum(not (one.isascii() or one.isalpha()) for one in text)
        ),
    }


def _occurrences(text: str, marks: str) -> int:
    return sum(map(text.count, marks))


def _ending(lines: Sequence[str], marks: str) -> int:
    return sum(line.rstrip("\"'”’)")[-1:] in tuple(marks) for line in lines)


def _begins_high(line: str) -> bool:
    return next((one.isupper() for one in line if one.isalnum()), False)


def _stands_alone(rows: Sequence[str]) -> bool:
    return len(rows) > 2 and bool(rows[0].strip()) and not rows[1].strip()


def examine(
    texts: Sequence[str | Mapping[str, float]],
    human: Sequence[bool],
    groups: Sequence[str],
    *,
    seed: int,
) -> Surface:
    """Return how well the surface tells human texts, by a classifier that never saw a brief twice.

    A logistic regression on the standardised `features`, cross-validated so that all texts on one
    brief are on the same side of each split; scores are means over several partitions.

    Parameters
    ----------
    texts : sequence of str, or of their features
        The texts as shown.
    human : sequence of bool
        Which of them human poets wrote.
    groups : sequence of str
        The brief of each.
    seed : int
        Of the partitions; the same seed gives the same figure.

    Returns
    -------
    Surface
        With ``nan`` and the reason, and no give-away, if one kind has fewer than ten texts or
        texts on fewer than five briefs.

    Raises
    ------
    ValueError
        If the three differ in length.
    """
    if not len(texts) == len(human) == len(groups):
        raise ValueError("each text needs its kind and its brief")
    kinds = np.asarray(human, dtype=bool)
    briefs = np.asarray(groups, dtype=str)
    n_human = int(kinds.sum())
    n_machine = kinds.size - n_human
    if reason := too_few(kinds, briefs):
        return Surface(math.nan, math.nan, math.nan, n_human, n_machine, reason)
    found = [features(text) if isinstance(text, str) else text for text in texts]
    names = list(found[0])
    table = np.array([[one[name] for name in names] for one in found])
    area = told(_scores(table, kinds, briefs, seed), kinds, briefs, _level(np.unique(briefs).size))
    return Surface(
        area.value,
        area.low,
        area.high,
        n_human,
        n_machine,
        area.reason,
        giveaways(names, table, kinds),
    )


def _level(n_briefs: int) -> float:
    """Return the confidence at which an interval is as many times wider as it should be."""
    reach = WIDER * float(stdtrit(n_briefs - 1, 0.975))
    return float(2 * stdtr(n_briefs - 1, reach) - 1)


def told(scores: Matrix, kinds: Kinds, briefs: NDArray[np.str_], level: float) -> Estimate:
    """Return the area under the ROC curve of `scores`, its interval clustered by brief."""
    return auc_interval(
        scores[kinds],
        scores[~kinds],
        briefs[kinds],
        briefs[~kinds],
        level="text",
        confidence=level,
    )


def too_few(kinds: Kinds, briefs: NDArray[np.str_]) -> str:
    """Return why nothing can be said of so few texts, or nothing."""
    for name, chosen in (("human", kinds), ("machine", ~kinds)):
        n, n_briefs = int(chosen.sum()), np.unique(briefs[chosen]).size
        if n < LEAST_TEXTS or n_briefs < LEAST_BRIEFS:
            return (
                f"too few {name} texts: {n} on {n_briefs} briefs; "
                f"{LEAST_TEXTS} on {LEAST_BRIEFS} are the least"
            )
    return ""


def giveaways(names: Sequence[str], table: Matrix, kinds: Kinds) -> tuple[GiveAway, ...]:
    """Return the features that tell the kinds apart each by itself, the strongest first."""
    found = []
    for name, column in zip(names, table.T, strict=True):
        area = auc(column[kinds], column[~kinds], level="text").value
        if abs(area - 0.5) > NOTHING:
            more_in = "human" if area > 0.5 else "machine"
            means = float(column[kinds].mean()), float(column[~kinds].mean())
            found.append(GiveAway(name, max(area, 1 - area), more_in, *means))
    return tuple(sorted(found, key=lambda one: -one.auc)[:SHOWN])


def _scores(table: Matrix, kinds: Kinds, briefs: NDArray[np.str_], seed: int) -> Matrix:
    """Return for each text how human it looks to classifiers that saw none on its brief."""
    # Slow to import, and needed by this alone.
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scores = np.zeros(kinds.size)
    for repeat in range(REPEATS):
        # A partition's seed is 32 bits wide; a study's is wider.
        chance = (seed * REPEATS + repeat) % 2**32
        folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=chance)
        for seen, unseen in folds.split(table, kinds, briefs):
            classifier = make_pipeline(
                StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000)
            )
            classifier.fit(table[seen], kinds[seen])
            scores[unseen] += classifier.decision_function(table[unseen]) / REPEATS
    return scores
