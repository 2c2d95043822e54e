"""Reads the parameters of a language model, which go out with each call as they are."""

import json
from typing import Any

from django.core.exceptions import ValidationError

from backend.generation.forms.providers import KEY_ITSELF

# What each call says by itself or a run sets, and what would have more than one poem paid for.
SET_ELSEWHERE = {
    "model": "the model’s id has a field of its own",
    "messages": "the brief is put there",
    "contents": "the brief is put there",
    "prompt": "the brief is put there",
    "stream": "replies are read as a whole",
    "stream_options": "replies are read as a whole",
    "max_tokens": "a run sets it",
    "max_completion_tokens": "a run sets it",
    "max_output_tokens": "a run sets it",
    "maxOutputTokens": "a run sets it",
    "seed": "a run sets it, for each sample another one",
    "n": "only the first of several replies would be read, and all be paid for",
    "best_of": "only the first of several replies would be read, and all be paid for",
    "candidateCount": "only the first of several replies would be read, and all be paid for",
    "candidate_count": "only the first of several replies would be read, and all be paid for",
}
SECRET = ("authorization", "api_key", "api-key", "apikey", "password", "secret")


class KeyAmongParameters(ValidationError):
    """Something that looks like a key stands among the parameters."""


def read(text: str) -> dict[str, Any]:
    """Return the parameters that were written as a JSON object; none, if nothing was.

    Raises
    ------
    KeyAmongParameters
        If a key seems to be among them: what was typed must not go back to the page.
    django.core.exceptions.ValidationError
        If it is no JSON object, or holds a name that is set elsewhere or a value that no JSON has.
    """
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
        # Infinity and nan are no JSON; NUL and half a character pair no database takes.
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValidationError(
            'That is no JSON. Write an object, with names in double quotes: {"temperature": 0.9}.'
        ) from error
    if not isinstance(found, dict):
        raise ValidationError('Write a JSON object, in braces: {"temperature": 0.9}.')
    _check(found)
    return found


def _check(found: dict[str, Any]) -> None:
    _check_for_keys(found)
    for name in found:
        if reason := SET_ELSEWHERE.get(name):
            raise ValidationError(f"Leave out “{name}”: {reason}.")


def _check_for_keys(value: Any) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_text(name)
            if any(word in name.lower() for word in SECRET):
                raise KeyAmongParameters(
                    f"Leave out “{name[:40]}”: parameters are stored and shown. A key belongs into "
                    "the environment variable of the provider."
                )
            _check_for_keys(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_for_keys(inner)
    elif isinstance(value, str):
        _check_text(value)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise ValidationError("Leave out the character NUL: no database takes it.")
    if KEY_ITSELF.match(text):
        raise KeyAmongParameters(
            "One of the values looks like a key, so nothing of it was kept. A key belongs into the "
            "environment variable of the provider; take this one for known to others."
        )
