"""Where messages may go: to public machines by HTTPS, whatever their names say the next time."""

import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from backend.hooks import posting
from backend.hooks.receivers import BadAddress, PrivateAddress, UnknownHost, find, read
from tests.backend.hooks.receiving import receiving

PUBLIC = "93.184.215.14"


@pytest.fixture
def deployed(settings):
    settings.DEPLOYED = True


def answers(monkeypatch: pytest.MonkeyPatch, *turns: list[str]) -> list[str]:
    """Let names stand for these addresses, the last ones for ever; return the names asked for."""
    asked: list[str] = []
    left = list(turns)

    def look_up(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        found = left.pop(0) if len(left) > 1 else left[0]
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (one, port, 0, 0))
            if ":" in one
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
            for one in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://host.example/", "begins with https://"),
        ("ftp://host.example/", "begins with https://"),
        ("file:///etc/passwd", "begins with https://"),
        ("host.example", "begins with https://"),
        ("https://", "names no host"),
        ("https:///path", "names no host"),
        ("https://kim@host.example/", "Leave name and password out"),
        ("https://kim:secret@host.example/", "Leave name and password out"),
        ("https://host.example/#part", "Leave out what follows the #"),
        ("https://host.example:99999/", "no address"),
        ("https://host.example:0/", "names no host"),
        ("https://[::1/", "no address"),
        ("https://host.example/a b", "without spaces"),
        ("https://host.example/\r\nX-Evil: 1", "without spaces"),
        ("https://dichtung.österreich/", "percent-encoded"),
        ("https://host.example/" + "a" * 500, "at most 500"),
    ],
)
def test_an_address_that_nothing_can_be_sent_to_is_refused_with_what_to_write(deployed, url, why):
    with pytest.raises(BadAddress, match=why):
        read(url)


def test_a_local_blindverse_may_send_unencrypted(settings):
    settings.DEPLOYED = False
    assert read("http://localhost:8001/x?y=1").target == "/x?y=1"
    assert read("http://localhost:8001/").authority == "localhost:8001"
    assert read("https://[2001:db8::1]/").authority == "[2001:db8::1]"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3",  # noqa: S104
        "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
        "::1", "::", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::",
    ],
)  # fmt: skip
def test_a_machine_in_no_public_network_is_refused(deployed, monkeypatch, address):
    answers(monkeypatch, [address])
    with pytest.raises(PrivateAddress, match="no public network"):
        find(read("https://inside.example/"))


@pytest.mark.parametrize("address", [PUBLIC, "2606:4700::6810:84e5", "64:ff9b::5db8:d70e"])
def test_a_public_machine_is_found(deployed, monkeypatch, address):
    answers(monkeypatch, [address])
    (machine,) = find(read("https://outside.example/"))
    assert machine.address[:2] == (address, 443)


def test_one_private_machine_behind_a_name_is_enough_to_refuse_it(deployed, monkeypatch):
    answers(monkeypatch, [PUBLIC, "10.0.0.1"])
    with pytest.raises(PrivateAddress):
        find(read("https://both.example/"))


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "localhost"])
def test_other_ways_to_write_this_machine_are_refused_too(deployed, host):
    with pytest.raises(BadAddress):
        find(read(f"https://{host}/"))


@pytest.mark.parametrize("host", ["nowhere.invalid", "a" * 70 + ".example", ".example"])
def test_a_name_that_leads_nowhere_is_named(host):
    with pytest.raises(UnknownHost, match="cannot be found"):
        find(read(f"https://{host}/"))


def test_a_name_that_turned_private_meanwhile_is_not_connected_to(deployed, monkeypatch):
    with receiving() as receiver:
        answers(monkeypatch, [PUBLIC], ["127.0.0.1"])
        url = receiver.url.replace("http://127.0.0.1", "https://turns.example")
        find(read(url))
        with pytest.raises(PrivateAddress):
            posting.post(url, b"{}", {})
        assert receiver.received == []


def test_the_machine_that_was_looked_at_is_the_one_connected_to(monkeypatch):
    with receiving() as receiver:
        asked = answers(monkeypatch, ["127.0.0.1"], ["127.0.0.9"])
        url = receiver.url.replace("127.0.0.1", "named.example")
        assert posting.post(url, b"{}", {}) == 204
        assert asked == ["named.example"]
        host = receiver.received[0].headers["Host"]
        assert host == url.removeprefix("http://").rstrip("/")


def test_if_a_machine_takes_no_line_the_next_one_is_tried(monkeypatch):
    with receiving() as receiver:
        # Nothing of the tests listens at the first.
        answers(monkeypatch, ["127.0.0.77", "127.0.0.1"])
        url = receiver.url.replace("127.0.0.1", "two.example")
        assert posting.post(url, b"{}", {}) == 204


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of localhost that nobody signed, with its key."""
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    words = (
        f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout {path} -out {path}.crt"
    )
    try:
        subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return path


def context(certificate: Path) -> ssl.SSLContext:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{certificate}.crt", certificate)
    return tls


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate):
    with receiving(context(certificate)) as receiver:
        with pytest.raises(ssl.SSLCertVerificationError, match="self-signed"):
            posting.post(receiver.url, b"{}", {})
        assert receiver.received == []


def test_a_certificate_must_be_of_the_name_that_was_asked_for(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    with receiving(context(certificate)) as receiver:
        assert posting.post(receiver.url, b"{}", {}) == 204
        answers(monkeypatch, ["127.0.0.1"])
        other = receiver.url.replace("localhost", "another.example")
        with pytest.raises(ssl.SSLCertVerificationError, match=r"another\.example"):
            posting.post(other, b"{}", {})
        assert len(receiver.received) == 1
