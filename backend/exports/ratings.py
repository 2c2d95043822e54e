"""``ratings.csv``: one row for each answer to each question, in the long form."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from annotation.instruments.questions import Probability, Question
from annotation.judgments.models import Rating
from backend.analytics.reports.means import THOUSANDTHS
from backend.analytics.spreadsheets import Value
from backend.exports.sources import Sources
from backend.exports.variables import DATE, TEXT, WHOLE, YES_NO, DataFile, Variable, yes

CHUNK = 2000

_HUMAN, _MODEL = "human", "model"

VARIABLES = (
    Variable("study", TEXT, "Short name of the study."),
    Variable("fingerprint", TEXT, "SHA-256 of all that the study fixed when it opened."),
    Variable("judgment", WHOLE, "One judge's answers to one item; numbered within this package."),
    Variable("judge", TEXT, "Random code of the judge; see judges.csv."),
    Variable("judge_kind", TEXT, "Who judged.", allowed="expert; machine"),
    Variable("judge_model", TEXT, "The language model that judged.", empty="an expert judged"),
    Variable("item", WHOLE, "The poem as it was shown; see items.csv and poems.csv."),
    Variable("author_kind", TEXT, "Who wrote the poem.", allowed="human; model"),
    Variable("author", TEXT, "The poet's name, or the language model's.", empty="not known"),
    Variable(
        "title_key",
        WHOLE,
        "Poems of one number belong together: the human poem and those written to its brief.",
        empty="written to a brief of no human poem",
    ),
    Variable("poem_title", TEXT, "Title of that human poem, or else of the poem itself."),
    Variable("form", TEXT, "Form of that human poem.", empty="not recorded"),
    Variable("question", TEXT, "Key of the question; see the questions in the codebook."),
    Variable("question_number", WHOLE, "Its number in the instrument."),
    Variable("kind", TEXT, "Kind of question.", allowed="likert; probability; comment"),
    Variable(
        "value",
        "number",
        "The point chosen, or the probability given. N/A keeps its code here: leave out rows "
        "whose `blank` is na before computing means.",
        unit="points, or probability with three decimals",
        allowed="see the questions in the codebook",
        empty="a comment, or skipped",
    ),
    Variable(
        "blank",
        TEXT,
        "Why the answer is no rating.",
        allowed="na = not applicable; skipped = left empty where that was allowed",
        empty="the answer counts",
    ),
    Variable("text", TEXT, "A comment, in the judge's words.", empty="no comment"),
    Variable(
        "extra",
        YES_NO,
        "The judgment arrived after its place was given back or the study closed; it is in no "
        "result.",
        allowed="yes; no",
    ),
    Variable("milliseconds", WHOLE, "Time the poem was in view.", "ms", empty="not measured"),
    Variable("submitted_on", DATE, "Day of the judgment (UTC).", allowed="YYYY-MM-DD"),
    Variable("batch", WHOLE, "Which batch of the judge's it came in."),
    Variable("position", WHOLE, "Place in the order in which the judge was given poems."),
)


def _rows(sources: Sources) -> Iterator[Sequence[Value]]:
    study, given = sources.study, "judgment__assignment__"
    ratings = (
        Rating.objects.filter(judgment__assignment__judge__study=study)
        .annotate(turn=sources.in_turn(f"{given}judge_id"))
        .order_by("turn", f"{given}position")
        .values_list(
            f"{given}judge_id",
            f"{given}item_id",
            f"{given}batch",
            f"{given}position",
            "judgment__extra",
            "judgment__milliseconds",
            "judgment__submitted_at",
            "question",
            "number",
            "blank",
            "text",
        )
        .iterator(CHUNK)
    )
    questions = {question.key: question for question in study.instrument.questions}
    judgments = groupby(ratings, key=lambda row: row[:7])
    for number, (judgment, answers) in enumerate(judgments, start=1):
        judge, item, batch, position, extra, milliseconds, submitted_at = judgment
        before = (
            sources.study.slug,
            sources.study.fingerprint,
            number,
            *_who(sources, judge, item),
        )
        after = (yes(extra), milliseconds, submitted_at.date().isoformat(), batch, position)
        for row in sorted(answers, key=lambda row: questions[row[7]].number):
            yield (*before, *_answer(questions[row[7]], *row[8:]), *after)


def _who(sources: Sources, judge: int, item: int) -> tuple[Value, ...]:
    seat, placed = sources.seat[judge], sources.placed[item]
    machine = sources.machines.get(judge)
    return (
        seat.code,
        "expert" if seat.expert else "machine",
        machine.model.name if machine else "",
        sources.item_number[item],
        _MODEL if placed.model else _HUMAN,
        placed.model or placed.poet,
        sources.title_number[placed.title_key],
        placed.title,
        placed.form,
    )


def _answer(question: Question, number: int | None, blank: str, text: str) -> tuple[Value, ...]:
    value: Value = number
    if isinstance(question, Probability) and number is not None:
        value = f"{number // THOUSANDTHS}.{number % THOUSANDTHS:03}"
    return (question.key, question.number, question.kind, value, blank, text)


RATINGS = DataFile("ratings.csv", "Every answer to every question, one row each.", VARIABLES, _rows)
