"""What a message says, and how it is signed.

Signature and headers are as Standard Webhooks has them (standardwebhooks.com); what the message
says is not.
"""

import base64
import hashlib
import hmac
import json
import secrets
from datetime import datetime

from backend.hooks.models import Delivery

PREFIX = "whsec_"
KEY_BYTES = 32


def new_secret() -> str:
    """Return a new key of signatures."""
    return PREFIX + base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def body_of(delivery: Delivery) -> bytes:
    """Return what a delivery says: the same bytes each time it is sent.

    Nothing of experts, answers or authorship is in it: who may know these asks for them.
    """
    said = {
        "id": str(delivery.uid),
        "event": delivery.event,
        "study": delivery.hook.study.slug,
        "at": delivery.at.isoformat(),
        "progress": {"answered": delivery.answered, "places": delivery.places},
    }
    return json.dumps(said, separators=(",", ":")).encode()


def headers_of(delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers that a message is sent with, its signature among them."""
    stamp = str(int(now.timestamp()))
    return {
        "Content-Type": "application/json",
        "User-Agent": "Blindverse",
        "Webhook-Id": str(delivery.uid),
        "Webhook-Timestamp": stamp,
        "Webhook-Signature": sign(delivery.hook.secret, str(delivery.uid), stamp, body),
    }


def sign(secret: str, uid: str, stamp: str, body: bytes) -> str:
    """Return the signature of a message, with the number of its scheme."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    digest = hmac.digest(key, f"{uid}.{stamp}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"
