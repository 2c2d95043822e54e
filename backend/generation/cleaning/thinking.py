"""Splitting off what a model thought before it answered, and the tokens that steer it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from backend.generation.cleaning.found import Log
from backend.generation.cleaning.lines import Line
from backend.generation.cleaning.rules import CONTROL, REASONING, SAYS_ANOTHER_TURN, TURN

NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|inner_monologue"
TAG = re.compile(
    rf"<(?P<close>/?)(?:\w{{1,10}}:)?(?:{NAMES})>|[\[◁](?P<close2>/?)think[\]▷]", re.IGNORECASE
)
TAGGED = re.compile(r"[<\[◁]")
# The channels of OpenAI's open-weight models, with their tokens and without.
FINAL = re.compile(
    r"<\|channel\|>\s*final\s*<\|message\|>|^analysis.{0,20000}?assistantfinal", re.S
)
ASKED_TO_THINK = re.compile(r"thinking(?: process)?\s*(?:\.{3}|…|:)?", re.IGNORECASE)
THOUGHT = re.compile(r"(?:\.{3}|…)\s*done thinking\.?", re.IGNORECASE)
TOKEN = re.compile(
    r"<\|[\w ]{1,40}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<<?/?SYS>?>|<\|?eot_id\|?>|<eos>",
    re.IGNORECASE,
)
SPEAKER = re.compile(r"\s*(?:user|model|assistant|system)?\s*", re.IGNORECASE)


@dataclass
class Split:
    """The lines that answer, what was thought, and whether the thinking never ended."""

    lines: list[Line]
    thought: list[str] = field(default_factory=list)
    unended: bool = False


def split_thinking(lines: Sequence[Line], log: Log) -> Split:
    """Take the reasoning off: closed, never closed, or with its opening mark lost."""
    split = Split(_after_channel(lines, log))
    if len(split.lines) < len(lines):
        split.thought += [line.text for line in lines[: len(lines) - len(split.lines)]]
    numbers: list[int] = []
    kept: list[Line] = []
    depth = 0
    for line in split.lines:
        if not depth and not TAGGED.search(line.text):
            kept.append(line)
            continue
        said, depth = _answer_in(line, depth, kept, split, numbers)
        if said is not None:
            kept.append(said)
    split.lines, split.unended = kept, depth > 0
    _told_to_think(split, numbers)
    if numbers:
        log.cut(REASONING, numbers)
    split.lines = _without_tokens(split.lines, log)
    return split


def _answer_in(
    line: Line, depth: int, kept: list[Line], split: Split, numbers: list[int]
) -> tuple[Line | None, int]:
    """Return what of a line is outside of thinking, and how deep in it the line ends."""
    outside, at, thought = "", 0, ""
    for tag in TAG.finditer(line.text):
        before = line.text[at : tag.start()]
        closes = bool(tag["close"] or tag["close2"])
        if depth:
            thought += before
        elif closes:  # a template swallowed the opening mark: all so far was thought
            split.thought += [one.text for one in kept]
            numbers += [one.number for one in kept]
            kept.clear()
            thought, outside = outside + before, ""
        else:
            outside += before
        depth = max(0, depth - 1) if closes else depth + 1
        at = tag.end()
        numbers.append(line.number)
    rest = line.text[at:]
    if depth:
        split.thought.append(thought + rest)
        numbers.append(line.number)
        return (Line(line.number, outside) if outside.strip() else None), depth
    if thought.strip():
        split.thought.append(thought)
    said = outside + (rest.lstrip(" ") if at else rest)
    return (None if at and not said.strip() else Line(line.number, said)), depth


def _after_channel(lines: Sequence[Line], log: Log) -> list[Line]:
    text = "\n".join(line.text for line in lines[:2000])
    if not ("<|channel|>" in text or text.lstrip().startswith("analysis")):
        return list(lines)
    ends = [match.end() for match in FINAL.finditer(text.lstrip())]
    if not ends:
        return list(lines)
    skipped = len(text) - len(text.lstrip()) + ends[-1]
    at = text.count("\n", 0, skipped)
    column = skipped - (text.rfind("\n", 0, skipped) + 1)
    log.cut(REASONING, [line.number for line in lines[: at + 1]])
    return [Line(lines[at].number, lines[at].text[column:].lstrip()), *lines[at + 1 :]]


def _told_to_think(split: Split, numbers: list[int]) -> None:
    """Cut between “Thinking...” and “...done thinking.”, as a terminal shows it."""
    first = next((at for at, line in enumerate(split.lines) if not line.is_blank), None)
    if first is None or not ASKED_TO_THINK.fullmatch(split.lines[first].text.strip()[:40]):
        return
    for at in range(first, len(split.lines)):
        if THOUGHT.fullmatch(split.lines[at].text.strip()[:40]):
            split.thought += [line.text for line in split.lines[first + 1 : at]]
            numbers += [line.number for line in split.lines[first : at + 1]]
            split.lines = split.lines[at + 1 :]
            return


def _without_tokens(lines: Sequence[Line], log: Log) -> list[Line]:
    """Drop tokens before the text; one after it ends the reply."""
    kept: list[Line] = []
    if not any(TAGGED.search(line.text) for line in lines):
        return list(lines)
    for at, line in enumerate(lines):
        token = TOKEN.search(line.text)
        while token and token[0].upper() == "[/INST]":  # what stood before it was asked
            log.cut(TURN, [*(one.number for one in kept if not one.is_blank), line.number])
            kept.clear()
            line = Line(line.number, line.text[token.end() :].lstrip())
            token = TOKEN.search(line.text)
        while token and not _said(kept) and SPEAKER.fullmatch(line.text[: token.start()][:40]):
            log.cut(CONTROL, [line.number])
            rest = line.text[token.end() :].lstrip()
            line = Line(line.number, "" if SPEAKER.fullmatch(rest[:40]) else rest)
            token = TOKEN.search(line.text)
        if token is None:
            kept.append(line)
            continue
        kept.append(Line(line.number, line.text[: token.start()]))
        behind = [one.number for one in (line, *lines[at + 1 :]) if not one.is_blank]
        if any(_words(one) for one in lines[at + 1 :]) or TOKEN.sub("", line.text[token.end() :]):
            log.cut(TURN, behind)
            log.flag(SAYS_ANOTHER_TURN)
        else:
            log.cut(CONTROL, behind)
        break
    return kept


def _words(line: Line) -> bool:
    return not SPEAKER.fullmatch(TOKEN.sub("", line.text)[:40])


def _said(kept: Sequence[Line]) -> bool:
    return any(not line.is_blank and not SPEAKER.fullmatch(line.text[:40]) for line in kept)
