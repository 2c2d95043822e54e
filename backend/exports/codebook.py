"""The codebook: every column of every file, every question with its wording and its values."""

from collections.abc import Iterator, Sequence

from annotation.instruments import describing
from annotation.instruments.questions import Question
from backend.analytics.reports.report import Report
from backend.analytics.tables import Column
from backend.corpus.spreadsheets import RULE
from backend.exports.variables import DECIMAL, TEXT, WHOLE, DataFile, Variable

HEADER = (
    "file", "column", "question", "kind", "unit", "allowed", "empty_means", "meaning",
)  # fmt: skip

_KINDS = {
    "text": TEXT, "count": WHOLE, "number": DECIMAL, "p": DECIMAL, "rank": DECIMAL,
    "seconds": DECIMAL,
}  # fmt: skip

Entry = tuple[str, str, str, str, str, str, str, str]


def entries(
    files: Sequence[DataFile], questions: Sequence[Question], report: Report
) -> Iterator[Entry]:
    """Yield the rows of the codebook, in the order of `HEADER`."""
    for file in files:
        for one in file.variables:
            yield _entry(file.name, one)
    for question in questions:
        yield _question(question)
    for table in report.tables():
        for column in table.columns:
            yield _entry(f"results/{table.key}.csv", _variable(column))
        yield _entry(f"results/{table.key}.csv", _NOT_DEFINED)
    for one in _OWN:
        yield _entry("codebook.csv", one)


def markdown(
    files: Sequence[DataFile], questions: Sequence[Question], report: Report
) -> Iterator[str]:
    """Yield the codebook as a text to read."""
    yield f"# Codebook\n\n## How cells are written\n\n{RULE}\n\nAn empty cell is a missing value; "
    yield "each column tells what that means. N/A is never empty: it keeps its code.\n"
    for file in files:
        yield f"\n## {file.name}\n\n{file.meaning}\n\n"
        yield from _grid(file.variables)
    yield "\n## Questions\n"
    for question in questions:
        yield f"\n### {question.number}. {question.key} ({question.kind})\n\n{question.text}\n\n"
        yield from (f"- {example}\n" for example in getattr(question, "examples", ()))
        yield f"Values: {describing.allowed(question)}. {describing.when_empty(question)}.\n"
    for table in report.tables():
        yield f"\n## results/{table.key}.csv\n\n{table.caption}. {table.explanation}\n\n"
        if table.basis:
            yield f"{table.basis}.\n\n"
        if table.method:
            yield f"Method: {table.method}.\n\n"
        yield from _grid([*(_variable(column) for column in table.columns), _NOT_DEFINED])
        yield from (f"\nNote: {note}.\n" for note in table.notes)


_NOT_DEFINED = Variable(
    "not_defined", TEXT, "Why cells of this row are empty.", empty="every figure is defined"
)

_OWN = (
    Variable("file", TEXT, "File that has the column."),
    Variable("column", TEXT, "Its name."),
    Variable("question", TEXT, "Key of a question, where the row describes one.", empty="a column"),
    Variable("kind", TEXT, "What its values are."),
    Variable("unit", TEXT, "What they are measured in.", empty="no unit"),
    Variable("allowed", TEXT, "Values that occur, with their labels.", empty="not limited"),
    Variable("empty_means", TEXT, "What an empty cell means.", empty="no cell is empty"),
    Variable("meaning", TEXT, "What the column holds; a question's wording."),
)


def _entry(file: str, one: Variable) -> Entry:
    return (file, one.name, "", one.kind, one.unit, one.allowed, one.empty, one.meaning)


def _question(question: Question) -> Entry:
    return (
        "ratings.csv",
        describing.column(question),
        question.key,
        question.kind,
        describing.unit(question),
        describing.allowed(question),
        describing.when_empty(question),
        question.text,
    )


def _variable(column: Column) -> Variable:
    meaning = f"{column.under}: {column.label}" if column.under else column.label
    defined = "" if column.style in ("text", "count") else "not defined: see not_defined"
    return Variable(column.key, _KINDS[column.style], meaning, column.unit, empty=defined)


def _grid(variables: Sequence[Variable]) -> Iterator[str]:
    yield "| column | kind | unit | allowed | empty means | meaning |\n"
    yield "|---|---|---|---|---|---|\n"
    for one in variables:
        cells = (one.name, one.kind, one.unit, one.allowed, one.empty, one.meaning)
        bars_kept = [cell.replace("|", r"\|") for cell in cells]
        yield f"| {' | '.join(bars_kept)} |\n"
