"""Parameters go out with each call as they are, so what no call can take is refused first."""

import pytest

from backend.generation.forms import parameters


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temperature: 1", "That is no JSON"),
        ('{"temperature": NaN}', "That is no JSON"),
        ('{"x": "\\ud800"}', "That is no JSON"),
        ("[" * 3000, "no deeper than 32 levels"),
        ('{"a": ' + "[" * 32 + "]" * 32 + "}", "no deeper than 32 levels"),
        ("[1]", "Write a JSON object"),
        ('{"stop": ["\\u0000"]}', "NUL"),
        ('{"messages": []}', "Leave out “messages”: the brief is put there."),
        ('{"max_tokens": 5}', "Leave out “max_tokens”: a run sets it."),
        ('{"n": 3}', "only the first of several replies"),
        ('{"generationConfig": {"candidateCount": 3}}', "only the first of several replies"),
        ('{"generationConfig": {"n": 3}}', "only the first of several replies"),
        ('{"generationConfig": null}', "be a JSON object"),
        ('{"generationConfig": 5}', "be a JSON object"),
        ('{"random_seed": 5}', "a run sets it"),
    ],
)
def test_parameters_that_no_call_can_take_are_refused(text: str, said: str) -> None:
    with pytest.raises(parameters.ValidationError, match=said):
        parameters.read(text)


def test_parameters_are_taken_as_they_are() -> None:
    text = '{"thinking": {"type": "enabled", "budget_tokens": 4000}, "top_p": 0.95}'
    assert parameters.read(text) == {
        "thinking": {"type": "enabled", "budget_tokens": 4000},
        "top_p": 0.95,
    }
    assert parameters.read("  ") == {}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": ' + "[" * 31 + "1" + "]" * 31 + "}",
        '{"models": ["deepseek/deepseek-r1-distill-llama-70b"]}',
        '{"provider": {"order": ["x"]}, "models": ["meta-llama/llama-3-3-70b-instruct"]}',
        '{"betas": ["interleaved-thinking-2025-05-14"]}',
        '{"cachedContent": "cachedContents/abc1234567890"}',
        '{"stop": ["=========1=========="], "stop_token": "</s>"}',
        '{"response_format": {"json_schema": {"name": "poem_2025_with_some_long_name1"}}}',
        '{"response_format": {"properties": {"key": {"type": "string"}}}}',
        '{"prompt_cache_key": "poems", "logit_bias": {"token": -1}}',
    ],
)
def test_what_only_resembles_a_key_is_taken(text: str) -> None:
    assert parameters.read(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"headers": {"X": "Bearer abcdefghijklmnop1234"}}',
        '{"user": "  sk-abcdefghijklmnop1234567890"}',
        '{"user": "my key: sk-proj-abcdefghijklmnop1234567890"}',
        '{"sk-ant-api03-abcdefghijklmnop": 1}',
        '{"a": [{"b": "AIzaSyA1234567890abcdefghijklmnopqrstuv"}]}',
        '{"extra_headers": {"x-goog-key": "abc"}}',
        '{"token": "abc"}',
        '{"access_token": ["abc"]}',
        '{"client_secret": "abc"}',
        '{"headers": {"Authorization": "abc"}}',
        '{"extra": {"api_key": "hunter2"}}',
    ],
)
def test_a_key_by_its_looks_or_by_its_name_is_refused(text: str) -> None:
    with pytest.raises(parameters.KeyAmongParameters):
        parameters.read(text)
