"""Over TLS, too, a call ends in time, and no server is believed that cannot prove its name."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from backend.generation import providers
from backend.generation.providers import ProviderUnavailable, Reach

SAID = b'{"choices": [{"message": {"content": "A poem"}, "finish_reason": "stop"}]}'
HEAD = f"HTTP/1.1 200 OK\r\nContent-Length: {len(SAID)}\r\n\r\n".encode()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for this machine, which only those believe who are told to."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "certificate.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.fixture
def server(certificate: Path, new_clients: None) -> Iterator[str]:
    """An address that answers over TLS; "/drip" answers without an end."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    stopping = threading.Event()

    def serve() -> None:
        while not stopping.is_set():
            try:
                line, _ = listening.accept()
                with context.wrap_socket(line, server_side=True) as secure:
                    asked = b""
                    while b"Write." not in asked:  # what is left unread would reset the line
                        asked += secure.recv(65_536)
                    path = asked.split(b" ")[1]
                    secure.sendall(HEAD)
                    while path.startswith(b"/drip") and not stopping.wait(0.05):
                        secure.sendall(b" ")
                    secure.sendall(SAID)
            except OSError:
                continue  # the client does not believe us, or has gone

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"
        stopping.set()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def ask(url: str, seconds: float = 20.0) -> str:
    return providers.ask(providers.request(Reach("openai", url, "", seconds), "ok", "Write.")).text


def test_a_server_that_proves_its_name_is_asked(
    server: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert ask(server) == "A poem"


def test_a_server_that_cannot_prove_its_name_is_told_nothing(server: str) -> None:
    with pytest.raises(ProviderUnavailable, match="certificate") as caught:
        ask(server)
    assert caught.value.kind == "unreachable"


def test_a_drip_over_tls_ends_at_the_time_of_the_call(
    server: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with pytest.raises(ProviderUnavailable) as caught:
        ask(f"{server}/drip", seconds=0.5)
    assert caught.value.kind == "timeout"


def test_a_server_that_never_shakes_hands_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        with pytest.raises(ProviderUnavailable) as caught:
            ask(f"https://127.0.0.1:{mute.getsockname()[1]}", seconds=0.4)
        assert caught.value.kind == "unreachable"
