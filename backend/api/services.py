"""Tokens are made, known again and revoked here."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from backend.accounts.models import User
from backend.api.models import Token
from backend.api.scopes import allowed

BEGINS = "bv_"
SHOWN = 8  # characters of the secret, by which its owner knows it again


class NotAllowed(ValueError):
    """The user's role does not allow such a token; the message names what it does not."""


@dataclass(frozen=True)
class Made:
    """A new token with its secret, which nobody can read again."""

    token: Token
    secret: str


def make(user: User, *, name: str, scopes: Iterable[str], days: int | None = None) -> Made:
    """Make a token for a member of staff; without `days` it does not expire.

    Raises
    ------
    NotAllowed
        If a scope is beyond the user's role, or none is given.
    """
    asked = set(scopes)
    beyond = asked - {*allowed(user)}
    if beyond or not asked:
        raise NotAllowed(
            f"Your role does not allow {', '.join(sorted(beyond))}." if beyond
            else "Choose at least one scope."
        )  # fmt: skip
    secret = BEGINS + secrets.token_urlsafe(32)  # 43 characters
    token = Token.objects.create(
        user=user,
        name=name,
        prefix=secret[:SHOWN],
        sha256=_hash(secret),
        scopes=[scope.value for scope in allowed(user) if scope in asked],
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    return Made(token, secret)


def find(secret: str) -> Token | None:
    """Return the token with this secret and note its use; None if it opens nothing (any more)."""
    now = timezone.now()
    usable = Token.objects.usable(now).select_related("user")
    token = usable.filter(sha256=_hash(secret)).first()
    if token is not None:
        Token.objects.note_use(token.pk, now)
    return token


def revoke(token: Token) -> None:
    """Let a token open nothing any more, for good."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def _hash(secret: str) -> str:
    # The secret has 256 bits that nobody can guess, so one plain hash is enough.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
