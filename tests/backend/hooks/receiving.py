"""A receiver of messages: a real HTTP server that answers as told, and checks what it is sent."""

import base64
import hashlib
import hmac
import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def said(self) -> dict[str, Any]:
        return json.loads(self.body)

    def signed_with(self, secret: str) -> bool:
        """Whether the signature is what RFC 2104 makes of key and message, written out here."""
        key = base64.b64decode(secret.split("_", 1)[1]).ljust(64, b"\0")
        message = b".".join(
            (
                self.headers["Webhook-Id"].encode(),
                self.headers["Webhook-Timestamp"].encode(),
                self.body,
            )
        )
        inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
        outer = hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()
        version, _, signature = self.headers["Webhook-Signature"].partition(",")
        return version == "v1" and hmac.compare_digest(base64.b64decode(signature), outer)


@dataclass
class Receiver:
    """What was received, and what is answered: each of `answers` once, then 204."""

    url: str
    received: list[Received] = field(default_factory=list)
    answers: list[int | str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    turn: threading.Lock = field(default_factory=threading.Lock)

    def take(self, request: Received) -> int | str:
        with self.turn:
            self.received.append(request)
            return self.answers.pop(0) if self.answers else 204

    @property
    def ids(self) -> list[str]:
        return [one.said["id"] for one in self.received]


class _Server(ThreadingHTTPServer):
    receiver: Receiver


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver = self.server.receiver
        match receiver.take(Received("POST", self.path, dict(self.headers), body)):
            case "hang":
                receiver.released.wait(30)
            case "drip":
                self._drip(receiver.released)
            case "noise":
                self.wfile.write(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            case int(status):
                self._answer(status)

    def do_GET(self) -> None:
        self.server.receiver.take(Received("GET", self.path, dict(self.headers), b""))
        self._answer(200)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def _drip(self, released: threading.Event) -> None:
        """Send a header, one byte at a time, for as long as the other side listens."""
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not released.wait(0.02):
                self.wfile.write(b"x")
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on a free port until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    begins = "http://127.0.0.1"
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        begins = "https://localhost"  # the name in the tests' certificate
    server.receiver = Receiver(f"{begins}:{server.server_port}/")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.receiver
    finally:
        server.receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
