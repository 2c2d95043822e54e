"""The endpoint's own books can be relied on: what it wrote, to whom, and how often."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.endpoint import Asked, Behaviour, Endpoint, Scenario
from tests.services.waiting import soon

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    running = Endpoint()
    yield running
    running.stop()


def post(url: str, model: str = "ok", *, prompt: str = "Write.", key: str = "") -> httpx2.Response:
    return httpx2.post(
        f"{url}/v1/chat/completions",
        json={"model": model, "messages": [{"role": "user", "content": prompt}]},
        headers={"Idempotency-Key": key} if key else {},
        timeout=30,
        trust_env=False,
    )


def text(url: str, **how: str) -> str:
    said: str = post(url, **how).json()["choices"][0]["message"]["content"]
    return said


def test_poems_differ_by_model_prompt_and_key_and_are_the_same_for_the_same(
    endpoint: Endpoint,
) -> None:
    asked = [
        ("ok", "a", ""),
        ("ok", "b", ""),
        ("other", "a", ""),
        ("ok", "a", "1"),
        ("ok", "a", "2"),
    ]
    texts = [text(endpoint.url, model=m, prompt=p, key=k) for m, p, k in asked]
    assert len(set(texts)) == len(texts)
    assert text(endpoint.url, model="ok", prompt="a") == texts[0]


def test_an_answer_is_written_once_for_a_key_and_given_again(endpoint: Endpoint) -> None:
    first, second = post(endpoint.url, key="k"), post(endpoint.url, key="k")
    assert first.content == second.content
    assert (endpoint.written["k"], endpoint.delivered["k"]) == (1, 2)


def test_a_provider_that_knows_no_keys_writes_each_time() -> None:
    endpoint = Endpoint(honours_idempotency=False)
    try:
        post(endpoint.url, key="k")
        post(endpoint.url, key="k")
        assert endpoint.written["k"] == 2
    finally:
        endpoint.stop()


def test_two_who_ask_with_one_key_at_once_get_one_answer(endpoint: Endpoint) -> None:
    endpoint.scenario = Scenario(latency=0.2)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: post(endpoint.url, key="k").content, range(8)))
    assert len(set(answers)) == 1
    assert endpoint.written["k"] == 1


def test_to_a_client_that_went_away_nothing_is_written(endpoint: Endpoint) -> None:
    body = b'{"model": "held", "messages": [{"content": "Write."}]}'
    head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port)) as client:
        client.sendall(f"{head}Idempotency-Key: k\r\n\r\n".encode() + body)
        assert soon(lambda: endpoint.counts.at_once == 1)
    assert soon(lambda: endpoint.counts.at_once == 0)
    endpoint.released.set()
    assert post(endpoint.url, "held", key="other").status_code == 200
    assert endpoint.written == {"other": 1}


def test_an_answer_that_was_cut_off_is_written_but_not_delivered(endpoint: Endpoint) -> None:
    with pytest.raises(httpx2.ReadError):
        post(endpoint.url, "reset", key="k")
    assert (endpoint.written["k"], endpoint.delivered["k"]) == (1, 0)


@pytest.mark.parametrize(("model", "status"), [("server", 500), ("busy", 429), ("no-key", 401)])
def test_what_is_no_answer_is_not_written(model: str, status: int, endpoint: Endpoint) -> None:
    assert post(endpoint.url, model).status_code == status
    assert endpoint.written.total() == 0


def test_more_at_once_than_it_takes_are_told_to_wait(endpoint: Endpoint) -> None:
    endpoint.scenario = Scenario(behaviour="held", parallel=2)
    with ThreadPoolExecutor(2) as threads:
        taken = [threads.submit(post, endpoint.url, prompt=prompt) for prompt in "ab"]
        assert soon(lambda: endpoint.counts.at_once == 2)
        told = post(endpoint.url, prompt="c")
        endpoint.released.set()
    assert (told.status_code, told.headers["Retry-After"]) == (429, "1")
    assert [each.result().status_code for each in taken] == [200, 200]
    assert endpoint.most_at_once == 3


def test_a_model_can_mend_its_ways(endpoint: Endpoint) -> None:
    flaky = [post(endpoint.url, "flaky", key="k").status_code for _ in range(3)]
    assert flaky == [500, 500, 200]
    recited = [text(endpoint.url, model="recite-twice", key=f"{turn}") for turn in range(3)]
    assert ["summer's day" in said for said in recited] == [True, True, False]


def test_a_part_of_all_requests_behaves_otherwise_and_always_the_same_part() -> None:
    scenario = Scenario(shares={"server": 0.25}, seed=7)

    def failing() -> list[int]:
        asked = (Asked("openai", "ok", "", {}, {}, "", 0.0, b"", number) for number in range(400))
        return [each.number for each in asked if scenario(each).status == 500]

    assert failing() == failing()
    assert 60 < len(failing()) < 140


def test_it_may_be_told_how_to_behave_by_a_function(endpoint: Endpoint) -> None:
    endpoint.scenario = lambda asked: Behaviour(text=f"{asked.model}: {asked.prompt}")
    assert text(endpoint.url, model="m", prompt="Hello") == "m: Hello"


def test_as_a_process_it_says_where_it_is_counts_and_takes_orders() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.endpoint", "--share", "server=0.0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        post(url, key="k")
        post(url, key="k")
        httpx2.post(f"{url}/_script", json={"behaviour": "server"}, trust_env=False)
        assert post(url).status_code == 500
        counted = httpx2.get(f"{url}/_count?keys", trust_env=False).json()
        assert (counted["requests"], counted["written"], counted["replayed"]) == (3, 1, 1)
        assert counted["by_key"] == {"k": 1}
    finally:
        process.terminate()
        assert process.wait(30) == 0
