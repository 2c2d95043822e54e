"""One panel's answers to one question about authorship: what all tables on telling apart read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annotation.instruments.probability import Probability
from annotation.instruments.questions import Likert
from backend.analytics.authorship import Scored, about_authorship, is_scored
from backend.analytics.frames import Codes, Frame, Mask, Numbers, Panel
from backend.statistics.many import Scores

Judges = Codes | None


@dataclass(frozen=True)
class Telling:
    """One panel's answers to one question about authorship.

    Attributes
    ----------
    frame : Frame
    panel : Panel
    question : Likert or Probability
    place : int
        The question's code in the frame.
    """

    frame: Frame
    panel: Panel
    question: Scored
    place: int

    @property
    def suffix(self) -> str:
        """What its tables' keys end in."""
        return f"{self.panel.key}-q{self.question.number}"

    @property
    def asked(self) -> str:
        """What its tables' captions end in: the question in words, and who answered it."""
        what = self.question.key.replace("_", " ")
        if len(self.frame.questions) > 1:
            what += f" (question {self.question.number})"
        return f"{what}, by {'experts' if self.panel.expert else self.panel.label}"

    @property
    def several(self) -> bool:
        """Whether judges may differ: a machine judge sits alone, so only titles are clusters."""
        return self.panel.expert

    @property
    def models(self) -> tuple[tuple[int, str], ...]:
        """Author codes and names of the models."""
        return tuple(enumerate(self.frame.models, start=1))

    @cached_property
    def rows(self) -> Mask:
        """The panel's ratings of this question that are a score."""
        frame = self.frame
        found: Mask = frame.of(self.panel) & (frame.question == self.place) & frame.scored
        return found

    @cached_property
    def n_judges(self) -> int:
        """How many judges gave a score."""
        return int(np.unique(self.frame.judge[self.rows]).size)

    @property
    def middle(self) -> float:
        """The answer that leans to neither side, a probability from 0 to 1."""
        if isinstance(self.question, Probability):
            return 0.5
        return (self.question.low + self.question.high) / 2

    def by(self, code: int) -> Mask:
        """The scores of one author's poems."""
        found: Mask = self.rows & (self.frame.author == code)
        return found

    def numbers(self, code: int) -> Numbers:
        """One author's scores, as they are coded."""
        return self._side(code)[0]

    def titles(self, code: int) -> Codes:
        """The title of each of one author's scores."""
        return self._side(code)[1]

    def judges(self, code: int) -> Codes:
        """Who gave each of one author's scores."""
        return self._side(code)[2]

    def _side(self, code: int) -> tuple[Numbers, Codes, Codes]:
        """One author's scores, their titles and their judges, found once: every pair asks anew."""
        if code not in self._sides:
            frame, mine = self.frame, self.by(code)
            titles = frame.item_title[frame.item[mine]]
            self._sides[code] = frame.number[mine], titles, frame.judge[mine]
        return self._sides[code]

    @cached_property
    def _sides(self) -> dict[int, tuple[Numbers, Codes, Codes]]:
        return {}

    @cached_property
    def scores(self) -> Scores:
        """All scores for many models at once, as whole numbers from 0."""
        frame, rows = self.frame, self.rows
        lowest = self.question.low if isinstance(self.question, Likert) else 0
        titles = frame.item_title[frame.item[rows]]
        return Scores(
            author=frame.author[rows],
            score=np.rint(frame.number[rows] - lowest).astype(np.intp),
            title=np.unique(titles, return_inverse=True)[1].astype(np.intp),
            judge=frame.judge[rows],
            n_models=len(frame.models),
        )

    def of(self, rows: Mask) -> "Telling":
        """The same question to the same panel, on these ratings of the frame alone."""
        return replace(self, frame=self.frame.only(rows))


def tellings(frame: Frame, panel: Panel) -> Iterator[Telling]:
    """Yield one for each question about authorship that has scores; none where texts are paired."""
    if not frame.models or frame.paired:
        return
    for question in about_authorship(frame.questions):
        if is_scored(question):
            yield Telling(frame, panel, question, frame.questions.index(question))


def free(frame: Frame, code: int, what: str) -> tuple[str, ...]:
    """Return how many poems of an author are on a brief of no human poem, and `what` that means."""
    n_free = int(((frame.item_title < 0) & (frame.item_author == code)).sum())
    return (f"poems on a brief of no human poem: {n_free} (they {what})",) if n_free else ()
