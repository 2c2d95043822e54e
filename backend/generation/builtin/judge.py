"""A baseline machine judge that understands nothing: it answers from surface figures alone."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from backend.generation.builtin.brief import read_english
from backend.generation.builtin.figures import Figures, Surface

_MACHINE = r"\b(?:machine|language model|LLM|AI|computer)"
# Which figures answer a question, by a word in it; the first that matches. "less" turns a figure
# round. The choices are plain and fixed: they claim no more than that surface varies.
_GROUNDS = (
    (r"\bform\b|met(?:er|re)\b|rhyme", ("even", "rhymed")),
    (r"\btheme", ("on_theme",)),
    (r"vocabular|lexical|diversity", ("varied",)),
    # Whoever is named first is the one asked about: "by a human rather than a machine".
    (rf"(?s)^(?:(?!{_MACHINE}).)*\bhuman", ("unusual",)),
    (_MACHINE, ("less unusual",)),
    (r"idiosyncra|creativ|original", ("unusual",)),
    (r"emotion|resonance", ("rhymed", "varied")),
    (r"imagery|devices", ("varied", "unusual")),
    (r"", ("even", "rhymed", "varied")),
)
_NAMES = {
    "varied": "type-token ratio",
    "even": "regularity of line length",
    "rhymed": "share of rhymed line ends",
    "unusual": "mean negative log-probability under an n-gram model",
    "on_theme": "share of the brief's words in the poem",
}
_HEADING = re.compile(r"^#+[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_SECTIONS = (
    ("prompt", r"\bprompt|\bbrief", 0),
    ("poem", r"\bpoem", 0),
    ("questions", r"\bquestion", -1),
    ("format", r"\bformat", -1),
)
_QUESTION = re.compile(r"^[ \t]*(\d+)\.[ \t]+", re.MULTILINE)
_POINT = re.compile(r"^[ \t]*(\d+)[ \t]*[-–—][ \t]*(\S.*)$", re.MULTILINE)
_ASKED_KEY = re.compile(r"\"([^\"\n]+)\"\s*:\s*\"?<([^>]*)>")
_PROBABILITY = re.compile(r"\b0(?:\.0)?\s*(?:to|and|-|–)\s*1(?:\.0)?\b")
_COMMENT = re.compile(r"\bcomment|\bexplain|\bwhy\b", re.IGNORECASE)
_ABOUT = re.compile(r"question (\d+) above", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """One question of a judge prompt: the key to answer under and the points of its scale."""

    key: str
    text: str
    points: tuple[int, ...]

    @property
    def asks_comment(self) -> bool:
        """Whether it wants words about another answer, whatever scale it mentions."""
        return bool(_COMMENT.search(self.text)) and not self.points

    @property
    def asks_probability(self) -> bool:
        """Whether it wants a number from 0.0 to 1.0."""
        return not (self.points or self.asks_comment) and bool(_PROBABILITY.search(self.text))


class BaselineJudge:
    """Answers judge prompts in the JSON they ask for, from the poem's surface.

    A figure's place in its range is the place of the answer on the scale. It knows no poem, sees
    no meaning, and is there to be compared with: a judge no better than this reads nothing.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    def answer(self, prompt: str) -> str:
        """Answer every question of a prompt: a point, a probability, or a comment."""
        sections = _sections(prompt)
        poem = sections.get("poem", prompt if "questions" not in sections else "")
        theme = read_english(sections.get("prompt", "")).theme
        figures = self._surface.measure(poem, theme)
        questions = read_questions(prompt)
        texts = {question.key: question.text for question in questions}
        return json.dumps(
            {question.key: _reply(question, texts, figures) for question in questions},
            ensure_ascii=False,
        )


def read_questions(prompt: str) -> list[Question]:
    """The questions of a judge prompt, in its order.

    Numbered questions are answered under their numbers. Where the JSON that the prompt shows has
    keys of another kind, these are answered instead: each with the question at its place or, if
    they are not as many as the questions, by what the JSON says of them.
    """
    sections = _sections(prompt)
    asked = _ASKED_KEY.findall(sections.get("format", prompt))
    around = sections.get("questions") or prompt.replace(sections.get("poem", ""), "")
    numbered = _numbered(around)
    named = [(key, hint) for key, hint in asked if not key.isdecimal()]
    if numbered and not named:
        return numbered
    if numbered and len(named) == len(numbered):
        return [
            Question(key, f"{question.text} {hint}", question.points)
            for (key, hint), question in zip(named, numbered, strict=True)
        ]
    context = around if len(asked) == 1 else ""
    return [_question(key, f"{key} {hint} {context}".strip()) for key, hint in named or asked]


def _numbered(text: str) -> list[Question]:
    starts = list(_QUESTION.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    return [
        _question(start.group(1), text[start.end() : end])
        for start, end in zip(starts, ends, strict=False)
    ]


def _question(key: str, text: str) -> Question:
    # 0 is the point for "not applicable", which takes an understanding of the poem.
    points = (int(point) for point, label in _POINT.findall(text) if not label.startswith("N/A"))
    return Question(key, _POINT.sub("", text).strip(), tuple(sorted(set(points))))


def _sections(prompt: str) -> dict[str, str]:
    """The text under each heading this judge knows.

    The brief and the poem stand under the first heading of their kind, questions and format under
    the last, so that a heading within the poem changes nothing.
    """
    headings = list(_HEADING.finditer(prompt))
    found = {
        kind: of_kind[which]
        for kind, word, which in _SECTIONS
        if (of_kind := [h for h in headings if re.search(word, h.group(1), re.IGNORECASE)])
    }
    order = sorted(found.items(), key=lambda item: item[1].start())
    ends = [*(heading.start() for _, heading in order[1:]), len(prompt)]
    return {
        kind: prompt[heading.end() : end].strip("\n")
        # Without a heading that it knows, there is an end and no beginning.
        for (kind, heading), end in zip(order, ends, strict=False)
    }


def _reply(question: Question, texts: dict[str, str], figures: Figures) -> int | float | str:
    grounds = _grounds(question.text)
    if question.points:
        low, high = question.points[0], question.points[-1]
        placed = low + _place(grounds, figures) * (high - low)
        return min(question.points, key=lambda point: (abs(point - placed), point))
    if question.asks_probability:
        return round(_place(grounds, figures), 2)
    about = _ABOUT.search(question.text)
    if about and about.group(1) in texts:
        grounds = _grounds(texts[about.group(1)])
    return f"Baseline without understanding; {_shown(grounds, figures)}."


def _grounds(text: str) -> Sequence[str]:
    return next(names for words, names in _GROUNDS if re.search(words, text, re.IGNORECASE))


def _place(grounds: Sequence[str], figures: Figures) -> float:
    """Mean place of the figures in their ranges; the middle if none of them is defined."""
    shares = [
        1 - share if name.startswith("less ") else share
        for name in grounds
        if not math.isnan(share := figures.share(name.removeprefix("less ")))
    ]
    return fmean(shares) if shares else 0.5


def _shown(grounds: Sequence[str], figures: Figures) -> str:
    return ", ".join(
        f"{_NAMES[name]} {'not defined' if math.isnan(value) else format(value, '.2f')}"
        for name in (ground.removeprefix("less ") for ground in grounds)
        for value in [float(getattr(figures, name))]
    )
