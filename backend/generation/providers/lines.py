"""The one HTTP client that all vendors' clients are given: what it lets through, and for how long.

It follows no redirect, reads no proxy from the environment, looks at every address before it
connects, and ends every call at its deadline, whether or not bytes still come.
"""

import os
import ssl
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

from backend.generation.providers.addresses import AddressForbidden, addresses_of, proxy

CONNECT_SECONDS = 5.0
LONGEST_BODY = 8_000_000  # bytes
PIECE = 65_536
IDLE_SECONDS = 20.0  # for which a connection waits for its next call
IDLE_CONNECTIONS = 128

# The rest of what the vendors' clients send tells of this machine, or comes from variables of the
# environment that are meant for other programs: another key, another account.
HEADERS = frozenset(
    {"host", "accept", "content-type", "content-length", "user-agent", "anthropic-version",
     "idempotency-key"}
)  # fmt: skip


class NoAnswer(Exception):
    """The call ended without an answer.

    `kind` is "unreachable", "broken" (off, once connected), "timeout", "server" or "address".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Declined(NoAnswer):
    """Something came that is no answer: another status than 200."""

    def __init__(self, status: int, headers: Mapping[str, str], body: str) -> None:
        super().__init__("server", f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


@dataclass(frozen=True)
class Exchange:
    """The call that a thread is making: when it ends, and the header that holds its key."""

    ends: float
    credentials: tuple[str, str]
    is_built_in: bool = False


_exchange: ContextVar[Exchange] = ContextVar("exchange")


@contextmanager
def exchange(
    seconds: float, credentials: tuple[str, str], *, is_built_in: bool = False
) -> Iterator[None]:
    """Let what is sent in this block be one call that ends after so many seconds."""
    token = _exchange.set(Exchange(time.monotonic() + seconds, credentials, is_built_in))
    try:
        yield
    finally:
        _exchange.reset(token)


def _left(most: float | None = None) -> float:
    left = _exchange.get().ends - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("the call's time is over")
    return left if most is None else min(left, most)


class _Stream(httpcore2.NetworkStream):
    """A connection on which nothing lasts longer than the call it is used for."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            self._inner.write(buffer[start : start + PIECE], _left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        limit = CONNECT_SECONDS if timeout is None else min(timeout, CONNECT_SECONDS)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _left(limit)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Connects to addresses that were looked at, not to names that may since lead elsewhere."""

    def __init__(self, *, is_to_proxy: bool) -> None:
        self._is_to_proxy = is_to_proxy
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        ends = time.monotonic() + CONNECT_SECONDS
        any_host = self._is_to_proxy or _exchange.get().is_built_in
        try:
            addresses = addresses_of(host, port, any_host=any_host, seconds=_left(CONNECT_SECONDS))
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        options = list(socket_options or ())
        trouble: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in addresses:
            left = _left(ends - time.monotonic())
            if left <= 0:
                break
            try:
                return _Stream(self._inner.connect_tcp(address, port, left, local_address, options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                trouble = error
        raise trouble or httpcore2.ConnectTimeout("no address answers")


class _Transport(httpx2.BaseTransport):
    """Sends one request and reads the whole answer."""

    def __init__(self, pool: httpcore2.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        with _named_troubles():
            answer = self._pool.handle_request(
                httpcore2.Request(
                    request.method,
                    httpcore2.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=_headers(request),
                    content=request.read(),
                )
            )
            try:
                body = _whole(answer)
            finally:
                answer.close()
        headers = [each for each in answer.headers if each[0].lower() not in CODINGS]
        response = httpx2.Response(answer.status, headers=headers, content=body)
        if answer.status != 200:
            raise Declined(answer.status, response.headers, response.text)
        return response

    def close(self) -> None:
        self._pool.close()


CODINGS = (b"content-encoding", b"transfer-encoding", b"content-length")


@contextmanager
def _named_troubles() -> Iterator[None]:
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        raise NoAnswer("unreachable", "") from error
    except httpcore2.TimeoutException as error:
        raise NoAnswer("timeout", "") from error
    except httpcore2.ConnectError as error:
        raise NoAnswer("unreachable", str(error)) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        raise NoAnswer("broken", "broken off") from error
    except AddressForbidden as error:
        raise NoAnswer("address", str(error)) from error


def _headers(request: httpx2.Request) -> list[tuple[bytes, bytes]]:
    name, value = _exchange.get().credentials
    kept = [each for each in request.headers.raw if each[0].decode().lower() in HEADERS]
    # A compressed answer could be a thousand times as long as what comes over the line.
    return [*kept, (b"Accept-Encoding", b"identity"), (name.encode(), value.encode())]


def _whole(answer: httpcore2.Response) -> bytes:
    came = bytearray()
    for piece in answer.iter_stream():
        came += piece
        _refuse_length(came)
        _left()
    coding = {name.lower(): value for name, value in answer.headers}.get(CODINGS[0], b"")
    return _unpacked(bytes(came), coding.decode("latin-1").strip().lower())


def _unpacked(came: bytes, coding: str) -> bytes:
    """Return the body that was compressed although it was asked not to be."""
    if coding in ("", "identity"):
        return came
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise NoAnswer("server", f"The answer is packed in a way that is not read: {coding[:40]}.")
    try:
        body = zlib.decompressobj(wbits=47).decompress(came, LONGEST_BODY + 1)
    except zlib.error as error:
        raise NoAnswer("server", "The answer is not packed as it says it is.") from error
    _refuse_length(body)
    return body


def _refuse_length(body: bytes | bytearray) -> None:
    if len(body) > LONGEST_BODY:
        limit = LONGEST_BODY // 1_000_000
        raise NoAnswer("server", f"The answer is longer than {limit} MB; the rest was not read.")


@lru_cache(maxsize=1)
def client() -> httpx2.Client:
    """Return the HTTP client of this process; its connections are used again and again."""
    through = proxy()
    kept: dict[str, Any] = {
        "ssl_context": httpx2.create_ssl_context(),
        "max_connections": None,
        "max_keepalive_connections": IDLE_CONNECTIONS,
        "keepalive_expiry": IDLE_SECONDS,
        "network_backend": _Backend(is_to_proxy=bool(through)),
    }
    pool = (
        httpcore2.HTTPProxy(proxy_url=through, **kept)
        if through
        else httpcore2.ConnectionPool(**kept)
    )
    return httpx2.Client(
        transport=_Transport(pool), follow_redirects=False, timeout=None, trust_env=False
    )


def forget() -> None:
    """Close every connection; the next call begins with a new client."""
    if client.cache_info().currsize:
        client().close()
    client.cache_clear()


# Two processes that speak on one connection would read each other's answers.
os.register_at_fork(after_in_child=client.cache_clear)
