"""Requests as each wire wants them, and the one name of each request."""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from backend.generation.providers.asking import Reach, Request

NOTHING: Mapping[str, Any] = MappingProxyType({})
# Anthropic insists on a number.
ANTHROPIC_MAX_TOKENS = 4096
# What a vendor of OpenAI's wire calls the seed otherwise.
SEEDS = {"api.mistral.ai": "random_seed"}
# What stands at the top of a Gemini body; all else is generation configuration.
GEMINI_TOP = frozenset(
    {
        "contents", "systemInstruction", "tools", "toolConfig", "safetySettings",
        "cachedContent", "generationConfig", "serviceTier", "store",
    }
)  # fmt: skip


def request(
    reach: Reach,
    model: str,
    prompt: str,
    *,
    system: str = "",
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    parameters: Mapping[str, Any] = NOTHING,
    max_tokens_name: str = "max_tokens",
) -> Request:
    """Return the call that puts `prompt` to `model`. What is None is not sent at all.

    `parameters` go into the body as they are; what is named beside them wins. A name that the wire
    has no place for (Anthropic knows no seed) is not sent. At Mistral's own address the seed goes
    out as random_seed, for seed is refused there.
    """
    if reach.wire == "gemini":
        named = {"temperature": temperature, "maxOutputTokens": max_tokens, "seed": seed}
        body = _gemini(prompt, system, parameters, _given(named))
    elif reach.wire == "anthropic":
        named = {"temperature": temperature, "max_tokens": max_tokens}
        body = _anthropic(model, prompt, system, parameters, _given(named))
    else:
        named = {"temperature": temperature, max_tokens_name: max_tokens, _seed(reach): seed}
        body = _openai(model, prompt, system, parameters, _given(named))
    return Request(reach, body, model)


def identity(
    request: Request,
    *,
    sample: int,
    turn: int = 0,
    prompt_version: str = "1",
    purpose: str = "write",
) -> str:
    """Return the name of this call: two calls have the same one if one answer serves both."""
    said = {
        "wire": request.reach.wire,
        "url": request.url,
        "body": request.body,
        "sample": sample,
        "turn": turn,
        "prompt_version": prompt_version,
        "purpose": purpose,
    }
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _seed(reach: Reach) -> str:
    return SEEDS.get(urlsplit(reach.base_url).hostname or "", "seed")


def _given(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value is not None}


def _openai(
    model: str, prompt: str, system: str, parameters: Mapping[str, Any], named: dict[str, Any]
) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": prompt})
    return {**parameters, "model": model, "messages": messages, **named}


def _anthropic(
    model: str, prompt: str, system: str, parameters: Mapping[str, Any], named: dict[str, Any]
) -> dict[str, Any]:
    body = {"max_tokens": ANTHROPIC_MAX_TOKENS, **parameters, "model": model}
    body["messages"] = [{"role": "user", "content": prompt}]
    if system:
        body["system"] = system
    return {**body, **named}


def _gemini(
    prompt: str, system: str, parameters: Mapping[str, Any], named: dict[str, Any]
) -> dict[str, Any]:
    body = {name: value for name, value in parameters.items() if name in GEMINI_TOP}
    body["contents"] = [{"role": "user", "parts": [{"text": prompt}]}]
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    loose = {name: value for name, value in parameters.items() if name not in GEMINI_TOP}
    given = body.get("generationConfig")
    # Google's client sends it even if it is empty; so it is kept as it is sent.
    body["generationConfig"] = {**(given if isinstance(given, Mapping) else {}), **loose, **named}
    return body
