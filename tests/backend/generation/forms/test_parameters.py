"""Parameters go out with each call as they are, so what no call can take is refused first."""

import pytest

from backend.generation.forms import parameters


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temperature: 1", "That is no JSON"),
        ('{"temperature": NaN}', "That is no JSON"),
        ('{"x": "\\ud800"}', "That is no JSON"),
        ("[" * 3000, "That is no JSON"),
        ("[1]", "Write a JSON object"),
        ('{"stop": ["\\u0000"]}', "NUL"),
        ('{"messages": []}', "Leave out “messages”: the brief is put there."),
        ('{"max_tokens": 5}', "Leave out “max_tokens”: a run sets it."),
        ('{"n": 3}', "only the first of several replies"),
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
