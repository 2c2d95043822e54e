"""What is asked for becomes each wire's own body, and no more than that; each call has a name."""

import json

import pytest

from backend.generation.providers import WIRES, Reach, Request, identity, request

ADDRESS = {
    "openai": "https://api.example.org/v1",
    "anthropic": "https://api.example.org",
    "gemini": "https://api.example.org",
}


def asked(wire: str, model: str = "m", base_url: str = "", **options: object) -> Request:
    reach = Reach(wire, base_url or ADDRESS[wire])
    return request(reach, model, "Write.", **options)  # type: ignore[arg-type]


WHOLE = {
    "openai": {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are a poet."},
            {"role": "user", "content": "Write."},
        ],
        "temperature": 0.0,
        "max_completion_tokens": 300,
        "seed": 0,
        "top_k": 40,
    },
    "anthropic": {
        "model": "m",
        "system": "You are a poet.",
        "messages": [{"role": "user", "content": "Write."}],
        "temperature": 0.0,
        "max_tokens": 300,
        "top_k": 40,
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "You are a poet."}]},
        "contents": [{"role": "user", "parts": [{"text": "Write."}]}],
        "generationConfig": {"temperature": 0.0, "maxOutputTokens": 300, "seed": 0, "top_k": 40},
    },
}
BARE = {
    "openai": {"model": "m", "messages": [{"role": "user", "content": "Write."}]},
    "anthropic": {
        "model": "m",
        "messages": [{"role": "user", "content": "Write."}],
        "max_tokens": 4096,
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "Write."}]}],
        "generationConfig": {},
    },
}


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_named_stands_where_the_wire_has_a_place_for_it(wire: str) -> None:
    made = asked(
        wire,
        system="You are a poet.",
        temperature=0.0,
        max_tokens=300,
        seed=0,
        parameters={"top_k": 40, "temperature": 2.0},
        max_tokens_name="max_completion_tokens",
    )
    assert made.body == WHOLE[wire]


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_left_to_the_model_is_not_sent(wire: str) -> None:
    assert asked(wire).body == BARE[wire]


def test_a_parameter_that_anthropic_insists_on_may_come_with_the_others() -> None:
    made = asked("anthropic", parameters={"max_tokens": 64_000, "thinking": {"type": "adaptive"}})
    assert (made.body["max_tokens"], made.body["thinking"]) == (64_000, {"type": "adaptive"})


def test_parameters_of_gemini_go_to_the_top_if_that_is_their_place() -> None:
    given = {
        "safetySettings": [{"category": "c", "threshold": "OFF"}],
        "generationConfig": {"topP": 0.5, "seed": 1},
        "topK": 3,
    }
    body = asked("gemini", parameters=given, seed=7).body
    assert body["safetySettings"] == given["safetySettings"]
    assert body["generationConfig"] == {"topP": 0.5, "topK": 3, "seed": 7}


@pytest.mark.parametrize("odd", [None, 5, "x", [1]])
def test_a_configuration_of_gemini_that_is_none_does_no_harm(odd: object) -> None:
    body = asked("gemini", parameters={"generationConfig": odd, "topK": 3}).body
    assert body["generationConfig"] == {"topK": 3}


def test_mistral_is_told_the_seed_under_its_own_name() -> None:
    body = asked("openai", base_url="https://api.mistral.ai/v1", seed=7).body
    assert body["random_seed"] == 7
    assert "seed" not in body


def test_parameters_are_left_as_they_were() -> None:
    given = {"generationConfig": {"topP": 0.5}}
    asked("gemini", parameters=given, seed=7)
    assert given == {"generationConfig": {"topP": 0.5}}


@pytest.mark.parametrize(
    ("wire", "base_url", "model", "url"),
    [
        ("openai", "https://a.org/v1/", "m", "https://a.org/v1/chat/completions"),
        ("openai", "built-in:", "ngram-3", "built-in:/chat/completions"),
        ("anthropic", "https://a.org/", "m", "https://a.org/v1/messages"),
        ("anthropic", "https://a.org/v1", "m", "https://a.org/v1/messages"),
        ("gemini", "https://a.org", "m", "https://a.org/v1beta/models/m:generateContent"),
        ("gemini", "https://a.org/v1/", "models/m", "https://a.org/v1/models/m:generateContent"),
        ("gemini", "https://a.org", "tunedModels/m", "https://a.org/v1beta/tunedModels/m:generateContent"),
    ],
)  # fmt: skip
def test_the_address_is_the_wires_own_under_the_base(
    wire: str, base_url: str, model: str, url: str
) -> None:
    assert asked(wire, model, base_url).url == url


def test_the_same_call_has_the_same_name_however_its_body_is_ordered() -> None:
    one = asked("openai", parameters={"top_p": 0.5, "top_k": 3})
    other = asked("openai", parameters={"top_k": 3, "top_p": 0.5})
    assert json.dumps(one.body) != json.dumps(other.body)
    assert identity(one, sample=1) == identity(other, sample=1)
    assert len(identity(one, sample=1)) == 64


def test_calls_that_one_answer_cannot_serve_have_names_of_their_own() -> None:
    made = asked("openai")
    names = [
        identity(made, sample=1),
        identity(made, sample=2),
        identity(made, sample=1, turn=1),
        identity(made, sample=1, prompt_version="2"),
        identity(made, sample=1, purpose="judge"),
        identity(asked("openai", temperature=1.0), sample=1),
        identity(asked("openai", "n"), sample=1),
        identity(asked("openai", base_url="https://b.org/v1"), sample=1),
        identity(asked("gemini"), sample=1),
        identity(asked("gemini", "n"), sample=1),
    ]
    assert len(set(names)) == len(names)


def test_a_key_has_no_part_in_the_name_of_a_call() -> None:
    with_key = request(Reach("openai", ADDRESS["openai"], "SOME_KEY", 9.0), "m", "Write.")
    assert identity(with_key, sample=1) == identity(asked("openai"), sample=1)
