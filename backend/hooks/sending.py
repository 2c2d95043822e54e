"""Messages are sent here, and what became of them is noted."""

import hashlib
import ssl
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from django.utils import timezone

from backend.generation.work import let_go_of_database
from backend.hooks import posting
from backend.hooks.models import PING, STOPPED, Delivery, Hook
from backend.hooks.receivers import BadAddress
from backend.hooks.services import stop
from backend.hooks.signing import body_of, headers_of

GONE = 410
WANTS_NO_MORE = "The receiver answered 410 Gone: it wants nothing more."
FAILED_TOO_OFTEN = "Nothing has arrived for three days, however often it was tried."


@dataclass(frozen=True)
class Outcome:
    """What became of one try: the status that was answered, or why there is none."""

    status: int | None
    error_kind: str = ""
    error: str = ""

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def send(delivery_id: int) -> None:
    """Send one message: claim it, sign it, post it, note the answer. Safe to call twice.

    A worker killed between the receiver's answer and the note of it sends it again, with the same
    id: at least once is better than never.
    """
    lease = Delivery.objects.claim(delivery_id)
    found = Delivery.objects.select_related("hook__study").filter(pk=delivery_id).first()
    if not lease or found is None:
        return
    if not found.hook.active and found.event != PING:
        Delivery.objects.finish(
            found.pk, lease, status="failed", error_kind="stopped", error=STOPPED
        )
        return
    body = body_of(found)
    headers = headers_of(found, body, timezone.now())
    let_go_of_database()
    _note(found, lease, _try(found.hook.url, body, headers), hashlib.sha256(body).hexdigest())


def _try(url: str, body: bytes, headers: dict[str, str]) -> Outcome:
    try:
        status = posting.post(url, body, headers)
    except (BadAddress, OSError, HTTPException) as trouble:
        kind = "refused" if isinstance(trouble, BadAddress) else "connection"
        return Outcome(None, kind, _said(trouble))
    if 200 <= status < 300:
        return Outcome(status)
    if 300 <= status < 400:
        moved = "a redirect, which is not followed; give the address that it leads to."
        return Outcome(status, "answer", f"It answered {status}, {moved}")
    return Outcome(status, "answer", f"It answered {status}.")


def _said(trouble: BadAddress | OSError | HTTPException) -> str:
    match trouble:
        case BadAddress():
            return str(trouble)
        case TimeoutError():
            return "It did not answer in time."
        case ssl.SSLCertVerificationError(verify_message=why):
            return f"Its certificate is not valid: {why}."
        case HTTPException():
            return "It answered something else than HTTP."
    return f"It cannot be reached: {' '.join(str(trouble).split())[:300]}"


def _note(delivery: Delivery, lease: str, outcome: Outcome, sha256: str) -> None:
    now = timezone.now()
    fields: dict[str, Any] = {
        "answered_status": outcome.status,
        "answered_at": now if outcome.status else None,
        "body_sha256": sha256,
        "error_kind": outcome.error_kind,
        "error": outcome.error,
    }
    hook, own = delivery.hook, Delivery.objects.all()
    if outcome.arrived:
        if own.finish(delivery.pk, lease, status="done", **fields):
            Hook.objects.all().note_success(hook.pk)
        return
    tries = delivery.tries + 1
    if delivery.event == PING or outcome.status == GONE:
        noted = own.finish(delivery.pk, lease, status="failed", tries=tries, **fields)
    else:
        noted = own.postpone(delivery.pk, lease, tries=tries, **fields)
    if outcome.status == GONE:
        stop(hook, because=WANTS_NO_MORE)
    elif noted and delivery.event != PING:
        own.hold_back(hook.pk, now)
        if Hook.objects.all().note_failure(hook.pk, now):
            stop(hook, because=FAILED_TOO_OFTEN)
