"""A draft is opened: checked, frozen as its first version, and let go."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design import surface_check
from backend.design.checklist import PREVIEW, Check, checklist, stops
from backend.design.freezing import freeze
from backend.design.models import Design, SurfaceCheck
from backend.design.states import DISCARDED, WrongState

LONGEST_REASON = 500


class NotReady(WrongState):
    """Something stands against opening; the message says what, and what to do.

    Attributes
    ----------
    checks : sequence of Check
    """

    def __init__(self, checks: Sequence[Check]) -> None:
        super().__init__(" ".join(f"{one.text} {one.remedy}".strip() for one in checks))
        self.checks = checks


@transaction.atomic
def open_study(study: Study, *, by: User | None = None, after_looking: bool = False) -> Study:
    """Freeze a draft as its first version, under its fingerprint, and let judges in.

    With `after_looking`, as from a page, somebody has to have looked at the preview and made the
    surface check. Without it, as from the command line, a surface check that is lacking is made
    here, and nobody is asked to have looked; if nobody has, the log says so.

    Raises
    ------
    NotReady
        If something on the checklist stands against it.
    WrongState
        If the study is not a draft, or was discarded meanwhile.
    """
    hold_draft(study, once_opened="Only a draft can be opened; this study was opened before.")
    if not after_looking:
        checked(study, by=by)
    against = stops(checklist(study))
    if not after_looking:
        against = [one for one in against if one.key != PREVIEW]
    if against:
        raise NotReady(against)
    version = freeze(study, by=by)
    Study.objects.filter(pk=study.pk).update(
        state=Study.State.OPEN, fingerprint=version.fingerprint, opened_at=timezone.now()
    )
    study.refresh_from_db()
    record(
        Kind.STUDY_OPENED,
        study=study.slug,
        actor=by.username if by else "",
        fingerprint=study.fingerprint,
        **({} if study.design.previewed_at else {"preview": "nobody looked at it"}),
    )
    return study


def check_surface(study: Study, *, by: User | None) -> SurfaceCheck:
    """Make the surface check and write it into the log.

    Raises
    ------
    WrongState
        If the study is a draft that was discarded meanwhile.
    """
    with transaction.atomic():
        made = surface_check.check(study, by=by)
        record(
            Kind.SURFACE_CHECKED,
            study=study.slug,
            actor=by.username if by else "",
            auc=made.auc,
            low=made.low,
            high=made.high,
        )
    return made


def checked(study: Study, *, by: User | None) -> SurfaceCheck | None:
    """Return the newest surface check of the study as it is, made now if it is lacking."""
    newest = surface_check.latest(study)
    if not study.items.exists() or (newest and not surface_check.stale(newest, study)):
        return newest
    return check_surface(study, by=by)


@transaction.atomic
def allow_surface(study: Study, *, limit: float, reason: str) -> None:
    """Set the limit of a draft's surface check, and why it may be opened above it.

    Raises
    ------
    WrongState
        If the study is not a draft: then both are fixed; or if it was discarded meanwhile.
    """
    fixed = "The limit and the reason were fixed when the study was opened."
    hold_draft(study, once_opened=fixed)
    Design.objects.filter(study=study).update(
        surface_limit=limit, surface_reason=reason.strip()[:LONGEST_REASON]
    )


def previewed(study: Study) -> None:
    """Note that somebody looked at what judges will see."""
    Design.objects.filter(study=study, previewed_at=None).update(previewed_at=timezone.now())


def hold_draft(study: Study, *, once_opened: str) -> None:
    """Hold a draft and read it anew.

    Raises
    ------
    WrongState
        If it was opened, or discarded, meanwhile.
    """
    Study.objects.hold(study.pk)
    try:
        study.refresh_from_db()
    except Study.DoesNotExist as gone:
        raise WrongState(DISCARDED) from gone
    if study.state != Study.State.DRAFT:
        raise WrongState(once_opened)
