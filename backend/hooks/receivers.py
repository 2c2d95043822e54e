"""Where messages may go: the addresses that a hook can have, and the machines behind them."""

import ipaddress
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

URL_AT_MOST = 500  # characters
# An IPv4 address inside an IPv6 one, for the network to translate (RFC 6052).
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All that is given out of IPv6 for machines that anybody can reach.
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadAddress(ValueError):
    """Nothing can be sent to this address; the message says why, and what to write."""


class PrivateAddress(BadAddress):
    """The address leads into a network that is not public."""


class UnknownHost(BadAddress):
    """The name of the host leads nowhere."""


@dataclass(frozen=True)
class Receiver:
    """An address taken apart."""

    secure: bool
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The host as the ``Host`` header names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


@dataclass(frozen=True)
class Machine:
    """One address of a host, to connect to without asking for its name again."""

    family: int
    address: Any


def read(url: str) -> Receiver:
    """Take an address apart.

    Raises
    ------
    BadAddress
        If no message could be sent to it, or it is not encrypted where it has to be.
    """
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > URL_AT_MOST:
        raise BadAddress(
            "An address has at most 500 characters, without spaces; write others than ASCII "
            "percent-encoded, and the host in its xn-- form."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAddress(f"This is no address: {error}.") from error
    _refuse(parts, port)
    secure = parts.scheme == "https"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Receiver(secure, parts.hostname or "", port or (443 if secure else 80), target)


def _refuse(parts: SplitResult, port: int | None) -> None:
    schemes = ("https",) if settings.DEPLOYED else ("https", "http")
    if parts.scheme not in schemes:
        raise BadAddress(f"Write an address that begins with {' or '.join(schemes)}://.")
    if not parts.hostname or port == 0:
        raise BadAddress("The address names no host; write it as https://host.example/path.")
    if "@" in parts.netloc:
        raise BadAddress("Leave name and password out of the address: messages are signed instead.")
    if parts.fragment:
        raise BadAddress("Leave out what follows the #: it is never sent.")


def find(receiver: Receiver) -> list[Machine]:
    """Return the machines that a receiver's name stands for.

    Raises
    ------
    UnknownHost
        If there is none.
    PrivateAddress
        If one of them is in no public network. A local Blindverse may send to such.
    """
    try:
        found = socket.getaddrinfo(receiver.host, receiver.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost(f"The host {receiver.host} cannot be found; check its name.") from error
    if settings.DEPLOYED and not all(_public(str(at[0])) for *_, at in found):
        raise PrivateAddress(
            f"{receiver.host} is in no public network; messages go to public addresses only."
        )
    return [Machine(family, at) for family, _, _, _, at in found]


def _public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    inner = _inside(address)
    if inner is not None:
        address = inner
    if isinstance(address, ipaddress.IPv6Address) and address not in GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast


def _inside(address: Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 one leads to, if it is such a one."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo
