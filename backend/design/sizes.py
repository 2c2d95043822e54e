"""How large a study is, or would be: items, judgments, sets, hours, experts."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from django.db.models import Sum

from annotation.instruments.instrument import Instrument
from annotation.instruments.loading import InvalidInstrument, load
from annotation.judgments.presenting import (
    CHARACTERS_A_WORD,
    CHINESE,
    SECONDS_A_QUESTION,
    WORDS_A_MINUTE,
)
from annotation.studies.models import Item, Study
from backend.design.grouping import grouped, places_of
from backend.design.instruments import data_of
from backend.design.models import Placement
from backend.design.planning import GroupPlan, Plan
from backend.design.texts import Text, chosen

MINUTES_AN_HOUR = 60
UNITS = ("text", "pair")


@dataclass(frozen=True)
class Sizes:
    """What a study asks for.

    Attributes
    ----------
    items, human, machine, titles, judgments, sets : int
        `human` and `machine` are texts: a pair has one of each, and a human one that stands in
        several pairs is one text. `titles` is how many texts there are to compare one
        model with humans by: of the model that has fewest, or human ones, if these are fewer.
        `judgments` is the sum of the items' K, `sets` how many sets hold them.
    hours : float
        Of all experts together, about; tests of attention are in them, and the hidden repeats of
        as few experts as can do it.
    experts : int
        Without whom it cannot be done, however much each of them takes on.
    each : int
        Items that one expert is given at most, besides hidden repeats and tests of attention: of
        the group that has fewest.
    group : str
        That group's name; empty where there are no two groups.
    unit : str
        What an item is: "text" or "pair".
    note : str
        What is lacking for human and machine texts to be told apart; empty if nothing is.
    """

    items: int
    human: int
    machine: int
    titles: int
    judgments: int
    sets: int
    hours: float
    experts: int
    each: int
    group: str
    unit: str
    note: str


def planned(plan: Plan) -> Sizes:
    """Return how large the study of a plan would be. Nothing is stored.

    Raises
    ------
    NothingToJudge
        If it could not be built.
    LookupError
        If there is no such instrument.
    """
    instrument = load(data_of(plan.instrument))
    texts = chosen(plan, instrument, salt="")
    groups = grouped(texts, plan.groups)
    places = [places_of(text.about, groups, plan.judges_per_item) for text in texts]
    minutes = sum(
        each * _minutes(text.item, instrument) for each, text in zip(places, texts, strict=True)
    )
    about = [(text.about, each) for text, each in zip(texts, places, strict=True)]
    judgments, apart = sum(places), plan.twins == Study.Twins.NEVER
    experts = _experts(about, apart=apart)
    # What is given besides is an item again, or dressed as one.
    minutes *= 1 + _besides(plan, judgments, experts) / judgments
    human = len({text.poem.pk for text in texts if text.poem})
    machine = len({text.generation.pk for text in texts if text.generation})
    each, group = _fewest(((_name(groups[text.about]), text.about) for text in texts), apart=apart)
    return Sizes(
        items=len(texts),
        human=human,
        machine=machine,
        titles=_titles(texts, human),
        judgments=judgments,
        sets=ceil(judgments / plan.batch_size),
        hours=round(minutes / MINUTES_AN_HOUR, 1),
        experts=experts,
        each=each,
        group=group,
        unit=UNITS[instrument.texts > 1],
        note=_lacking(human, machine, instrument, runs=bool(plan.runs)),
    )


def experts_needed(study: Study) -> int:
    """Return how many experts a study needs at least: no one is given a text twice.

    Where no one is given two texts on one brief, as many as all texts on it have places.
    """
    about = study.items.judged().values_list("twin", "places")
    return _experts(about, apart=study.twins == Study.Twins.NEVER)


def texts_at_most(study: Study) -> tuple[int, str]:
    """Return how many items one expert of a study is given at most, and of which group.

    It is the group that has fewest; where there are no two, its name is empty.
    """
    rows = study.items.judged().values_list("group__name", "twin")
    named = ((group or "", twin) for group, twin in rows)
    return _fewest(named, apart=study.twins == Study.Twins.NEVER)


def unit(study: Study) -> str:
    """Return what an item of a study is: "text" or "pair"."""
    return UNITS[study.items.judged().exclude(second="").exists()]


def lacking(study: Study) -> str:
    """Return what a study lacks for its human and machine texts to be told apart; empty if nothing.

    Nothing is said of a study without items, nor of one whose instrument does not hold.
    """
    placed = Placement.objects.filter(item__study=study)
    human = placed.filter(poem__isnull=False).count()
    machine = placed.filter(generation__isnull=False).count()
    if not (human or machine):
        return ""
    try:
        instrument = load(study.instrument_data)
    except InvalidInstrument:
        return ""
    return _lacking(human, machine, instrument, runs=study.design.runs.exists())


def texts_each(study: Study, experts: int) -> int:
    """Return how many items each of so many experts is given, if all take on as much."""
    items = study.items.judged()
    places = items.aggregate(sum=Sum("places"))["sum"] or 0
    apart = study.twins == Study.Twins.NEVER
    most = items.values("twin").distinct().count() if apart else items.count()
    return ceil(min(places / max(experts, 1), most))


def _titles(texts: Iterable[Text], human: int) -> int:
    written = Counter(text.generation.model_id for text in texts if text.generation)
    return min(human, *written.values()) if written else 0


def _fewest(rows: Iterable[tuple[str, str]], *, apart: bool) -> tuple[int, str]:
    """Return the fewest items, given each one's group and brief, that a group has for an expert."""
    briefs = defaultdict[str, list[str]](list)
    for group, brief in rows:
        briefs[group].append(brief)
    found = ((len(set(each) if apart else each), group) for group, each in briefs.items())
    most, group = min(found, default=(0, ""))
    return most, group if len(briefs) > 1 else ""


def _name(group: GroupPlan | None) -> str:
    return group.name if group else ""


def _experts(places: Iterable[tuple[str, int]], *, apart: bool) -> int:
    if not apart:
        return max((each for _, each in places), default=0)
    together = Counter[str]()
    for brief, each in places:
        together[brief] += each
    return max(together.values(), default=0)


def _lacking(human: int, machine: int, instrument: Instrument, *, runs: bool) -> str:
    """Return what is lacking where both kinds of text are wanted: both were, or it is asked."""
    asks = any(question.about == "authorship" for question in instrument.questions)
    if (human and machine) or not (asks or runs):
        return ""
    if not human:
        return "No human text is among them, so there is nothing to tell the machine texts from."
    why = " The chosen runs have no poem on these briefs." if runs else ""
    return f"No machine text is among them, so there is nothing to tell the human texts from.{why}"


def _besides(plan: Plan, judgments: int, experts: int) -> int:
    """Return how many hidden repeats and tests of attention are given beside the judgments."""
    repeats = min(plan.repeats * experts, judgments)
    tested = plan.attention and plan.attention_every
    return repeats + (judgments // plan.attention_every if tested else 0)


def _minutes(item: Item, instrument: Instrument) -> float:
    questions = len(instrument.questions) * SECONDS_A_QUESTION / 60
    return _words(item) / WORDS_A_MINUTE + questions


def _words(item: Item) -> float:
    text = f"{item.brief} {item.text} {item.second}"
    if item.language.startswith(CHINESE):
        return len("".join(text.split())) / CHARACTERS_A_WORD
    return len(text.split())
