"""Question types: what each asks, which answers fit it, and how it is put to a language model."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

COMMENT_LIMIT = 5000  # characters
NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # databases refuse both


class InvalidAnswer(ValueError):
    """An answer does not fit its question; the message says what would."""


@dataclass(frozen=True)
class Answer:
    """One answer as it is stored.

    Attributes
    ----------
    number : int or None
        The point chosen, or a probability in thousandths (per mille).
    text : str
        What was written, for a comment.
    blank : str
        Why the answer does not count as a rating: "na" (the judge chose N/A; `number` keeps the
        code), "skipped" (left empty where that is allowed), or "" where it is an answer.
    """

    number: int | None = None
    text: str = ""
    blank: str = ""


SKIPPED = Answer(blank="skipped")


@dataclass(frozen=True)
class Point:
    """One point of a scale: its code and its label."""

    code: int
    label: str


@dataclass(frozen=True)
class Question:
    """What every question has: a key for data, a number and a text for the judge."""

    key: str
    number: int
    text: str
    required: bool
    kind: ClassVar[str]

    def read(self, given: object) -> Answer:
        """Return the answer that `given` means.

        Raises
        ------
        InvalidAnswer
            If nothing is given and the question is required, or what is given does not fit.
        """
        if given is None or (isinstance(given, str) and not given.strip()):
            if self.required:
                raise InvalidAnswer(self.missing)
            return SKIPPED
        return self.fit(given)

    def fit(self, given: object) -> Answer:
        raise NotImplementedError

    @property
    def missing(self) -> str:
        return "This question needs an answer."

    def shown(self) -> dict[str, object]:
        """Return what a judge is shown of this question, and nothing else."""
        return {
            "key": self.key,
            "number": self.number,
            "kind": self.kind,
            "text": self.text,
            "required": self.required,
        }

    def prompt(self) -> str:
        """Return the question as the published judge prompt sets it."""
        return f"{self.number}. {self.text}"

    def schema(self) -> Mapping[str, object]:
        """Return the JSON schema of an answer."""
        raise NotImplementedError


@dataclass(frozen=True)
class Likert(Question):
    """A question answered by one labelled point; N/A, where offered, stands outside the scale."""

    points: tuple[Point, ...]
    na: Point | None = None
    examples: tuple[str, ...] = ()
    kind: ClassVar[str] = "likert"

    @property
    def low(self) -> int:
        return self.points[0].code

    @property
    def high(self) -> int:
        return self.points[-1].code

    @property
    def missing(self) -> str:
        return f"Choose a point from {self.low} to {self.high}" + (", or N/A." if self.na else ".")

    def fit(self, given: object) -> Answer:
        code = _whole(given)
        if self.na is not None and code == self.na.code:
            return Answer(number=code, blank="na")
        if code is None or code not in {point.code for point in self.points}:
            raise InvalidAnswer(self.missing)
        return Answer(number=code)

    def shown(self) -> dict[str, object]:
        offered = [{"code": point.code, "label": point.label} for point in self.points]
        na = {"code": self.na.code, "label": self.na.label} if self.na else None
        return {**super().shown(), "points": offered, "na": na, "examples": list(self.examples)}

    def prompt(self) -> str:
        offered = (self.na, *self.points) if self.na else self.points
        lines = [super().prompt()]
        lines += [f"- {example}" for example in self.examples]
        lines += [f"{point.code} - {point.label}" for point in offered]
        return "\n".join(lines)

    def schema(self) -> Mapping[str, object]:
        codes = [point.code for point in self.points]
        return {"type": "integer", "enum": [self.na.code, *codes] if self.na else codes}


@dataclass(frozen=True)
class Probability(Question):
    """A question answered by a probability from 0.0 to 1.0, kept in thousandths.

    Thousandths are whole numbers, so that equal probabilities stay equal when they are averaged
    and ranked.
    """

    low_label: str
    high_label: str
    kind: ClassVar[str] = "probability"

    @property
    def missing(self) -> str:
        return "Write a probability from 0.0 to 1.0, for example 0.35."

    def fit(self, given: object) -> Answer:
        if isinstance(given, bool) or not isinstance(given, int | float | str):
            raise InvalidAnswer(self.missing)
        if isinstance(given, int) and given not in (0, 1):  # it may be too long to write out
            raise InvalidAnswer(self.missing)
        # A comma is how many of the world's keyboards write the point.
        written = str(given).strip().replace(",", ".")
        if not re.fullmatch(r"0?\.[0-9]{1,3}0*|0\.?|1(\.0*)?", written):
            raise InvalidAnswer(self.missing + _too_fine(written))
        return Answer(number=round(float(written) * 1000))

    def shown(self) -> dict[str, object]:
        return {**super().shown(), "low_label": self.low_label, "high_label": self.high_label}

    def prompt(self) -> str:
        return f"{super().prompt()}\n0.0 = {self.low_label}\n1.0 = {self.high_label}"

    def schema(self) -> Mapping[str, object]:
        return {"type": "number"}


@dataclass(frozen=True)
class Comment(Question):
    """A question answered in the judge's own words."""

    kind: ClassVar[str] = "comment"

    def fit(self, given: object) -> Answer:
        if not isinstance(given, str):
            raise InvalidAnswer("Write this answer in words.")
        if len(given) > COMMENT_LIMIT:
            raise InvalidAnswer(
                f"This comment has {len(given)} characters; at most {COMMENT_LIMIT} are kept."
            )
        if NO_TEXT.search(given):
            raise InvalidAnswer(
                "This comment holds a character that is no text (NUL or half a pair); remove it."
            )
        # A form sends CR LF where a script sends LF.
        return Answer(text=given.replace("\r\n", "\n").strip())

    def schema(self) -> Mapping[str, object]:
        return {"type": "string"}


def _whole(given: object) -> int | None:
    """Return `given` as a whole number if it is written as one, else None."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,9}", given.strip()):
        return int(given)
    return None


def _too_fine(written: str) -> str:
    fine = re.fullmatch(r"0?\.[0-9]{4,}", written)
    return " At most three decimals are kept." if fine else ""
