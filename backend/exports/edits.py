"""``edits.csv``: what answers were before their judges changed them."""

from collections.abc import Iterator, Sequence

from annotation.judgments.models import Rating
from backend.corpus.spreadsheets import Value
from backend.exports.ratings import CHUNK, value
from backend.exports.sources import Sources
from backend.exports.variables import DATE, TEXT, WHOLE, DataFile, Variable


def _rows(sources: Sources) -> Iterator[Sequence[Value]]:
    given = "judgment__assignment__"
    superseded = (
        Rating.objects.filter(judgment__assignment__judge__study=sources.study)
        .exclude(superseded_at=None)
        .annotate(turn=sources.in_turn(f"{given}judge_id"))
        .order_by("turn", f"{given}position", "question", "version")
        .values_list(
            f"{given}judge_id",
            "judgment_id",
            *("question", "version", "number", "blank", "text"),
            *("written_at", "superseded_at"),
        )
    )
    questions = {question.key: question for question in sources.study.instrument.questions}
    for row in superseded.iterator(CHUNK):
        judge, judgment, key, version, number, blank, text, written_at, superseded_at = row
        yield (
            sources.judgment_number[judgment],
            sources.seat[judge].code,
            key,
            version,
            value(questions[key], number),
            blank,
            text,
            written_at.date().isoformat(),
            superseded_at.date().isoformat(),
        )


EDITS = DataFile(
    "edits.csv",
    "Answers that their judges changed later, as they were before; what stands is in ratings.csv.",
    (
        Variable("judgment", WHOLE, "The judgment; see ratings.csv."),
        Variable("judge", TEXT, "Random code of the judge; see judges.csv."),
        Variable("question", TEXT, "Key of the question."),
        Variable("version", WHOLE, "1 as first submitted; one more with each edit."),
        Variable("value", "number", "See ratings.csv.", empty="see ratings.csv"),
        Variable("blank", TEXT, "See ratings.csv.", empty="the answer was one"),
        Variable("text", TEXT, "See ratings.csv.", empty="nothing was written"),
        Variable("written_on", DATE, "Day it was submitted (UTC).", allowed="YYYY-MM-DD"),
        Variable("superseded_on", DATE, "Day it was changed (UTC).", allowed="YYYY-MM-DD"),
    ),
    _rows,
)
