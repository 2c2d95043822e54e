"""The endpoint itself: a server on this machine, in a thread of its own."""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Any

from tests.endpoint import wording
from tests.endpoint.asked import Asked, NoSuchBody, NotThisAddress, read
from tests.endpoint.behaviours import Behaviour, Scenario, Way
from tests.endpoint.counts import Counts
from tests.endpoint.lines import Incoming, Line, head
from tests.endpoint.poems import RECITED, poem

JSON = {"Content-Type": "application/json"}
Rule = Scenario | Callable[[Asked], Behaviour]


class Endpoint:
    """A provider of language models on 127.0.0.1 that speaks all three wires.

    Its `scenario` may be changed at any time. An answer that was written for an idempotency key is
    given again to who asks with that key, and not written again, if `honours_idempotency`. No
    answer is written to a client that has gone.
    """

    def __init__(
        self, scenario: Rule | None = None, *, port: int = 0, honours_idempotency: bool = True
    ) -> None:
        self.scenario: Rule = scenario or Scenario()
        self.honours_idempotency = honours_idempotency
        self.counts = Counts()
        self.released = threading.Event()
        self._lines: set[Line] = set()
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(self._start(port))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._run, name="endpoint", daemon=True)
        self._thread.start()

    def url_of(self, wire: str) -> str:
        """Return the base URL to configure for this wire."""
        return f"{self.url}/v1" if wire == "openai" else self.url

    @property
    def requests(self) -> list[Asked]:
        """Every request, as it came."""
        return self.counts.requests

    @property
    def written(self) -> Counter[str]:
        """How often an answer was written, by key; each would be paid for."""
        return self.counts.written

    @property
    def delivered(self) -> Counter[str]:
        """How often an answer went out whole to a client that was still there, by key."""
        return self.counts.delivered

    @property
    def most_at_once(self) -> int:
        return self.counts.most_at_once

    def asked(self, model: str) -> int:
        """Return how often this model was asked."""
        return sum(request.model == model for request in self.requests)

    def begin_anew(self, scenario: Rule | None = None) -> None:
        """Forget all that was asked and written; behave as `scenario` says from now on."""
        self.scenario = scenario or Scenario()
        self.counts = Counts()
        self.released.clear()

    def heal(self) -> None:
        """Let models named "heals" be well."""
        assert isinstance(self.scenario, Scenario)
        self.scenario = replace(self.scenario, healed=True)

    def stop(self) -> None:
        """Close every connection and end; a second time does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    async def _start(self, port: int) -> asyncio.Server:
        return await self._loop.create_server(
            lambda: Line(self._serve, self._lines), "127.0.0.1", port, backlog=512
        )

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._server.close()
        for line in tuple(self._lines):
            line.transport.abort()
        under_way = asyncio.all_tasks(self._loop)
        for task in under_way:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*under_way, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))  # what was aborted is closed
        self._loop.close()

    async def _serve(self, line: Line, incoming: Incoming) -> None:
        if incoming.path.startswith("/_"):
            self._control(line, incoming)
            return
        try:
            asked = read(incoming.path, incoming.headers, incoming.body, time.monotonic())
        except NotThisAddress:
            _say(line, 404, {"error": {"message": f"Nothing is at {incoming.path}"}})
            return
        except NoSuchBody as error:
            _say(line, 400, {"error": {"message": str(error)}})
            return
        asked = self.counts.came(asked)
        try:
            async with self.counts.turn(asked):
                await self._answer(line, asked)
        finally:
            self.counts.at_once -= 1

    async def _answer(self, line: Line, asked: Asked) -> None:
        known = self.counts.kept.get(asked.idempotency_key) if self.honours_idempotency else None
        if known is not None:
            self.counts.replayed[asked.key] += 1
            # First, or who has it already could read the books before it stands there.
            self.counts.delivered[asked.key] += line.is_open
            line.send(head(200, JSON, len(known)), known)
            return
        behaviour = self.scenario(asked)
        await self._wait(behaviour)
        if behaviour.way is Way.CUT:
            line.reset()
        if not line.is_open:
            return
        body = self._body(asked, behaviour)
        if behaviour.is_answer:
            self.counts.wrote(asked, body)
        await self._give(line, asked, behaviour, body)

    async def _wait(self, behaviour: Behaviour) -> None:
        if behaviour.latency > 0:
            await asyncio.sleep(behaviour.latency)
        while behaviour.waits_for_release and not self.released.is_set():
            await asyncio.sleep(0.01)
        if behaviour.way is Way.HANG:
            await asyncio.Event().wait()

    def _body(self, asked: Asked, behaviour: Behaviour) -> bytes:
        body = behaviour.raw
        if body is not None:
            body = self._filled(asked, body)
        elif behaviour.status != 200:
            filled = {
                name: self._filled(asked, getattr(behaviour, name)) for name in ("message", "code")
            }
            body = wording.error(asked.wire, replace(behaviour, **filled))
        else:
            text = None if behaviour.text is None else self._filled(asked, behaviour.text)
            thoughts = self._filled(asked, behaviour.reasoning)
            body = wording.answer(asked, behaviour, wording.said(asked, behaviour, text, thoughts))
        return body.encode() + b" " * behaviour.padding

    def _filled(self, asked: Asked, text: str) -> str:
        scenario = self.scenario if isinstance(self.scenario, Scenario) else None
        if "{recited}" in text:
            text = text.replace("{recited}", scenario.recited if scenario else RECITED)
        if "{poem}" in text:
            text = text.replace("{poem}", (scenario and scenario.poem) or poem(asked.key))
        return text.replace("{key}", asked.authorization.removeprefix("Bearer "))

    async def _give(self, line: Line, asked: Asked, behaviour: Behaviour, body: bytes) -> None:
        headers = {"Content-Type": behaviour.kind, "X-Request-Id": f"req-{asked.number}"}
        headers["Request-Id"] = headers["X-Request-Id"]
        headers |= _waiting(behaviour)
        for name, said in behaviour.headers.items():
            headers[name] = self._filled(asked, said.replace("{elsewhere}", f"{self.url}/v1/else"))
        first = head(behaviour.status, headers, len(body))
        match behaviour.way:
            case Way.RESET:
                line.send(first, body[: len(body) // 2])
                await asyncio.sleep(0.05)  # or the reset would overtake what was sent
                line.reset()
            case Way.DROP:
                line.send(first, body[: len(body) // 2])
                line.transport.close()
            case Way.DRIP | Way.DRIP_HEAD:
                at_once = first if behaviour.way is Way.DRIP else b""
                await _drip(line, at_once, (first + body)[len(at_once) :], behaviour.gap)
                self.counts.delivered[asked.key] += line.is_open
            case _:
                self.counts.delivered[asked.key] += behaviour.is_answer and line.is_open
                line.send(first, body)

    def _control(self, line: Line, incoming: Incoming) -> None:
        path, _, query = incoming.path.partition("?")
        if (incoming.method, path) == ("GET", "/_count"):
            keys = {"by_key": dict(self.written), "delivered_by_key": dict(self.delivered)}
            _say(line, 200, self.counts.totals() | (keys if query == "keys" else {}))
        elif (incoming.method, path) == ("POST", "/_script"):
            self.scenario = replace(
                self.scenario if isinstance(self.scenario, Scenario) else Scenario(),
                **json.loads(incoming.body or b"{}"),
            )
            _say(line, 200, {})
        elif (incoming.method, path) == ("POST", "/_forget"):
            self.counts.forget()
            _say(line, 200, {})
        else:
            _say(line, 404, {})


async def _drip(line: Line, first: bytes, others: bytes, gap: float) -> None:
    line.send(first, b"")
    for byte in others:
        await asyncio.sleep(gap)
        line.send(bytes([byte]), b"")


def _waiting(behaviour: Behaviour) -> dict[str, str]:
    seconds = behaviour.retry_after
    if seconds is None or behaviour.retry_as == "details":
        return {}
    if behaviour.retry_as == "date":
        return {"Retry-After": formatdate(time.time() + seconds, usegmt=True)}
    if behaviour.retry_as == "milliseconds":
        return {"Retry-After-Ms": f"{seconds * 1000:.0f}"}
    return {"Retry-After": f"{seconds:g}"}


def _say(line: Line, status: int, data: dict[str, Any]) -> None:
    body = json.dumps(data).encode()
    line.send(head(status, JSON, len(body)), body)
