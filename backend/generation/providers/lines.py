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
from urllib.parse import unquote, urlsplit

import httpcore2
import httpx2
from httpx2 import InvalidURL as InvalidURL

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

    Attributes
    ----------
    kind : str
        "unreachable", "broken" (off, once connected), "timeout", "server", "address" or "proxy".
    came : int, optional
        The HTTP status, if one came before the trouble.
    headers : Mapping
        The headers, if they came.
    by_proxy : bool
        Whether it happened on the way through a proxy.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.came: int | None = None
        self.headers: Mapping[str, str] = {}
        self.by_proxy = False


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

    def __init__(
        self, pool: httpcore2.ConnectionPool, through: httpcore2.HTTPProxy | None = None
    ) -> None:
        self._pool = pool
        self._through = through

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # What is built in is on this very machine, which a proxy would look for on its own.
        through = None if _exchange.get().is_built_in else self._through
        with _named_troubles(by_proxy=through is not None):
            answer = (through or self._pool).handle_request(
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
                with _named_troubles(answer):
                    body = _whole(answer)
            finally:
                answer.close()
        response = _response(answer, body)
        if through and answer.status == PROXY_WANTS_PASSWORD:
            raise NoAnswer("proxy", f"it asks for a user and password ({answer.status})")
        if answer.status != 200:
            raise Declined(answer.status, response.headers, response.text)
        return response

    def close(self) -> None:
        self._pool.close()
        if self._through:
            self._through.close()


CODINGS = (b"content-encoding", b"transfer-encoding", b"content-length")


PROXY_WANTS_PASSWORD = 407


def _response(answer: httpcore2.Response, body: bytes) -> httpx2.Response:
    headers = [each for each in answer.headers if each[0].lower() not in CODINGS]
    response = httpx2.Response(answer.status, headers=headers, content=body)
    charset = response.charset_encoding or "utf-8"
    try:
        body.decode(charset, "replace")
    except (LookupError, ValueError):  # Python knows codings that make no text
        charset = "utf-8"
    response.encoding = charset
    return response


@contextmanager
def _named_troubles(
    answer: httpcore2.Response | None = None, *, by_proxy: bool = False
) -> Iterator[None]:
    """Give trouble its name, and the head of the answer in the middle of which it came."""
    try:
        with _named():
            yield
    except NoAnswer as trouble:
        if answer is not None:
            trouble.came = answer.status
            trouble.headers = httpx2.Headers(answer.headers)
        trouble.by_proxy |= by_proxy
        raise


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except httpcore2.ConnectTimeout as error:
        raise NoAnswer("unreachable", "") from error
    except httpcore2.TimeoutException as error:
        raise NoAnswer("timeout", "") from error
    except httpcore2.ConnectError as error:
        raise NoAnswer("unreachable", str(error)) from error
    except httpcore2.ProxyError as error:
        raise NoAnswer("proxy", str(error)[:200]) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
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
    kept: dict[str, Any] = {
        "ssl_context": httpx2.create_ssl_context(),
        "max_connections": None,
        "max_keepalive_connections": IDLE_CONNECTIONS,
        "keepalive_expiry": IDLE_SECONDS,
    }
    pool = httpcore2.ConnectionPool(network_backend=_Backend(is_to_proxy=False), **kept)
    transport = _Transport(pool, _proxy_pool(kept))
    return httpx2.Client(transport=transport, follow_redirects=False, timeout=None, trust_env=False)


def _proxy_pool(kept: Mapping[str, Any]) -> httpcore2.HTTPProxy | None:
    """Return the connections to the proxy of the settings, if they name one."""
    if not proxy():
        return None
    parts = urlsplit(proxy())
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return httpcore2.HTTPProxy(
        proxy_url=parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
        proxy_auth=(user.encode(), password.encode()) if user or password else None,
        network_backend=_Backend(is_to_proxy=True),
        **kept,
    )


def forget() -> None:
    """Close every connection; the next call begins with a new client."""
    if client.cache_info().currsize:
        client().close()
    client.cache_clear()


# Two processes that speak on one connection would read each other's answers.
os.register_at_fork(after_in_child=client.cache_clear)
