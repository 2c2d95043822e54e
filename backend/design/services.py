"""Studies are built, opened, closed and unblinded here."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from annotation.instruments.loading import load
from annotation.studies import consenting
from annotation.studies.models import ConsentWording, Study
from backend.accounts.models import User
from backend.design.display import RECIPE
from backend.design.freezing import fingerprint
from backend.design.instruments import data_of
from backend.design.models import Design, Placement
from backend.design.placing import place
from backend.design.planning import Plan, promised, wordings
from backend.design.texts import pairs, texts

# Addresses below /studies/ that are no study's.
RESERVED = {"new", "instruments"}


class WrongState(ValueError):
    """The study is not in the state that this step needs; the message says what to do."""


class SameWording(ValueError):
    """The consent text says nothing new; the message says what to do."""


@transaction.atomic
def build(plan: Plan, *, by: User | None = None) -> Study:
    """Make a draft study: blinded items in a seeded order, and their sealed key.

    Raises
    ------
    NothingToJudge
        If no poem is left, or one lacks the brief or the title that judges would be shown.
    LookupError
        If there is no such instrument.
    """
    data = data_of(plan.instrument)
    instrument = load(data)
    study = _named(
        Study(
            title=plan.title,
            language=instrument.language,
            instrument_data=data,
            contact=plan.contact,
            promise=promised(plan, instrument),
            honorarium=plan.honorarium,
            asks_background=plan.asks_background,
            debriefs=plan.debriefs,
            judges_per_item=plan.judges_per_item,
            batch_size=plan.batch_size,
            seed=plan.seed,
        )
    )
    consenting.publish(study, wordings(plan, instrument))
    design = Design.objects.create(
        study=study,
        collection=plan.collection,
        shows_titles=plan.shows_titles,
        recipe=list(RECIPE),
        created_by=by,
    )
    design.runs.set(plan.runs)
    design.models_chosen.set(plan.models)
    if instrument.texts == 1:
        place(design, texts(plan, instrument))
    else:
        place(design, pairs(plan, instrument, salt=design.key_salt))
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
    study.consent_wordings.all().delete()
    study.open_links.all().delete()
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


@transaction.atomic
def unblind(study: Study, *, by: User) -> None:
    """Unseal the key of a closed study, once, in somebody's name.

    From then on its experts see who wrote what they judged, if the study debriefs.

    Raises
    ------
    WrongState
        If the study is not closed: before that, knowing authorship could colour what is answered.
    """
    if Study.objects.get(pk=study.pk).state != Study.State.CLOSED:
        raise WrongState("Close the study first; then its key can be unsealed.")
    now = timezone.now()
    sealed = Design.objects.filter(study=study, unblinded_at=None)
    if sealed.update(unblinded_at=now, unblinded_by=by):
        Study.objects.filter(pk=study.pk, debriefs=True).update(debrief_at=now)


@transaction.atomic
def renew_consent(study: Study, texts: Mapping[str, str]) -> int:
    """Publish a new version of an open study's consent text, and return its number.

    Every expert is asked again before the next poem. Languages with an empty text are left out.

    Raises
    ------
    WrongState
        If the study is not open: a draft is built again, and a closed study asks nobody any more.
    SameWording
        If there is no text, or it is the newest version word for word.
    """
    # The update holds the row, so that two at once make two versions, and none is lost.
    if not Study.objects.open().filter(pk=study.pk).update(state=Study.State.OPEN):
        raise WrongState("Only an open study asks for consent again.")
    given = {language: text for language, text in texts.items() if text.strip()}
    if not given:
        raise SameWording("Write the text in at least one language.")
    newest = ConsentWording.objects.latest_of(study).values_list("language", "text")
    if given == dict(newest):
        raise SameWording("This is the newest version word for word; nobody would be asked again.")
    return consenting.publish(study, given)


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
    taken = {*RESERVED, *Study.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    return next(
        slug for slug in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
        if slug not in taken
    )  # fmt: skip
