"""Instruments from data: every problem in a definition is found, and named with its path."""

import json
import reprlib
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from annotation.instruments.choices import NEUTRAL, Altered, ForcedChoice, Recognition
from annotation.instruments.definition import LABEL_LIMIT, Definition
from annotation.instruments.instrument import ONE_TEXT, TWO_TEXTS, Instrument, marks_of
from annotation.instruments.probability import Probability
from annotation.instruments.questions import About, Comment, Likert, Point, Question

FORMAT = 1
MOST_QUESTIONS = 100
QUESTION_LIMIT = 2000  # characters
LIMITS = {
    "key": 59, "version": 20, "language": 10, "title": 120, "source": 1000,
    "instructions": 10_000, "brief_heading": 120, "poem_heading": 120, "questions_heading": 120,
    "questions_intro": 5000, "judge_prompt": 20_000,
}  # fmt: skip
TOP = ("format", *LIMITS, "questions")
COMMON = ("key", "kind", "text", "required", "about", "locks_above")


class InvalidInstrument(ValueError):
    """The data do not describe an instrument.

    Attributes
    ----------
    problems : list of str
        All that is wrong, each with the path in the data, as ``questions[2].points: ...``.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


def load(data: object) -> Instrument:
    """Return the instrument that `data` describe.

    Raises
    ------
    InvalidInstrument
        If something is missing, wrong or unknown; it names every problem with its place.
    """
    if not isinstance(data, Mapping):
        raise InvalidInstrument(
            ["top level: must be an object with key, title, judge_prompt, questions and others"]
        )
    problems: list[str] = []
    top = Definition(data, "", problems)
    texts = _texts(top)
    questions = _questions(top, problems)
    _marks(top, texts, questions)
    top.only(TOP, "an instrument")
    if problems:
        raise InvalidInstrument(problems)
    return Instrument(**texts, questions=questions)


def load_text(text: str) -> Instrument:
    """Return the instrument that a JSON text describes.

    Raises
    ------
    InvalidInstrument
        If it is no JSON (the message says in which line and column), a name stands twice in one
        object, or `load` refuses the data.
    """
    problems: list[str] = []
    try:
        pairs = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_Pairs, parse_constant=_no_number
        )
        data = _plain(pairs, "", problems)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInstrument([f"{where}: this is no JSON: {error.msg}"]) from error
    except RecursionError as error:
        raise InvalidInstrument(["top level: the objects are nested too deeply"]) from error
    except ValueError as error:
        raise InvalidInstrument([f"top level: a number cannot be read: {error}"]) from error
    try:
        instrument = load(data)
    except InvalidInstrument as refused:
        raise InvalidInstrument([*problems, *refused.problems]) from None
    if problems:
        raise InvalidInstrument(problems)
    return instrument


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
    files = (file for file in folder.iterdir() if file.name.endswith(".json"))
    read = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return {data["key"]: data for data in sorted(read, key=lambda data: str(data["key"]))}


def _texts(top: Definition) -> dict[str, str]:
    given = top.data.get("format", FORMAT)
    if given != FORMAT or not isinstance(given, int) or isinstance(given, bool):
        top.wrong("format", f"must be {FORMAT}, the only format there is")
    written = {
        "key": ("[a-z][a-z0-9_-]*", "write it in a-z, 0-9, _ and -, beginning with a letter"),
        "language": ("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", "write its code, as en or zh-hans"),
    }
    return {
        name: top.pattern(name, limit, *written[name])
        if name in written
        else top.text(name, limit, needed=name == "title")
        for name, limit in LIMITS.items()
    }


def _questions(top: Definition, problems: list[str]) -> tuple[Question, ...]:
    given = top.data.get("questions")
    if not isinstance(given, list) or not given:
        top.wrong("questions", "at least one question is needed, in a list")
        return ()
    if len(given) > MOST_QUESTIONS:
        top.wrong("questions", f"there are {len(given)}; the limit is {MOST_QUESTIONS}")
        return ()
    questions: list[Question] = []
    for index, each in enumerate(given):
        if not isinstance(each, Mapping):
            top.wrong(f"questions[{index}]", "a question is an object with key, kind and text")
            continue
        definition = Definition(each, f"questions[{index}]", problems)
        before = questions[-1].about if questions else "quality"
        if question := _question(definition, index + 1, before):
            _in_its_place(definition, question, questions)
            questions.append(question)
    return tuple(questions)


def _question(definition: Definition, number: int, before: About) -> Question | None:
    kind = definition.data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        definition.wrong("kind", f"{reprlib.repr(kind)} is none of {', '.join(KINDS)}")
        return None
    own, build = KINDS[kind]
    key = definition.pattern(
        "key", LIMITS["key"], "[a-z][a-z0-9_]*",
        "write it in a-z, 0-9 and _, beginning with a letter",
    )  # fmt: skip
    question = build(
        definition,
        {
            "key": key,
            "number": number,
            "text": definition.text("text", QUESTION_LIMIT, needed=True),
            "required": definition.flag("required", default=True),
            "about": _about(definition, before if kind == "comment" else "quality"),
            "locks_above": definition.flag("locks_above", default=False),
        },
    )
    article = "an" if kind[0] in "aeiou" else "a"
    definition.only((*COMMON, *own), f"{article} {kind} question")
    return question


def _about(definition: Definition, default: About) -> About:
    match definition.data.get("about"):
        case None:
            return default
        case "quality":
            return "quality"
        case "authorship":
            return "authorship"
    definition.wrong("about", "must be quality or authorship")
    return default


def _in_its_place(definition: Definition, question: Question, above: Sequence[Question]) -> None:
    """Note what cannot stand after the questions above."""
    first = question.number == 1
    if question.key and question.key in {other.key for other in above}:
        definition.wrong("key", f"{question.key!r} is used twice")
    if isinstance(question, Recognition) and not first:
        definition.wrong("kind", "recognition is a gate and comes first")
    if isinstance(question, Recognition) and not question.required:
        definition.wrong("required", "recognition is a gate, which nobody passes without an answer")
    if question.locks_above and first:
        definition.wrong("locks_above", "there is nothing above the first question")
    told = next((other for other in above if other.about == "authorship"), None)
    if told and question.about == "quality":
        definition.wrong(
            "about",
            f"a question about quality comes after one about authorship "
            f"(questions[{told.number - 1}]); ask authorship last",
        )


def _marks(top: Definition, texts: Mapping[str, str], questions: Sequence[Question]) -> None:
    prompt = texts["judge_prompt"]
    if not isinstance(top.data.get("judge_prompt"), str):
        return  # that it is missing is said already
    given = top.data.get("questions")
    all_read = isinstance(given, list) and len(questions) == len(given)
    shown = marks_of(questions) if all_read else ()  # what could not be read may want either
    needed = [*shown, "{questions}"]
    if texts["brief_heading"]:  # what experts are shown, language models are shown
        needed.append("{generation_prompt}")
    for mark in needed:
        if mark not in prompt:
            top.wrong("judge_prompt", f"{mark} is missing")
    for mark in {ONE_TEXT: TWO_TEXTS, TWO_TEXTS: ONE_TEXT}.get(shown, ()):
        if mark in prompt:
            top.wrong("judge_prompt", f"{mark} has no place here; write {' and '.join(shown)}")


Given = dict[str, Any]


def _likert(definition: Definition, given: Given) -> Question:
    points, na = definition.points("points"), None
    if definition.data.get("na") is not None:
        na = definition.point("na", definition.data["na"])
    if na and na.code in {point.code for point in points}:
        definition.wrong("na", f"{na.code} is the code of a point of the scale")
    return Likert(**given, points=points, na=na, examples=definition.texts("examples"))


def _probability(definition: Definition, given: Given) -> Question:
    return Probability(
        **given,
        low_label=definition.text("low_label", LABEL_LIMIT),
        high_label=definition.text("high_label", LABEL_LIMIT),
        cannot_tell=definition.text("cannot_tell", LABEL_LIMIT, default="").strip(),
    )


def _comment(_definition: Definition, given: Given) -> Question:
    return Comment(**given)


def _recognition(definition: Definition, given: Given) -> Question:
    levels = definition.points("levels")
    if levels and levels[0].code != 0:
        definition.wrong("levels[0]", "the codes rise from 0")
    named = definition.text("named_label", LABEL_LIMIT, needed=True)
    return Recognition(**given, levels=levels or (Point(0, ""),), named_label=named)


def _forced_choice(definition: Definition, given: Given) -> Question:
    return ForcedChoice(**given, labels=definition.labels("labels", NEUTRAL))


def _altered(definition: Definition, given: Given) -> Question:
    return Altered(**given, labels=definition.labels("labels"))


# Kind of question -> the keys of its own, and how it is built.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Definition, Given], Question]]] = {
    "likert": (("points", "na", "examples"), _likert),
    "probability": (("low_label", "high_label", "cannot_tell"), _probability),
    "comment": ((), _comment),
    "recognition": (("levels", "named_label"), _recognition),
    "forced_choice": (("labels",), _forced_choice),
    "altered": (("labels",), _altered),
}


class _Pairs(list[tuple[str, Any]]):
    """An object as it is written: its names and values in order, repeated ones among them."""


def _plain(value: object, path: str, problems: list[str]) -> object:
    """Return `value` with its objects as dicts, and note the names that stand in one twice."""
    if isinstance(value, _Pairs):
        plain: dict[str, object] = {}
        for name, inner in value:
            where = f"{path}.{name}" if path else name
            if name in plain:
                shown = where if where.isprintable() else ascii(where)
                problems.append(f"{shown}: stands twice in one object")
            plain[name] = _plain(inner, where, problems)
        return plain
    if isinstance(value, list):
        return [_plain(inner, f"{path}[{at}]", problems) for at, inner in enumerate(value)]
    return value


def _no_number(written: str) -> float:
    raise ValueError(f"{written} is no number")
