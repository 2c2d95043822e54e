"""What a study shows once its key is unsealed: to researchers, and to its experts."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from annotation.activity.models import Entry
from annotation.activity.reading import as_of_one_moment
from annotation.activity.services import Kind, keyed, record
from annotation.judgments.models import Judgment
from annotation.studies.models import Consent, Item, Judge, Study
from backend.accounts.models import User
from backend.analytics import debrief
from backend.analytics.frames import StillBlinded, frame, items
from backend.analytics.remembering import Remembered
from backend.analytics.repeating import repeats
from backend.analytics.reports.report import Material, Report, assemble
from backend.analytics.turnout import MAIN, for_experts, turnout
from backend.design import unsealing
from backend.design.models import InterimLook

SEEN_AGAIN = timedelta(hours=1)
_REPORTS: Remembered[Report] = Remembered()


class NotDebriefed(Exception):
    """The study's experts are not told who wrote what they judged, or not yet."""


def report(study: Study, *, look: InterimLook | None = None) -> Report:
    """Return the study's results.

    Raises
    ------
    backend.analytics.frames.StillBlinded
        If the key is sealed, and this is no look that the design allows for.
    """
    # In an open study answers go on coming in; every table is of the same ones.
    with as_of_one_moment():
        found = frame(study, look=look)
        material = Material(
            found, turnout(study, found.left_out), repeats(study, found), for_experts(study)
        )
    # A page and each file of it ask for the same report.
    return _REPORTS.result(material, partial(assemble, material))


def interim(
    study: Study, *, by: User, reason: str, seen: int | None = None
) -> tuple[InterimLook, Report]:
    """Write down that somebody looks at an open study's results, and return both.

    `seen` is how many looks there were when this one was decided on, if that is known.

    Raises
    ------
    backend.design.unsealing.NotPlanned
        If the design allows for no interim looks.
    backend.design.unsealing.WrongState
        If the study is not open, or there were more looks than `seen` already.
    backend.design.unsealing.NoReason
        If no reason is given.
    """
    look = unsealing.look(study, by=by, reason=reason, seen=seen)
    return look, report(study, look=look)


def looks(study: Study) -> list[InterimLook]:
    """Return the looks at results before the study was closed, in their order."""
    return list(InterimLook.objects.filter(design__study=study).select_related("by"))


@transaction.atomic
def viewed(study: Study, *, by: User) -> None:
    """Write down that somebody reads a study's results, at most once an hour for each."""
    entries = Entry.objects.of_study(study.slug).filter(kind=Kind.RESULTS_VIEWED)
    if not entries.filter(actor=by.username, at__gt=timezone.now() - SEEN_AGAIN).exists():
        record(Kind.RESULTS_VIEWED, study=study.slug, actor=by.username)


@transaction.atomic
def debrief_viewed(judge: Judge) -> None:
    """Write down that an expert reads who wrote what they judged, at most once an hour."""
    about = f"judge {judge.pk}"
    entries = Entry.objects.filter(kind=Kind.DEBRIEF_VIEWED, subject=keyed(judge.log_key, about))
    if not entries.filter(at__gt=timezone.now() - SEEN_AGAIN).exists():
        record(Kind.DEBRIEF_VIEWED, study=judge.study.slug, key=judge.log_key, about=about)


def thanked(study: Study) -> list[str]:
    """Return the names of experts who wish to be thanked in print, as they want them written.

    Who stopped and let the answers be kept stays among them; only the newest consent counts.
    """
    experts = Judge.objects.filter(study=study).experts()
    given = Consent.objects.filter(judge__in=experts).order_by("version")
    newest = dict(given.values_list("judge_id", "thanked_as"))
    return sorted(filter(None, newest.values()), key=str.casefold)


def debriefed(judge: Judge) -> debrief.Debrief:
    """Return who wrote what a judge judged, and how well the judge told.

    Raises
    ------
    NotDebriefed
        If the study does not tell its experts, is not closed, or its key is sealed.
    """
    study = judge.study
    if study.debrief_at is None or study.state != Study.State.CLOSED:
        raise NotDebriefed
    try:
        placed = {one.key: one for one in items(study)}
    except StillBlinded as sealed:
        raise NotDebriefed from sealed
    own = (
        Judgment.objects.filter(assignment__judge=judge, assignment__purpose=MAIN)
        .select_related("assignment__item")
        .prefetch_related("ratings")
        .order_by("assignment__position")
    )
    return debrief.debrief(
        study.instrument.questions,
        [
            debrief.Judged(
                position=judgment.assignment.position,
                placed=placed[judgment.assignment.item_id],
                openings=_openings(judgment.assignment.item),
                language=judgment.assignment.item.language,
                flipped=judgment.assignment.flipped,
                replies={
                    rating.question: debrief.Reply(rating.number, rating.blank)
                    for rating in judgment.ratings.all()
                    if rating.superseded_at is None
                },
            )
            for judgment in own
        ],
    )


def _openings(item: Item) -> tuple[str, ...]:
    """Return the first line of each text."""
    return tuple(text.strip().split("\n", 1)[0] for text in (item.text, item.second) if text)
