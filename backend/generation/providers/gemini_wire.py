"""Google's generateContent, as the Gemini API has it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from backend.generation.providers.asking import Reply, Request, Usage, gemini_name, gemini_root
from backend.generation.providers.counting import count, group, total, word

Create = Callable[..., Any]
ANSWER = "generated content"
FINISHES = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "ESCALATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
}


def credentials(key: str) -> tuple[str, str]:
    """Return the header that holds the key."""
    return "X-Goog-Api-Key", key


def send(generate: Create, request: Request) -> tuple[str, Mapping[str, str]]:
    """Send the request with what `client` made. Return the answer's body and headers.

    Raises
    ------
    ValueError
        If no address can be made of the model's name.
    """
    from google.genai import types

    idempotency = request.idempotency_key
    answer = generate(
        model=gemini_name(request.model),
        contents=request.body["contents"],
        config=types.GenerateContentConfig(
            should_return_http_response=True,
            # Neither may ask a second time by itself.
            automatic_continuation=False,
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            http_options=types.HttpOptions(
                headers={"Idempotency-Key": idempotency} if idempotency else {},
                # The client would translate names; here they go as they are.
                extra_body=request.body,
            ),
        ),
    )
    came = answer.sdk_http_response
    return (came.body or "", came.headers or {}) if came else ("", {})


def read(data: Any) -> Reply:
    """Return what the answer says.

    Raises
    ------
    LookupError, TypeError
        If it is no generated content.
    """
    candidate = _candidate(data)
    parts = group(candidate, "content").get("parts") or []
    finish = word(candidate.get("finishReason"))
    return Reply(
        "".join(word(part.get("text")) for part in parts if not part.get("thought")),
        FINISHES.get(finish, finish),
        "",
        reasoning="".join(word(part.get("text")) for part in parts if part.get("thought")),
        usage=_usage(group(data, "usageMetadata")),
        request_id=word(data.get("responseId")),
        served_model=word(data.get("modelVersion")),
    )


def _candidate(data: Any) -> dict[str, Any]:
    """Return the first candidate; none was written if the prompt itself was blocked."""
    if not data.get("candidates") and group(data, "promptFeedback").get("blockReason"):
        return {"finishReason": "PROHIBITED_CONTENT"}
    candidate = data["candidates"][0]
    if not isinstance(candidate, dict):
        raise TypeError("a candidate is an object")
    return candidate


def _usage(said: dict[str, Any]) -> Usage:
    thoughts = count(said.get("thoughtsTokenCount"))
    return Usage(
        input=total(
            count(said.get("promptTokenCount")), count(said.get("toolUsePromptTokenCount"))
        ),
        output=total(count(said.get("candidatesTokenCount")), thoughts),
        reasoning=thoughts,
        cached=count(said.get("cachedContentTokenCount")),
    )


@lru_cache(maxsize=64)
def client(base_url: str, key: str) -> Create:
    """Return what sends a request by Google's client, one for each address and key."""
    from google import genai
    from google.genai import types

    from backend.generation.providers import lines

    root, version = gemini_root(base_url)
    made = genai.Client(
        vertexai=False,  # whatever the environment says
        api_key=key,
        http_options=types.HttpOptions(
            base_url=root, api_version=version, httpx_client=lines.client()
        ),
    )
    return made.models.generate_content
