"""Experts are put on a panel here: one, or many at once; with a letter, if that is asked."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies import amending, links
from annotation.studies.models import Group, Judge, Study
from backend.accounts.models import User
from backend.panel.models import Letter
from backend.panel.roster import BadLine, InvalidRoster, Person
from backend.panel.services import write


@transaction.atomic
def invite(
    study: Study,
    *,
    name: str,
    email: str,
    language: str,
    days: int,
    send: bool,
    by: User,
    group: Group | None = None,
) -> Judge:
    """Put an expert on the panel with a personal link, and queue the letter that carries it.

    Raises
    ------
    annotation.studies.links.AlreadyInvited
    annotation.studies.links.NotOpen
    annotation.studies.links.StaleLink
        As `annotation.studies.links.invite` does.
    """
    made = links.invite(
        study, name=name, email=email, days=days, language=language, group=group, by=by.username
    )
    judge = made.invitation.judge
    if send and judge.email:
        write([judge], Letter.Kind.INVITATION, by=by)
    return judge


@transaction.atomic
def invite_many(
    study: Study, people: Sequence[Person], *, days: int, send: bool, by: User
) -> list[Judge]:
    """Put all of these people on the panel, or none.

    Raises
    ------
    InvalidRoster
        If somebody came on the panel meanwhile.
    annotation.studies.links.NotOpen
        If the study is closed.
    annotation.studies.links.StaleLink
        If the study was discarded meanwhile.
    """
    groups = {group.name: group for group in study.groups.all()}
    judges = []
    for one in people:
        try:
            judges.append(
                invite(
                    study, name=one.name, email=one.email, language=one.language,
                    days=days, send=send, by=by, group=groups.get(one.group),
                )
            )  # fmt: skip
        except links.AlreadyInvited as error:
            problem = BadLine(one.line, str(error).rstrip("."), "Take them out", "email")
            raise InvalidRoster([problem]) from error
    return judges


@transaction.atomic
def replace(judge: Judge, *, name: str, email: str, language: str, send: bool, by: User) -> Judge:
    """End an expert's part, put somebody in their place, and queue the letter if that is asked.

    Raises
    ------
    annotation.studies.amending.AlreadyReplaced
    annotation.studies.links.AlreadyInvited
    annotation.studies.links.NotOpen
    annotation.studies.links.StaleLink
        As `annotation.studies.amending.replace` does.
    """
    made = amending.replace(judge, name=name, email=email, language=language, by=by.username)
    successor = made.invitation.judge
    if send and successor.email:
        write([successor], Letter.Kind.INVITATION, by=by)
    return successor


@transaction.atomic
def invite_by_mail(judge: Judge, *, by: User) -> bool:
    """Queue the letter with the expert's link, with a new link if theirs has ended.

    Returns whether a new link was made.

    Raises
    ------
    annotation.studies.links.NotOpen
        If the study is closed.
    annotation.studies.links.StaleLink
        If the expert was deleted meanwhile.
    annotation.studies.links.Withdrawn
        If the expert is withdrawn.
    """
    if judge.study.state == Study.State.CLOSED:
        raise links.NotOpen
    # First of all, as a deletion does, so that the two cannot wait for each other.
    Study.objects.hold(judge.study_id)
    renewed = working_link(judge) is None
    if renewed:
        links.link_for(judge)
    write([judge], Letter.Kind.INVITATION, by=by)
    return renewed


def show(judge: Judge, *, by: User) -> links.Link | None:
    """Return the expert's link, if it works and can be told, and log who was shown it."""
    link = working_link(judge)
    if link is not None:
        record(
            Kind.LINK_SHOWN, study=judge.study.slug, actor=by.username,
            key=judge.log_key, about=f"judge {judge.pk}",
        )  # fmt: skip
    return link


def show_all(study: Study, *, by: User) -> list[links.Link]:
    """Return every expert's link that works, and log who was shown them."""
    found = working_links(study)
    record(Kind.LINK_SHOWN, study=study.slug, actor=by.username, links=len(found))
    return found


def working_link(judge: Judge) -> links.Link | None:
    """Return the expert's link, if it works and can be told."""
    invitation = judge.invitations.usable(timezone.now()).select_related("judge").first()
    secret = links.secret_of(invitation) if invitation else None
    return links.Link(invitation, secret) if invitation and secret else None


def working_links(study: Study) -> list[links.Link]:
    """Return every expert's link that works, in order of arrival."""
    found = [working_link(judge) for judge in study.judges.experts()]
    return [link for link in found if link]
