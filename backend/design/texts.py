"""The texts of a study, on their way to becoming items: shown alike, whoever wrote them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from annotation.instruments.instrument import Instrument
from annotation.studies.models import Item
from backend.corpus.columns import guessed_language
from backend.corpus.models import Poem
from backend.design.display import normalise
from backend.design.planning import NothingToJudge, Plan
from backend.generation.briefs import TEMPLATES, NoBrief, Template
from backend.generation.models import Generation


@dataclass(frozen=True)
class Text:
    """What one item will show, with what it is: for the sealed key.

    Attributes
    ----------
    poem, generation
        Whose it is: one of them, or both where two texts are compared.
    kind, about : str
        What the item shares with others: who wrote it (or who is compared), and on which brief.
    poet : str
        Who wrote the human poem that it is, or that its brief was made of; empty if nobody known.
    human_second : bool
    form : str
        Of the human poem that it is, or whose brief it was written to.
    """

    poem: Poem | None
    generation: Generation | None
    kind: str
    about: str
    poet: str
    item: Item = field(compare=False)
    human_second: bool = False
    form: str = ""


def chosen(plan: Plan, instrument: Instrument, *, salt: str) -> list[Text]:
    """Return what a plan's study is to show: single texts, or pairs in an order from the salt.

    Raises
    ------
    NothingToJudge
        If there is none, or fewer human poems than the plan asks for, or one lacks the brief or
        the title that judges would be shown.
    """
    if instrument.texts == 1:
        return texts(plan, instrument)
    return pairs(plan, instrument, salt=salt)


def texts(plan: Plan, instrument: Instrument) -> list[Text]:
    """Return the human poems of a plan and the machine poems on them, to be shown one at a time.

    Raises
    ------
    NothingToJudge
        If there is none, or fewer human poems than the plan asks for, or one lacks the brief or
        the title that judges would be shown.
    """
    poems = drawn(plan, _all(plan), what=f"{plan.collection} holds")
    machine = generations(plan, {poem.pk for poem in poems})
    untitled = sum(one.brief.poem_id is None for one in machine)
    if plan.shows_titles and untitled:
        raise NothingToJudge(
            f"{untitled} of the machine poems were written to briefs of no human poem: without a "
            "title among titled ones they would stand out. Show no titles, or choose other runs."
        )
    if instrument.shows_brief and poems and untitled:
        raise NothingToJudge(
            f"{untitled} of the machine poems were written to briefs of no human poem, and "
            f"{instrument.title} shows the brief: it would tell them. Choose other runs, or an "
            "instrument that shows no brief."
        )
    briefs = _human_briefs(instrument, poems, machine)
    found = [_human(poem, briefs[poem.pk], plan) for poem in poems]
    found += [_machine(one, instrument, plan) for one in machine]
    if not found:
        raise NothingToJudge(f"{plan.collection} holds no poem; import some first.")
    if untitled:
        _name_languages_alike(found, {poem.language for poem in poems})
    return found


def pairs(plan: Plan, instrument: Instrument, *, salt: str) -> list[Text]:
    """Return each machine poem beside the human poem on its brief, in an order that tells nothing.

    The human poem is the second of them in half of each model's pairs, as near as can be.

    Raises
    ------
    NothingToJudge
        If no machine poem was written to a brief of these human poems, or to fewer of them than
        the plan asks for.
    """
    poems = _all(plan)
    if not poems:
        raise NothingToJudge(f"{plan.collection} holds no poem; import some first.")
    if not plan.runs:
        raise NothingToJudge(
            f"{instrument.title} sets a human poem beside a machine's on the same brief. Choose "
            "runs and models, too."
        )
    machine = generations(plan, {poem.pk for poem in poems}, free=False)
    answered = {one.brief.poem_id for one in machine}
    poems = drawn(
        plan,
        [poem for poem in poems if poem.pk in answered],
        what="The chosen models wrote, in these runs, to the briefs of",
    )
    by_key = {poem.pk: poem for poem in poems}
    beside = [(by_key[one.brief.poem_id], one) for one in machine if one.brief.poem_id in by_key]
    if not beside:
        raise NothingToJudge(
            f"No machine poem in these runs by these models was written to the brief of a poem in "
            f"{plan.collection}, so there is nothing to compare. Choose runs over this collection."
        )
    # From the secret salt, not the seed: whoever knows the seed must not know which is whose.
    chance = Random(f"{salt}/sides")  # noqa: S311
    chance.shuffle(beside)
    beside.sort(key=lambda pair: pair[1].model_id)
    first = chance.randrange(2)
    return [
        _pair(poem, one, plan, instrument, human_second=(place + first) % 2 == 1)
        for place, (poem, one) in enumerate(beside)
    ]


def drawn(plan: Plan, poems: list[Poem], *, what: str) -> list[Poem]:
    """Return as many of the poems as the plan asks for, drawn by its seed.

    Raises
    ------
    NothingToJudge
        If there are some, but fewer than that; `what` says of what, before their number.
    """
    if poems and plan.poems is not None and plan.poems > len(poems):
        number = f"{len(poems)} human poem{'' if len(poems) == 1 else 's'}"
        raise NothingToJudge(f"{what} {number}; ask for no more than {len(poems)}.", field="poems")
    if plan.poems is None or plan.poems >= len(poems):
        return poems
    return Random(f"{plan.seed}/poems").sample(poems, plan.poems)  # noqa: S311


def generations(plan: Plan, poems: set[int], *, free: bool = True) -> list[Generation]:
    """Return what the plan's models wrote to the briefs of these poems, once each.

    With `free`, also what they wrote to briefs of no poem.
    """
    done = (
        Generation.objects.filter(
            run__in=plan.runs, model__in=plan.models, status=Generation.Status.DONE
        )
        .select_related("brief__poem", "model")
        .order_by("run_id", "sample", "pk")
    )
    first: dict[tuple[int, int], Generation] = {}
    for one in done:
        poem_id = one.brief.poem_id
        if poem_id in poems or (free and poem_id is None):
            # A second sample of one brief by one model would weigh that title twice.
            first.setdefault((one.brief_id if poem_id is None else -poem_id, one.model_id), one)
    return list(first.values())


def _all(plan: Plan) -> list[Poem]:
    return list(plan.collection.poems.all() if plan.only is None else plan.only)


def _name_languages_alike(texts: Sequence[Text], languages: set[str]) -> None:
    """Name every text's language by one rule: only a human poem's was written down with it."""
    shared = next(iter(languages)) if len(languages) == 1 else ""
    for text in texts:
        text.item.language = shared or guessed_language(text.item.text)


def _human_briefs(
    instrument: Instrument, poems: Sequence[Poem], machine: Sequence[Generation]
) -> dict[int, str]:
    """Return each human poem's brief: the one machines wrote to, so that both show the same."""
    if not instrument.shows_brief:
        return {poem.pk: "" for poem in poems}
    written: dict[int | None, set[str]] = defaultdict(set)
    for one in machine:
        written[one.brief.poem_id].add(one.brief.text)
    template = next((one.brief.template for one in machine if one.brief.poem_id), "poemetric")
    briefs, lacking = {}, []
    for poem in poems:
        try:
            briefs[poem.pk] = _shared_brief(poem, written[poem.pk], TEMPLATES.get(template))
        except NoBrief as reason:
            lacking.append(f"{poem.title}: {reason}")
    if lacking:
        raise NothingToJudge(
            f"{instrument.title} shows each poem's brief, and {len(lacking)} of the poems cannot "
            f"have one ({'; '.join(lacking[:5])}). Complete them, or choose other runs or another "
            "collection."
        )
    return briefs


def _shared_brief(poem: Poem, written: set[str], template: Template | None) -> str:
    if len(written) > 1:
        raise NoBrief("the chosen machine poems on it were written to different briefs")
    if written:
        return written.pop()
    if template is None:  # worded as no machine's is, it would tell the human poem
        raise NoBrief("no chosen machine poem was written to it, and the briefs were imported")
    return template.write(poem)


def _human(poem: Poem, brief: str, plan: Plan) -> Text:
    item = Item(
        text=_shown(poem.text, plan, poem.title),
        title=_title(poem, plan),
        brief=brief,
        language=poem.language,
    )
    return Text(poem, None, "human", f"poem {poem.pk}", poem.author, item, form=poem.form)


def _machine(one: Generation, instrument: Instrument, plan: Plan) -> Text:
    poem = one.brief.poem
    item = Item(
        text=_shown(one.text, plan, one.title, poem.title if poem else ""),
        title=_title(poem, plan),
        brief=one.brief.text if instrument.shows_brief else "",
        language=poem.language if poem else instrument.language,
    )
    about = f"poem {poem.pk}" if poem else f"brief {one.brief_id}"
    poet, form = (poem.author, poem.form) if poem else ("", "")
    return Text(None, one, f"model {one.model_id}", about, poet, item, form=form)


def _pair(
    poem: Poem, one: Generation, plan: Plan, instrument: Instrument, *, human_second: bool
) -> Text:
    human = _shown(poem.text, plan, poem.title)
    machine = _shown(one.text, plan, one.title, poem.title)
    item = Item(
        text=machine if human_second else human,
        second=human if human_second else machine,
        title=_title(poem, plan),
        brief=one.brief.text if instrument.shows_brief else "",
        language=poem.language,
    )
    kind, about = f"model {one.model_id}", f"poem {poem.pk}"
    return Text(poem, one, kind, about, poem.author, item, human_second, poem.form)


def _shown(text: str, plan: Plan, *titles: str) -> str:
    """Return a text as judges see it; a first line that says one of its titles is none of it."""
    for title in titles:
        text = normalise(text, steps=plan.steps, title=title)
    return text


def _title(poem: Poem | None, plan: Plan) -> str:
    # Both kinds show the human poem's title: a model's own would tell them apart.
    return normalise(poem.title, steps=plan.steps) if poem and plan.shows_titles else ""
