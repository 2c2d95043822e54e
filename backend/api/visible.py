"""What a member of staff may see at all: every query of the API begins here, never with all()."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.corpus.models import Collection, Poem, PoemQuerySet
from backend.generation.models import Generation, LanguageModel, Provider, Run
from backend.panel.models import Letter


def studies_of(user: User) -> QuerySet[Study]:
    """Studies: every member of staff sees all of them."""
    studies = Study.objects.select_related("design")
    return studies if user.coordinates else studies.none()


def collections_of(user: User) -> QuerySet[Collection]:
    """Collections: for researchers, since poems stand in them with their authors."""
    return Collection.objects.all() if user.researches else Collection.objects.none()


def poems_of(user: User) -> PoemQuerySet:
    poems = Poem.objects.filter()
    return poems if user.researches else poems.none()


def runs_of(user: User) -> QuerySet[Run]:
    runs = Run.objects.select_related("started_by")
    return runs if user.researches else runs.none()


def generations_of(user: User) -> QuerySet[Generation]:
    """Machine poems, each with its brief and model: for researchers."""
    found = Generation.objects.select_related("model", "brief__poem")
    return found if user.researches else found.none()


def models_of(user: User) -> QuerySet[LanguageModel]:
    return LanguageModel.objects.all() if user.researches else LanguageModel.objects.none()


def providers_of(user: User) -> QuerySet[Provider]:
    return Provider.objects.all() if user.researches else Provider.objects.none()


def study_of(user: User, slug: str) -> Study:
    """Return this study, or answer 404 if the user may not see one of that name."""
    return get_object_or_404(studies_of(user), slug=slug)


def expert_of(user: User, slug: str, code: str) -> Judge:
    """Return this expert of this study, or answer 404; another study's expert is none of it."""
    experts = Judge.objects.experts().select_related("study")
    return get_object_or_404(experts, study=study_of(user, slug), code=code)


def letter_of(user: User, slug: str, key: int) -> Letter:
    """Return this letter to an expert of this study, or answer 404."""
    letters = Letter.objects.select_related("judge__study")
    return get_object_or_404(letters, pk=key, judge__study=study_of(user, slug))
