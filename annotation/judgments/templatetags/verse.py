"""Sets a poem line by line, so that a page can keep every break and indent."""

from dataclasses import dataclass

from django import template

register = template.Library()
DEEPEST = 40  # the stylesheet has a class for each indent up to this


@dataclass(frozen=True)
class Line:
    """One line of verse: its indent in spaces, its text without it, its number in the poem."""

    indent: int
    text: str
    number: int

    @property
    def fifth(self) -> bool:
        """Whether its number is one that editions print: 5, 10, 15, ..."""
        return self.number % 5 == 0


@register.filter
def stanzas(text: str) -> list[list[Line]]:
    """Return the poem's stanzas, split at blank lines, each a list of its lines.

    Lines are numbered from 1 over the whole poem; blank lines are not counted.
    """
    found: list[list[Line]] = [[]]
    number = 0
    for written in text.split("\n"):
        line = written.expandtabs(4)
        bare = line.lstrip(" \u3000")
        if not bare:
            found.append([])
            continue
        number += 1
        # An ideographic space is two spaces wide.
        indent = sum(2 if space == "\u3000" else 1 for space in line[: len(line) - len(bare)])
        found[-1].append(Line(min(indent, DEEPEST), bare, number))
    return [stanza for stanza in found if stanza]
