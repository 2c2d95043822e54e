"""Keys by the name of the environment variable that holds them; never kept, never shown."""

import json
import os

from backend.generation.providers.asking import ProviderRefused

NO_KEY = "none"  # the clients insist on one; an endpoint without keys ignores it
# A shorter key is a stand-in ("EMPTY") and may well be a word of the poem.
SHORTEST_SECRET = 8


def key_in(variable: str) -> str:
    """Return the key that this environment variable holds, or a stand-in if none is named.

    Raises
    ------
    ProviderRefused
        If the variable is empty, or holds what no header can carry.
    """
    if not variable:
        return NO_KEY
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ProviderRefused(
            "no key",
            f"The environment variable {variable} is not set where the worker runs; "
            "set it there, start the worker again, and retry.",
        )
    if not key.isascii() or not key.isprintable():
        raise ProviderRefused(
            "key",
            f"The environment variable {variable} holds characters that no key has; "
            "set it anew where the worker runs, start the worker again, and retry.",
        )
    return key


def storable(text: str, key: str) -> str:
    """Return what may be kept of a provider's words: no key, which some repeat, and no NUL.

    Half a character pair is no text either: databases refuse both.
    """
    if len(key) >= SHORTEST_SECRET:
        for spelling in (key, json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/")):
            text = text.replace(spelling, "…")
    return text.replace("\x00", "").encode(errors="replace").decode()
