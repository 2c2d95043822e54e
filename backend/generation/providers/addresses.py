"""Where calls may go: never to what a machine tells about itself, and where the settings allow."""

import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from backend.generation.providers.asking import BUILT_IN

LOOK_UP_SECONDS = 5.0
Address = IPv4Address | IPv6Address

# Clouds tell a machine its own keys at these, and link-local ones are for such services.
METADATA = [
    ip_network(each)
    for each in (
        "169.254.0.0/16",
        "fe80::/10",
        "fec0::/10",  # link-local's elder sister
        "fd00:ec2::/32",  # AWS
        "fd00:42::42/128",  # Scaleway
        "fd00:c1::a9fe:a9fe/128",  # Oracle Cloud
        "fd00:a9fe:a9fe::1/128",  # Exoscale and others
        "fd00:100::100:200/128",  # Alibaba Cloud
        "fd20:ce::254/128",  # Google Cloud
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure
        "192.0.0.192/32",  # Oracle Cloud
    )
]
# Addresses of IPv4 in the last four bytes of ones of IPv6: compatible, translated, and NAT64.
EMBEDDING = [
    ip_network(each) for each in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
]


class AddressForbidden(Exception):
    """No call goes to this address."""


def proxy() -> str:
    """Return the proxy that all calls go through; empty if they go straight."""
    found: str = getattr(settings, "MODEL_PROXY", "")
    return found


def explain_address(url: str) -> str:
    """Return why no call may go to this URL; empty if one may. Looks the name up."""
    if why := explain_name(url):
        return why
    if url == BUILT_IN:
        return ""
    parts = urlsplit(url)
    try:
        addresses_of(parts.hostname or "", _port(parts))
    except AddressForbidden as forbidden:
        return str(forbidden)
    except OSError:  # that it is not there today forbids nothing
        return ""
    return ""


def explain_name(url: str) -> str:
    """Return what can be said against this URL without looking its name up."""
    if url == BUILT_IN:
        return ""
    try:
        parts = urlsplit(url)
        port = _port(parts)
    except ValueError:
        return "This is no address."
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "The address must begin with http:// or https:// and name a host."
    if parts.username is not None or parts.password is not None:
        return "The address must hold no name or password; keys stand in environment variables."
    if not _is_allowed(parts.hostname, port):
        return (
            f"{parts.hostname} is not among the hosts that this installation may ask "
            "(BLINDVERSE_MODEL_HOSTS)."
        )
    return ""


def addresses_of(
    host: str, port: int, *, any_host: bool = False, seconds: float = LOOK_UP_SECONDS
) -> Sequence[str]:
    """Return the addresses that a call to this host may use, as they are to be connected to.

    Raises
    ------
    AddressForbidden
        If the host is not allowed, which `any_host` leaves out, or one of its addresses is
        forbidden.
    OSError
        If the name cannot be looked up, or not within so many seconds.
    """
    if not any_host and not _is_allowed(host, port):
        raise AddressForbidden(f"{host} is not among the hosts that this installation may ask.")
    addresses = _looked_up(host, port, seconds)
    for address in addresses:
        # One is enough: a name that also leads elsewhere has no good reason to lead there.
        if why := _why_not(ip_address(address)):
            where = host if host == address else f"{host}, which is {address}"
            raise AddressForbidden(f"No call goes to {where}: {why}.")
    return addresses


def _looked_up(host: str, port: int, seconds: float) -> list[str]:
    # In a thread of its own, for a name server that is silent holds its asker for half a minute.
    answer: Future[list[str]] = Future()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:  # the latter for what cannot be a name at all
            answer.set_exception(OSError(str(error)))
        else:
            answer.set_result(list(dict.fromkeys(str(each[4][0]) for each in found)))

    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    try:
        return answer.result(seconds)
    except FutureTimeoutError as error:
        raise OSError(f"{host} was not found within {seconds:.1f} seconds") from error


def _why_not(address: Address) -> str:
    inner = _embedded(address)
    if any(inner.version == network.version and inner in network for network in METADATA):
        return "clouds tell their machines’ keys there"
    if inner.is_multicast:
        return "it is no single machine"
    if inner.is_unspecified or str(inner) == "255.255.255.255" or _is_this_network(inner):
        return "it is no machine"
    return ""


def _is_this_network(address: Address) -> bool:
    return address.version == 4 and address in ip_network("0.0.0.0/8")


def _embedded(address: Address) -> Address:
    """Return the address of IPv4 that this one of IPv6 leads to, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if found := address.ipv4_mapped or address.sixtofour:
        return found
    if address.teredo:
        return address.teredo[1]
    is_local = address == IPv6Address("::1") or address.is_unspecified
    if not is_local and any(address in network for network in EMBEDDING):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _is_allowed(host: str, port: int) -> bool:
    allowed: Sequence[str] = settings.MODEL_HOSTS
    name = host.lower().rstrip(".")
    return not allowed or any(_matches(name, port, each) for each in allowed)


def _matches(name: str, port: int, entry: str) -> bool:
    if entry.startswith(("*.", ".")):
        return name.endswith(entry.removeprefix("*"))
    return entry in (name, f"{name}:{port}", f"[{name}]", f"[{name}]:{port}")


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)
