"""HTTP/1.1 as the endpoint speaks it: requests off a connection, answers on to it."""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True)
class Incoming:
    """A whole request."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: bytes


Serve = Callable[["Line", Incoming], Awaitable[None]]


class Line(asyncio.Protocol):
    """One connection. What it is asked is served at once, and given up when the client goes."""

    transport: asyncio.Transport

    def __init__(self, serve: Serve, lines: set["Line"]) -> None:
        self._serve, self._lines = serve, lines
        self._came = bytearray()
        self._head: tuple[int, Incoming] | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self._lines.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._lines.discard(self)
        if self._task:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._came += data
        self._next()

    def _next(self) -> None:
        if self._task or not (incoming := self._whole()):
            return
        self._task = asyncio.ensure_future(self._serve(self, incoming))
        self._task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if error := task.exception():
            self.transport.abort()
            raise error
        self._next()

    def _whole(self) -> Incoming | None:
        if self._head is None:
            end = self._came.find(b"\r\n\r\n")
            if end < 0:
                return None
            self._head = (end + 4, _head(self._came[:end].decode("latin-1")))
        start, head = self._head
        length = int(head.headers.get("content-length", 0))
        if len(self._came) < start + length:
            return None
        body = bytes(self._came[start : start + length])
        del self._came[: start + length]
        self._head = None
        return Incoming(head.method, head.path, head.headers, body)

    @property
    def is_open(self) -> bool:
        """Whether the client is still there, as far as this machine knows."""
        return not self.transport.is_closing()

    def send(self, head: bytes, body: bytes) -> None:
        self.transport.write(head + body)

    def reset(self) -> None:
        """Let the client see "connection reset by peer"."""
        linger = struct.pack("ii", 1, 0)
        line = self.transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.transport.abort()


def head(status: int, headers: Mapping[str, str], length: int) -> bytes:
    """Return the first part of an answer of this length."""
    known = {known.value: known.phrase for known in HTTPStatus}
    lines = [f"HTTP/1.1 {status} {known.get(status, 'Overloaded')}", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _head(text: str) -> Incoming:
    first, *others = text.split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in others)
    return Incoming(
        method, path, {name.strip().lower(): said.strip() for name, _, said in pairs}, b""
    )
