"""Marks of typesetting, taken off the lines of the poem; the words and breaks stay."""

import re
from collections.abc import Callable, Sequence

from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import HEADING, LONGEST_MARKED, Line
from backend.generation.cleaning.rules import EMPHASIS, LINE_ENDS, QUOTED, Rule

STRONG = re.compile(r"(\*{2,3}|_{2,3})(?=[^\s*_])((?:(?!\1)[^\n]|\n(?!\n)){1,2000}?)(?<=\S)\1")
WEAK = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,1000}?)(?<=[^\s*])\*(?![\w*])")
UNDERSCORED = re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]{1,1000}?)(?<=[^\s_])_(?![\w_])")
WEAK_STANZA = re.compile(
    r"(?<![\w*])\*(?=[^\s*])((?:[^*\n]|\n(?![ \t]*\n)){1,2000}?)(?<=[^\s*])\*(?![\w*])"
)
HTML = re.compile(
    r"</?(?:i|b|em|strong|u|center|p|span|h[1-6]|poem|pre|div|blockquote)>", re.IGNORECASE
)
HARD_BREAK = re.compile(r"(?<=\S)[ \t]*\\$")
ESCAPED = re.compile(r"^([ \t]*(?:\d{1,3})?)\\(?=[*_#>~.|-])")
BEFORE = (re.compile(r"[ \t]*>[ \t]?"), re.compile(r"[ \t]*[-*•–][ \t]+"))
MARKED = re.compile(r"[*_<#\\]")
PAIRS = {"“": "”", '"': '"', "「": "」", "『": "』"}


def take_marks_off(lines: Sequence[Line], log: Log, *, framed: bool) -> list[Line]:
    """Return the lines without quoting, emphasis and marks at their ends.

    Parameters
    ----------
    framed : bool
        Whether the model spoke around the poem; then quotation marks around it are the model's.
    """
    kept = _each(lines, _without_break, LINE_ENDS, log)
    kept = _unquote(kept, log)
    kept = _deemphasize(kept, log)
    return _out_of_quotes(kept, log) if framed else kept


def _without_break(text: str) -> str:
    said = text.rstrip()
    return HARD_BREAK.sub("", said).rstrip() if said.endswith("\\") else said


def _each(lines: Sequence[Line], change: Callable[[str], str], rule: Rule, log: Log) -> list[Line]:
    changed = [Line(line.number, change(line.text)) for line in lines]
    log.change(
        rule,
        [
            new.number
            for new, old in zip(changed, lines, strict=True)
            if new.text != old.text and not old.is_blank
        ],
    )
    return changed


def _unquote(lines: list[Line], log: Log) -> list[Line]:
    """Take off a mark of quoting or a bullet that every line has."""
    said = [line for line in lines if not line.is_blank]
    for mark in BEFORE:
        if len(said) > 1 and all(mark.match(line.text) for line in said):
            return _each(lines, lambda text, mark=mark: mark.sub("", text, 1), QUOTED, log)  # type: ignore[misc]
    return lines


def _deemphasize(lines: list[Line], log: Log) -> list[Line]:
    """Take off marks in pairs, within a line or within a stanza."""
    if not any(MARKED.search(line.text) for line in lines):
        return lines
    plain = "\n".join("" if line.is_rule else line.text for line in lines)
    for pattern in (STRONG, WEAK, UNDERSCORED, WEAK_STANZA):
        group = 2 if pattern is STRONG else 1
        plain = pattern.sub(lambda found, group=group: found[group], plain)  # type: ignore[misc]
    texts = plain.split("\n")
    changed = []
    for line, text in zip(lines, texts, strict=True):
        if line.is_rule:
            changed.append(line)
            continue
        heading = HEADING.fullmatch(text) if len(text) <= LONGEST_MARKED else None
        bare = HTML.sub("", heading[2] if heading else text)
        changed.append(Line(line.number, ESCAPED.sub(r"\1", bare)))
    gone = [new.number for new, old in zip(changed, lines, strict=True) if new.text != old.text]
    log.change(EMPHASIS, gone)
    return changed


def _out_of_quotes(lines: list[Line], log: Log) -> list[Line]:
    """Take the whole poem out of one pair of quotation marks."""
    if len(lines) < 2:
        return lines
    first, last = lines[0].text, lines[-1].text.rstrip()
    opened = first.lstrip()[:1]
    closed = PAIRS.get(opened)
    text = "\n".join(line.text for line in lines)
    if not closed or not last.endswith(closed):
        return lines
    if text.count(opened) + (text.count(closed) if closed != opened else 0) != 2:
        return lines
    log.change(QUOTED, [lines[0].number, lines[-1].number])
    bare = Line(lines[0].number, first.replace(opened, "", 1))
    return [bare, *lines[1:-1], Line(lines[-1].number, last[: -len(closed)])]
