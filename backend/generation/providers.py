"""Asking a language model over an OpenAI-compatible endpoint; what can go wrong has a name.

The official client makes the call, with its own retries off: there is one retry policy, and it
is in the rows. What was sent and what came back are handed on as they were.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from backend.generation.builtin import endpoint
from backend.generation.models import LanguageModel

if TYPE_CHECKING:
    import openai

CONNECT_SECONDS, READ_SECONDS = 5.0, 180.0
NO_KEY = "none"  # the client insists on one; an endpoint without keys ignores it
# A shorter key is a stand-in ("EMPTY") and may well be a word of the poem.
SHORTEST_SECRET = 8


class ProviderUnavailable(Exception):
    """No answer now; the same call may succeed later.

    Attributes
    ----------
    kind : str
        "unreachable", "timeout", "busy" or "server".
    body : str
        What came instead of an answer, if anything did.
    """

    def __init__(self, kind: str, message: str, body: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.body = body


class ProviderRefused(Exception):
    """The provider will not answer this call, now or later, until something is changed.

    Attributes
    ----------
    kind : str
        "no key", "key" or "request".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Request:
    """One call: the model to reach and the exact body to send it."""

    model: LanguageModel
    body: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What came back: the text, why it ended ("stop", "length", ...), and the body as it came."""

    text: str
    finish: str
    body: str


Provider = Callable[[Request], Reply]


def request(
    model: LanguageModel,
    prompt: str,
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
) -> Request:
    """Return the call that puts `prompt` to `model`. What is None is not sent at all."""
    options = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    body: dict[str, Any] = {
        "model": model.model_id,
        "messages": [{"role": "user", "content": prompt}],
        **{name: value for name, value in options.items() if value is not None},
    }
    return Request(model, body)


def ask(request: Request) -> Reply:
    """Make the call.

    Raises
    ------
    ProviderUnavailable
        If the endpoint cannot be reached, is too slow or busy, or fails.
    ProviderRefused
        If the key is missing or refused, or the request is.
    """
    import openai  # takes half a second, which no process has to spend that asks no model

    key = _key(request.model)
    client = _client(_address(request.model), key)
    try:
        raw = client.chat.completions.with_raw_response.create(**request.body)
    except openai.APITimeoutError as error:
        raise ProviderUnavailable(
            "timeout", f"No answer within {READ_SECONDS:.0f} seconds."
        ) from error
    except openai.APIConnectionError as error:
        raise ProviderUnavailable(
            "unreachable",
            f"No connection to {request.model.base_url or 'the built-in endpoint'}: "
            "is the address right, and is the service up?",
        ) from error
    except openai.APIStatusError as error:
        raise _refusal(error, key) from error
    return _read(_storable(raw.text, key), key)


def _key(model: LanguageModel) -> str:
    if not model.key_variable:
        return NO_KEY
    key = os.environ.get(model.key_variable, "").strip()
    if not key:
        raise ProviderRefused(
            "no key",
            f"The environment variable {model.key_variable} is not set where the worker runs; "
            "set it there, start the worker again, and retry.",
        )
    if not key.isascii() or not key.isprintable():
        raise ProviderRefused(
            "key",
            f"The environment variable {model.key_variable} holds characters that no key has; "
            "set it anew where the worker runs, start the worker again, and retry.",
        )
    return key


def _storable(text: str, key: str) -> str:
    """Return what may be kept of a provider's words: no key, which some repeat, and no NUL.

    Half a character pair is no text either: databases refuse both.
    """
    if len(key) >= SHORTEST_SECRET:
        for spelling in (key, json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")):
            text = text.replace(spelling, "…")
    return text.replace("\x00", "").encode(errors="replace").decode()


def _address(model: LanguageModel) -> str:
    return endpoint.serve() if model.reach == LanguageModel.Reach.BUILT_IN else model.base_url


@lru_cache(maxsize=64)
def _client(base_url: str, key: str) -> "openai.OpenAI":
    import openai

    timeout = openai.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    # A redirect could lead a key to another host.
    http = openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout)
    return openai.OpenAI(
        base_url=base_url, api_key=key, max_retries=0, timeout=timeout, http_client=http
    )


def _refusal(error: "openai.APIStatusError", key: str) -> ProviderUnavailable | ProviderRefused:
    status = error.status_code
    said = _storable(error.response.text, key)[:500]
    if status in (401, 403):
        return ProviderRefused("key", f"The key was refused ({status}): {said}")
    if status == 429:
        return ProviderUnavailable("busy", f"The provider asks to wait (429): {said}")
    if status >= 500 or status == 408:
        return ProviderUnavailable("server", f"The provider failed ({status}): {said}")
    return ProviderRefused("request", f"The provider refused the request ({status}): {said}")


def _read(body: str, key: str) -> Reply:
    try:
        choice = json.loads(body)["choices"][0]
        message, finish = choice["message"], choice.get("finish_reason") or ""
        text = message.get("content") or message.get("refusal") or ""
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ProviderUnavailable(
            "server", f"The answer is no chat completion: {body[:200]}", body
        ) from error
    if not isinstance(text, str):
        raise ProviderUnavailable("server", f"The answer's content is no text: {body[:200]}", body)
    # Once more: what was escaped in the body is not any longer.
    return Reply(_storable(text, key), str(finish), body)
