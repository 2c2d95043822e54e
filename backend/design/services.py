"""Studies are built, discarded and closed here, and their consent text is renewed."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain, count

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from annotation.activity.models import Entry
from annotation.activity.services import Kind, record
from annotation.instruments.loading import load
from annotation.studies import consenting
from annotation.studies.models import ConsentWording, Study
from backend.accounts.models import User
from backend.design import opening
from backend.design.display import RECIPE
from backend.design.instruments import data_of
from backend.design.models import AttentionCheck, Design, Placement, SurfaceCheck
from backend.design.placing import place
from backend.design.planning import Plan, promised, wordings
from backend.design.states import WrongState as WrongState
from backend.design.texts import chosen

# Addresses below /studies/ that are no study's.
RESERVED = {"new", "instruments"}

open_study = opening.open_study


class SameWording(ValueError):
    """The consent text says nothing new; the message says what to do."""


@transaction.atomic
def build(plan: Plan, *, by: User | None = None) -> Study:
    """Make a draft study: blinded items in a seeded order, and their sealed key.

    Raises
    ------
    NothingToJudge
        If no poem is left, one lacks the brief or the title that judges would be shown, or no
        group takes it.
    LookupError
        If there is no such instrument.
    """
    data = data_of(plan.instrument)
    instrument = load(data)
    study = named(
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
            dealing=plan.dealing,
            twins=plan.twins,
            apart=plan.apart,
            lease_hours=plan.lease_hours,
            late=plan.late,
            repeats=plan.repeats,
            repeat_after_days=plan.repeat_after_days,
            attention_every=plan.attention_every,
            seed=plan.seed,
        )
    )
    consenting.publish(study, wordings(plan, instrument))
    design = Design.objects.create(
        study=study,
        collection=plan.collection,
        shows_titles=plan.shows_titles,
        recipe=[step for step in RECIPE if plan.steps is None or step in plan.steps],
        exclusions=asdict(plan.exclusions),
        analysis_plan=plan.analysis_plan,
        margin=plan.margin,
        interim_looks=plan.interim_looks,
        unsealing_needs=plan.unsealing_needs,
        surface_limit=plan.surface_limit,
        created_by=by,
    )
    design.runs.set(plan.runs)
    design.models_chosen.set(plan.models)
    place(design, chosen(plan, instrument, salt=design.key_salt), plan)
    record(Kind.STUDY_BUILT, study=study.slug, actor=_name(by), items=study.items.judged().count())
    return study


@transaction.atomic
def discard(study: Study, *, by: User | None = None) -> None:
    """Delete a draft with its items and key. Nothing was answered yet, so nothing is lost.

    Raises
    ------
    WrongState
        If the study was opened, someone was put on its panel, or it was tried out.
    """
    draft = Study.objects.filter(pk=study.pk, state=Study.State.DRAFT)
    # The update holds the row: nobody can open the study before it is gone.
    if not draft.update(state=Study.State.DRAFT):
        raise WrongState("Only a draft can be discarded.")
    if why := why_kept(study):
        raise WrongState(why)
    Placement.objects.filter(item__study=study).delete()
    AttentionCheck.objects.filter(item__study=study).delete()
    SurfaceCheck.objects.filter(study=study).delete()
    study.items.all().delete()
    # Before the groups: a link can be for one of them.
    study.open_links.all().delete()
    study.groups.all().delete()
    study.design.delete()
    study.consent_wordings.all().delete()
    study.delete()
    record(Kind.STUDY_DISCARDED, study=study.slug, actor=_name(by))


def why_kept(draft: Study) -> str:
    """Return why a draft cannot be discarded, and what to do instead; empty if it can be."""
    if draft.judges.exists():
        return (
            "Only a draft with an empty panel can be discarded; this one has somebody on it. It "
            "can stay as it is; links to it are stopped on the panel's page. To change something, "
            "build another study."
        )
    if draft.pilots.exists():
        return (
            "This draft cannot be discarded: it was tried out, and stays so that its pilot says "
            "of what. To change something, build another study."
        )
    return ""


@transaction.atomic
def close(study: Study, *, by: User | None = None) -> None:
    """Stop giving out poems. Answers that still arrive are kept and marked extra.

    Raises
    ------
    WrongState
        If the study is not open.
    """
    # The clock is read once nobody else holds the study: what is answered until then is in time.
    Study.objects.hold(study.pk)
    now = timezone.now()
    if not Study.objects.open().filter(pk=study.pk).update(state=Study.State.CLOSED, closed_at=now):
        raise WrongState("Only an open study can be closed.")
    record(Kind.STUDY_CLOSED, study=study.slug, actor=_name(by))


@transaction.atomic
def renew_consent(study: Study, texts: Mapping[str, str], *, by: User | None = None) -> int:
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
    version = consenting.publish(study, given)
    record(
        Kind.CONSENT_PUBLISHED,
        study=study.slug,
        actor=_name(by),
        version=version,
        languages=sorted(given),
    )
    return version


def _name(by: User | None) -> str:
    return by.username if by else ""


def named(study: Study) -> Study:
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
    numbered = chain([stem], (f"{stem}-{n}" for n in count(2)))
    # The log of a draft stays when it is discarded, and is no other study's.
    return next(
        slug for slug in numbered if slug not in taken and not Entry.objects.of_study(slug).exists()
    )
