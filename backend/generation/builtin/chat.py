"""OpenAI's chat shapes: what a request may say, what a reply and a refusal look like."""

import json
import re
import time
import uuid
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

# A token as counted here: a line break, a word, a Chinese character, or a mark.
_TOKEN = re.compile(r"\n|[A-Za-z0-9'’]+|\S")
_HEARD = ("system", "developer", "user")
_ROLES = (*_HEARD, "assistant")


class RequestRefused(Exception):
    """The request cannot be answered; it is told why in OpenAI's shape."""

    def __init__(
        self,
        message: str,
        *,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code

    def body(self) -> dict[str, Any]:
        """The refusal as JSON data."""
        kind = (
            "server_error"
            if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            else "invalid_request_error"
        )
        return {
            "error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        }


@dataclass(frozen=True)
class ChatRequest:
    """A request for a chat completion, as far as the built-in models heed it."""

    model: str
    prompt: str
    seed: int
    temperature: float
    max_tokens: int | None

    @classmethod
    def read(cls, body: bytes) -> "ChatRequest":
        """Read a request; options that do not concern an n-gram model are left alone.

        Without a seed it is 0: the built-in models never vary by themselves.

        Raises
        ------
        RequestRefused
            If the body is no JSON object, or something in it is not of its kind.
        """
        try:
            fields = json.loads(body)
        except ValueError as error:
            raise RequestRefused(f"the body is not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise RequestRefused("the body is not a JSON object")
        if fields.get("stream"):
            raise RequestRefused("streaming is not offered", param="stream")
        if fields.get("n") not in (None, 1):
            raise RequestRefused("one reply a request is offered", param="n")
        model = fields.get("model")
        if not isinstance(model, str):
            raise RequestRefused("model is missing or not a string", param="model")
        limit = "max_completion_tokens" if "max_completion_tokens" in fields else "max_tokens"
        return cls(
            model=model,
            prompt=_prompt(fields.get("messages")),
            seed=_integer(fields, "seed", least=None) or 0,
            temperature=_temperature(fields.get("temperature")),
            max_tokens=_integer(fields, limit, least=1),
        )

    def completion(self, text: str, *, fingerprint: str) -> dict[str, Any]:
        """The reply as JSON data, cut to the tokens asked for."""
        ends = [token.end() for token in _TOKEN.finditer(text)]
        cut = self.max_tokens is not None and len(ends) > self.max_tokens
        if cut:
            ends = ends[: self.max_tokens]
        asked = len(_TOKEN.findall(self.prompt))
        return {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.model,
            "system_fingerprint": fingerprint,
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": text[: ends[-1]] if cut else text,
                        "refusal": None,
                    },
                    "logprobs": None,
                    "finish_reason": "length" if cut else "stop",
                }
            ],
            "usage": {
                "prompt_tokens": asked,
                "completion_tokens": len(ends),
                "total_tokens": asked + len(ends),
            },
        }


def _prompt(messages: object) -> str:
    """What the models read: all that was said to them, without their own replies."""
    if not isinstance(messages, list) or not messages:
        raise RequestRefused("messages is missing, empty or not a list", param="messages")
    return "\n\n".join(text for message in messages if (text := _said(message)))


def _said(message: object) -> str:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise RequestRefused(
            f"a message has one of the roles {', '.join(_ROLES)}", param="messages"
        )
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else None for part in content]
    else:
        parts = [content]
    texts = [part for part in parts if isinstance(part, str)]
    if message["role"] not in _HEARD:
        return ""
    if len(texts) != len(parts):
        raise RequestRefused("the content of a message is text", param="messages")
    return "".join(texts)


def _integer(fields: dict[str, Any], name: str, *, least: int | None) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise RequestRefused(f"{name} is not a whole number", param=name)
    if least is not None and value < least:
        raise RequestRefused(f"{name} is less than {least}", param=name)
    return value


def _temperature(value: object) -> float:
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise RequestRefused("temperature is not a number from 0 to 2", param="temperature")
    return float(value)
