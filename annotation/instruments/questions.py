"""What every question has and how its answer is read; scales of points, and comments."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from annotation.instruments.wording import gettext_noop

COMMENT_LIMIT = 5000  # characters
NO_TEXT = re.compile("[\x00\ud800-\udfff]")  # databases refuse both

About = Literal["quality", "authorship"]


class InvalidAnswer(ValueError):
    """An answer does not fit its question; the message says what would.

    Attributes
    ----------
    message : str
        The English sentence with ``{name}`` where a value goes; to be translated, then formatted.
    values : dict of str to str or int
        What goes into the sentence.
    """

    def __init__(self, message: str, **values: str | int) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values


@dataclass(frozen=True)
class Answer:
    """One answer as it is stored.

    Attributes
    ----------
    number : int or None
        The code chosen, or a probability in thousandths (per mille).
    text : str
        What was written: a comment, or what a judge who knows the poem calls it.
    blank : str
        Why the answer does not count as a rating: "na" (the judge chose N/A; `number` keeps the
        code), "cannot_tell" (the judge chose to name no probability), "skipped" (left empty where
        that is allowed), or "" where it is an answer.
    first : int or None
        Where a probability was first placed, in thousandths.
    moves : int or None
        How often it was changed after that.
    touched : int or None
        Milliseconds in view until it was first placed.
    """

    number: int | None = None
    text: str = ""
    blank: str = ""
    first: int | None = None
    moves: int | None = None
    touched: int | None = None


SKIPPED = Answer(blank="skipped")


@dataclass(frozen=True)
class Point:
    """One point of a scale: its code and its label."""

    code: int
    label: str


@dataclass(frozen=True)
class Question:
    """What every question has: a key for data, a number and a text for the judge.

    Attributes
    ----------
    about : "quality" or "authorship"
        Whoever was asked about authorship reads for it: such questions come last.
    locks_above : bool
        Whether the answers above must be settled before this question is shown.
    """

    key: str
    number: int
    text: str
    required: bool
    about: About = field(default="quality", kw_only=True)
    locks_above: bool = field(default=False, kw_only=True)
    kind: ClassVar[str]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the values that this question reads; its key comes first."""
        return (self.key,)

    def read(self, answers: Mapping[str, object]) -> Answer:
        """Return this question's answer among `answers`, which are by field name.

        Raises
        ------
        InvalidAnswer
            If nothing is given and the question is required, or what is given does not fit.
        """
        given = answers.get(self.key)
        if given is None or (isinstance(given, str) and not given.strip()):
            if self.required:
                raise self.missing
            return SKIPPED
        return self.fit(given)

    def fit(self, given: object) -> Answer:
        """Return the answer that `given`, which is not blank, means.

        Raises
        ------
        InvalidAnswer
            If it does not fit.
        """
        raise NotImplementedError

    @property
    def missing(self) -> InvalidAnswer:
        """What to say where there is no answer."""
        return InvalidAnswer(gettext_noop("This question needs an answer."))

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
class Choice(Question):
    """A question answered by one of the points it offers."""

    examples: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def offered(self) -> tuple[Point, ...]:
        """All that can be chosen, in the order in which it is put to a language model."""
        raise NotImplementedError

    def fit(self, given: object) -> Answer:
        code = whole(given)
        if code is None or code not in {point.code for point in self.offered}:
            raise self.missing
        return Answer(number=code)

    def prompt(self) -> str:
        offered = (f"{point.code} - {point.label}" for point in self.offered)
        examples = (f"- {example}" for example in self.examples)
        return "\n".join([super().prompt(), *examples, *offered])

    def schema(self) -> Mapping[str, object]:
        return {"type": "integer", "enum": [point.code for point in self.offered]}


@dataclass(frozen=True)
class Likert(Choice):
    """A question answered by one labelled point; N/A, where offered, stands outside the scale."""

    points: tuple[Point, ...]
    na: Point | None = None
    kind: ClassVar[str] = "likert"

    @property
    def low(self) -> int:
        return self.points[0].code

    @property
    def high(self) -> int:
        return self.points[-1].code

    @property
    def offered(self) -> tuple[Point, ...]:
        return (self.na, *self.points) if self.na else self.points

    @property
    def missing(self) -> InvalidAnswer:
        if self.na:
            message = gettext_noop("Choose a point from {low} to {high}, or N/A.")
        else:
            message = gettext_noop("Choose a point from {low} to {high}.")
        return InvalidAnswer(message, low=self.low, high=self.high)

    def fit(self, given: object) -> Answer:
        answer = super().fit(given)
        if self.na is not None and answer.number == self.na.code:
            return Answer(number=self.na.code, blank="na")
        return answer

    def shown(self) -> dict[str, object]:
        return {
            **super().shown(),
            "points": as_shown(self.points),
            "na": as_shown((self.na,))[0] if self.na else None,
            "examples": list(self.examples),
        }


@dataclass(frozen=True)
class Comment(Question):
    """A question answered in the judge's own words."""

    kind: ClassVar[str] = "comment"

    def fit(self, given: object) -> Answer:
        if not isinstance(given, str):
            raise InvalidAnswer(gettext_noop("Write this answer in words."))
        if len(given) > COMMENT_LIMIT:
            raise InvalidAnswer(
                gettext_noop(
                    "This comment is too long. Its length in characters: {length}. "
                    "The limit: {limit}."
                ),
                length=len(given),
                limit=COMMENT_LIMIT,
            )
        if NO_TEXT.search(given):
            raise InvalidAnswer(
                gettext_noop(
                    "This comment holds a character that is no text (NUL or half a pair); "
                    "remove it."
                )
            )
        # A form sends CR LF where a script sends LF.
        return Answer(text=given.replace("\r\n", "\n").strip())

    def schema(self) -> Mapping[str, object]:
        return {"type": "string"}


def as_shown(points: tuple[Point, ...]) -> list[dict[str, object]]:
    """Return points as a page and the API have them."""
    return [{"code": point.code, "label": point.label} for point in points]


def whole(given: object) -> int | None:
    """Return `given` as a whole number if it is written as one, else None."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    if isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,12}", given.strip()):
        return int(given)
    return None
