"""Letters are queued and sent here."""

import smtplib
from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.judgments.erasing import erase_letters
from annotation.studies.models import Judge, Study
from backend.accounts.models import User
from backend.generation.work import let_go_of_database
from backend.panel import letters
from backend.panel.models import Letter


@transaction.atomic
def write(
    judges: Iterable[Judge],
    kind: str,
    *,
    by: User | None,
    subject: str = "",
    body: str = "",
    before_lease_ends: bool = False,
) -> int:
    """Queue a letter to each of these experts. Return how many were queued.

    Whoever has the same letter waiting already gets no second one, and whoever was deleted
    meanwhile gets none.
    """
    wanted = {judge.pk: judge.study_id for judge in judges}
    Study.objects.hold(*wanted.values())
    same = Letter.objects.unfinished().filter(kind=kind, subject=subject, body=body)
    to = Judge.objects.filter(pk__in=wanted).exclude(pk__in=same.values("judge"))
    queued = Letter.objects.bulk_create(
        Letter(
            judge=judge, kind=kind, asked_by=by, subject=subject, body=body,
            before_lease_ends=before_lease_ends,
        )
        for judge in to
    )  # fmt: skip
    return len(queued)


def again(letter: Letter) -> bool:
    """Queue a letter that failed once more. False if it did not fail, or the same one waits."""
    try:
        with transaction.atomic():
            Study.objects.hold(letter.judge.study_id)
            return bool(Letter.objects.filter(pk=letter.pk).requeue_failed())
    except IntegrityError:
        return False


def send(letter_id: int) -> None:
    """Send one letter: claim it, write it, hand it to the mail server. Safe to call twice.

    A worker killed between the server's taking the letter and the note of it sends it again:
    twice is better than never. To whoever is deleted nothing is sent, and no copy stays.

    Raises
    ------
    OSError
        If the copy of a letter to somebody who was just deleted cannot be deleted, too.
    """
    lease = Letter.objects.claim(letter_id)
    letter = Letter.objects.select_related("judge__study").filter(pk=letter_id).first()
    if not lease or letter is None:
        return
    try:
        message = letters.compose(letter)
        if not _held(letter, lease):
            return
        let_go_of_database()
        message.send()
    except (OSError, ValueError) as trouble:  # smtplib's errors are OSErrors
        _not_sent(letter, lease, trouble)
    else:
        Letter.objects.finish(
            letter.pk, lease, status="done", sent_at=timezone.now(), error_kind="", error=""
        )
    # A deletion in this very moment may have looked for copies before this one was written.
    if not Letter.objects.filter(pk=letter.pk).exists():
        erase_letters(letter.judge.email)


def _held(letter: Letter, lease: str) -> bool:
    """Whether the letter is still this worker's to send: its expert may be gone by now."""
    return Letter.objects.filter(pk=letter.pk, lease=lease).exists()


def _not_sent(letter: Letter, lease: str, trouble: OSError | ValueError) -> None:
    if _passes(trouble):
        Letter.objects.postpone(letter.pk, lease, attempts=letter.attempts, error=_said(trouble))
    else:
        Letter.objects.finish(
            letter.pk, lease, status="failed", error_kind="refused", error=_said(trouble)
        )


def _passes(trouble: OSError | ValueError) -> bool:
    """Whether trying again later may help: what the server calls temporary, or no connection."""
    match trouble:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return all(400 <= code < 500 for code, _ in refused.values())
        case smtplib.SMTPConnectError() | smtplib.SMTPHeloError():
            return True
        case smtplib.SMTPResponseException(smtp_code=code):
            return not 500 <= code < 600
        case smtplib.SMTPNotSupportedError() | ValueError():
            return False
    return True


def _said(trouble: OSError | ValueError) -> str:
    match trouble:
        case letters.NotSendable():
            return str(trouble)
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            answers = "; ".join(_answer(code, said) for code, said in refused.values())
            return f"The mail server refused the address: {answers}"
        case smtplib.SMTPAuthenticationError(smtp_code=code, smtp_error=said):
            return f"The mail server refused the site's password: {_answer(code, said)}"
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=said):
            return f"The mail server refused the letter: {_answer(code, said)}"
        case smtplib.SMTPNotSupportedError():
            return f"The mail server cannot do what is needed: {trouble}"
        case ValueError():
            return f"The letter cannot be written: {trouble}"
    return f"The mail server cannot be reached: {trouble}"


def _answer(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"[:300]
