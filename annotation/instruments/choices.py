"""Questions with a few fixed answers: which of two texts, altered or not, known or unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from annotation.instruments.questions import (
    NO_TEXT,
    Answer,
    Choice,
    InvalidAnswer,
    Point,
    as_shown,
)
from annotation.instruments.wording import gettext_noop

NAME_LIMIT = 500  # characters
NEUTRAL = ("Text A", "Text B")


@dataclass(frozen=True)
class ForcedChoice(Choice):
    """A choice between the two texts shown: 1 is the one that stands first, 2 the other."""

    labels: tuple[str, str] = NEUTRAL
    kind: ClassVar[str] = "forced_choice"

    @property
    def offered(self) -> tuple[Point, ...]:
        return tuple(Point(code, label) for code, label in enumerate(self.labels, start=1))

    @property
    def missing(self) -> InvalidAnswer:
        return _either(self.labels)

    def shown(self) -> dict[str, object]:
        return {**super().shown(), "points": as_shown(self.offered)}


@dataclass(frozen=True)
class Altered(Choice):
    """Whether the text was altered: 0 for the first label (it was not), 1 for the second."""

    labels: tuple[str, str]
    kind: ClassVar[str] = "altered"

    @property
    def offered(self) -> tuple[Point, ...]:
        return tuple(Point(code, label) for code, label in enumerate(self.labels))

    @property
    def missing(self) -> InvalidAnswer:
        return _either(self.labels)

    def shown(self) -> dict[str, object]:
        return {**super().shown(), "points": as_shown(self.offered)}


@dataclass(frozen=True)
class Recognition(Choice):
    """The gate before the ratings: how well the judge knows the poem already.

    Attributes
    ----------
    levels : tuple of Point
        From never seen, coded 0, to being able to name it.
    named_label : str
        What is asked at the last level.
    """

    levels: tuple[Point, ...]
    named_label: str
    kind: ClassVar[str] = "recognition"

    @property
    def name_level(self) -> int:
        """Code of the level at which the name is asked."""
        return self.levels[-1].code

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.key, f"{self.key}.named")

    @property
    def offered(self) -> tuple[Point, ...]:
        return self.levels

    @property
    def missing(self) -> InvalidAnswer:
        return InvalidAnswer(gettext_noop("Say whether you know this poem already."))

    def read(self, answers: Mapping[str, object]) -> Answer:
        """Return the level and, at the last one, the name given; see `Question.read`."""
        answer = super().read(answers)
        if answer.number != self.name_level:
            return answer
        return replace(answer, text=_name(answers.get(self.fields[1])))

    def shown(self) -> dict[str, object]:
        return {
            **super().shown(),
            "levels": as_shown(self.levels),
            "named_label": self.named_label,
            "name_level": self.name_level,
        }


def _either(labels: tuple[str, str]) -> InvalidAnswer:
    return InvalidAnswer(
        gettext_noop("Choose “{first}” or “{second}”."), first=labels[0], second=labels[1]
    )


def _name(given: object) -> str:
    if given is None:
        return ""
    if not isinstance(given, str):
        raise InvalidAnswer(gettext_noop("Write in words what you recognise."))
    if len(given) > NAME_LIMIT:
        raise InvalidAnswer(
            gettext_noop(
                "What you recognise takes too long to say. Its length in characters: {length}. "
                "The limit: {limit}."
            ),
            length=len(given),
            limit=NAME_LIMIT,
        )
    if NO_TEXT.search(given):
        raise InvalidAnswer(
            gettext_noop(
                "What you recognise holds a character that is no text (NUL or half a pair); "
                "remove it."
            )
        )
    return given.strip()
