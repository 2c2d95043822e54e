"""Links onto a panel: personal ones, and open ones by which experts put themselves on it."""

import hashlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from annotation.activity.services import Kind, record
from annotation.prepared import Prepared
from annotation.studies.models import Group, Invitation, Judge, OpenLink, Study, token

LINK_DAYS = 60
PERSONAL = "blindverse.invitation"
OPEN = "blindverse.open-link"


class NotOpen(Exception):
    """The study is not open, so nothing can be given or answered."""


class StaleLink(Exception):
    """The link is unknown, has expired, or was stopped or replaced.

    So it is, too, once whose link it is, or would be, was deleted: the expert or the whole study.

    Attributes
    ----------
    study : Study or None
        Whose link it was, if it is a link that was stopped or replaced.
    mailable : bool
        Whether a newer one stands that can be sent to its owner's address.
    """

    def __init__(self, study: Study | None = None, *, mailable: bool = False) -> None:
        super().__init__("the link is stale")
        self.study = study
        self.mailable = mailable


class Withdrawn(Exception):
    """The expert is withdrawn from the study, so no link is made for them."""


class AlreadyInvited(Exception):
    """Someone with this address is on the panel."""


class QuotaReached(Exception):
    """As many experts as the open link is for have joined by it."""


@dataclass(frozen=True)
class Link:
    """An invitation with its secret."""

    invitation: Invitation
    secret: str


@transaction.atomic
def invite(
    study: Study,
    *,
    name: str,
    email: str = "",
    days: int = LINK_DAYS,
    language: str = "",
    joined_by: OpenLink | None = None,
    group: Group | None = None,
    replaces: Judge | None = None,
    by: str = "",
) -> Link:
    """Put an expert on the panel and make a personal link.

    With a group, they judge its items alone. Whom they replace leaves them what was not answered.
    `by` is who invites; empty if they put themselves on the panel.

    Raises
    ------
    AlreadyInvited
        If the address is on the panel already.
    NotOpen
        If the study is closed.
    StaleLink
        If the study was discarded meanwhile.
    """
    # Before an address is asked for: whoever else wants it waits here, and then finds it taken.
    _hold_unless_closed(study)
    taken = f"{email} is on the panel already; make a new link there instead."
    if email and Judge.objects.filter(study=study, email__iexact=email).exists():
        raise AlreadyInvited(taken)
    try:
        with transaction.atomic():
            judge = Judge.objects.create(
                study=study, name=name, email=email, language=language, joined_by=joined_by,
                group=group, replaces=replaces,
            )  # fmt: skip
    except IntegrityError as error:  # the index may fold case otherwise than the question does
        raise AlreadyInvited(taken) from error
    record(
        Kind.JUDGE_INVITED, study=study.slug, actor=by, key=judge.log_key, about=f"judge {judge.pk}"
    )
    return link_for(judge, days=days)


@transaction.atomic
def link_for(judge: Judge, *, days: int = LINK_DAYS) -> Link:
    """Make a new personal link for someone on the panel. Earlier links stop working.

    A closed study's experts get one, too: to take their papers home, or to leave.

    Raises
    ------
    Withdrawn
        If the expert is withdrawn.
    StaleLink
        If they were deleted meanwhile.
    """
    now = timezone.now()
    # The judge before what is theirs: whoever deletes their answers goes the same way.
    Judge.objects.hold(judge.pk)
    now_stands = Judge.objects.filter(pk=judge.pk).first()
    if now_stands is None:
        raise StaleLink
    if now_stands.withdrawn_at:
        raise Withdrawn(f"{judge} is withdrawn; bring them back first, then make a new link.")
    judge.invitations.standing().update(revoked_at=now)
    nonce = token()
    secret = _secret(PERSONAL, nonce)
    invitation = Invitation.objects.create(
        judge=judge, nonce=nonce, token_hash=digest(secret), expires_at=now + timedelta(days=days)
    )
    return Link(invitation, secret)


def secret_of(invitation: Invitation) -> str | None:
    """Return the secret of a link, or None if it can no longer be derived.

    That is so where the site's key was changed since, and for links made when secrets were still
    drawn at random. Such a link goes on working for whoever has it.
    """
    return _derived(PERSONAL, invitation.nonce, invitation.token_hash)


def follow(secret: str) -> Invitation:
    """Return the invitation whose link this is, and note its first use.

    Raises
    ------
    StaleLink
        If the link is unknown, has expired or was stopped.
    """
    now = timezone.now()
    usable = Invitation.objects.usable(now).reading()
    invitation = usable.filter(token_hash=digest(secret)).first()
    if invitation is None:
        raise StaleLink
    if invitation.first_used_at is None:
        Invitation.objects.filter(pk=invitation.pk, first_used_at=None).update(first_used_at=now)
    return invitation


def begun(secret: str) -> Invitation:
    """Return the invitation whose link this is, expired or not.

    A link that expires under its reader's hands does not end what was begun with it, nor keep
    anybody from leaving.

    Raises
    ------
    StaleLink
        If the link is unknown or was stopped.
    """
    invitation = _HELD_BY.first(digest=digest(secret))
    if invitation is None:
        raise StaleLink
    if invitation.revoked_at:
        raise StaleLink(invitation.judge.study, mailable=_mailable(invitation.judge))
    return invitation


_HELD_BY = Prepared(
    lambda digest: Invitation.objects.all().reading().filter(token_hash=digest).order_by(),
    digest="digest",
)


@transaction.atomic
def open_link(
    study: Study,
    *,
    quota: int,
    label: str = "",
    days: int = LINK_DAYS,
    group: Group | None = None,
) -> OpenLink:
    """Make a link by which up to `quota` experts can put themselves on the panel.

    With a group, they judge its items alone.

    Raises
    ------
    NotOpen
        If the study is closed.
    StaleLink
        If the study was discarded meanwhile.
    """
    _hold_unless_closed(study)
    nonce = token()
    return OpenLink.objects.create(
        study=study,
        nonce=nonce,
        token_hash=digest(_secret(OPEN, nonce)),
        label=label,
        quota=quota,
        group=group,
        expires_at=timezone.now() + timedelta(days=days),
    )


def open_secret(link: OpenLink) -> str | None:
    """Return the secret of an open link, or None if the site's key was changed since."""
    return _derived(OPEN, link.nonce, link.token_hash)


def want_link(secret: str) -> None:
    """Note that whoever holds this link, stale or not, wants the newest sent to their address.

    Raises
    ------
    StaleLink
        If the link is unknown, or no newer one can be sent.
    """
    invitation = (
        Invitation.objects.filter(token_hash=digest(secret)).select_related("judge").first()
    )
    if invitation is None or not _mailable(invitation.judge):
        raise StaleLink
    Judge.objects.filter(pk=invitation.judge_id).update(link_wanted_at=timezone.now())


def want_link_to(study: Study, email: str) -> None:
    """Note that the expert with this address, if there is one, wants their link sent there."""
    Judge.objects.filter(study=study, email__iexact=email).update(link_wanted_at=timezone.now())


def opened(secret: str) -> OpenLink:
    """Return the open link whose secret this is; its places may all be taken.

    Raises
    ------
    StaleLink
        If the link is unknown, has expired or was stopped.
    """
    usable = OpenLink.objects.filter(revoked_at=None, expires_at__gt=timezone.now())
    link = usable.select_related("study").filter(token_hash=digest(secret)).first()
    if link is None:
        raise StaleLink
    return link


@transaction.atomic
def join(link: OpenLink, *, name: str, email: str = "", language: str = "") -> Link:
    """Put whoever holds an open link on the panel, and make a personal link.

    The guarded update takes one of the link's places, so that no more than its quota join, come
    they at once or not. A refusal takes none.

    Raises
    ------
    AlreadyInvited
        If the address is on the panel already.
    NotOpen
        If the study is closed.
    QuotaReached
        If the link's places are all taken.
    StaleLink
        If the link has expired or was stopped, or its study was discarded.
    """
    # The study before the link, as whoever discards a draft takes them.
    Study.objects.hold(link.study_id)
    usable = OpenLink.objects.filter(
        pk=link.pk, revoked_at=None, expires_at__gt=timezone.now()
    )  # re-read, since the form may have been open for long
    if not usable.filter(used__lt=F("quota")).update(used=F("used") + 1):
        raise QuotaReached if usable.exists() else StaleLink
    study = Study.objects.get(pk=link.study_id)
    return invite(
        study, name=name, email=email, language=language, joined_by=link, group=link.group
    )


def stop_open_link(link: OpenLink) -> None:
    """Let nobody else join by this link. Personal links made by it stay."""
    OpenLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now())


def _hold_unless_closed(study: Study) -> None:
    """Hold the study, or raise NotOpen if it is closed by now, StaleLink if it is gone."""
    Study.objects.hold(study.pk)
    state = Study.objects.filter(pk=study.pk).values_list("state", flat=True).first()
    if state is None:
        raise StaleLink
    if state == Study.State.CLOSED:
        raise NotOpen


def _mailable(judge: Judge) -> bool:
    return bool(judge.email) and judge.invitations.usable(timezone.now()).exists()


def _secret(purpose: str, nonce: str) -> str:
    digest = salted_hmac(purpose, nonce, algorithm="sha256").digest()
    return urlsafe_b64encode(digest[:24]).decode()


def _derived(purpose: str, nonce: str, token_hash: str) -> str | None:
    secret = _secret(purpose, nonce)
    return secret if constant_time_compare(digest(secret), token_hash) else None


def digest(secret: str) -> str:
    # The secret has 192 bits that nobody can guess, so one plain hash is enough.
    return hashlib.sha256(secret.encode()).hexdigest()
