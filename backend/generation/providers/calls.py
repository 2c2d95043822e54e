"""One call to a provider, from the key to the reply."""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from backend.generation.builtin import endpoint
from backend.generation.providers import anthropic_wire, gemini_wire, openai_wire
from backend.generation.providers.addresses import explain_address, explain_name, proxy
from backend.generation.providers.asking import (
    Failure,
    ProviderRefused,
    ProviderUnavailable,
    Reach,
    Reply,
    Request,
)
from backend.generation.providers.keys import key_in, storable
from backend.generation.providers.refusals import KEPT, refusal, request_id

BY_WIRE: Mapping[str, ModuleType] = {
    "openai": openai_wire,
    "anthropic": anthropic_wire,
    "gemini": gemini_wire,
}
SHOWN = 200  # characters of an answer that is none
# More than one answer to a call, of which only the first would be read.
NUMBERS = ("n", "best_of", "candidateCount", "candidate_count")


def ask(request: Request) -> Reply:
    """Make the call.

    Raises
    ------
    ProviderUnavailable
        If the endpoint cannot be reached, is too slow or busy, or fails.
    ProviderRefused
        If the key is missing or refused, the request is, no call may go to the address, or the
        vendor's client is not installed.
    """
    key = key_in(request.reach.key_variable)
    _refuse_address(request.reach)
    _refuse_body(request)
    body, headers = _exchanged(request, key)
    return _read(request.reach.wire, storable(body, key), headers, key)


def forget_clients() -> None:
    """Drop every client and the connections they keep."""
    from backend.generation.providers import lines

    _forget_after_fork()
    lines.forget()


def _forget_after_fork() -> None:
    global _first_use
    _first_use = threading.Lock()
    for wire in BY_WIRE.values():
        wire.client.cache_clear()


# The vendors' clients import parts of themselves as they are needed. Threads that did so at once
# would find modules that are half there.
_first_use = threading.Lock()
os.register_at_fork(after_in_child=_forget_after_fork)


def _refuse_address(reach: Reach) -> None:
    # Who connects through a proxy does not see where it leads.
    explain = explain_address if proxy() else explain_name
    if why := explain(reach.base_url):
        raise ProviderRefused("address", why)


def _refuse_body(request: Request) -> None:
    if request.body.get("stream"):
        raise ProviderRefused("request", "Answers in pieces are not read: leave out “stream”.")
    _refuse_several(request)
    try:
        json.dumps(request.body, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, TypeError) as error:
        raise ProviderRefused("request", f"The body is no JSON: {error}") from error


def _refuse_several(request: Request) -> None:
    within = request.body.get("generationConfig")
    for part in (request.body, within if isinstance(within, Mapping) else {}):
        for name in NUMBERS:
            if part.get(name) not in (None, 1):
                raise ProviderRefused(
                    "request",
                    f"Leave out “{name}”: only the first of several answers would be read, and all "
                    "be paid for.",
                )


def _exchanged(request: Request, key: str) -> tuple[str, Mapping[str, str]]:
    # Here, not above: it takes a fifth of a second, which no process spends that asks no model.
    from backend.generation.providers import lines

    reach, wire = request.reach, BY_WIRE[request.reach.wire]
    address = endpoint.serve() if reach.is_built_in else reach.base_url
    credentials = wire.credentials(key)
    try:
        with lines.exchange(reach.seconds, credentials, is_built_in=reach.is_built_in):
            with _first_use:
                send = wire.client(address, key)
            body, headers = wire.send(send, request)
            return body, headers
    except lines.Declined as declined:
        raise refusal(declined.status, declined.headers, declined.body, key) from None
    except lines.NoAnswer as trouble:
        raise _unanswered(reach, trouble, key) from trouble
    except lines.InvalidURL as error:
        raise ProviderRefused("address", f"{reach.name} is no address: {error}") from error
    except ModuleNotFoundError as error:
        raise _no_package(reach, error) from error
    except ValueError as error:
        raise ProviderRefused("request", storable(f"This cannot be sent: {error}", key)) from error


def _unanswered(reach: Reach, trouble: Any, key: str) -> ProviderUnavailable | ProviderRefused:
    if trouble.kind == "address":
        return ProviderRefused("address", str(trouble))
    kind, said = _told(reach, trouble)
    # Once a status came, the answer was likely written, and is billed.
    named = storable(request_id(trouble.headers), key)
    return ProviderUnavailable(kind, said, status=trouble.came, request_id=named)


def _told(reach: Reach, trouble: Any) -> tuple[str, str]:
    """Return the kind of trouble and what is said of it."""
    if trouble.kind == "timeout":
        return "timeout", f"No answer within {reach.seconds:g} seconds."
    if trouble.kind == "broken":
        said = f"The connection to {reach.name} broke off before the answer was whole."
        return "unreachable", said
    if trouble.kind == "proxy":
        said = f"The proxy (BLINDVERSE_MODEL_PROXY) let no call through to {reach.name}: {trouble}"
        return "unreachable", said
    if trouble.kind == "unreachable":
        through = " through the proxy (BLINDVERSE_MODEL_PROXY)" if trouble.by_proxy else ""
        said = f"No connection to {reach.name}{through}: is the address right, and is the service "
        said += f"up? ({trouble})" if str(trouble) else "up?"
        return "unreachable", said
    return trouble.kind, str(trouble)


def _no_package(reach: Reach, error: ModuleNotFoundError) -> ProviderRefused:
    return ProviderRefused(
        "package",
        f"The client for {reach.wire} is not installed where the worker runs (no {error.name}); "
        "run “make providers” there, start the worker again, and retry.",
    )


def _read(wire: str, body: str, headers: Mapping[str, str], key: str) -> Reply:
    try:
        reply: Reply = BY_WIRE[wire].read(json.loads(body))
    except Failure as failure:
        said = f"The provider failed while it answered: {storable(str(failure), key)[:SHOWN]}"
        raise _no_answer(said, body, headers, key) from failure
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        said = f"The answer is no {BY_WIRE[wire].ANSWER}: {body[:SHOWN]}"
        raise _no_answer(said, body, headers, key) from error
    # Once more: what was escaped in the body is not any longer.
    return replace(
        reply,
        body=body,
        text=storable(reply.text, key),
        finish=storable(reply.finish, key)[:40],
        reasoning=storable(reply.reasoning, key),
        served_model=storable(reply.served_model, key)[:200],
        request_id=storable(request_id(headers) or reply.request_id, key)[:200],
    )


def _no_answer(said: str, body: str, headers: Mapping[str, str], key: str) -> ProviderUnavailable:
    named = storable(request_id(headers), key)
    return ProviderUnavailable("server", said, body[:KEPT], status=200, request_id=named)
