"""``ratings.csv``: one row for each answer as it stands, in the long form."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from annotation.instruments.choices import ForcedChoice
from annotation.instruments.probability import Probability
from annotation.instruments.questions import Question
from annotation.judgments.models import Rating
from backend.analytics.frames import TEXT_A, Placed
from backend.analytics.reports.scores.means import THOUSANDTHS
from backend.corpus.spreadsheets import Value
from backend.exports.sources import Sources
from backend.exports.variables import DATE, TEXT, WHOLE, YES_NO, DataFile, Variable, yes

CHUNK = 2000
_WIDTH = 12  # columns of the query that are about a judgment, before those of each rating

_HUMAN, _MODEL, _PAIR, _TEST = "human", "model", "pair", "attention"
_UNMEASURED = "not a probability, or not measured"

NO_GROUP = "the study has no groups"

# Columns that ratings.csv and assignments.csv share: what an item was given for, and its fate.
GIVEN_FOR = (
    Variable(
        "purpose",
        TEXT,
        "What the item was given for: main = the study itself, repeat = again to the same judge, "
        "attention = to test attention.",
        allowed="main; repeat; attention",
    ),
    Variable("slot", WHOLE, "Place within its set, from 0.", empty="not given as one of a set"),
    Variable(
        "withdrawn",
        YES_NO,
        "A coordinator took it out of the analysis with its judge.",
        allowed="yes; no",
    ),
    Variable(
        "excluded_because",
        TEXT,
        "Why the judgment is in no result; with ; between. The last three are rules of the "
        "design: see study.json.",
        allowed="repeat; attention; withdrawn; late; recognised; too_fast; failed_attention",
        empty="it is in the results, or there is none",
    ),
    Variable(
        "repeat_of",
        WHOLE,
        "Judgment of the same item by the same judge that this one repeats.",
        empty="no repeat, or nothing was answered before",
    ),
)

KINDS = "likert; probability; comment; recognition; forced_choice; altered"

VARIABLES = (
    Variable("study", TEXT, "Short name of the study."),
    Variable(
        "fingerprint",
        TEXT,
        "SHA-256 of all that the study is fixed to now; README.md has that of its opening, too.",
    ),
    Variable("judgment", WHOLE, "One judge's answers to one item; numbered within this package."),
    Variable("judge", TEXT, "Random code of the judge; see judges.csv."),
    Variable("judge_kind", TEXT, "Who judged.", allowed="expert; machine"),
    Variable("judge_model", TEXT, "The language model that judged.", empty="an expert judged"),
    Variable("item", WHOLE, "The poem as it was shown; see items.csv and poems.csv."),
    Variable(
        "author_kind",
        TEXT,
        "Who wrote the poem; pair = two texts, one by a human and one by a model; attention = a "
        "text that tests attention and is no part of the study.",
        allowed="human; model; pair; attention",
    ),
    Variable(
        "author",
        TEXT,
        "The poet's name, or the language model's; of a pair, the language model's.",
        empty="not known, or a test of attention",
    ),
    Variable(
        "title_key",
        WHOLE,
        "Poems of one number belong together: the human poem and those written to its brief.",
        empty="written to a brief of no human poem",
    ),
    Variable(
        "poem_title",
        TEXT,
        "Title of that human poem, or else of the poem itself.",
        empty="a test of attention",
    ),
    Variable("form", TEXT, "Form of that human poem.", empty="not recorded"),
    Variable("item_group", TEXT, "Group of items that it is in.", empty=NO_GROUP),
    Variable("question", TEXT, "Key of the question; see the questions in the codebook."),
    Variable("question_number", WHOLE, "Its number in the instrument."),
    Variable("kind", TEXT, "Kind of question.", allowed=KINDS),
    Variable(
        "value",
        "number",
        "The point, level or side chosen, or the probability given. N/A keeps its code here: "
        "leave out rows whose `blank` is na before computing means. Of two texts, 1 is the one "
        "that was shown first, 2 the other.",
        unit="points, or probability with three decimals",
        allowed="see the questions in the codebook",
        empty="a comment, skipped, or cannot tell",
    ),
    Variable(
        "blank",
        TEXT,
        "Why the answer is no rating.",
        allowed="na = not applicable; cannot_tell = named no probability; "
        "skipped = left empty where that was allowed",
        empty="the answer counts",
    ),
    Variable(
        "text",
        TEXT,
        "A comment, or what a judge recognised the poem as, in the judge's words.",
        empty="nothing was written",
    ),
    Variable(
        "quotable",
        YES_NO,
        "The expert allowed comments to be quoted.",
        allowed="yes; no",
        empty="no text, or a language model's",
    ),
    Variable(
        "chose_human",
        YES_NO,
        "Of two texts, the human one was chosen.",
        allowed="yes; no",
        empty="no choice between two texts, or skipped",
    ),
    Variable(
        "first",
        "number",
        "Where the probability was first placed.",
        "probability with three decimals",
        empty=_UNMEASURED,
    ),
    Variable("moves", WHOLE, "How often it was changed after that.", "changes", empty=_UNMEASURED),
    Variable(
        "touched_ms",
        WHOLE,
        "Time the page was in view until the probability was first placed.",
        "ms",
        empty=_UNMEASURED,
    ),
    Variable(
        "answered_version",
        WHOLE,
        "1 as first submitted; more after edits, whose earlier values are in edits.csv.",
    ),
    Variable(
        "extra",
        YES_NO,
        "The judgment arrived after its place was given back or the study closed.",
        allowed="yes; no",
    ),
    Variable("milliseconds", WHOLE, "Time the poem was in view.", "ms", empty="not measured"),
    Variable("submitted_on", DATE, "Day of the judgment (UTC).", allowed="YYYY-MM-DD"),
    Variable("batch", WHOLE, "Which batch of the judge's it came in."),
    Variable("position", WHOLE, "Place in the order in which the judge was given poems."),
    *GIVEN_FOR,
)


def _rows(sources: Sources) -> Iterator[Sequence[Value]]:
    study, given = sources.study, "judgment__assignment__"
    ratings = (
        Rating.objects.standing()
        .filter(judgment__assignment__judge__study=study)
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
            "judgment_id",
            f"{given}flipped",
            f"{given}purpose",
            f"{given}slot",
            f"{given}withdrawn_at",
            *("question", "number", "blank", "text", "first", "moves", "touched", "version"),
        )
        .iterator(CHUNK)
    )
    questions = {question.key: question for question in study.instrument.questions}
    for judgment, answers in groupby(ratings, key=lambda row: row[:_WIDTH]):
        judge, item, batch, position, extra, milliseconds, submitted_at, key, flipped = judgment[:9]
        purpose, slot, withdrawn_at = judgment[9:]
        before = (
            sources.study.slug,
            sources.study.fingerprint,
            sources.judgment_number[key],
            *_who(sources, judge, item),
        )
        after = (
            *(yes(extra), milliseconds, submitted_at.date().isoformat(), batch, position),
            purpose,
            slot,
            yes(withdrawn_at is not None),
            sources.excluded_because.get(key, ""),
            sources.first(judge, item, purpose),
        )
        placed = sources.placed[item]
        human_first = placed.human_stood_first(flipped=flipped) if placed.pair else None
        consent = sources.consent.get(judge)
        for row in sorted(answers, key=lambda row: questions[row[_WIDTH]].number):
            question = questions[row[_WIDTH]]
            code, blank, text, first, moves, touched, version = row[_WIDTH + 1 :]
            yield (
                *before,
                question.key,
                question.number,
                question.kind,
                value(question, code),
                blank,
                text,
                yes(consent.quotable) if text and consent else "",
                _chose_human(question, code, human_first=human_first),
                value(question, first),
                moves,
                touched,
                version,
                *after,
            )


def _who(sources: Sources, judge: int, item: int) -> tuple[Value, ...]:
    seat, placed = sources.seat[judge], sources.placed[item]
    machine = sources.machines.get(judge)
    return (
        seat.code,
        "expert" if seat.expert else "machine",
        machine.model.name if machine else "",
        sources.item_number[item],
        _kind(placed),
        placed.model or placed.poet,
        sources.title_number[placed.title_key],
        placed.title,
        placed.form,
        sources.group.get(item, ""),
    )


def _kind(placed: Placed) -> str:
    if placed.attention:
        return _TEST
    if placed.pair:
        return _PAIR
    return _MODEL if placed.model else _HUMAN


def value(question: Question, number: int | None) -> Value:
    """Return a stored number as a file has it: probabilities with three decimals."""
    if isinstance(question, Probability) and number is not None:
        return f"{number // THOUSANDTHS}.{number % THOUSANDTHS:03}"
    return number


def _chose_human(question: Question, number: int | None, *, human_first: bool | None) -> str:
    if not isinstance(question, ForcedChoice) or number is None or human_first is None:
        return ""
    return yes((number == TEXT_A) == human_first)


RATINGS = DataFile(
    "ratings.csv",
    "Every answer to every question as it stands, one row each.",
    VARIABLES,
    _rows,
)
