"""The display normalisation: human and machine texts pass the same steps before a judge sees them.

Originals stay as they were; a study records the recipe it used.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

Step = Callable[[str], str]

# A line that holds nothing but the mark of a code block.
_FENCE = re.compile(r"^ *`{3,} *\w* *\n?", re.MULTILINE)
# "# The Tide", "**The Tide**", "Title: The Tide" or "《》" round it, as the first line of all.
_TITLE_LINE = re.compile(
    r"""\A\n*(?:
        [ ]*\#{1,6}[ ]+\S.*(?:\n|\Z)
        | [ ]*(?:\*\*|__)?(?:title|题目|标题)(?:\*\*|__)?[ ]*[:：].*(?:\n|\Z)
        | [ ]*(?P<mark>\*\*|__)(?=[^\s*_])[^*_\n]+(?P=mark)[ ]*\n[ ]*\n(?!\s*(?P=mark))
        | [ ]*《[^《》\n]+》[ ]*\n
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# Poets number parts ("I", "2", "Canto II"); "Stanza 2:" and "[Chorus]" are a writer's scaffolding.
_STANZA_HEADING = re.compile(
    r"""^[ ]*(?:\#{1,6}[ ]+)?[*_]{0,3}(?:
        [(\[]?(?:stanza|verse|strophe|quatrain|couplet|tercet|sestet|octave)
            (?:[ ]+(?:\d+|[ivx]+|one|two|three|four|five|six|seven|eight|nine|ten)[)\]]?[ ]*[:.]?
            |[ ]*(?:[)\]][ ]*:?|:))
        | \[(?:(?:pre-)?chorus|refrain|bridge|intro|outro)(?:[ ]+\d+)?\]
        | 第[一二三四五六七八九十0-9]+[节節段][ ]*[:：]?
    )[*_]{0,3}[:：]?[ ]*$""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HASHES = re.compile(r"^ *#{1,6} +(?=\S)", re.MULTILINE)
# Marks hug what they mark, within a line: "x * y * z", "* * *" and "____" are the poet's.
_EMPHASIS = (
    re.compile(r"(?<!\*)(\*{2,3})(?=[^\s*])([^*\n]*[^\s*])\1(?!\*)"),
    re.compile(r"(?<![\w*])(\*)(?=[^\s*])([^*\n]*[^\s*])\1(?![\w*])"),
    re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_\n]*[^\s_])\1(?!\w)"),
)
# "— by A. Writer", "(written by an AI)", as a last line of its own; verse may begin with "by", too.
_SIGNATURE = re.compile(
    r"""\n[ ]*\n[ ]*[*_]{0,3}(?:
        [(\[]?(?i:poem|written|composed|generated|created)[ ]+by[ ]+\S.{0,60}
        | [(\[][ ]*by[ ]+[A-Z].{0,60}[)\]]
        | (?:[—–―~]|--?)[ ]*(?:by[ ]+(?:an?[ ]+AI\b|[A-Z]).{0,60}
            | (?:an?[ ]+)?(?:AI|AI[ ]assistant|assistant|language[ ]model))
    )[*_]{0,3}\s*\Z""",
    re.VERBOSE,
)


class UnknownStep(LookupError):
    """The display normalisation has no step of that name."""


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


def _unfenced(text: str) -> str:
    text = _unless_empty(_FENCE.sub("", text), text)
    lines = [line for line in text.split("\n") if line.strip()]
    if all(line.startswith(">") for line in lines):
        return _unless_empty(re.sub("^> ?", "", text, flags=re.M), text)
    return text


def _without_title(title: str) -> Step:
    """Return the step that takes away a title line: marked as one, or saying `title` again."""

    def step(text: str) -> str:
        cut = _TITLE_LINE.sub("", text, count=1)
        if cut == text and _repeats(title, text):
            cut = text.lstrip("\n").partition("\n")[2]
        return _unless_empty(cut, text)

    return step


def _repeats(title: str, text: str) -> bool:
    """Whether the first line is the title, apart from the poem: a poem of single lines has none."""
    first, _, rest = text.strip("\n").partition("\n")
    below = rest.lstrip(" ").removeprefix("\n").strip("\n").split("\n")
    apart = rest.lstrip(" ").startswith("\n") and len(below) > 1 and below[1].strip()
    return bool(apart and _bare(title) and _bare(first) == _bare(title))


def _bare(line: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", line).casefold()))


def _without_stanza_headings(text: str) -> str:
    # The heading may be all that parts two stanzas, so that its line stays, empty.
    return _unless_empty(_STANZA_HEADING.sub("", text), text)


def _without_signature(text: str) -> str:
    return _unless_empty(_SIGNATURE.sub("", text), text)


def _unmarked(text: str) -> str:
    text = _HASHES.sub("", text)
    for marks in _EMPHASIS:
        text = marks.sub(r"\2", text)
    return text


def _unless_empty(cut: str, text: str) -> str:
    return cut if any(map(str.isalnum, cut)) else text


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


TITLE_LINE = "no title line above the poem"

RECIPE: dict[str, Step] = {
    "one kind of line end": _line_ends,
    "plain spaces for tabs, no-break and thin ones, and none of no width": _plain_spaces,
    "plain spaces before a line": _plain_indents,
    "no trailing space": _trailing_space,
    "composed characters (NFC)": _composed,
    "no marks of a code block or quotation block": _unfenced,
    TITLE_LINE: _without_title(""),
    "no headings that only count stanzas": _without_stanza_headings,
    "no signature below the poem": _without_signature,
    "no marks of emphasis or heading": _unmarked,
    "straight quotation marks and apostrophes": _straight_quotes,
    "one kind of dash": _dashes,
    "three points for an ellipsis": _ellipses,
    "at most one blank line between stanzas": _blank_lines,
    "no blank line before or after": _outer_lines,
    "no indent that all lines share": _common_indent,
}


def normalise(text: str, *, steps: Sequence[str] | None = None, title: str = "") -> str:
    """Return `text` as judges see it, by all steps of the recipe or by those that are named.

    Verse keeps its line breaks and relative indents. Idempotent. A first line that stands apart
    and says the `title` again is a title line.

    Raises
    ------
    UnknownStep
        If one of the `steps` is not in the recipe.
    """
    if unknown := set(steps or ()) - RECIPE.keys():
        raise UnknownStep(f"no such step: {', '.join(sorted(unknown))}")
    recipe = RECIPE | {TITLE_LINE: _without_title(title)}
    chosen = [step for name, step in recipe.items() if steps is None or name in steps]
    while True:  # what one step takes away can lay bare what an earlier one looks for
        before = text
        for step in chosen:
            text = step(text)
        if text == before:
            return text
