"""What letters say: written when they are sent, in the expert's language, from templates."""

import unicodedata
from datetime import datetime
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import get_supported_language_variant

from annotation.judgments import presenting
from annotation.studies import leases
from annotation.studies.links import secret_of
from annotation.studies.models import Assignment, Invitation, Judge, Study
from backend.panel.models import Letter


class NotSendable(ValueError):
    """The letter must not or cannot be sent; the message says why and what to do."""


def compose(letter: Letter) -> EmailMessage:
    """Return the letter as it is sent.

    Raises
    ------
    NotSendable
        If the expert has no address, or no link is there; or, unless they asked for the letter
        themselves, if they have paused or left, or the study is closed.
    """
    judge, study, now = letter.judge, letter.judge.study, timezone.now()
    _refuse(letter)
    invitation = _invitation(letter, now)
    secret = secret_of(invitation)
    if secret is None:
        raise NotSendable("The site's key has changed since the link was made; make a new link.")
    leave = _address("leave-by-mail", secret)
    with translation.override(language_of(judge)):
        context = {
            "name": one_line(judge.name),
            "title": one_line(study.title),
            "contact": one_line(study.contact),
            "link": _address("invitation", secret),
            "leave": leave,
            "expires": invitation.expires_at,
            "expired": invitation.expires_at <= now,
            **_amounts(letter),
        }
        text = render_to_string(f"panel/letters/{letter.kind}.txt", context)
    subject, _, body = text.strip().partition("\n")
    headers = {"List-Unsubscribe": f"<{leave}>"}
    if letter.kind == Letter.Kind.REMINDER or _wanted(letter):
        headers["Auto-Submitted"] = "auto-generated"
    return EmailMessage(
        one_line(subject),
        f"{body.strip()}\n",
        to=[judge.email],
        reply_to=_reply_to(study.contact),
        headers=headers,
    )


def language_of(judge: Judge) -> str:
    """Return the language to write to this judge in: theirs, else the study's, if we speak it."""
    for asked in (judge.language, judge.study.language):
        try:
            return get_supported_language_variant(asked)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def one_line(text: str) -> str:
    """Return the text without breaks and control characters: safe in a header."""
    visible = "".join(" " if unicodedata.category(one) == "Cc" else one for one in text)
    return " ".join(visible.split())


def _amounts(letter: Letter) -> dict[str, Any]:
    """Return what the kind of letter says of its own."""
    judge, study = letter.judge, letter.judge.study
    drawn = study.dealing == Study.Dealing.DRAW
    match letter.kind:
        case Letter.Kind.INVITATION:
            return {
                "wanted": _wanted(letter),
                "not_open": study.state == Study.State.DRAFT,
                "drawn": drawn,
                "batch": presenting.at_a_time(study),
                "minutes": max(1, presenting.minutes_at_a_time(study)),
                "about": study.honorarium,
            }
        case Letter.Kind.REMINDER:
            given = Assignment.objects.of(judge)
            waiting = given.waiting().count()
            return {
                # A test that was drawn with the next one would show as one more.
                "waiting": min(waiting, 1) if drawn else waiting,
                "begun": given.answered().exists(),
                "minutes": max(1, presenting.minutes(judge)),
                "kept_until": leases.ends_at(judge),
            }
        case _:
            return {
                "subject": one_line(letter.subject),
                "body": letter.body.strip(),
                "not_open": study.state == Study.State.DRAFT,
            }


def _wanted(letter: Letter) -> bool:
    """Whether the expert asked for it: for their own link, be it to go on or to leave."""
    by_nobody_else = letter.kind == Letter.Kind.INVITATION and letter.asked_by_id is None
    return by_nobody_else and letter.judge.link_wanted_at is not None


def _refuse(letter: Letter) -> None:
    if not settings.SENDS_MAIL:
        raise NotSendable("This site sends no mail: whoever runs it can set BLINDVERSE_MAIL.")
    if not letter.judge.email:
        raise NotSendable("There is no address; send the link yourself.")
    if not _wanted(letter):
        _refuse_unwanted(letter)


def _refuse_unwanted(letter: Letter) -> None:
    judge, state = letter.judge, letter.judge.study.state
    if judge.left_at:
        raise NotSendable("The expert has left the study, so nothing was sent.")
    if judge.paused_at:
        raise NotSendable("The expert has paused, so nothing was sent.")
    if state == Study.State.CLOSED and letter.kind != Letter.Kind.MESSAGE:
        raise NotSendable("The study is closed, so nothing was sent.")
    if state == Study.State.DRAFT and letter.kind == Letter.Kind.REMINDER:
        raise NotSendable("The study is not open yet, so there is nothing to remind of.")


def _invitation(letter: Letter, now: datetime) -> Invitation:
    invitation = letter.judge.invitations.standing().first()
    if invitation is None:
        raise NotSendable("The link is stopped; make a new link, then send it.")
    # What was begun can be finished by an expired link, and it leads to the page for leaving.
    if invitation.expires_at <= now and letter.kind != Letter.Kind.MESSAGE:
        raise NotSendable("The link has expired; make a new link, then send it.")
    return invitation


def _address(name: str, secret: str) -> str:
    return f"{settings.ADDRESS}{reverse(name, args=[secret])}"


def _reply_to(contact: str) -> list[str]:
    """Return where answers go: the study's contact, if an address stands there."""
    name, address = parseaddr(one_line(contact))
    try:
        validate_email(address)
        return [str(Address(display_name=name, addr_spec=address))]
    except (ValidationError, ValueError, IndexError):
        return []
