"""Reading a machine judge's reply: what carries the answers is taken, nothing is guessed."""

import json
import re
from dataclasses import dataclass
from typing import Any

from annotation.instruments.instrument import Instrument
from annotation.instruments.questions import Choice, Likert

BRACE = re.compile(r"[{}]")
THOUGHT = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL | re.IGNORECASE)
END_OF_THOUGHT = re.compile(r"^.*?</think>", re.DOTALL | re.IGNORECASE)
# "4/5" and "4 - Agree" name one point; anything looser would be a guess.
OUT_OF = re.compile(r"^([0-9]{1,2})\s*/\s*([0-9]{1,2})$")
LABELLED = re.compile(r"^([0-9]{1,2})\s*[-–—:=.]\s*(\D.*)$", re.DOTALL)


class Unreadable(ValueError):
    """The reply does not carry the answers. It is kept, counted and shown, never rated."""


@dataclass(frozen=True)
class Reading:
    """Answers by question number, as the instrument reads them, and what was repaired."""

    answers: dict[str, object]
    repairs: list[str]


def read(reply: str, instrument: Instrument) -> Reading:
    """Return the numbered answers in `reply`.

    Raises
    ------
    Unreadable
        If there is no JSON object with the asked numbers, or two answers that disagree.
    """
    repairs: list[str] = []
    text = END_OF_THOUGHT.sub("", THOUGHT.sub("", reply))
    if text != reply:
        repairs.append("cut the model's reasoning")
    numbers = {str(question.number) for question in instrument.questions}
    found = [each for each in _objects(text) if numbers & {number for number, _ in each.fields}]
    if not found:
        raise Unreadable("The reply holds no JSON object with numbered answers.")
    if text.strip() != found[0].written:
        repairs.append("took the JSON object out of other text")
    given = _agreed(found)
    if stray := sorted(set(given) - numbers):
        # As written in Python: a key may hold what no database stores.
        raise Unreadable(
            f"The reply answers what was not asked: {', '.join(map(repr, stray[:5]))}."
        )
    scales = {str(q.number): q for q in instrument.questions if isinstance(q, Choice)}
    answers = {
        number: _point(answer, scales[number], number, repairs) if number in scales else answer
        for number, answer in given.items()
    }
    return Reading(answers, repairs)


@dataclass(frozen=True)
class Object:
    """One JSON object in a reply: its fields in order, and how it is written."""

    fields: list[tuple[str, Any]]
    written: str


def _objects(text: str) -> list[Object]:
    """Return every JSON object that stands in `text`, outermost ones only."""
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=list)
    found: list[Object] = []
    at = text.find("{")
    while at >= 0:
        try:
            fields, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            # What stands inside braces that are no JSON is a part of something, and no answer.
            end = _closing(text, at)
        else:
            found.append(Object(fields, text[at:end]))
        at = text.find("{", end)
    return found


def _closing(text: str, at: int) -> int:
    """Return where the brace at `at` is closed, or the end of the text."""
    depth = 0
    for brace in BRACE.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)


def _agreed(found: list[Object]) -> dict[str, Any]:
    """Return the fields that all these objects give alike."""
    given = dict(found[0].fields)
    for each in found:
        if dict(each.fields).keys() != given.keys():
            raise Unreadable("The reply holds JSON objects that disagree.")
        for number, answer in each.fields:
            if not _same(answer, given[number]):
                raise Unreadable(f"The reply answers {number!r} twice, and differently.")
    return given


def _same(one: object, other: object) -> bool:
    # True equals 1 in Python; and no question is answered by a list or an object.
    plain = isinstance(one, str | int | float | None) and type(one) is type(other)
    return one is other or (plain and one == other)


def _point(answer: object, scale: Choice, number: str, repairs: list[str]) -> object:
    if isinstance(answer, float) and answer.is_integer():
        repairs.append(f"{number}: read {answer} as {int(answer)}")
        return int(answer)
    if not isinstance(answer, str):
        return answer
    written = answer.strip()
    out_of, labelled = OUT_OF.match(written), LABELLED.match(written)
    if out_of and isinstance(scale, Likert) and _is_out_of(scale, int(out_of[1]), int(out_of[2])):
        repairs.append(f"{number}: read {written!r} as {out_of[1]}")
        return out_of[1]
    if labelled and _label(scale, int(labelled[1])) == labelled[2].strip().casefold():
        repairs.append(f"{number}: read {written!r} as {labelled[1]}")
        return labelled[1]
    return answer


def _is_out_of(scale: Likert, code: int, most: int) -> bool:
    return most == scale.high and code in {point.code for point in scale.points}


def _label(scale: Choice, code: int) -> str:
    return next((point.label.casefold() for point in scale.offered if point.code == code), "")
