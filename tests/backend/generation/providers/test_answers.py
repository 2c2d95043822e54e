"""What is sent is what is kept; text, thoughts, counts and reasons come from every wire alike."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.generation import providers
from backend.generation.providers import Reach, Request, Usage
from tests.backend.generation.providers.conftest import KEY, Put
from tests.endpoint import Behaviour, Endpoint

POEM = "The river keeps the light."
THOUGHTS = "A river, then.\nStones? They give back a sound."
SORRY = "I'm sorry, but I can't help with that."
HEADER = {"openai": "authorization", "anthropic": "x-api-key", "gemini": "x-goog-api-key"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"system": "Du bist ein Dichter – ‘é’ 詩 \U0001f339", "temperature": 0.7, "seed": 3},
        {"max_tokens": 200_000, "parameters": {"top_k": 5, "unknown_name": {"snakeCase": [1, {}]}}},
        {"parameters": {"generationConfig": {"top_p": 0.1}, "safety_settings": []}},
    ],
)
def test_the_endpoint_receives_exactly_the_body_that_is_kept(
    options: dict[str, Any], request_for: Callable[..., Request], endpoint: Endpoint
) -> None:
    made = request_for("ok", **options)
    kept = json.loads(json.dumps(made.body))
    providers.ask(made)
    assert json.loads(endpoint.requests[0].raw) == kept == made.body


def test_the_request_goes_to_the_address_that_it_names(
    request_for: Callable[..., Request], endpoint: Endpoint
) -> None:
    made = request_for("ok")
    providers.ask(made)
    assert f"{endpoint.url}{endpoint.requests[0].path}" == made.url


def test_only_what_the_vendor_needs_is_in_the_headers(
    put: Put, wire: str, endpoint: Endpoint, new_clients: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "another-account")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer another-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-key")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Api-Key: another-key\nX-Other: another-key")
    monkeypatch.setenv("GOOGLE_API_KEY", "another-key")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "another-account")
    put("ok")
    sent = endpoint.requests[0].headers
    key = f"Bearer {KEY}" if wire == "openai" else KEY
    assert sent[HEADER[wire]] == key
    assert "another" not in str(sent)
    assert not {*HEADER.values()} - {HEADER[wire]} & {*sent}
    assert set(sent) <= {
        HEADER[wire], "host", "accept", "accept-encoding", "user-agent", "content-type",
        "content-length", "anthropic-version",
    }  # fmt: skip


def test_the_idempotency_key_is_sent_if_there_is_one(
    request_for: Callable[..., Request], endpoint: Endpoint
) -> None:
    providers.ask(replace(request_for("ok"), idempotency_key="the-identity"))
    providers.ask(request_for("ok"))
    first, second = endpoint.requests
    assert first.headers["idempotency-key"] == "the-identity"
    assert "idempotency-key" not in second.headers


def test_an_answer_that_was_paid_for_is_given_again_and_not_written_again(
    request_for: Callable[..., Request], endpoint: Endpoint
) -> None:
    made = replace(request_for("ok"), idempotency_key="the-identity")
    assert providers.ask(made).body == providers.ask(made).body
    assert endpoint.written == {"the-identity": 1}


def test_without_a_key_none_is_sent_but_a_stand_in(wire: str, endpoint: Endpoint) -> None:
    reach = Reach(wire, endpoint.url_of(wire))
    providers.ask(providers.request(reach, "ok", "Write."))
    assert endpoint.requests[0].headers[HEADER[wire]].removeprefix("Bearer ") == "none"


def test_the_answer_is_read_and_its_body_kept_as_it_came(
    put: Put, wire: str, endpoint: Endpoint
) -> None:
    reply = put("ok")
    assert (reply.text, reply.finish, reply.reasoning) == (POEM, "stop", "")
    assert POEM in reply.body
    assert json.loads(reply.body)
    assert (reply.request_id, reply.served_model) == ("req-1", "ok-served")
    prompt, poem = len("Write a poem.") // 4 + 1, len(POEM) // 4 + 1
    said = (0, 0) if wire == "openai" else (None, 0 if wire == "anthropic" else None)
    assert reply.usage == Usage(prompt, poem, *said)


def test_what_is_not_counted_is_not_known(put: Put) -> None:
    assert put("no-usage").usage == Usage(None, None, None, None)


@pytest.mark.parametrize("model", ["reasoning", "reasoning-content"])
def test_thoughts_are_kept_apart_and_counted_as_output(model: str, put: Put, wire: str) -> None:
    reply = put(model)
    assert (reply.text, reply.reasoning) == (POEM, THOUGHTS)
    thoughts = len(THOUGHTS) // 4 + 1
    assert reply.usage.output == len(POEM) // 4 + 1 + thoughts
    assert reply.usage.reasoning == (None if wire == "anthropic" else thoughts)


def test_thoughts_within_the_text_are_left_there(put: Put) -> None:
    assert put("think").text == f"<think>{THOUGHTS}</think>\n\n{POEM}"


@pytest.mark.parametrize(
    ("model", "text", "finish"),
    [
        ("length", "The river keeps", "length"),
        ("thought-too-long", "", "length"),
        ("filtered", "", "content_filter"),
        ("refusal", SORRY, "stop"),
        ("empty", "", "stop"),
        ("null", "", "stop"),
    ],
)
def test_why_an_answer_ended_has_one_word_on_every_wire(
    model: str, text: str, finish: str, put: Put
) -> None:
    reply = put(model)
    assert (reply.text, reply.finish) == (text, finish)


@pytest.mark.parametrize(("model", "text"), [("nul", POEM), ("half-a-pair", f"{POEM}?")])
def test_what_no_database_takes_is_left_out(model: str, text: str, put: Put) -> None:
    assert put(model).text == text
    assert "\x00" not in put(model).body


def test_a_refusal_in_a_field_of_its_own_is_the_text(endpoint: Endpoint) -> None:
    reach = Reach("openai", endpoint.url_of("openai"))
    reply = providers.ask(providers.request(reach, "refusal-field", "Write."))
    assert (reply.text, reply.finish) == (SORRY, "content_filter")


@pytest.mark.parametrize(("said", "kept"), [(2**31 - 1, 2**31 - 1), (2**31, None), (10**20, None)])
def test_a_count_that_cannot_be_is_not_known(
    said: int, kept: int | None, endpoint: Endpoint
) -> None:
    raw = json.dumps(
        {
            "choices": [{"message": {"content": "A poem"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": said},
        }
    )
    endpoint.scenario = lambda _: Behaviour(raw=raw)
    reach = Reach("openai", endpoint.url_of("openai"))
    usage = providers.ask(providers.request(reach, "any", "Write.")).usage
    assert usage == Usage(1, kept)


def test_counts_that_together_cannot_be_are_not_known(endpoint: Endpoint) -> None:
    counts = {"candidatesTokenCount": 2**31 - 1, "thoughtsTokenCount": 2**31 - 1}
    raw = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": counts}
    endpoint.scenario = lambda _: Behaviour(raw=json.dumps(raw))
    reach = Reach("gemini", endpoint.url_of("gemini"))
    usage = providers.ask(providers.request(reach, "any", "Write.")).usage
    assert usage == Usage(output=None, reasoning=2**31 - 1)


@pytest.mark.parametrize(
    ("said", "finish"), [("ESCALATION", "content_filter"), ("MODEL_ARMOR", "content_filter")]
)
def test_googles_newer_filters_are_filters(said: str, finish: str, endpoint: Endpoint) -> None:
    endpoint.scenario = lambda _: Behaviour(
        raw=json.dumps({"candidates": [{"finishReason": said}]})
    )
    reach = Reach("gemini", endpoint.url_of("gemini"))
    assert providers.ask(providers.request(reach, "any", "Write.")).finish == finish


SAID = {
    "openai": [
        # Mistral's thinking models send parts.
        (
            '{"choices": [{"message": {"content": [{"type": "thinking", "thinking": ['
            '{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "A poem"}]}, '
            '"finish_reason": "stop"}]}',
            ("A poem", "stop", "Hm.", Usage()),
        ),
        # xAI bills thoughts that only the total counts; DeepSeek names the cache otherwise.
        (
            '{"choices": [{"message": {"content": "A poem"}, "finish_reason": null}], "usage": '
            '{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40, '
            '"prompt_cache_hit_tokens": 8, "completion_tokens_details": {"reasoning_tokens": 25}}}',
            ("A poem", "", "", Usage(10, 30, 25, 8)),
        ),
        (
            '{"choices": [{"message": {"content": "A poem"}, "finish_reason": "abort"}], '
            '"usage": {"prompt_tokens": "many", "completion_tokens": -1, "total_tokens": true}}',
            ("A poem", "abort", "", Usage()),
        ),
    ],
    "anthropic": [
        (
            '{"content": [{"type": "redacted_thinking", "data": "x"}, '
            '{"type": "text", "text": "A "}, {"type": "text", "text": "poem"}], '
            '"stop_reason": "pause_turn", "usage": {'
            '"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 100,'
            ' "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 5}}}',
            ("A poem", "pause_turn", "", Usage(123, 7, 5, 20)),
        ),
        (
            '{"content": [], "stop_reason": "model_context_window_exceeded", "usage": null}',
            ("", "length", "", Usage()),
        ),
    ],
    "gemini": [
        (
            '{"promptFeedback": {"blockReason": "SAFETY"}, '
            '"usageMetadata": {"promptTokenCount": 9}}',
            ("", "content_filter", "", Usage(9)),
        ),
        (
            '{"candidates": [{"finishReason": "MAX_TOKENS"}], "usageMetadata": '
            '{"promptTokenCount": 9, "thoughtsTokenCount": 50, "cachedContentTokenCount": 4}}',
            ("", "length", "", Usage(9, 50, 50, 4)),
        ),
        (
            '{"candidates": [{"content": {"parts": [{"text": "A "}, {"text": "poem"}]}, '
            '"finishReason": "RECITATION"}]}',
            ("A poem", "content_filter", "", Usage()),
        ),
        (
            '{"candidates": [{"content": {"parts": [{"text": "A poem"}]}, '
            '"finishReason": "CONTINUATION", "continuationToken": "bmV4dA=="}]}',
            ("A poem", "length", "", Usage()),
        ),
    ],
}


@pytest.mark.parametrize(
    ("wire", "raw", "expected"),
    [(wire, raw, expected) for wire, cases in SAID.items() for raw, expected in cases],
)
def test_the_ways_of_single_vendors_are_understood(
    raw: str,
    expected: tuple[str, str, str, Usage],
    put: Put,
    answer_with: Callable[..., None],
    endpoint: Endpoint,
) -> None:
    answer_with(raw=raw)
    reply = put("any")
    assert (reply.text, reply.finish, reply.reasoning, reply.usage) == expected
    assert reply.body == raw
    assert len(endpoint.requests) == 1


NO_ANSWERS = [
    "", "[]", "{}", "null", "7", '"text"', '{"error": {"message": "no"}}', '{"choices": []}',
    '{"choices": [{}]}', '{"choices": [{"message": {"content": [{"type": "text"}]}}]}',
    '{"choices": [{"message": {"content": 7}}]}', '{"choices": [{"mess', '{"content": "text"}',
    '{"content": [{"type": "text"}]}', '{"content": null}', '{"candidates": []}',
    '{"candidates": [7]}', '{"candidates": [{"content": {"parts": 7}}]}',
    '{"candidates": [{"content": {"parts": [7]}}]}', "[" * 200_000, "<html>Gateway</html>",
    'data: {"choices": []}\n\ndata: [DONE]\n\n',
]  # fmt: skip


@pytest.mark.parametrize("raw", NO_ANSWERS, ids=lambda raw: raw[:40])
def test_what_is_no_answer_of_the_wire_is_kept_and_may_be_asked_again(
    raw: str, put: Put, answer_with: Callable[..., None]
) -> None:
    answer_with(raw=raw)
    with pytest.raises(providers.ProviderUnavailable, match="The answer is no ") as caught:
        put("any")
    assert (caught.value.kind, caught.value.status) == ("server", 200)
    assert caught.value.body == raw[:20_000]
    assert caught.value.request_id == "req-1"


def test_the_built_in_models_are_reached_without_an_address() -> None:
    reach = Reach("openai", "built-in:")
    reply = providers.ask(providers.request(reach, "ngram-2", "Write a poem.", seed=1))
    assert reply.text.strip()
    assert reply.finish in {"stop", "length"}
