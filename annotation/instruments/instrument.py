"""An instrument: its questions, read from data, shown to experts and put to language models."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from annotation.instruments.questions import (
    Answer,
    Comment,
    InvalidAnswer,
    Likert,
    Point,
    Probability,
    Question,
)


class InvalidAnswers(ValueError):
    """Some answers do not fit; nothing was stored.

    Attributes
    ----------
    problems : dict of str to str
        Question key to what is wrong with its answer.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{key}: {problem}" for key, problem in problems.items()))
        self.problems = dict(problems)


class InvalidInstrument(ValueError):
    """The data do not describe an instrument; the message names the path in them."""


@dataclass(frozen=True)
class Instrument:
    """A set of questions asked of one poem at a time.

    Attributes
    ----------
    key, version, language, title, source : str
        Identity, for exports; `source` cites where the wording was published.
    instructions : str
        What a judge is told before the first poem.
    brief_heading, poem_heading, questions_heading : str
        Headings over the three parts of a page; an empty `brief_heading` means that the brief
        is not shown.
    questions_intro : str
        What stands above the questions.
    judge_prompt : str
        The prompt for a language model, with ``{generation_prompt}``, ``{the_poem}`` and
        ``{questions}`` where those go.
    questions : tuple of Question
    """

    key: str
    version: str
    language: str
    title: str
    source: str
    instructions: str
    brief_heading: str
    poem_heading: str
    questions_heading: str
    questions_intro: str
    judge_prompt: str
    questions: tuple[Question, ...]

    @property
    def shows_brief(self) -> bool:
        return bool(self.brief_heading)

    def read(self, answers: Mapping[str, object]) -> dict[str, Answer]:
        """Return every question's answer, by key.

        Raises
        ------
        InvalidAnswers
            If a required question is blank, an answer does not fit, or a key is no question's.
        """
        read: dict[str, Answer] = {}
        known = {question.key for question in self.questions}
        problems = {key: "There is no such question." for key in answers if key not in known}
        for question in self.questions:
            try:
                read[question.key] = question.read(answers.get(question.key))
            except InvalidAnswer as problem:
                problems[question.key] = str(problem)
        if problems:
            raise InvalidAnswers(problems)
        return read

    def shown(self) -> list[dict[str, object]]:
        """Return the questions as a judge sees them."""
        return [question.shown() for question in self.questions]

    def prompt(self, *, brief: str, poem: str) -> str:
        """Return the judge prompt for one poem.

        The parts are joined, not formatted: a poem may hold braces of its own.
        """
        parts = {
            "{generation_prompt}": brief,
            "{the_poem}": poem,
            "{questions}": "\n".join(question.prompt() for question in self.questions),
        }
        text = self.judge_prompt
        filled: list[str] = []
        while text:
            at, mark = min(
                ((text.find(mark), mark) for mark in parts if mark in text), default=(-1, "")
            )
            if at < 0:
                break
            filled += [text[:at], parts[mark]]
            text = text[at + len(mark) :]
        return "".join([*filled, text])

    def schema(self) -> dict[str, object]:
        """Return the JSON schema of a language model's reply: question numbers to answers."""
        properties = {str(question.number): question.schema() for question in self.questions}
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": properties,
            "required": list(properties),
        }

    def by_number(self, numbered: Mapping[str, object]) -> dict[str, object]:
        """Return `numbered` answers ("1", "2", ...) under their questions' keys.

        Raises
        ------
        InvalidAnswers
            If a number is no question's.
        """
        keys = {str(question.number): question.key for question in self.questions}
        unknown = dict.fromkeys(set(numbered) - set(keys), "There is no such question.")
        if unknown:
            raise InvalidAnswers(unknown)
        return {keys[number]: answer for number, answer in numbered.items()}


def load(data: Mapping[str, Any]) -> Instrument:
    """Return the instrument that `data` describe.

    Raises
    ------
    InvalidInstrument
        If something is missing or wrong; the message names where, as ``questions[2].points``.
    """
    texts = {
        name: _text(data, name, "")
        for name in (
            "key", "version", "language", "title", "source", "instructions", "brief_heading",
            "poem_heading", "questions_heading", "questions_intro", "judge_prompt",
        )
    }  # fmt: skip
    marks = ["{the_poem}", "{questions}"]
    if texts["brief_heading"]:  # what experts are shown, language models are shown
        marks.append("{generation_prompt}")
    for mark in marks:
        if mark not in texts["judge_prompt"]:
            raise InvalidInstrument(f"judge_prompt: {mark} is missing")
    questions = data.get("questions")
    if not isinstance(questions, list) or not questions:
        raise InvalidInstrument("questions: at least one question is needed")
    loaded = tuple(_question(each, number) for number, each in enumerate(questions, start=1))
    keys = [question.key for question in loaded]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise InvalidInstrument(f"questions[{index}].key: {key!r} is used twice")
    return Instrument(**texts, questions=loaded)


def published(key: str) -> dict[str, Any]:
    """Return the data of a shipped instrument.

    Raises
    ------
    LookupError
        If there is none of that key; the message lists those there are.
    """
    shipped = published_all()
    if key not in shipped:
        raise LookupError(f"there is no instrument {key!r}; there are: {', '.join(shipped)}")
    return shipped[key]


def published_all() -> dict[str, dict[str, Any]]:
    """Return the data of every shipped instrument, by key."""
    folder = resources.files("annotation.instruments") / "published"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".json")), key=lambda f: f.name)
    read = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return {data["key"]: data for data in read}


def _question(data: object, number: int) -> Question:
    path = f"questions[{number - 1}]"
    if not isinstance(data, Mapping):
        raise InvalidInstrument(f"{path}: a question is an object with key, kind and text")
    key, text = _text(data, "key", path), _text(data, "text", path)
    required = data.get("required", True)
    if not isinstance(required, bool):
        raise InvalidInstrument(f"{path}.required: must be true or false")
    match data.get("kind"):
        case "likert":
            points = _points(data.get("points"), f"{path}.points")
            na, examples = _na(data, points, path), _examples(data, path)
            return Likert(key, number, text, required, points=points, na=na, examples=examples)
        case "probability":
            ends = _text(data, "low_label", path), _text(data, "high_label", path)
            return Probability(key, number, text, required, *ends)
        case "comment":
            return Comment(key, number, text, required)
        case kind:
            raise InvalidInstrument(
                f"{path}.kind: {kind!r} is none of likert, probability, comment"
            )


def _points(data: object, path: str) -> tuple[Point, ...]:
    if not isinstance(data, list) or len(data) < 2:
        raise InvalidInstrument(f"{path}: a scale has at least two points, each [code, label]")
    points = tuple(_point(each, f"{path}[{index}]") for index, each in enumerate(data))
    if [point.code for point in points] != sorted({point.code for point in points}):
        raise InvalidInstrument(f"{path}: codes must rise from point to point")
    return points


def _na(data: Mapping[str, Any], points: Sequence[Point], path: str) -> Point | None:
    if data.get("na") is None:
        return None
    na = _point(data["na"], f"{path}.na")
    if na.code in {point.code for point in points}:
        raise InvalidInstrument(f"{path}.na: {na.code} is the code of a point of the scale")
    return na


def _examples(data: Mapping[str, Any], path: str) -> tuple[str, ...]:
    examples = data.get("examples", [])
    if not isinstance(examples, list) or not all(isinstance(each, str) for each in examples):
        raise InvalidInstrument(f"{path}.examples: must be a list of texts")
    return tuple(examples)


def _point(data: object, path: str) -> Point:
    match data:
        case [int(code), str(label)] if not isinstance(code, bool):
            return Point(code, label)
    raise InvalidInstrument(f'{path}: a point is [code, label], as [1, "Strongly disagree"]')


def _text(data: Mapping[str, Any], name: str, path: str) -> str:
    where = f"{path}.{name}" if path else name
    value = data.get(name)
    if not isinstance(value, str):
        raise InvalidInstrument(f"{where}: a text is missing")
    if not value and name in ("key", "title", "text", "language"):
        raise InvalidInstrument(f"{where}: must not be empty")
    return value
