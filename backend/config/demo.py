"""The sample study: built once, on the same path as any other, for trying Blindverse.

Nothing here is reachable in a deployed Blindverse: its addresses are not even registered there.
"""

from dataclasses import dataclass
from random import Random

from django.conf import settings
from django.contrib.auth import login
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.studies import links as personal
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.accounts.services import staff
from backend.corpus import services as corpus
from backend.corpus.models import Collection, Poem
from backend.design import services as design
from backend.design.planning import Plan
from backend.generation import services as generation
from backend.generation.models import Run

TITLE = "Sample study"
RUN = "Sample run: built-in n-gram models"
EXPERTS = ("First expert", "Second expert")
SEED = 20
POEMS = 6
LINES_AT_MOST = 24
LINK_DAYS = 3650
SALT = "blindverse.demo"


@dataclass(frozen=True)
class DemoLink:
    """Who a link signs in, and its path."""

    who: str
    path: str


def queue_sample() -> Run:
    """Load the shipped collection and queue the sample run. Done before, it changes nothing."""
    found = Run.objects.filter(name=RUN).first()
    if found:
        return found
    reports = corpus.load_sample()
    corpus.load_well_known()
    english = Collection.objects.get(name=reports[0].collection)
    return generation.start_run(
        name=RUN,
        collection=english,
        models=generation.built_in_models(),
        template="poemetric",
        poems=_short_poems(english),
        seed=SEED,
    ).run


def open_sample(run: Run) -> Study:
    """Build and open the sample study from a finished run, with its two experts."""
    found = Study.objects.filter(design__runs=run, title=TITLE).first()
    if found is None:
        written = list(Poem.objects.filter(briefs__generations__run=run).distinct())
        found = design.build(
            Plan(
                title=TITLE,
                contact="whoever showed you this demo",
                instrument="poemetric-survey",
                collection=written[0].collection,
                runs=[run],
                models=generation.built_in_models(),
                judges_per_item=len(EXPERTS),
                batch_size=6,
                seed=SEED,
                only=written,
                debriefs=True,
            )
        )
    if found.state == Study.State.DRAFT:
        design.open_study(found)
    if found.state == Study.State.OPEN:
        for name in EXPERTS:
            _invite(found, name)
    return found


def links(study: Study) -> list[DemoLink]:
    """Return a link for each part: coordinator, researcher, two experts."""
    found = [
        DemoLink(str(role.label), _path({"user": staff(f"demo-{role}", role).pk}))
        for role in (User.Role.COORDINATOR, User.Role.RESEARCHER)
    ]
    for judge in study.judges.experts().filter(name__in=EXPERTS):
        secret = _secret(judge)
        if secret:
            found.append(DemoLink(judge.name, reverse("invitation", args=[secret])))
    return found


@never_cache
@require_GET
def enter_demo(request: HttpRequest, ticket: str) -> HttpResponse:
    """Sign in by a demo link, as one of the staff."""
    try:
        who = signing.loads(ticket, salt=SALT)
    except signing.BadSignature as error:
        raise Http404 from error
    if not settings.DEMO:
        raise Http404
    user = get_object_or_404(User, pk=who["user"])
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("start")


def _invite(study: Study, name: str) -> None:
    """Give the sample study's expert a personal link that works."""
    judge = study.judges.experts().filter(name=name).first()
    if judge is None:
        personal.invite(study, name=name, days=LINK_DAYS)
    elif _secret(judge) is None:  # it was made with another key of the site
        personal.link_for(judge, days=LINK_DAYS)


def _secret(judge: Judge) -> str | None:
    invitation = judge.invitations.usable(timezone.now()).first()
    return personal.secret_of(invitation) if invitation else None


def _short_poems(collection: Collection) -> list[Poem]:
    short = [poem for poem in collection.poems.all() if poem.text.count("\n") < LINES_AT_MOST]
    return Random(SEED).sample(short, min(POEMS, len(short)))  # noqa: S311


def _path(who: dict[str, int]) -> str:
    return reverse("demo", args=[signing.dumps(who, salt=SALT)])
