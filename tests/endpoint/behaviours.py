"""How a model of the endpoint behaves: by its name, or by a scenario for all of them."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from tests.endpoint.asked import Asked
from tests.endpoint.poems import RECITED

THOUGHTS = "A river, then.\nStones? They give back a sound."
SORRY = "I'm sorry, but I can't help with that."


class Way(StrEnum):
    """How the answer takes the line."""

    WHOLE = "whole"
    RESET = "reset"  # the connection is reset in the middle of the body
    DROP = "drop"  # it ends in good order, in the middle of the body
    DRIP = "drip"  # a byte now and then
    DRIP_HEAD = "drip-head"  # the headers already
    HANG = "hang"  # nothing, until the client goes
    CUT = "cut"  # the connection is reset before anything is answered


@dataclass(frozen=True)
class Behaviour:
    """One answer, and how it is given.

    In `text`, `raw` and `message`, "{poem}" becomes the poem, "{key}" the header with the account's
    key, and "{recited}" a known poem.
    """

    text: str | None = "{poem}"
    finish: str = "stop"  # "stop", "length" or "filtered": each wire has its own word
    reasoning: str = ""
    reasoning_name: str = "reasoning"  # on OpenAI's wire
    refusal: str = ""  # on OpenAI's wire, a field of its own
    usage: bool = True
    status: int = 200
    message: str = ""  # of an error
    code: str = ""  # of an error
    raw: str | None = None  # the body, in place of one of the wire
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after: float | None = None
    retry_as: str = "seconds"  # "seconds", "date", "milliseconds" or "details" (Google's)
    latency: float = 0.0
    way: Way = Way.WHOLE
    gap: float = 0.1  # seconds between the bytes of a drip
    padding: int = 0  # bytes of white space after the body
    waits_for_release: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether it would be paid for."""
        return self.status == 200 and self.way not in (Way.HANG, Way.CUT)


def _busy(status: int = 429, **how: object) -> Behaviour:
    return Behaviour(status=status, message="Rate limit reached", **how)  # type: ignore[arg-type]


OK = Behaviour()
BEHAVIOURS: Mapping[str, Behaviour] = MappingProxyType(
    {
        "ok": OK,
        "slow": Behaviour(latency=0.33),
        "hang": Behaviour(way=Way.HANG),
        "held": Behaviour(waits_for_release=True),
        "cut": Behaviour(way=Way.CUT),
        "reset": Behaviour(way=Way.RESET),
        "drop": Behaviour(way=Way.DROP),
        "drip": Behaviour(way=Way.DRIP),
        "drip-head": Behaviour(way=Way.DRIP_HEAD),
        "huge": Behaviour(padding=9_000_000),
        # Waiting
        "busy": _busy(),
        "busy-bare": _busy(),
        "busy-seconds": _busy(retry_after=2.0),
        "busy-date": _busy(retry_after=90.0, retry_as="date"),
        "busy-past": _busy(retry_after=-60.0, retry_as="date"),
        "busy-milliseconds": _busy(retry_after=1.5, retry_as="milliseconds"),
        "busy-details": _busy(retry_after=34.0, retry_as="details"),
        "busy-nonsense": _busy(headers={"Retry-After": "soon"}),
        "overloaded": _busy(529),
        "overloaded-seconds": _busy(529, retry_after=2.0),
        "unavailable": _busy(503, retry_after=7.0),
        "no-credit": _busy(code="insufficient_quota"),
        # Failing
        "server": Behaviour(status=500, message="The server had an error"),
        "broken": Behaviour(status=500, message="The server had an error"),
        "gateway": Behaviour(status=502, raw="<html>Bad gateway</html>", kind="text/html"),
        "request-timeout": Behaviour(status=408, message="Too slow"),
        "html": Behaviour(raw="<html><body>Gateway</body></html>", kind="text/html"),
        "garbage": Behaviour(raw='{"choices": [{"mess'),
        "broken-json": Behaviour(raw='{"choices": [{"mess'),
        "list-body": Behaviour(raw="[]"),
        "bare-object": Behaviour(raw="{}"),
        "no-choices": Behaviour(raw='{"choices": []}'),
        "list": Behaviour(raw='{"choices": [{"message": {"content": [{"type": "text"}]}}]}'),
        "deep": Behaviour(raw="[" * 200_000),
        # Refusing
        "no-key": Behaviour(status=401, message="Incorrect API key"),
        "forbidden": Behaviour(status=403, message="This key may not use the model"),
        "unknown": Behaviour(status=404, message="No such model"),
        "bad-request": Behaviour(status=400, message="temperature is not supported"),
        "bad-key-400": Behaviour(status=400, message="API key not valid", code="API_KEY_INVALID"),
        "unpaid": Behaviour(status=402, message="Insufficient balance"),
        "redirect": Behaviour(status=302, headers={"Location": "{elsewhere}"}),
        "redirect-307": Behaviour(status=307, headers={"Location": "{elsewhere}"}),
        # Replies
        "no-usage": Behaviour(usage=False),
        "length": Behaviour(text="The river keeps", finish="length"),
        "thought-too-long": Behaviour(text="", reasoning=THOUGHTS, finish="length"),
        "refusal": Behaviour(text=SORRY),
        "refusal-field": Behaviour(text=None, refusal=SORRY),
        "filtered": Behaviour(text="", finish="filtered"),
        "empty": Behaviour(text=""),
        "null": Behaviour(text=None),
        "think": Behaviour(text=f"<think>{THOUGHTS}</think>\n\n{{poem}}"),
        "think-open": Behaviour(text="<think>A river, then. Or perhaps", finish="length"),
        "reasoning": Behaviour(reasoning=THOUGHTS),
        "reasoning-content": Behaviour(reasoning=THOUGHTS, reasoning_name="reasoning_content"),
        "fence": Behaviour(text="Here it is:\n```text\n{poem}\n```\nEnjoy!"),
        "title": Behaviour(
            text="Certainly! Here is a poem:\n\n**The River**\n\n{poem}\n\nI hope you like it!"
        ),
        "nul": Behaviour(text="{poem}\x00"),
        "half-a-pair": Behaviour(text="{poem}\ud83d"),
        "recite": Behaviour(text="{recited}"),
        # The key of the account, said back
        "echo-key": Behaviour(text="{poem}\n{key}", reasoning="It is {key}"),
        "echo-200": Behaviour(text="{poem}\n{key}"),
        "echo-401": Behaviour(status=401, message="Wrong: {key}"),
        "echo-429": _busy(code="{key}", headers={"X-Request-Id": "{key}"}),
        "echo-500": Behaviour(status=500, message="Wrong: {key}"),
        "echo-400": Behaviour(status=400, message="Wrong: {key}"),
        "echo-html": Behaviour(raw="{key}", kind="text/html"),
    }
)


def flaky(asked: Asked, _: bool) -> Behaviour:
    """Fail the first two of each key, then answer."""
    return OK if asked.time > 2 else BEHAVIOURS["server"]


def recite_twice(asked: Asked, _: bool) -> Behaviour:
    """Recite to the first two requests of each prompt, then write."""
    return OK if asked.poems >= 2 else BEHAVIOURS["recite"]


def heals(_: Asked, healed: bool) -> Behaviour:
    """Refuse the key until the endpoint is told that all is well."""
    return OK if healed else BEHAVIOURS["no-key"]


def first_six(asked: Asked, _: bool) -> Behaviour:
    """Answer six at once, and the others when they are released."""
    return replace(OK, waits_for_release=asked.at_once > 6)


CHANGING = {
    "flaky": flaky,
    "recite-twice": recite_twice,
    "heals": heals,
    "first-six": first_six,
}


@dataclass(frozen=True)
class Scenario:
    """How all models behave, unless each behaves as it is named.

    `shares` is the part of all requests that behave otherwise, by the name of a behaviour, as
    ``{"busy-seconds": 0.05, "reset": 0.02}``. Which ones follows from `seed` and their number.
    """

    latency: float = 0.0  # seconds until an answer
    jitter: float = 0.0  # up to so many seconds more or less
    behaviour: str = ""  # of every model; empty: each as it is named, "ok" if no behaviour is
    shares: Mapping[str, float] = field(default_factory=dict)
    parallel: int | None = None  # more at once are told to wait
    retry_after: float | None = 1.0  # what those are told
    poem: str = ""  # the same for all; empty: each its own
    recited: str = RECITED
    healed: bool = False
    seed: int = 0

    def __call__(self, asked: Asked) -> Behaviour:
        """Return how this request is answered."""
        if self.parallel is not None and asked.at_once > self.parallel:
            return _busy(retry_after=self.retry_after)
        draw = random.Random(f"{self.seed}/{asked.number}")
        found = self._named(self._drawn(draw) or self.behaviour or asked.model, asked)
        if not self.latency:
            return found
        waits = self.latency + draw.uniform(-self.jitter, self.jitter)
        # Who refuses does so at once.
        return replace(found, latency=found.latency + waits) if found.is_answer else found

    def _drawn(self, draw: random.Random) -> str:
        place = draw.random()
        for name, share in self.shares.items():
            if place < share:
                return name
            place -= share
        return ""

    def _named(self, name: str, asked: Asked) -> Behaviour:
        if name in CHANGING:
            return CHANGING[name](asked, self.healed)
        return BEHAVIOURS.get(name, OK)
