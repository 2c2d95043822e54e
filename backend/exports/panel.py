"""``judges.csv``, ``assignments.csv`` and the machine judges' raw replies."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from annotation.studies.models import Assignment, Background, Consent, Judge
from backend.analytics.excluding import LATE
from backend.analytics.turnout import READ, outcome
from backend.corpus.spreadsheets import Value
from backend.exports.ratings import CHUNK, GIVEN_FOR, NO_GROUP
from backend.exports.sources import Sources
from backend.exports.variables import DATE, DECIMAL, TEXT, WHOLE, YES_NO, DataFile, Variable, yes
from backend.judging.models import Reply

_EXPERT = "an expert"
_MACHINE = "a language model"
_UNTOLD = f"not told, or {_MACHINE}"


def _judges(sources: Sources) -> Iterator[Sequence[Value]]:
    told = {one.judge_id: one for one in Background.objects.filter(judge__study=sources.study)}
    panel = Judge.objects.filter(study=sources.study).select_related("group")
    judges = {one.pk: one for one in panel}
    given = [one for one in sources.given if one.purpose == Assignment.Purpose.MAIN]
    n_given = Counter(one.judge for one in given)
    n_counted = Counter(one.judge for one in given if one.counted)
    n_extra = Counter(one.judge for one in given if LATE in one.because)
    for seat in sources.seats:
        machine = sources.machines.get(seat.key)
        yield (
            seat.code,
            seat.label,
            "expert" if seat.expert else "machine",
            machine.model.name if machine else "",
            machine.model.model_id if machine else "",
            machine.temperature if machine else None,
            yes(seat.key in sources.consent),
            *(_consent(sources.consent.get(seat.key))),
            *(_own(judges[seat.key], told.get(seat.key)) if seat.expert else ("",) * 8),
            n_given[seat.key],
            n_counted[seat.key],
            n_extra[seat.key],
            *_standing(judges[seat.key]),
        )


def _consent(consent: Consent | None) -> tuple[Value, Value]:
    return (consent.version, yes(consent.quotable)) if consent else (None, "")


def _own(judge: Judge, told: Background | None) -> tuple[Value, ...]:
    """Return what is told of an expert: coarse, and neither conflicts nor any name."""
    return (
        "open link" if judge.joined_by_id else "invited",
        "; ".join(told.practice) if told else "",
        told.years if told else "",
        "; ".join(told.languages) if told else "",
        judge.theme,
        judge.text_size,
        yes(judge.line_numbers),
        judge.language,
    )


def _standing(judge: Judge) -> tuple[Value, ...]:
    """Return whose items a judge was given, and whether the answers were taken out."""
    return (
        judge.group.name if judge.group else "",
        yes(judge.withdrawn_at is not None),
        judge.withdrawn_reason,
    )


YEARS = "; ".join(Background.Years)

JUDGES = DataFile(
    "judges.csv",
    "The panel, by random codes; no names and no addresses.",
    (
        Variable("judge", TEXT, "Random code of the judge."),
        Variable("label", TEXT, "What the tables of results call the judge."),
        Variable("kind", TEXT, "Who judges.", allowed="expert; machine"),
        Variable("model", TEXT, "The language model that judges.", empty=_EXPERT),
        Variable("model_id", TEXT, "Name by which it was called.", empty=f"{_EXPERT}, or none"),
        Variable("temperature", DECIMAL, "Its temperature.", empty=f"{_EXPERT}, or not sent"),
        Variable(
            "consented",
            YES_NO,
            "Agreed to a text under consent/; no language model does.",
            allowed="yes; no",
        ),
        Variable(
            "consent_version",
            WHOLE,
            "Newest version of the text that was agreed to.",
            empty="did not consent",
        ),
        Variable(
            "quotable",
            YES_NO,
            "Comments may be quoted.",
            allowed="yes; no",
            empty="did not consent",
        ),
        Variable(
            "joined",
            TEXT,
            "How the expert came to the panel.",
            allowed="invited; open link",
            empty=_MACHINE,
        ),
        Variable(
            "practice", TEXT, "What the expert does with verse; with ; between.", empty=_UNTOLD
        ),
        Variable("years", TEXT, "For how many years.", allowed=YEARS, empty=_UNTOLD),
        Variable("languages", TEXT, "Languages read in verse; with ; between.", empty=_UNTOLD),
        Variable(
            "theme", TEXT, "Colours of the page.", allowed="; ".join(Judge.Theme), empty=_MACHINE
        ),
        Variable("text_size", WHOLE, "Size of the text.", allowed="1 to 5", empty=_MACHINE),
        Variable("line_numbers", YES_NO, "Lines were numbered.", allowed="yes; no", empty=_MACHINE),
        Variable(
            "interface_language",
            TEXT,
            "Language of the pages (a BCP 47 tag).",
            empty=f"as the browser asked, or {_MACHINE}",
        ),
        Variable("given", WHOLE, "Poems given for the study itself.", "poems"),
        Variable("answered", WHOLE, "Judgments in the results.", "judgments"),
        Variable("extra", WHOLE, "Judgments that came too late to be in the results.", "judgments"),
        Variable("group", TEXT, "Whose items the judge was given.", empty="all items"),
        Variable("withdrawn", YES_NO, "A coordinator took the answers out.", allowed="yes; no"),
        Variable("withdrawn_reason", TEXT, "Why, in staff's words.", empty="not withdrawn"),
    ),
    _judges,
)


def _assignments(sources: Sources) -> Iterator[Sequence[Value]]:
    rows = (
        Assignment.objects.filter(judge__study=sources.study)
        .annotate(turn=sources.in_turn("judge_id"))
        .order_by("turn", "position")
        .values_list(
            "judge_id",
            "item_id",
            "batch",
            "position",
            "counts",
            "given_at",
            "given_back_at",
            "judgment__extra",
            "judgment",
            "flipped",
            *("purpose", "slot", "withdrawn_at"),
        )
    )
    for row in rows.iterator(CHUNK):
        judge, item, batch, position, counts, given_at, back, extra, judgment, flipped = row[:10]
        purpose, slot, withdrawn_at = row[10:]
        yield (
            sources.seat[judge].code,
            sources.item_number[item],
            batch,
            position,
            yes(counts),
            given_at.date().isoformat(),
            _became(extra, back),
            None if judgment is None else sources.judgment_number[judgment],
            ("BA" if flipped else "AB") if sources.study.instrument.texts > 1 else "",
            sources.group.get(item, ""),
            purpose,
            slot,
            yes(withdrawn_at is not None),
            sources.excluded_because.get(judgment, ""),
            sources.first(judge, item, purpose),
        )


def _became(extra: bool | None, given_back_at: datetime | None) -> str:
    if extra is not None:
        return "extra" if extra else "answered"
    return "given back" if given_back_at else "never answered"


ASSIGNMENTS = DataFile(
    "assignments.csv",
    "Every poem that was given to a judge, also those never answered.",
    (
        Variable("judge", TEXT, "Random code of the judge; see judges.csv."),
        Variable("item", WHOLE, "The item given; see items.csv."),
        Variable("batch", WHOLE, "Which batch of the judge's it came in."),
        Variable("position", WHOLE, "Place in the judge's order."),
        Variable("counts", YES_NO, "Whether it takes one of the item's places.", allowed="yes; no"),
        Variable("given_on", DATE, "Day on which it was given (UTC).", allowed="YYYY-MM-DD"),
        Variable(
            "outcome",
            TEXT,
            "What became of it.",
            allowed="answered; extra; given back; never answered",
        ),
        Variable("judgment", WHOLE, "The judgment; see ratings.csv.", empty="no judgment"),
        Variable(
            "side",
            TEXT,
            "Of two texts, in which order they were shown: AB = text_shown of items.csv stood "
            "first, BA = second_shown did.",
            allowed="AB; BA",
            empty="one text alone",
        ),
        Variable("item_group", TEXT, "Group of items that it is in.", empty=NO_GROUP),
        *GIVEN_FOR,
    ),
    _assignments,
)


def replies(sources: Sources) -> Iterator[str]:
    """Yield every call to a machine judge as a line of JSON, readable or not."""
    calls = (
        Reply.objects.filter(hearing__machine__judge__study=sources.study)
        .annotate(turn=sources.in_turn("hearing__machine__judge_id"))
        .order_by("turn", "hearing__assignment__position", "pk")
        .select_related("hearing__machine", "hearing__assignment")
    )
    for call in calls.iterator(CHUNK):
        judge = call.hearing.machine.judge_id
        became = outcome(call.error_kind, ended=call.ended_at is not None)
        line = {
            "judge": sources.seat[judge].code,
            "model": sources.machines[judge].model.name,
            "item": sources.item_number[call.hearing.assignment.item_id],
            "readable": became == READ,
            "error_kind": became,
            "error": call.error,
            "repairs": call.repairs,
            "text": call.text,
            "request": call.request,
            "response": call.response,
            "started_at": call.started_at.isoformat(),
            "ended_at": call.ended_at.isoformat() if call.ended_at else None,
        }
        yield json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
