"""The endpoint speaks OpenAI's protocol to OpenAI's own client over real HTTP."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from backend.generation.builtin.endpoint import serve

BRIEF = "Write a poem according to the following instructions.\nForm: Sonnet\nTheme: the sea"


@pytest.fixture(scope="module")
def client() -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=serve(), api_key="none", max_retries=0, timeout=30) as client:
        yield client


def ask(client: openai.OpenAI, model: str = "ngram-2", text: str = BRIEF, **options: Any) -> Any:
    return client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": text}], **options
    )


def raw(path: str, body: bytes | None = None) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(serve().removesuffix("/v1") + path, data=body)  # noqa: S310
    try:
        with urllib.request.urlopen(request) as response:  # noqa: S310
            return response.status, json.load(response)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


def test_a_poem_comes_back_in_the_shape_of_a_chat_completion(client: openai.OpenAI) -> None:
    reply = ask(client, seed=3)
    assert reply.object == "chat.completion"
    assert reply.model == "ngram-2"
    assert reply.system_fingerprint.startswith("ngram-")
    [choice] = reply.choices
    assert choice.finish_reason == "stop"
    assert choice.message.role == "assistant"
    assert len(choice.message.content.split("\n")) == 14
    # 13 words, 3 marks and 2 line breaks.
    assert reply.usage.prompt_tokens == 18
    assert reply.usage.total_tokens == 18 + reply.usage.completion_tokens


def test_seed_model_and_temperature_decide_the_poem(client: openai.OpenAI) -> None:
    def poem(**options: Any) -> str:
        return str(ask(client, **options).choices[0].message.content)

    assert poem(seed=3) == poem(seed=3)
    assert poem() == poem()
    assert poem(seed=3) != poem(seed=4)
    assert poem(seed=3) != poem(seed=3, model="ngram-4")
    assert poem(seed=3) != poem(seed=3, temperature=0.5)
    assert poem(seed=3, temperature=0) == poem(seed=4, temperature=0)


def test_a_chinese_brief_is_answered_in_chinese(client: openai.OpenAI) -> None:
    poem = ask(client, text="请你写一首题为《山月》的五言绝句。").choices[0].message.content
    assert [len(line) for line in poem.split("\n")] == [6] * 4


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_reply_stops_at_the_tokens_asked_for(client: openai.OpenAI, name: str) -> None:
    whole = ask(client, seed=3).choices[0].message.content
    reply = ask(client, seed=3, **{name: 12})
    assert reply.choices[0].finish_reason == "length"
    assert reply.usage.completion_tokens == 12
    assert whole.startswith(reply.choices[0].message.content)
    assert len(reply.choices[0].message.content) < len(whole)


def test_the_models_are_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["ngram-2", "ngram-4", "baseline-judge"]


def test_the_judge_answers_the_question_it_is_sent(client: openai.OpenAI) -> None:
    prompt = (
        '## The poem\nA line.\n\n## Questions\n1. How likely, 0.0 to 1.0?\n\n## Format\n{"1": <p>}'
    )
    reply = ask(client, "baseline-judge", prompt).choices[0].message.content
    assert 0 <= json.loads(reply)["1"] <= 1


def test_an_unknown_model_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        ask(client, "gpt-4")
    assert refused.value.code == "model_not_found"
    assert "ngram-2" in refused.value.message


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"\xff", None),
        (b"[]", None),
        (b"{}", "model"),
        (b'{"model": "ngram-2"}', "messages"),
        (b'{"model": "ngram-2", "messages": []}', "messages"),
        (b'{"model": "ngram-2", "messages": ["hello"]}', "messages"),
        (b'{"model": "ngram-2", "messages": [{"role": "poet", "content": "x"}]}', "messages"),
        (b'{"model": "ngram-2", "messages": [{"role": "user", "content": 3}]}', "messages"),
        (b'{"model": "ngram-2", "messages": [{"role": "user"}], "stream": true}', "stream"),
        (b'{"model": "ngram-2", "messages": [{"role": "user"}], "n": 2}', "n"),
    ],
)
def test_a_malformed_body_is_refused_in_openais_shape(body: bytes, param: str | None) -> None:
    status, said = raw("/v1/chat/completions", body)
    assert status == 400
    assert set(said) == {"error"}
    assert set(said["error"]) == {"message", "type", "param", "code"}
    assert said["error"]["type"] == "invalid_request_error"
    assert said["error"]["param"] == param


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 2.5), ("temperature", True), ("seed", "x"), ("seed", 1.5), ("max_tokens", 0)],
)
def test_an_option_off_its_range_is_refused_by_name(name: str, value: object) -> None:
    body = {"model": "ngram-2", "messages": [{"role": "user", "content": "x"}], name: value}
    status, said = raw("/v1/chat/completions", json.dumps(body).encode())
    assert (status, said["error"]["param"]) == (400, name)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [("/v1/completions", b"{}", 404), ("/", None, 404), ("/v1/models", b"{}", 405)],
)
def test_a_wrong_path_or_method_is_refused(path: str, body: bytes | None, status: int) -> None:
    answered, said = raw(path, body)
    assert answered == status
    assert said["error"]["message"]


def test_text_in_parts_and_broken_characters_are_read(client: openai.OpenAI) -> None:
    parts = json.dumps([{"type": "text", "text": "a limerick \ud800"}]).encode()
    body = b'{"model": "ngram-2", "messages": [{"role": "user", "content": %s}]}' % parts
    status, said = raw("/v1/chat/completions", body)
    assert status == 200
    assert len(said["choices"][0]["message"]["content"].split("\n")) == 5


def test_many_ask_at_once_and_each_gets_its_own_poem(client: openai.OpenAI) -> None:
    def poem(seed: int) -> str:
        return str(ask(client, seed=seed).choices[0].message.content)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(poem, range(16)))
    assert together == [poem(seed) for seed in range(16)]


def test_one_server_serves_a_process_and_says_nothing(
    client: openai.OpenAI, capfd: pytest.CaptureFixture[str]
) -> None:
    assert serve() == serve() == str(client.base_url).rstrip("/")
    assert serve().startswith("http://127.0.0.1:")
    ask(client)
    raw("/nowhere")
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_process_starts_a_server_of_its_own(client: openai.OpenAI) -> None:
    before = ask(client, seed=3).choices[0].message.content
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        address = serve()
        with openai.OpenAI(base_url=address, api_key="none", max_retries=0, timeout=30) as own:
            poem = ask(own, seed=3).choices[0].message.content
        os.write(write, json.dumps([address, poem]).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as replies:
        address, poem = json.loads(replies.read())
    os.waitpid(child, 0)
    assert address != serve()
    assert poem == before
    assert ask(client, seed=3).choices[0].message.content == before
