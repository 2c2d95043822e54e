"""An instrument: its questions, shown to experts and put to language models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.instruments.choices import ForcedChoice, Recognition
from annotation.instruments.questions import Answer, InvalidAnswer, Question
from annotation.instruments.wording import gettext_noop

ONE_TEXT = ("{the_poem}",)
TWO_TEXTS = ("{text_a}", "{text_b}")


class InvalidAnswers(ValueError):
    """Some answers do not fit; nothing was stored.

    Attributes
    ----------
    problems : dict of str to InvalidAnswer
        Question key, or a name that is no question's, to what is wrong there.
    """

    def __init__(self, problems: Mapping[str, InvalidAnswer]) -> None:
        super().__init__("; ".join(f"{key}: {problem}" for key, problem in problems.items()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class Instrument:
    """A set of questions asked of one poem at a time, or of two texts side by side.

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
        The prompt for a language model, with ``{generation_prompt}``, ``{questions}`` and
        ``{the_poem}`` (or ``{text_a}`` and ``{text_b}``) where those go.
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

    @property
    def texts(self) -> int:
        """How many texts are shown together: 2 where one is to be chosen, else 1."""
        return len(marks_of(self.questions))

    @property
    def field_names(self) -> frozenset[str]:
        """Every name under which a judge's values may come."""
        return frozenset(name for question in self.questions for name in question.fields)

    @property
    def stages(self) -> tuple[tuple[Question, ...], ...]:
        """The questions as they are shown in turn: each that locks what is above begins a stage."""
        stages: list[list[Question]] = [[]]
        for question in self.questions:
            if question.locks_above and stages[-1]:
                stages.append([])
            stages[-1].append(question)
        return tuple(tuple(stage) for stage in stages)

    def read(self, answers: Mapping[str, object]) -> dict[str, Answer]:
        """Return every question's answer, by key.

        Raises
        ------
        InvalidAnswers
            If a required question is blank, an answer does not fit, or a name is no question's.
        """
        return self._read(self.questions, answers)

    def read_stage(self, stage: int, answers: Mapping[str, object]) -> dict[str, Answer]:
        """Return the answers to the questions of one stage, the first being 0, by key.

        Answers to the other stages' questions are neither read nor refused.

        Raises
        ------
        InvalidAnswers
            As `read` does, about this stage.
        IndexError
            If there is no such stage.
        """
        return self._read(self.stages[stage], answers)

    def _read(
        self, questions: Iterable[Question], answers: Mapping[str, object]
    ) -> dict[str, Answer]:
        read: dict[str, Answer] = {}
        problems = _unknown(name for name in answers if name not in self.field_names)
        for question in questions:
            try:
                read[question.key] = question.read(answers)
            except InvalidAnswer as problem:
                problems[question.key] = problem
                if isinstance(question, Recognition):
                    break  # what lies behind the gate was not asked yet
        if problems:
            raise InvalidAnswers(problems)
        return read

    def shown(self) -> list[dict[str, object]]:
        """Return the questions as a judge sees them."""
        return [question.shown() for question in self.questions]

    def prompt(self, *, brief: str, texts: Sequence[str]) -> str:
        """Return the judge prompt for one poem, or for two texts in the order they are shown.

        The parts are joined, not formatted: a poem may hold braces of its own.

        Raises
        ------
        ValueError
            If there are not as many texts as the instrument shows.
        """
        parts = {
            "{generation_prompt}": brief,
            "{questions}": "\n".join(question.prompt() for question in self.questions),
            **dict(zip(marks_of(self.questions), texts, strict=True)),
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
        if unknown := _unknown(sorted(set(numbered) - set(keys))):
            raise InvalidAnswers(unknown)
        return {keys[number]: answer for number, answer in numbered.items()}


def marks_of(questions: Iterable[Question]) -> tuple[str, ...]:
    """Return the marks that a judge prompt with these questions has, one for each text."""
    two = any(isinstance(question, ForcedChoice) for question in questions)
    return TWO_TEXTS if two else ONE_TEXT


def _unknown(names: Iterable[str]) -> dict[str, InvalidAnswer]:
    return {name: InvalidAnswer(gettext_noop("There is no such question.")) for name in names}
