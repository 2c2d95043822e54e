"""The display normalisation: human and machine texts pass the same steps before a judge sees them.

Originals stay as they were; a study records the recipe it used.
"""

import re
import unicodedata
from collections.abc import Callable

Step = Callable[[str], str]


def _line_ends(text: str) -> str:
    return re.sub(r"\r\n?|\u2028|\u2029|\x0b|\x0c|\x85", "\n", text)


def _plain_spaces(text: str) -> str:
    # No-break, thin and zero-width spaces look like spaces or like nothing, and betray a source.
    text = re.sub("[\u00a0\u1680\u2000-\u200a\u202f\u205f]", " ", text)
    text = re.sub("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]", "", text)
    return text.expandtabs(4)


def _plain_indents(text: str) -> str:
    # An ideographic space is two columns wide.
    return re.sub("^[ \u3000]+", lambda indent: indent[0].replace("\u3000", "  "), text, flags=re.M)


def _trailing_space(text: str) -> str:
    return "\n".join(line.rstrip(" \u3000") for line in text.split("\n"))


def _outer_lines(text: str) -> str:
    return text.strip("\n")


def _blank_lines(text: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", text)


def _common_indent(text: str) -> str:
    lines = text.split("\n")
    depth = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
    return "\n".join(line[depth:] for line in lines)


def _straight_quotes(text: str) -> str:
    return re.sub("[“”„‟″]", '"', re.sub("[‘’‚‛´`ʼ′]", "'", text))


def _dashes(text: str) -> str:
    text = re.sub("[\u2010\u2011]", "-", text)
    # Typewriters have "--" or a hyphen that stands alone; an en dash between digits is a range.
    text = re.sub(r"-{2,}|[‒―]|(?<![^ \n])-(?![^ \n])|(?<![0-9])–|–(?![0-9])", "—", text)
    # One space beside a dash is a printer's habit; more are the poet's, as an indent is.
    return re.sub(r"(?<=[^ \n]) (?=—)|(?<=—) (?=[^ \n])", "", text)


def _ellipses(text: str) -> str:
    text = text.replace("…", "...")
    return re.sub(r"\.(?: \.){2,}", lambda points: points[0].replace(" ", ""), text)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


RECIPE: dict[str, Step] = {
    "one kind of line end": _line_ends,
    "plain spaces for tabs, no-break and thin ones, and none of no width": _plain_spaces,
    "plain spaces before a line": _plain_indents,
    "no trailing space": _trailing_space,
    "composed characters (NFC)": _composed,
    "straight quotation marks and apostrophes": _straight_quotes,
    "one kind of dash": _dashes,
    "three points for an ellipsis": _ellipses,
    "at most one blank line between stanzas": _blank_lines,
    "no blank line before or after": _outer_lines,
    "no indent that all lines share": _common_indent,
}


def normalise(text: str) -> str:
    """Return `text` as judges see it. Line breaks and relative indents are kept; idempotent."""
    for step in RECIPE.values():
        text = step(text)
    return text
