"""Reads the parameters of a language model, which go out with each call as they are."""

import json
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError

from backend.generation.forms.secrets import REASON, looks_like_key, names_key

DEEPEST = 32  # objects and lists within each other; no call needs nearly so many
TOO_DEEP = f"Nest objects and lists no deeper than {DEEPEST} levels."
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
    "random_seed": "a run sets it, for each sample another one",
    "n": "only the first of several replies would be read, and all be paid for",
    "best_of": "only the first of several replies would be read, and all be paid for",
    "candidateCount": "only the first of several replies would be read, and all be paid for",
    "candidate_count": "only the first of several replies would be read, and all be paid for",
}


class KeyAmongParameters(ValidationError):
    """Something that looks like a key stands among the parameters."""


def read(text: str) -> dict[str, Any]:
    """Return the parameters that were written as a JSON object; none, if nothing was.

    Raises
    ------
    KeyAmongParameters
        If a key seems to be among them: what was typed must not go back to the page.
    django.core.exceptions.ValidationError
        If it is no JSON object, is nested too deeply, or holds a name that is set elsewhere or a
        value that no JSON has.
    """
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
        refuse_depth(found)
        # Infinity and nan are no JSON; NUL and half a character pair no database takes.
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValidationError(TOO_DEEP) from error
    except ValueError as error:
        raise ValidationError(
            'That is no JSON. Write an object, with names in double quotes: {"temperature": 0.9}.'
        ) from error
    if not isinstance(found, dict):
        raise ValidationError('Write a JSON object, in braces: {"temperature": 0.9}.')
    _check(found)
    return found


def _check(found: dict[str, Any]) -> None:
    _check_for_keys(found)
    within = found.get("generationConfig", {})
    if not isinstance(within, dict):
        raise ValidationError(
            "Let “generationConfig” be a JSON object, in braces, or leave it out."
        )
    for name in (*found, *within):
        if reason := SET_ELSEWHERE.get(name):
            raise ValidationError(f"Leave out “{name}”: {reason}.")


def refuse_depth(value: Any) -> None:
    """See that objects and lists are not nested too deeply for what reads and writes them.

    Raises
    ------
    django.core.exceptions.ValidationError
        If they are.
    """
    level = [value]
    for _ in range(DEEPEST):
        level = [each for one in level for each in _inner(one) if isinstance(each, dict | list)]
        if not level:
            return
    raise ValidationError(TOO_DEEP)


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _check_for_keys(value: Any) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_text(name)
            if names_key(name, inner):
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
    if looks_like_key(text):
        raise KeyAmongParameters(REASON)
