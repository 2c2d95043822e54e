"""A question answered by a probability, with how the judge came to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from annotation.instruments.questions import Answer, InvalidAnswer, Question, whole
from annotation.instruments.wording import gettext_noop

CANNOT_TELL = "cannot_tell"
LONGEST = 10**11  # milliseconds, about three years: longer is no reading time
MOST_MOVES = 2**31 - 1  # the largest number that the column holds


@dataclass(frozen=True)
class Probability(Question):
    """A question answered by a probability from 0.0 to 1.0, kept in thousandths.

    Thousandths are whole numbers, so that equal probabilities stay equal when they are averaged
    and ranked.

    Attributes
    ----------
    cannot_tell : str
        Label of the answer that names no probability, which is neither 0.5 nor left empty; empty
        if it is not offered.
    """

    low_label: str
    high_label: str
    cannot_tell: str = ""
    kind: ClassVar[str] = "probability"

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.key, f"{self.key}.first", f"{self.key}.moves", f"{self.key}.touched")

    @property
    def missing(self) -> InvalidAnswer:
        if self.cannot_tell:
            return InvalidAnswer(
                gettext_noop(
                    "Write a probability from 0.0 to 1.0, for example 0.35, or choose "
                    "“{cannot_tell}”."
                ),
                cannot_tell=self.cannot_tell,
            )
        return InvalidAnswer(gettext_noop("Write a probability from 0.0 to 1.0, for example 0.35."))

    def read(self, answers: Mapping[str, object]) -> Answer:
        """Return the probability and its trace; see `Question.read`.

        A trace refuses nothing: what the page measured wrongly is not the judge's mistake.
        """
        _, first, moves, touched = self.fields
        return replace(
            super().read(answers),
            first=_per_mille(_written(answers.get(first))),
            moves=_count(answers.get(moves), MOST_MOVES),
            touched=_count(answers.get(touched), LONGEST),
        )

    def fit(self, given: object) -> Answer:
        written = _written(given)
        if self.cannot_tell and written == CANNOT_TELL:
            return Answer(blank=CANNOT_TELL)
        number = _per_mille(written)
        if number is None:
            raise _too_fine(written) or self.missing
        return Answer(number=number)

    def shown(self) -> dict[str, object]:
        return {
            **super().shown(),
            "low_label": self.low_label,
            "high_label": self.high_label,
            "cannot_tell": self.cannot_tell,
        }

    def prompt(self) -> str:
        ends = f"{super().prompt()}\n0.0 = {self.low_label}\n1.0 = {self.high_label}"
        # In signs rather than words: the words of an instrument are in its own language.
        either = f'\n0.0–1.0, "{CANNOT_TELL}" ({self.cannot_tell})'
        return ends + either if self.cannot_tell else ends

    def schema(self) -> Mapping[str, object]:
        if self.cannot_tell:
            return {"anyOf": [{"type": "number"}, {"const": CANNOT_TELL}]}
        return {"type": "number"}


def _written(given: object) -> str:
    """Return an answer as it would be typed, or "" if it is no number and no text."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return ""
    if isinstance(given, int) and given not in (0, 1):  # it may be too long to write out
        return ""
    # A comma is how many of the world's keyboards write the point.
    return str(given).strip().replace(",", ".")


def _per_mille(written: str) -> int | None:
    if not re.fullmatch(r"0?\.[0-9]{1,3}0*|0\.?|1(\.0*)?", written):
        return None
    return round(float(written) * 1000)


def _too_fine(written: str) -> InvalidAnswer | None:
    if not re.fullmatch(r"0?\.[0-9]{4,}", written):
        return None
    return InvalidAnswer(
        gettext_noop(
            "Write a probability from 0.0 to 1.0, for example 0.35. "
            "At most three decimals are kept."
        )
    )


def _count(given: object, most: int) -> int | None:
    number = whole(given)
    return number if number is not None and 0 <= number <= most else None
