"""OpenAI's chat completions, which most servers of open models speak too."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from backend.generation.providers.asking import Failure, Reply, Request, Usage
from backend.generation.providers.counting import count, group, word

Create = Callable[..., Any]
ANSWER = "chat completion"
# The older name is DeepSeek's and that of older servers.
REASONING = ("reasoning", "reasoning_content")
# OpenRouter's and DeepSeek's words for an answer that broke off on their side.
FAILED = ("error", "insufficient_system_resource")


def credentials(key: str) -> tuple[str, str]:
    """Return the header that holds the key."""
    return "Authorization", f"Bearer {key}"


def send(create: Create, request: Request) -> tuple[str, Mapping[str, str]]:
    """Send the request with what `client` made. Return the answer's body and headers."""
    body = dict(request.body)
    raw = create(
        model=body.pop("model"),
        messages=body.pop("messages"),
        extra_headers=_extra(request),
        # All else goes as it is: the client knows some names only, and not those of other vendors.
        extra_body=body,
    )
    return raw.http_response.text, raw.http_response.headers


def read(data: Any) -> Reply:
    """Return what the answer says.

    Raises
    ------
    LookupError, TypeError
        If it is no chat completion.
    Failure
        If it says that it is a broken one.
    """
    choice = data["choices"][0]
    finish = str(choice.get("finish_reason") or "")
    if choice.get("error") or finish in FAILED:
        said = word(group(choice, "error").get("message"))
        raise Failure(f"{finish or 'error'}: {said}" if said else finish or "error")
    message = choice["message"]
    text, thoughts = _content(message.get("content"))
    if not text and (text := word(message.get("refusal"))):
        finish = "content_filter"
    told = next((message[name] for name in REASONING if word(message.get(name))), "")
    return Reply(
        text,
        finish,
        "",
        reasoning=told or thoughts,
        usage=_usage(group(data, "usage")),
        request_id=word(data.get("id")),
        served_model=word(data.get("model")),
    )


def _content(content: Any) -> tuple[str, str]:
    """Return the text and the thoughts: some vendors send both as a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    said = "".join(part["text"] for part in content if part["type"] == "text")
    thoughts = (part["thinking"] for part in content if part["type"] == "thinking")
    return said, "".join(_content(each)[0] for each in thoughts)


def _usage(said: dict[str, Any]) -> Usage:
    prompt, output = count(said.get("prompt_tokens")), count(said.get("completion_tokens"))
    every = count(said.get("total_tokens"))
    if None not in (prompt, output, every):
        # Some vendors bill thoughts as output, and count them in the total alone.
        output = max(output, every - prompt)  # type: ignore[operator, type-var]
    cached = count(group(said, "prompt_tokens_details").get("cached_tokens"))
    return Usage(
        input=prompt,
        output=output,
        reasoning=count(group(said, "completion_tokens_details").get("reasoning_tokens")),
        cached=count(said.get("prompt_cache_hit_tokens")) if cached is None else cached,
    )


def _extra(request: Request) -> dict[str, str]:
    return {"Idempotency-Key": request.idempotency_key} if request.idempotency_key else {}


@lru_cache(maxsize=64)
def client(base_url: str, key: str) -> Create:
    """Return what sends a request by OpenAI's client, one for each address and key."""
    import openai

    from backend.generation.providers import lines

    made = openai.OpenAI(
        base_url=base_url, api_key=key, max_retries=0, timeout=None, http_client=lines.client()
    )
    return made.chat.completions.with_raw_response.create
