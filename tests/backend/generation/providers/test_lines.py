"""One client for all vendors: every call ends in time, however the other side behaves."""

import gzip
import os
import socket
import threading
import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings

from backend.generation import providers
from backend.generation.providers import ProviderUnavailable, Reach, lines
from tests.backend.generation.providers.conftest import KEY, Put
from tests.endpoint import Behaviour, Endpoint, Scenario, Way


@pytest.mark.parametrize("model", ["hang", "drip", "drip-head"])
def test_a_call_ends_at_its_time_though_bytes_still_come(
    model: str, put: Put, endpoint: Endpoint
) -> None:
    # Any byte comes long before; only the whole would take minutes.
    endpoint.scenario = lambda _: Behaviour(way=Way(model), gap=0.05)
    begun = time.monotonic()
    with pytest.raises(ProviderUnavailable, match=r"No answer within 0\.4 seconds\.") as caught:
        put("any", seconds=0.4)
    assert caught.value.kind == "timeout"
    assert 0.4 <= time.monotonic() - begun < 20


def test_a_server_that_does_not_read_holds_no_call_for_longer(wire: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reach = Reach(wire, f"http://127.0.0.1:{deaf.getsockname()[1]}", "", 0.4)
        with pytest.raises(ProviderUnavailable) as caught:
            providers.ask(providers.request(reach, "ok", "Write. " * 2_000_000))
        assert caught.value.kind == "timeout"


def test_an_endless_answer_is_not_read_to_its_end(put: Put) -> None:
    with pytest.raises(ProviderUnavailable, match="longer than 8 MB") as caught:
        put("huge")
    assert (caught.value.kind, caught.value.body) == ("server", "")


@pytest.mark.parametrize(("packed", "kept"), [(True, True), (False, False)])
def test_an_answer_that_is_packed_although_it_should_not_be_is_unpacked_if_it_can_be(
    packed: bool, kept: bool, wire: str
) -> None:
    bomb = gzip.compress(b" " * 20_000_000) if packed else b"no gzip at all"
    with _saying(bomb, "gzip") as url, pytest.raises(ProviderUnavailable) as caught:
        providers.ask(providers.request(Reach(wire, url, "", 20.0), "ok", "Write."))
    assert caught.value.kind == "server"
    assert ("longer than 8 MB" in str(caught.value)) is kept


def test_a_packed_answer_is_read() -> None:
    said = b'{"choices": [{"message": {"content": "A poem"}, "finish_reason": "stop"}]}'
    with _saying(gzip.compress(said), "gzip") as url:
        reply = providers.ask(providers.request(Reach("openai", url), "ok", "Write."))
    assert (reply.text, reply.body) == ("A poem", said.decode())


def test_a_connection_serves_one_call_after_the_other(
    put: Put, endpoint: Endpoint, new_clients: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    real = socket.create_connection

    def create_connection(*args: object, **how: object) -> socket.socket:
        opened.append(args)
        return real(*args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "create_connection", create_connection)
    for _ in range(5):
        put("ok")
        with pytest.raises(ProviderUnavailable):
            put("busy-bare")
    assert (len(opened), len(endpoint.requests)) == (1, 10)


def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again(
    wire: str,
) -> None:
    first = Endpoint()
    made = providers.request(Reach(wire, first.url_of(wire)), "ok", "Write.")
    providers.ask(made)
    first.stop()
    again = Endpoint(port=first.port)
    try:
        assert providers.ask(made).text
    finally:
        again.stop()


def test_many_threads_ask_at_once_and_each_gets_its_own_answer(
    wire: str, endpoint: Endpoint
) -> None:
    endpoint.scenario = Scenario(latency=0.2)
    reach = Reach(wire, endpoint.url_of(wire))
    prompts = [f"Write of thing {number}." for number in range(48)]
    with ThreadPoolExecutor(24) as threads:
        texts = list(
            threads.map(
                lambda prompt: providers.ask(providers.request(reach, "ok", prompt)).text, prompts
            )
        )
    assert len(set(texts)) == 48
    alone = providers.ask(providers.request(reach, "ok", prompts[7])).text
    assert texts[7] == alone
    assert endpoint.most_at_once > 12


def test_a_child_of_this_process_opens_connections_of_its_own(put: Put, endpoint: Endpoint) -> None:
    put("ok")
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            os._exit(lines.client.cache_info().currsize)
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lines.client.cache_info().currsize == 1


def test_a_proxy_of_the_environment_is_not_used(
    put: Put, new_clients: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert put("ok").text


def test_a_proxy_that_the_settings_name_is_used_and_sees_the_whole_address(
    wire: str, endpoint: Endpoint, new_clients: None, settings: LazySettings
) -> None:
    settings.MODEL_PROXY = endpoint.url
    base = "http://models.invalid/v1" if wire == "openai" else "http://models.invalid"
    assert providers.ask(providers.request(Reach(wire, base), "ok", "Write.")).text
    assert endpoint.requests[0].path.startswith("http://models.invalid/v1")


def test_the_proxy_is_told_the_user_and_password_of_its_address(
    endpoint: Endpoint, new_clients: None, settings: LazySettings
) -> None:
    settings.MODEL_PROXY = endpoint.url.replace("http://", "http://us%40er:se%2Fcret@")
    reach = Reach("openai", "http://models.invalid/v1")
    assert providers.ask(providers.request(reach, "ok", "Write.")).text
    told = endpoint.requests[0].headers["proxy-authorization"]
    assert b64decode(told.removeprefix("Basic ")) == b"us@er:se/cret"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_refuses_is_named_and_its_password_is_not(
    scheme: str, endpoint: Endpoint, new_clients: None, settings: LazySettings
) -> None:
    settings.MODEL_PROXY = endpoint.url.replace("http://", "http://user:secret@")
    endpoint.scenario = lambda _: Behaviour(status=407, message="Who are you?")
    with pytest.raises(ProviderUnavailable, match=r"The proxy .* let no call through") as caught:
        providers.ask(
            providers.request(Reach("openai", f"{scheme}://models.invalid/v1"), "ok", "Write.")
        )
    assert caught.value.kind == "unreachable"
    assert "secret" not in str(caught.value)


def test_a_proxy_that_is_not_there_is_named(new_clients: None, settings: LazySettings) -> None:
    settings.MODEL_PROXY = "http://127.0.0.1:9"
    with pytest.raises(ProviderUnavailable, match="through the proxy") as caught:
        providers.ask(providers.request(Reach("openai", "http://m.invalid"), "ok", "Write."))
    assert caught.value.kind == "unreachable"


def test_the_built_in_models_are_asked_without_a_proxy(
    endpoint: Endpoint, new_clients: None, settings: LazySettings
) -> None:
    settings.MODEL_PROXY = endpoint.url
    reach = Reach("openai", "built-in:")
    assert providers.ask(providers.request(reach, "ngram-2", "Write.", seed=1)).text
    assert endpoint.requests == []


def test_a_proxy_is_sent_to_no_address_where_secrets_are_told(
    wire: str, endpoint: Endpoint, new_clients: None, settings: LazySettings
) -> None:
    settings.MODEL_PROXY = endpoint.url
    with pytest.raises(providers.ProviderRefused, match="No call goes to"):
        providers.ask(providers.request(Reach(wire, "http://169.254.169.254/v1"), "ok", "Write."))
    assert endpoint.requests == []


def test_nothing_is_logged_that_holds_the_key(
    put: Put, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    put("ok")
    with pytest.raises(ProviderUnavailable):
        put("server")
    assert KEY not in caplog.text


class _saying:  # noqa: N801
    """A server that gives one answer, packed as it says."""

    def __init__(self, body: bytes, coding: str) -> None:
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._answer = head.encode() + body
        self._server = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> str:
        threading.Thread(target=self._say, daemon=True).start()
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def _say(self) -> None:
        line, _ = self._server.accept()
        with line:
            asked = b""
            while b"Write." not in asked:  # what is left unread would reset the line
                asked += line.recv(65_536)
            line.sendall(self._answer)
