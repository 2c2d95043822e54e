"""Studies are built, opened, closed and unblinded here."""

import hmac
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from annotation.instruments.instrument import Instrument, load, published
from annotation.studies.models import Item, Study
from backend.accounts.models import User
from backend.corpus.columns import guessed_language
from backend.corpus.models import Collection, Poem
from backend.design.display import RECIPE, normalise
from backend.design.freezing import fingerprint
from backend.design.models import Design, Placement
from backend.generation.briefs import TEMPLATES, NoBrief, Template
from backend.generation.models import Generation, LanguageModel, Run

CONSENT = """You are invited to judge poems for a study called "{title}".

You will read poems one at a time and answer the questions beside each. You will not be told \
who wrote them. Do as many as you can; you may stop at any time and come back by the same link.

Your answers are kept with a random code, not with your name, and are analysed and may be \
published in that form. Please use no other source and no other help while you judge.

Taking part is voluntary. To ask a question, or to withdraw, write to {contact}."""


class NothingToJudge(ValueError):
    """The choice holds no poem that can be shown; the message says why."""


class WrongState(ValueError):
    """The study is not in the state that this step needs; the message says what to do."""


@dataclass(frozen=True)
class Plan:
    """What a study is built from.

    Attributes
    ----------
    title, contact : str
        Shown to judges.
    instrument : str
        Key of a shipped instrument.
    collection : Collection
        Its poems are the human ones.
    runs, models
        Machine poems: what these models wrote in these runs, to the chosen human poems' briefs
        and, where neither briefs nor titles are shown, to briefs of no poem.
    judges_per_item, batch_size, seed : int
    only : sequence of Poem or None
        The human poems to take; None is the whole collection.
    poems : int or None
        How many of them, drawn by `seed`; None is all.
    shows_titles : bool
    consent : str
        Empty for the usual text.
    """

    title: str
    contact: str
    instrument: str
    collection: Collection
    runs: Sequence[Run]
    models: Sequence[LanguageModel]
    judges_per_item: int
    batch_size: int
    seed: int
    only: Sequence[Poem] | None = None
    poems: int | None = None
    shows_titles: bool = False
    consent: str = ""


@dataclass(frozen=True)
class Text:
    """One text on its way to becoming an item, with what it is: for the sealed key."""

    origin: Poem | Generation
    author: str
    brief: str
    about: str
    item: Item = field(compare=False)


@transaction.atomic
def build(plan: Plan, *, by: User | None = None) -> Study:
    """Make a draft study: blinded items in a seeded order, and their sealed key.

    Raises
    ------
    NothingToJudge
        If no poem is left, or one lacks the brief or the title that judges would be shown.
    """
    data = published(plan.instrument)
    instrument = load(data)
    study = _named(
        Study(
            title=plan.title,
            language=instrument.language,
            instrument_data=data,
            consent_text=plan.consent or CONSENT.format(title=plan.title, contact=plan.contact),
            contact=plan.contact,
            judges_per_item=plan.judges_per_item,
            batch_size=plan.batch_size,
            seed=plan.seed,
        )
    )
    design = Design.objects.create(
        study=study,
        collection=plan.collection,
        shows_titles=plan.shows_titles,
        recipe=list(RECIPE),
        created_by=by,
    )
    design.runs.set(plan.runs)
    design.models_chosen.set(plan.models)
    _place(design, _texts(plan, instrument))
    return study


@transaction.atomic
def open_study(study: Study) -> Study:
    """Freeze a draft under its fingerprint and let judges in.

    Raises
    ------
    WrongState
        If the study is not a draft, or has no items.
    """
    if not study.items.exists():
        raise WrongState("The study has no items; build it again with poems.")
    opened = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT).update(
        state=Study.State.OPEN, fingerprint=fingerprint(study), opened_at=timezone.now()
    )
    if not opened:
        raise WrongState("Only a draft can be opened; this study was opened before.")
    study.refresh_from_db()
    return study


@transaction.atomic
def discard(study: Study) -> None:
    """Delete a draft with its items and key. Nothing was answered yet, so nothing is lost.

    Raises
    ------
    WrongState
        If the study was opened, or someone was put on its panel.
    """
    draft = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT)
    # The update holds the row: nobody can open the study before it is gone.
    if not draft.update(state=Study.State.DRAFT) or study.judges.exists():
        raise WrongState("Only a draft with an empty panel can be discarded.")
    Placement.objects.filter(item__study=study).delete()
    study.items.all().delete()
    study.design.delete()
    study.delete()


def close(study: Study) -> None:
    """Stop giving out poems. Answers that still arrive are kept and marked extra.

    Raises
    ------
    WrongState
        If the study is not open.
    """
    now = timezone.now()
    if not Study.objects.open().filter(pk=study.pk).update(state=Study.State.CLOSED, closed_at=now):
        raise WrongState("Only an open study can be closed.")


def unblind(study: Study, *, by: User) -> None:
    """Unseal the key of a closed study, once, in somebody's name.

    Raises
    ------
    WrongState
        If the study is not closed: before that, knowing authorship could colour what is answered.
    """
    if Study.objects.get(pk=study.pk).state != Study.State.CLOSED:
        raise WrongState("Close the study first; then its key can be unsealed.")
    sealed = Design.objects.filter(study=study, unblinded_at=None)
    sealed.update(unblinded_at=timezone.now(), unblinded_by=by)


def _texts(plan: Plan, instrument: Instrument) -> list[Text]:
    poems = list(plan.collection.poems.all() if plan.only is None else plan.only)
    if plan.poems is not None and plan.poems < len(poems):
        poems = Random(f"{plan.seed}/poems").sample(poems, plan.poems)  # noqa: S311
    machine = _generations(plan, {poem.pk for poem in poems})
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
    texts = [_human(poem, briefs[poem.pk], plan) for poem in poems]
    texts += [_machine(one, instrument, plan) for one in machine]
    if not texts:
        raise NothingToJudge(f"{plan.collection} holds no poem; import some first.")
    if untitled:
        _name_languages_alike(texts, {poem.language for poem in poems})
    return texts


def _name_languages_alike(texts: Sequence[Text], languages: set[str]) -> None:
    """Name every text's language by one rule: only a human poem's was written down with it."""
    shared = next(iter(languages)) if len(languages) == 1 else ""
    for text in texts:
        text.item.language = shared or guessed_language(text.item.text)


def _generations(plan: Plan, poems: set[int]) -> list[Generation]:
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
        if poem_id is None or poem_id in poems:
            # A second sample of one brief by one model would weigh that title twice.
            first.setdefault((one.brief_id if poem_id is None else -poem_id, one.model_id), one)
    return list(first.values())


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
    title = normalise(poem.title) if plan.shows_titles else ""
    item = Item(text=normalise(poem.text), title=title, brief=brief, language=poem.language)
    return Text(poem, "human", brief, f"poem {poem.pk}", item)


def _machine(one: Generation, instrument: Instrument, plan: Plan) -> Text:
    poem = one.brief.poem
    # Both kinds show the human poem's title: a model's own would tell them apart.
    title = normalise(poem.title) if poem and plan.shows_titles else ""
    brief = one.brief.text if instrument.shows_brief else ""
    language = poem.language if poem else instrument.language
    item = Item(text=normalise(one.text), title=title, brief=brief, language=language)
    about = f"poem {poem.pk}" if poem else f"brief {one.brief_id}"
    return Text(one, f"model {one.model_id}", brief, about, item)


def _place(design: Design, texts: list[Text]) -> None:
    """Store the texts as items in an order that tells nothing, and the key to them."""
    # From the secret salt, not the seed: whoever knows the seed must not know the order.
    Random(design.key_salt).shuffle(texts)  # noqa: S311
    for text in texts:
        text.item.study = design.study
        text.item.stratum = _opaque(design, text.author)
        text.item.twin = _opaque(design, text.about)
    items = Item.objects.bulk_create([text.item for text in texts], batch_size=1000)
    Placement.objects.bulk_create(
        (
            Placement(
                item=item,
                poem=text.origin if isinstance(text.origin, Poem) else None,
                generation=text.origin if isinstance(text.origin, Generation) else None,
            )
            for item, text in zip(items, texts, strict=True)
        ),
        batch_size=1000,
    )


def _opaque(design: Design, meaning: str) -> str:
    return hmac.new(design.key_salt.encode(), meaning.encode(), "sha256").hexdigest()[:16]


def _named(study: Study) -> Study:
    """Store a new study under a short name that nobody takes at the same moment."""
    while True:
        study.slug = _free_slug(study.title)
        try:
            with transaction.atomic():
                study.save(force_insert=True)
        except IntegrityError:
            if study.slug == _free_slug(study.title):  # it was not the name
                raise
        else:
            return study


def _free_slug(title: str) -> str:
    stem = slugify(title)[:50] or "study"
    # /studies/new/ is the builder's address.
    taken = {"new", *Study.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    return next(
        slug for slug in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
        if slug not in taken
    )  # fmt: skip
