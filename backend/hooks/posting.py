"""One request to a receiver: to a machine that was looked at, and within a time that is kept."""

import io
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import TYPE_CHECKING

from backend.hooks.receivers import Machine, Receiver, find, read

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 10.0
READ_AT_MOST = 1024  # bytes of an answer's body


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a message, and return the status of the answer. No redirect is followed.

    Raises
    ------
    backend.hooks.receivers.BadAddress
        If nothing may be sent there, or not any more.
    OSError
        If the receiver cannot be reached, is not who it says, or does not answer in time.
    http.client.HTTPException
        If it answers something else than HTTP.
    """
    receiver = read(url)
    with _connect(receiver, find(receiver)) as line:
        connection = HTTPConnection(receiver.host, receiver.port)
        # Already connected: the name is not asked for again, since it could then lead elsewhere.
        connection.sock = line
        line.settimeout(ANSWER_SECONDS)
        until = time.monotonic() + ANSWER_SECONDS
        sent = {"Host": receiver.authority, "Connection": "close", **headers}
        connection.request("POST", receiver.target, body=body, headers=sent)
        # Of a socket it asks for `makefile` alone.
        with HTTPResponse(_Answer(line, until), method="POST") as answer:  # type: ignore[arg-type]
            answer.begin()
            # Read, so that the receiver sees no broken line; what it says, and whether it ends,
            # does not matter.
            with suppress(OSError, HTTPException):
                answer.read(READ_AT_MOST)
            return answer.status


def _connect(receiver: Receiver, machines: list[Machine]) -> socket.socket:
    """Return a line to the first machine that takes one, encrypted if it has to be."""
    until = time.monotonic() + CONNECT_SECONDS
    trouble: OSError = ConnectionError(f"{receiver.host} has no address")
    for machine in machines:
        line = socket.socket(machine.family, socket.SOCK_STREAM)
        try:
            line.settimeout(max(0.1, until - time.monotonic()))
            line.connect(machine.address)
            if receiver.secure:
                # The certificate is for the name, whichever machine it is.
                line = ssl.create_default_context().wrap_socket(line, server_hostname=receiver.host)
        except OSError as failed:
            line.close()
            trouble = failed
        else:
            return line
    raise trouble


class _Answer:
    """What `HTTPResponse` reads from, which ends at a set time.

    A time-out of the socket's own begins anew with every byte that a slow receiver sends.
    """

    def __init__(self, line: socket.socket, until: float) -> None:
        self._line, self._until = line, until

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Timed(self._line, self._until))


class _Timed(io.RawIOBase):
    def __init__(self, line: socket.socket, until: float) -> None:
        self._line, self._until = line, until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._line.settimeout(left)
        return self._line.recv_into(buffer)
