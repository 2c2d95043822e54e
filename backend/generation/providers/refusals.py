"""What a provider says instead of an answer, and when it would be asked again."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from backend.generation.providers.asking import ProviderRefused, ProviderUnavailable
from backend.generation.providers.keys import storable

SHOWN, KEPT = 500, 20_000  # characters
BUSY = (429, 529)
# Waiting mends neither; the words are OpenAI's and Google's.
NO_CREDIT = ("insufficient_quota", "billing_not_active")
BAD_KEY = ("API_KEY_INVALID",)


def request_id(headers: Mapping[str, str]) -> str:
    """Return what the provider calls this call; empty if it does not say."""
    names = ("x-request-id", "request-id", "x-goog-request-id")
    return next((headers[name] for name in names if headers.get(name)), "")[:200]


def refusal(
    status: int, headers: Mapping[str, str], body: str, key: str
) -> ProviderUnavailable | ProviderRefused:
    """Return what this status means."""
    kept = storable(body, key)[:KEPT]
    said = kept[:SHOWN]
    named = storable(request_id(headers), key)
    data = _parsed(body)
    if refused := _refused(status, data, said):
        return ProviderRefused(*refused, kept, status=status, request_id=named)
    kind, words = "server", "The provider failed"
    if status in BUSY:
        kind, words = "busy", "The provider asks to wait"
    return ProviderUnavailable(
        kind,
        f"{words} ({status}): {said}",
        kept,
        status=status,
        request_id=named,
        retry_after=retry_after(headers, data),
    )


def _refused(status: int, data: Any, said: str) -> tuple[str, str] | None:
    words = set(_words(data))
    if status == 402 or (status == 429 and words & {*NO_CREDIT}):
        return "key", f"The account behind the key has nothing left ({status}): {said}"
    if status in (401, 403) or (status == 400 and words & {*BAD_KEY}):
        return "key", f"The key was refused ({status}): {said}"
    if status < 300:
        return None
    if status < 400:
        return "request", (
            f"The provider points to another address ({status}), which is not followed; "
            f"give the model the address that answers: {said}"
        )
    # 408: too slow; 409: the same call is still being answered; 425: too early.
    if status in (408, 409, 425, 429) or status >= 500:
        return None
    return "request", f"The provider refused the request ({status}): {said}"


def retry_after(headers: Mapping[str, str], data: Any = None) -> float | None:
    """Return the seconds to wait that the provider names: in a header, or as Google in the body."""
    if (named := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return named / 1000
    said = headers.get("retry-after", "")
    if (named := _seconds(said)) is not None:
        return named
    if (named := _until(said)) is not None:
        return named
    return next(_delays(data), None)


def _seconds(said: str) -> float | None:
    try:
        named = float(said)
    except ValueError:
        return None
    return max(named, 0.0) if math.isfinite(named) else None


def _until(said: str) -> float | None:
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _error(data: Any) -> dict[str, Any]:
    # Some of Google's addresses put the error into a list.
    if isinstance(data, list) and len(data) == 1:
        data = data[0]
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, dict) else {}


def _details(data: Any) -> Iterator[dict[str, Any]]:
    details = _error(data).get("details")
    if isinstance(details, list):
        yield from (each for each in details if isinstance(each, dict))


def _words(data: Any) -> Iterator[str]:
    error = _error(data)
    named = [error.get("code"), error.get("type"), *(each.get("reason") for each in _details(data))]
    yield from (each for each in named if isinstance(each, str))


def _delays(data: Any) -> Iterator[float]:
    for each in _details(data):
        found = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay", "")))
        if found:
            yield float(found[1])
