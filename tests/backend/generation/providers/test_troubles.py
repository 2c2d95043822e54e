"""What goes wrong has one name on every wire, and says when it would be asked again."""

import sys
from collections.abc import Callable

import pytest

from backend.generation import providers
from backend.generation.providers import ProviderRefused, ProviderUnavailable, Reach, Request
from tests.backend.generation.providers.conftest import KEY, VARIABLE, Put
from tests.endpoint import Endpoint, Way

UNAVAILABLE = {
    "busy-bare": ("busy", 429, None),
    "busy-seconds": ("busy", 429, 2.0),
    "busy-milliseconds": ("busy", 429, 1.5),
    "busy-past": ("busy", 429, 0.0),
    "busy-nonsense": ("busy", 429, None),
    "overloaded": ("busy", 529, None),
    "overloaded-seconds": ("busy", 529, 2.0),
    "unavailable": ("server", 503, 7.0),
    "server": ("server", 500, None),
    "gateway": ("server", 502, None),
    "request-timeout": ("server", 408, None),
    "cut": ("unreachable", None, None),
}
REFUSED = {
    "no-key": ("key", 401, "The key was refused (401): "),
    "forbidden": ("key", 403, "The key was refused (403): "),
    "unpaid": ("key", 402, "The account behind the key has nothing left (402): "),
    "unknown": ("request", 404, "The provider refused the request (404): "),
    "bad-request": ("request", 400, "temperature is not supported"),
    "redirect": ("request", 302, "The provider points to another address (302), "),
    "redirect-307": ("request", 307, "The provider points to another address (307), "),
}


@pytest.mark.parametrize("model", UNAVAILABLE)
def test_what_may_pass_says_of_what_kind_it_is_and_when_to_come_again(
    model: str, put: Put, endpoint: Endpoint
) -> None:
    with pytest.raises(ProviderUnavailable) as caught:
        put(model)
    kind, status, retry_after = UNAVAILABLE[model]
    trouble = caught.value
    assert (trouble.kind, trouble.status, trouble.retry_after) == (kind, status, retry_after)
    assert endpoint.asked(model) == 1, "the vendor's client asked again by itself"
    assert bool(trouble.body) == bool(status)
    assert trouble.request_id == ("req-1" if status else "")


def test_a_moment_to_come_again_is_read_as_the_time_until_then(put: Put) -> None:
    with pytest.raises(ProviderUnavailable) as caught:
        put("busy-date")
    assert caught.value.retry_after == pytest.approx(90, abs=3)


@pytest.mark.parametrize("wire", ["gemini"])
def test_a_wait_that_google_names_in_the_body_is_read_too(put: Put, wire: str) -> None:
    with pytest.raises(ProviderUnavailable) as caught:
        put("busy-details")
    assert (caught.value.kind, caught.value.retry_after) == ("busy", 34.0)


@pytest.mark.parametrize("model", REFUSED)
def test_what_asking_again_cannot_mend_is_refused(model: str, put: Put, endpoint: Endpoint) -> None:
    with pytest.raises(ProviderRefused) as caught:
        put(model)
    kind, status, words = REFUSED[model]
    assert (caught.value.kind, caught.value.status) == (kind, status)
    assert words in str(caught.value)
    assert len(endpoint.requests) == 1
    assert caught.value.request_id == "req-1"


@pytest.mark.parametrize(
    ("wire", "model"),
    [("openai", "no-credit"), ("gemini", "bad-key-400")],
)
def test_a_key_that_waiting_does_not_mend_is_known_by_the_vendors_word_for_it(
    model: str, put: Put
) -> None:
    with pytest.raises(ProviderRefused) as caught:
        put(model)
    assert caught.value.kind == "key"


@pytest.mark.parametrize("raw", ["[]", "7", '{"error": 7}', '{"error": {"details": [7]}}', "\x00"])
def test_an_error_whose_body_is_nonsense_is_still_an_error(
    raw: str, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(status=500, raw=raw)
    with pytest.raises(ProviderUnavailable) as caught:
        put("any")
    assert (caught.value.kind, caught.value.status) == ("server", 500)
    assert "\x00" not in caught.value.body


@pytest.mark.parametrize("status", [201, 202, 204])
def test_a_status_that_promises_no_answer_is_none(
    status: int, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(status=status, raw="" if status == 204 else "{}")
    with pytest.raises(ProviderUnavailable) as caught:
        put("any")
    assert (caught.value.kind, caught.value.status) == ("server", status)


def test_a_long_word_of_the_provider_is_cut(put: Put, answer_with: Callable[..., None]) -> None:
    answer_with(status=500, raw="x" * 100_000)
    with pytest.raises(ProviderUnavailable) as caught:
        put("any")
    assert len(str(caught.value)) < 600
    assert len(caught.value.body) == 20_000


def test_an_endpoint_that_is_not_there_is_unreachable(wire: str) -> None:
    gone = Endpoint()
    address = gone.url_of(wire)
    gone.stop()
    with pytest.raises(ProviderUnavailable, match="is the service up") as caught:
        providers.ask(providers.request(Reach(wire, address), "ok", "Write."))
    assert caught.value.kind == "unreachable"
    assert address in str(caught.value)


@pytest.mark.parametrize(
    ("wire", "package"), [("anthropic", "anthropic"), ("gemini", "google.genai")]
)
def test_a_vendors_client_that_is_not_installed_is_named_with_the_remedy(
    put: Put, package: str, new_clients: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ProviderRefused, match="make providers") as caught:
        put("ok")
    assert caught.value.kind == "package"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_an_answer_in_pieces_is_not_asked_for(put: Put, endpoint: Endpoint) -> None:
    with pytest.raises(ProviderRefused) as caught:
        put("ok", parameters={"stream": True})
    assert (caught.value.kind, endpoint.requests) == ("request", [])


@pytest.mark.parametrize(
    "parameters", [{"top_p": float("nan")}, {"top_p": {1, 2}}, {"stop": "\ud800"}]
)
def test_what_is_no_json_is_refused_before_it_is_sent(
    parameters: dict[str, object], put: Put, endpoint: Endpoint
) -> None:
    with pytest.raises(ProviderRefused) as caught:
        put("ok", parameters=parameters)
    assert (caught.value.kind, endpoint.requests) == ("request", [])


@pytest.mark.parametrize("wire", ["gemini"])
def test_a_model_whose_name_would_change_the_address_is_refused(
    put: Put, wire: str, endpoint: Endpoint
) -> None:
    with pytest.raises(ProviderRefused) as caught:
        put("../../other?x=1")
    assert (caught.value.kind, endpoint.requests) == ("request", [])


def test_a_missing_key_is_named_with_its_remedy_and_nothing_is_asked(
    request_for: Callable[..., Request], endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = request_for("ok")
    monkeypatch.setenv(VARIABLE, "  ")
    with pytest.raises(ProviderRefused, match=f"{VARIABLE} is not set where the worker runs"):
        providers.ask(made)
    assert endpoint.requests == []


@pytest.mark.parametrize("key", ["clé-secrète", "two\nlines"])
def test_a_key_that_no_header_can_carry_is_refused_before_it_is_sent(
    key: str,
    request_for: Callable[..., Request],
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = request_for("ok")
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(ProviderRefused) as caught:
        providers.ask(made)
    assert (caught.value.kind, endpoint.requests) == ("key", [])
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "model", ["echo-401", "echo-400", "echo-429", "echo-500", "echo-html", "echo-key", "echo-200"]
)
def test_the_key_is_in_no_word_that_is_kept_even_if_the_provider_repeats_it(
    model: str, put: Put, endpoint: Endpoint
) -> None:
    kept: object
    try:
        kept = put(model)
    except (ProviderUnavailable, ProviderRefused) as trouble:
        kept = (str(trouble), vars(trouble))
    assert KEY in endpoint.requests[0].authorization
    assert "…" in str(kept)
    assert KEY not in str(kept)


def test_the_key_is_not_kept_in_the_spelling_of_json_either(
    put: Put, answer_with: Callable[..., None]
) -> None:
    escaped = KEY.replace("/", "\\/")
    answer_with(status=500, raw=f'{{"said": "{escaped}"}}')
    with pytest.raises(ProviderUnavailable) as caught:
        put("any")
    assert escaped not in caught.value.body
    assert escaped not in str(caught.value)


def test_a_stand_in_for_a_key_may_be_a_word_of_the_poem(
    request_for: Callable[..., Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = request_for("ok")
    monkeypatch.setenv(VARIABLE, "river")
    assert providers.ask(made).text == "The river keeps the light."


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ({"way": Way.RESET}, "unreachable"),
        ({"way": Way.DROP}, "unreachable"),
        ({"way": Way.DRIP}, "timeout"),
        ({"padding": 9_000_000}, "server"),
        ({"headers": {"Content-Encoding": "br"}}, "server"),
        ({"headers": {"Content-Encoding": "gzip"}}, "server"),
    ],
)
def test_an_answer_that_is_not_whole_keeps_the_status_under_which_it_is_billed(
    how: dict[str, object], kind: str, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(**how)
    with pytest.raises(ProviderUnavailable) as caught:
        put("any", seconds=1.0 if kind == "timeout" else 20.0)
    assert (caught.value.kind, caught.value.status) == (kind, 200)
    assert caught.value.request_id == "req-1"


@pytest.mark.parametrize("wire", ["openai"])
@pytest.mark.parametrize(
    "choice",
    [
        '{"message": {"content": "A poem"}, "error": {"code": 502, "message": "Upstream"}}',
        '{"error": {"code": 502, "message": "Upstream"}}',
        '{"message": {"content": "A poem"}, "finish_reason": "error"}',
        '{"message": {"content": "A poem"}, "finish_reason": "insufficient_system_resource"}',
    ],
)
def test_an_answer_that_says_the_provider_failed_is_none(
    choice: str, wire: str, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(raw=f'{{"choices": [{choice}]}}')
    with pytest.raises(ProviderUnavailable, match="failed while it answered") as caught:
        put("any")
    assert (caught.value.kind, caught.value.status) == ("server", 200)
    assert ("Upstream" in str(caught.value)) is ("Upstream" in choice)
    assert "choices" in caught.value.body


@pytest.mark.parametrize(
    "parameters",
    [{"n": 8}, {"best_of": 2}, {"candidateCount": 8}, {"generationConfig": {"candidateCount": 8}}],
)
def test_several_answers_of_which_one_is_read_are_not_asked_for(
    parameters: dict[str, object], put: Put, endpoint: Endpoint
) -> None:
    with pytest.raises(ProviderRefused, match="Leave out") as caught:
        put("ok", parameters=parameters)
    assert (caught.value.kind, endpoint.requests) == ("request", [])


@pytest.mark.parametrize(
    "variable",
    ["BLINDVERSE_SECRET_KEY", "DJANGO_SECRET_KEY", "DATABASE_URL", "PGPASSWORD", "HOME", "key"],
)
def test_a_variable_that_is_no_models_key_is_not_read(
    variable: str, wire: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "what-nobody-may-read")
    reach = Reach(wire, endpoint.url_of(wire), variable)
    with pytest.raises(ProviderRefused, match="is not read as a key") as caught:
        providers.ask(providers.request(reach, "ok", "Write."))
    assert (caught.value.kind, endpoint.requests) == ("no key", [])


@pytest.mark.parametrize("base", ["https://☃.example", "https://a.org/\x7f", "https://[v1.a]"])
def test_what_can_be_no_address_is_refused_at_the_call(wire: str, base: str) -> None:
    with pytest.raises(ProviderRefused, match=r"no address|cannot be sent") as caught:
        providers.ask(providers.request(Reach(wire, base), "ok", "Write."))
    assert caught.value.kind in {"address", "request"}


@pytest.mark.parametrize(
    "spelling", ["+", "\\u002B", "\\u002b", "\\\\u002B"], ids=["plain", "B", "b", "twice"]
)
def test_the_key_is_not_kept_in_any_spelling_of_its_letters(
    spelling: str, put: Put, answer_with: Callable[..., None]
) -> None:
    said = KEY.replace("+", spelling).replace("/", "\\u002F")
    answer_with(status=500, raw=f'{{"said": "{said}"}}')
    with pytest.raises(ProviderUnavailable) as caught:
        put("any")
    assert caught.value.body == '{"said": "…"}'


@pytest.mark.parametrize("charset", ["zlib_codec", "hex", "rot13", "undefined", "idna", "nonsense"])
@pytest.mark.parametrize("status", [200, 500])
def test_a_coding_that_makes_no_text_does_no_harm(
    charset: str, status: int, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(kind=f"application/json; charset={charset}", status=status, message="Broken")
    if status == 200:
        assert put("any").text
    else:
        with pytest.raises(ProviderUnavailable, match="Broken"):
            put("any")
