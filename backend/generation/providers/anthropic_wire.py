"""Anthropic's messages."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from backend.generation.providers.asking import Reply, Request, Usage, anthropic_root
from backend.generation.providers.counting import count, group, total, word

Create = Callable[..., Any]
ANSWER = "message"
FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


def credentials(key: str) -> tuple[str, str]:
    """Return the header that holds the key."""
    return "X-Api-Key", key


def send(create: Create, request: Request) -> tuple[str, Mapping[str, str]]:
    """Send the request with what `client` made. Return the answer's body and headers."""
    import anthropic

    from backend.generation.providers import lines

    body = dict(request.body)
    idempotency = request.idempotency_key
    try:
        raw = create(
            model=body.pop("model"),
            messages=body.pop("messages"),
            max_tokens=body.pop("max_tokens"),
            extra_headers={"Idempotency-Key": idempotency} if idempotency else {},
            # All else goes as it is: the client takes no temperature any more, some models do.
            extra_body=body,
        )
    except anthropic.APIConnectionError as error:
        # The client wraps whatever the line says.
        if isinstance(error.__cause__, lines.NoAnswer):
            raise error.__cause__ from error
        raise
    return raw.http_response.text, raw.http_response.headers


def read(data: Any) -> Reply:
    """Return what the answer says.

    Raises
    ------
    LookupError, TypeError
        If it is no message.
    """
    blocks = data["content"]
    finish = str(data.get("stop_reason") or "")
    return Reply(
        "".join(block["text"] for block in blocks if block["type"] == "text"),
        FINISHES.get(finish, finish),
        "",
        reasoning="".join(block["thinking"] for block in blocks if block["type"] == "thinking"),
        usage=_usage(group(data, "usage")),
        request_id=word(data.get("id")),
        served_model=word(data.get("model")),
    )


def _usage(said: dict[str, Any]) -> Usage:
    cached = count(said.get("cache_read_input_tokens"))
    return Usage(
        # What came from the cache, or went into it, is not in the first.
        input=total(
            count(said.get("input_tokens")),
            count(said.get("cache_creation_input_tokens")),
            cached,
        ),
        output=count(said.get("output_tokens")),
        reasoning=count(group(said, "output_tokens_details").get("thinking_tokens")),
        cached=cached,
    )


@lru_cache(maxsize=64)
def client(base_url: str, key: str) -> Create:
    """Return what sends a request by Anthropic's client, one for each address and key."""
    import anthropic

    from backend.generation.providers import lines

    made = anthropic.Anthropic(
        base_url=anthropic_root(base_url),
        api_key=key,
        max_retries=0,
        timeout=None,
        http_client=lines.client(),
        open_telemetry=False,
    )
    return made.messages.with_raw_response.create
