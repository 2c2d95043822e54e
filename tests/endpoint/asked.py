"""What the endpoint was asked: one request as it came, whichever wire it came by."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

GEMINI = re.compile(r"/v1(?:beta|alpha)?/(?:models/)?([^:]+):generateContent$")
KEYS = ("authorization", "x-api-key", "x-goog-api-key")


class NotThisAddress(Exception):
    """Nothing is served at this path."""


class NoSuchBody(Exception):
    """The body is not what the wire of this path carries."""


@dataclass(frozen=True)
class Asked:
    """One request as it came, and where it stands among the others."""

    wire: str
    model: str
    prompt: str
    body: dict[str, Any]
    headers: Mapping[str, str]  # names in lower case
    path: str
    at: float  # time.monotonic()
    raw: bytes
    number: int = 1  # of all requests
    time: int = 1  # of those with this key
    at_once: int = 1  # under way now, this one included
    poems: int = 0  # how many this model wrote to this prompt before

    @property
    def idempotency_key(self) -> str:
        return self.headers.get("idempotency-key", "")

    @property
    def key(self) -> str:
        """What the answer is counted by: the idempotency key, else a digest of what was asked."""
        return self.idempotency_key or digest(self.model, self.prompt, self.raw)

    @property
    def authorization(self) -> str:
        """The header that holds the key of the account, as it came; empty if there is none."""
        return next((self.headers[name] for name in KEYS if name in self.headers), "")


def digest(*parts: str | bytes) -> str:
    """Return one name for these parts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part if isinstance(part, bytes) else part.encode(errors="replace"))
        found.update(b"\x1f")
    return found.hexdigest()


def read(path: str, headers: Mapping[str, str], raw: bytes, at: float) -> Asked:
    """Return the request that came to this path.

    Raises
    ------
    NotThisAddress
        If no wire is served there.
    NoSuchBody
        If the body is not of that wire.
    """
    wire, named = _wire(path)
    try:
        body = json.loads(raw)
        model = named or str(body["model"])
        prompt = _words(body["contents" if wire == "gemini" else "messages"][-1])
        if wire == "anthropic":
            int(body["max_tokens"])  # it insists
    except (ValueError, LookupError, TypeError) as error:
        raise NoSuchBody(f"{type(error).__name__}: {error}") from error
    return Asked(wire, model, prompt, body, headers, path, at, raw)


def _wire(path: str) -> tuple[str, str]:
    bare = path.partition("?")[0]
    if bare.endswith("/chat/completions"):
        return "openai", ""
    if bare.endswith("/v1/messages"):
        return "anthropic", ""
    if found := GEMINI.search(bare):
        return "gemini", unquote(found[1])
    raise NotThisAddress(path)


def _words(message: dict[str, Any]) -> str:
    content = message.get("content", message.get("parts", ""))
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content)
