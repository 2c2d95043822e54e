"""Invitations, consent and the assignment ledger."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.studies.dealing import Candidate, choose
from annotation.studies.models import Assignment, Consent, Invitation, Item, Judge, Study

LINK_DAYS = 60


class StaleLink(Exception):
    """The link is unknown, has expired or was revoked."""


class AlreadyInvited(Exception):
    """Someone with this address is on the panel."""


class NotOpen(Exception):
    """The study is not open, so nothing can be given or answered."""


class NoConsent(Exception):
    """The judge has not agreed to take part yet."""


@dataclass(frozen=True)
class Link:
    """A fresh invitation with its secret, which is shown once and kept nowhere."""

    invitation: Invitation
    secret: str


@transaction.atomic
def invite(study: Study, *, name: str, email: str = "", days: int = LINK_DAYS) -> Link:
    """Put an expert on the panel and make a personal link.

    Raises
    ------
    AlreadyInvited
        If the address is on the panel already.
    NotOpen
        If the study is closed.
    """
    taken = f"{email} is on the panel already; make a new link there instead."
    if email and Judge.objects.filter(study=study, email__iexact=email).exists():
        raise AlreadyInvited(taken)
    try:
        with transaction.atomic():
            judge = Judge.objects.create(study=study, name=name, email=email)
    except IntegrityError as error:  # a double click
        raise AlreadyInvited(taken) from error
    return link_for(judge, days=days)


@transaction.atomic
def link_for(judge: Judge, *, days: int = LINK_DAYS) -> Link:
    """Make a new personal link for someone on the panel. Earlier links stop working.

    Raises
    ------
    NotOpen
        If the study is closed.
    """
    if judge.study.state == Study.State.CLOSED:
        raise NotOpen
    now = timezone.now()
    judge.invitations.filter(revoked_at=None).update(revoked_at=now)
    secret = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        judge=judge, token_hash=_hash(secret), expires_at=now + timedelta(days=days)
    )
    return Link(invitation, secret)


def follow(secret: str) -> Invitation:
    """Return the invitation whose link this is.

    Raises
    ------
    StaleLink
        If the link is unknown, has expired or was stopped.
    """
    now = timezone.now()
    usable = Invitation.objects.usable(now).select_related("judge__study")
    invitation = usable.filter(token_hash=_hash(secret)).first()
    if invitation is None:
        raise StaleLink
    Invitation.objects.filter(pk=invitation.pk, first_used_at=None).update(first_used_at=now)
    return invitation


@transaction.atomic
def revoke(judge: Judge) -> int:
    """Stop the judge's links and give unanswered items back. Return how many were given back."""
    now = timezone.now()
    judge.invitations.filter(revoked_at=None).update(revoked_at=now)
    given_back = 0
    # In one order everywhere, so that two at once cannot wait for each other.
    for assignment in Assignment.objects.of(judge).waiting().order_by("item_id"):
        if Assignment.objects.give_back(assignment, now):
            given_back += 1
            if assignment.counts:
                Item.objects.filter(pk=assignment.item_id).update(
                    places_taken=F("places_taken") - 1
                )
    return given_back


def agree(judge: Judge) -> Consent:
    """Record that the judge agrees to the study's consent text as it stands.

    Raises
    ------
    NotOpen
        If the study is not open: a draft's text may still change.
    """
    if judge.study.state != Study.State.OPEN:
        raise NotOpen
    text = judge.study.consent_text
    consent, _ = Consent.objects.get_or_create(
        judge=judge, defaults={"text": text, "fingerprint": judge.study.fingerprint}
    )
    return consent


@transaction.atomic
def deal(judge: Judge) -> int:
    """Give the judge the next batch, unless one is unfinished. Return how many items were given.

    Each item has K places. The guarded update of the study serialises dealing within it (on
    SQLite as on PostgreSQL), and the guarded update of the item is what keeps K exact.

    Raises
    ------
    NotOpen
        If the study is not open.
    NoConsent
        If the judge has not agreed to take part.
    """
    if not Study.objects.open().filter(pk=judge.study_id).update(deals=F("deals") + 1):
        raise NotOpen
    if not Consent.objects.filter(judge=judge).exists():
        raise NoConsent
    study = Study.objects.get(pk=judge.study_id)
    mine = Assignment.objects.of(judge)
    if mine.waiting().exists():
        return 0
    given = mine.values_list("item_id", "item__twin")
    wanting = Item.objects.wanting(study).exclude(pk__in=[item for item, _ in given])
    chosen = choose(
        [Candidate(*row) for row in wanting.values_list("pk", "stratum", "twin", "places_taken")],
        study.batch_size,
        seen_twins=[twin for _, twin in given],
        rng=Random(f"{study.seed}/{study.deals}"),  # noqa: S311  (a stored seed, not a secret)
    )
    # In the order in which `revoke` gives places back.
    keys = sorted(one.key for one in chosen)
    free = {key for key in keys if Item.objects.take_place(key, of=study.judges_per_item)}
    return _give(judge, [one.key for one in chosen if one.key in free], counts=True)


def more_to_give(judge: Judge) -> bool:
    """Whether an item is left that this judge has not had and that wants another judge."""
    given = Assignment.objects.of(judge).values("item_id")
    return Item.objects.wanting(judge.study).exclude(pk__in=given).exists()


@transaction.atomic
def give_all(judge: Judge) -> int:
    """Give a language model every item of its study, outside the K places of the experts."""
    given = Assignment.objects.of(judge).values("item_id")
    rest = Item.objects.filter(study=judge.study).exclude(pk__in=given).order_by("pk")
    keys = list(rest.values_list("pk", flat=True))
    Random(f"{judge.study.seed}/{judge.name}").shuffle(keys)  # noqa: S311
    return _give(judge, keys, counts=False)


def _give(judge: Judge, items: Sequence[int], *, counts: bool) -> int:
    last = Assignment.objects.of(judge).aggregate(position=Max("position"), batch=Max("batch"))
    position, batch = last["position"] or 0, last["batch"] or 0
    Assignment.objects.bulk_create(
        Assignment(judge=judge, item_id=item, position=place, batch=batch + 1, counts=counts)
        for place, item in enumerate(items, start=position + 1)
    )
    return len(items)


def _hash(secret: str) -> str:
    # The secret has 192 random bits, so one plain hash keeps it safe in a stolen database.
    return hashlib.sha256(secret.encode()).hexdigest()
