"""No call goes where a machine's own secrets are told, whatever name leads there."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from django.conf import LazySettings

from backend.generation import providers
from backend.generation.providers import (
    ProviderRefused,
    ProviderUnavailable,
    Reach,
    explain_address,
)
from tests.endpoint import Endpoint, Scenario

FORBIDDEN = [
    "http://169.254.169.254/v1", "http://169.254.169.254:80/latest", "http://[fd00:ec2::254]/v1",
    "http://100.100.100.200/v1", "http://168.63.129.16", "http://192.0.0.192", "http://[fe80::1]/",
    "http://169.254.1.1", "http://224.0.0.1", "http://[ff02::1]", "http://0.0.0.0:11434/v1",
    "http://[::]/", "http://0.1.2.3/", "http://255.255.255.255/",
    # The same by other spellings
    "http://2852039166/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/", "http://169.254.43518",
    "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]", "http://[::169.254.169.254]",
    "http://[64:ff9b::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::1]/", "http://[::ffff:0.0.0.0]/",
    "http://0/",
    # Of other clouds, and link-local in older words
    "http://[fd00:c1::a9fe:a9fe]/", "http://[fd00:42::42]", "http://[fd00:a9fe:a9fe::1]/",
    "http://[fd00:100::100:200]/", "http://[::ffff:0:169.254.169.254]/", "http://[fec0::a9fe]/",
]  # fmt: skip
NO_ADDRESSES = [
    "", "ftp://example.org", "file:///etc/passwd", "//example.org", "example.org/v1", "http://",
    "http://user:word@example.org/v1", "http://user@example.org/v1", "http://example.org:port/",
    "http://[::1", "gopher://127.0.0.1",
]  # fmt: skip
ALLOWED = [
    "http://127.0.0.1:11434/v1", "http://[::1]:8000/v1", "http://10.1.2.3/v1", "http://192.168.1.9",
    "https://172.16.0.1/v1", "http://[fd12:3456::1]/v1", "http://8.8.8.8/", "built-in:",
]  # fmt: skip

Names = Callable[..., None]


@pytest.fixture
def name(new_clients: None, monkeypatch: pytest.MonkeyPatch) -> Names:
    """Let a name lead to these addresses, one list for each time that it is looked up."""
    real = socket.getaddrinfo

    def set_name(host: str, *answers: list[str]) -> None:
        left: Iterator[list[str]] = iter(answers)
        last = answers[-1]

        def look_up(asked: str, port: int, *args: object, **how: object) -> list[object]:
            if asked != host:
                return real(asked, port, *args, **how)  # type: ignore[arg-type,return-value]
            found = []
            for address in next(left, last):
                found += real(address, port, *args, **how)  # type: ignore[arg-type]
            return found  # type: ignore[return-value]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)

    return set_name


def ask(wire: str, base_url: str) -> None:
    providers.ask(providers.request(Reach(wire, base_url, "", 20.0), "ok", "Write."))


@pytest.mark.parametrize("url", FORBIDDEN)
def test_an_address_where_secrets_are_told_is_refused_in_any_spelling(url: str) -> None:
    assert explain_address(url).startswith("No call goes to ")


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_no_address_of_a_web_service_is_refused(url: str) -> None:
    assert explain_address(url)


@pytest.mark.parametrize("url", ALLOWED)
def test_models_on_this_machine_and_in_the_house_may_be_asked(url: str) -> None:
    assert explain_address(url) == ""


@pytest.mark.parametrize("host", ["models.invalid", "a..b", "a" * 80 + ".org", "xn--ii.", "%00"])
def test_a_name_that_nobody_knows_today_is_not_forbidden_but_unreachable(
    host: str, wire: str
) -> None:
    assert explain_address(f"http://{host}/v1") == ""
    with pytest.raises((ProviderUnavailable, ProviderRefused)) as caught:
        ask(wire, f"http://{host}")
    assert caught.value.kind in {"unreachable", "request"}


def test_a_name_server_that_is_silent_holds_no_call_for_longer(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [answered.wait(60)][1:])
    # Which of the two clocks is heard first depends on how busy the machine is.
    with pytest.raises(ProviderUnavailable, match=r"(not found|No answer) within 0\.\d seconds"):
        providers.ask(providers.request(Reach(wire, "http://a.org", "", 0.3), "ok", "Write."))
    answered.set()


@pytest.mark.parametrize("url", ["http://169.254.169.254", "http://[fd00:ec2::254]"])
def test_the_call_itself_is_refused_before_anything_is_sent(wire: str, url: str) -> None:
    with pytest.raises(ProviderRefused, match="No call goes to") as caught:
        ask(wire, url)
    assert caught.value.kind == "address"


def test_a_name_that_leads_there_is_refused(wire: str, name: Names) -> None:
    name("models.example.org", ["169.254.169.254"])
    assert "169.254.169.254" in explain_address("http://models.example.org/v1")
    with pytest.raises(ProviderRefused) as caught:
        ask(wire, "http://models.example.org")
    assert caught.value.kind == "address"


def test_a_name_that_also_leads_there_is_refused(
    wire: str, name: Names, endpoint: Endpoint
) -> None:
    name("models.example.org", ["127.0.0.1", "100.100.100.200"])
    with pytest.raises(ProviderRefused):
        ask(wire, endpoint.url_of(wire).replace("127.0.0.1", "models.example.org"))
    assert endpoint.requests == []


def test_a_name_that_leads_there_only_when_it_is_called_is_refused(
    wire: str, name: Names, endpoint: Endpoint
) -> None:
    name("models.example.org", ["127.0.0.1"], ["169.254.169.254"])
    url = endpoint.url_of(wire).replace("127.0.0.1", "models.example.org")
    assert explain_address(url) == ""
    with pytest.raises(ProviderRefused) as caught:
        ask(wire, url)
    assert (caught.value.kind, endpoint.requests) == ("address", [])


def test_the_address_that_was_looked_at_is_the_one_that_is_called(
    wire: str, name: Names, endpoint: Endpoint
) -> None:
    name("models.example.org", ["127.0.0.1"], ["169.254.169.254"])
    ask(wire, endpoint.url_of(wire).replace("127.0.0.1", "models.example.org"))
    assert endpoint.requests[0].headers["host"].startswith("models.example.org")


def test_the_next_address_is_tried_if_one_does_not_answer(
    wire: str, name: Names, endpoint: Endpoint
) -> None:
    name("models.example.org", ["::1", "127.0.0.2", "127.0.0.1"])
    ask(wire, endpoint.url_of(wire).replace("127.0.0.1", "models.example.org"))
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("allowed", "url", "may"),
    [
        (["api.example.org"], "https://api.example.org/v1", True),
        (["api.example.org"], "https://API.example.org./v1", True),
        (["api.example.org"], "https://api.example.org:8443/v1", True),
        (["api.example.org:443"], "https://api.example.org/v1", True),
        (["api.example.org:443"], "https://api.example.org:8443/v1", False),
        (["api.example.org"], "https://example.org/v1", False),
        (["api.example.org"], "https://api.example.org.evil.com/v1", False),
        (["*.example.org"], "https://api.example.org/v1", True),
        ([".example.org"], "https://a.b.example.org/v1", True),
        (["*.example.org"], "https://notexample.org/v1", False),
        (["127.0.0.1:9"], "http://127.0.0.1:9/v1", True),
        (["[::1]:9"], "http://[::1]:9/v1", True),
        (["169.254.169.254"], "http://169.254.169.254/v1", False),
        (["api.example.org"], "built-in:", True),
    ],
)
def test_where_hosts_are_named_only_these_may_be_asked(
    allowed: list[str], url: str, may: bool, settings: LazySettings, name: Names
) -> None:
    settings.MODEL_HOSTS = allowed
    assert (explain_address(url) == "") is may


def test_a_host_that_is_not_named_is_not_called(
    wire: str, endpoint: Endpoint, settings: LazySettings
) -> None:
    settings.MODEL_HOSTS = ["api.example.org"]
    with pytest.raises(ProviderRefused, match="BLINDVERSE_MODEL_HOSTS") as caught:
        ask(wire, endpoint.url_of(wire))
    assert (caught.value.kind, endpoint.requests) == ("address", [])


def test_the_built_in_models_need_no_leave(settings: LazySettings) -> None:
    settings.MODEL_HOSTS = ["api.example.org"]
    reach = Reach("openai", "built-in:")
    assert providers.ask(providers.request(reach, "ngram-2", "Write.", seed=1)).text


def test_another_server_that_a_redirect_names_is_not_asked(wire: str, endpoint: Endpoint) -> None:
    elsewhere = Endpoint(Scenario())
    try:
        endpoint.scenario = Scenario(behaviour="redirect-307")
        with pytest.raises(ProviderRefused):
            ask(wire, endpoint.url_of(wire))
        assert (len(endpoint.requests), elsewhere.requests) == (1, [])
    finally:
        elsewhere.stop()
