"""The words of each wire: what an answer or an error looks like in it."""

import json
from dataclasses import dataclass
from typing import Any

from tests.endpoint.asked import Asked
from tests.endpoint.behaviours import Behaviour

FINISHES = {
    "openai": {"filtered": "content_filter"},
    "anthropic": {"stop": "end_turn", "length": "max_tokens", "filtered": "refusal"},
    "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "filtered": "SAFETY"},
}
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}


@dataclass(frozen=True)
class Said:
    """An answer before it has a wire."""

    text: str | None
    reasoning: str
    finish: str
    name: str  # of the answer
    usage: tuple[int, int, int] | None  # of the prompt, the text, the reasoning


def said(asked: Asked, behaviour: Behaviour, text: str | None, reasoning: str) -> Said:
    """Return the answer to give; a token is four bytes."""
    finish = FINISHES[asked.wire].get(behaviour.finish, behaviour.finish)
    counts = tuple(len(words) // 4 + bool(words) for words in (asked.prompt, text or "", reasoning))
    return Said(text, reasoning, finish, asked.key[:24], counts if behaviour.usage else None)


def answer(asked: Asked, behaviour: Behaviour, what: Said) -> str:
    """Return the body of an answer."""
    body = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}[asked.wire](
        asked, behaviour, what
    )
    return json.dumps(body)


def error(wire: str, behaviour: Behaviour) -> str:
    """Return the body of an error."""
    if behaviour.status in range(300, 400):
        return ""
    message, status, code = behaviour.message, behaviour.status, behaviour.code
    if wire == "anthropic":
        kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(status, "api_error")
        return json.dumps({"type": "error", "error": {"type": code or kind, "message": message}})
    if wire == "gemini":
        told: dict[str, Any] = {"code": status, "message": message}
        told["status"] = STATUSES.get(status, "INTERNAL")
        told["details"] = _details(behaviour)
        return json.dumps({"error": told})
    return json.dumps({"error": {"message": message, "type": "error", "code": code or None}})


def _details(behaviour: Behaviour) -> list[dict[str, str]]:
    kind = "type.googleapis.com/google.rpc."
    details = []
    if behaviour.code:
        details.append({"@type": f"{kind}ErrorInfo", "reason": behaviour.code})
    if behaviour.retry_as == "details" and behaviour.retry_after is not None:
        details.append({"@type": f"{kind}RetryInfo", "retryDelay": f"{behaviour.retry_after:g}s"})
    return details


def _openai(asked: Asked, behaviour: Behaviour, what: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": what.text}
    if what.reasoning:
        message[behaviour.reasoning_name] = what.reasoning
    if behaviour.refusal:
        message["refusal"] = behaviour.refusal
    body: dict[str, Any] = {
        "id": f"chatcmpl-{what.name}",
        "object": "chat.completion",
        "created": 0,
        "model": f"{asked.model}-served",
        "choices": [{"index": 0, "message": message, "finish_reason": what.finish}],
    }
    if what.usage:
        prompt, text, thought = what.usage
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": text + thought,
            "total_tokens": prompt + text + thought,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": thought},
        }
    return body


def _anthropic(asked: Asked, _: Behaviour, what: Said) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if what.reasoning:
        content.append({"type": "thinking", "thinking": what.reasoning, "signature": "c2ln"})
    if what.text:
        content.append({"type": "text", "text": what.text})
    body: dict[str, Any] = {
        "id": f"msg_{what.name}",
        "type": "message",
        "role": "assistant",
        "model": f"{asked.model}-served",
        "content": content,
        "stop_reason": what.finish,
        "stop_sequence": None,
    }
    if what.usage:
        prompt, text, thought = what.usage
        body["usage"] = {
            "input_tokens": prompt,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": text + thought,
        }
    return body


def _gemini(asked: Asked, _: Behaviour, what: Said) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if what.reasoning:
        parts.append({"text": what.reasoning, "thought": True})
    if what.text:
        parts.append({"text": what.text})
    body: dict[str, Any] = {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": what.finish, "index": 0}
        ],
        "modelVersion": f"{asked.model}-served",
        "responseId": what.name,
    }
    if what.usage:
        prompt, text, thought = what.usage
        body["usageMetadata"] = {
            "promptTokenCount": prompt,
            "candidatesTokenCount": text,
            "totalTokenCount": prompt + text + thought,
        }
        if thought:
            body["usageMetadata"]["thoughtsTokenCount"] = thought
    return body
