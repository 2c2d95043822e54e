"""What an export will hold of each question, told before a study opens and in its codebook."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.instruments.choices import Recognition
from annotation.instruments.instrument import Instrument
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Choice, Comment, Likert, Point, Question

RATINGS = "ratings.csv"


@dataclass(frozen=True)
class ExportRow:
    """One column of an export's file, as one question fills it."""

    file: str
    question: str
    number: int
    column: str
    kind: str
    unit: str
    allowed: str
    empty_means: str
    wording: str


def column(question: Question) -> str:
    """Return the column that an answer to the question stands in."""
    return "text" if isinstance(question, Comment) else "value"


def unit(question: Question) -> str:
    """Return what its values are measured in, empty if in nothing."""
    return "points" if isinstance(question, Likert) else ""


def allowed(question: Question) -> str:
    """Return the values that occur, with their labels."""
    if isinstance(question, Likert):
        na = [f"{_point(question.na)} (not applicable)"] if question.na else []
        return "; ".join([*map(_point, question.points), *na])
    if isinstance(question, Choice):
        return "; ".join(map(_point, question.offered))
    if isinstance(question, Probability):
        return f"0.000 = {question.low_label}; 1.000 = {question.high_label}; three decimals"
    return "any text"


def when_empty(question: Question) -> str:
    """Return what an empty cell means."""
    reasons = [] if question.required else ["skipped"]
    if isinstance(question, Probability) and question.cannot_tell:
        reasons.append(f"cannot tell ({question.cannot_tell})")
    return " or ".join(reasons) or "never empty"


def export_rows(instrument: Instrument) -> list[ExportRow]:
    """Return what the export will hold of every question, in their order."""
    return [row for question in instrument.questions for row in _rows(question)]


def _rows(question: Question) -> Iterator[ExportRow]:
    yield _row(
        question, column(question), question.kind, unit(question), allowed(question),
        when_empty(question), question.text,
    )  # fmt: skip
    if isinstance(question, Recognition):
        named = f"only asked at {_point(question.levels[-1])}, and optional there"
        yield _row(question, "text", "text", "", "any text", named, question.named_label)
    if isinstance(question, Probability):
        measured = "not measured, or a language model answered"
        yield _row(
            question, "first", "number", "", "0.000 to 1.000, three decimals", measured,
            "Where the probability was first placed.",
        )  # fmt: skip
        yield _row(
            question, "moves", "whole number", "changes", "0 and above", measured,
            "How often it was changed after it was first placed.",
        )  # fmt: skip
        yield _row(
            question, "touched_ms", "whole number", "ms", "0 and above", measured,
            "Time the page was in view until the probability was first placed.",
        )  # fmt: skip


def _row(
    question: Question,
    column: str,
    kind: str,
    unit: str,
    allowed: str,
    empty_means: str,
    wording: str,
) -> ExportRow:
    return ExportRow(
        RATINGS, question.key, question.number, column, kind, unit, allowed, empty_means, wording
    )


def _point(point: Point) -> str:
    return f"{point.code} = {point.label}"
