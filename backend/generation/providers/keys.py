"""Keys by the name of the environment variable that holds them; never kept, never shown."""

import json
import os
import re
from functools import lru_cache

from backend.generation.providers.asking import ProviderRefused

NO_KEY = "none"  # the clients insist on one; an endpoint without keys ignores it
# A shorter key is a stand-in ("EMPTY") and may well be a word of the poem.
SHORTEST_SECRET = 8
# The site's own variables hold other secrets: what signs its links, what opens its database.
NAMES_OF_KEYS = re.compile(r"(?!BLINDVERSE_|DJANGO_)(?:[A-Z_][A-Z0-9_]*)?_(?:KEY|TOKEN)")
WHICH_NAMES = (
    "it ends in _KEY or _TOKEN, as in OPENAI_API_KEY, has capital letters, digits and underscores "
    "alone and no digit first, and does not begin with BLINDVERSE_ or DJANGO_"
)


def may_hold_key(variable: str) -> bool:
    """Whether a variable of this name may be read as the key of a language model."""
    return NAMES_OF_KEYS.fullmatch(variable) is not None


def is_key_set(variable: str) -> bool:
    """Whether this environment variable holds a key here."""
    return may_hold_key(variable) and bool(os.environ.get(variable))


def key_in(variable: str) -> str:
    """Return the key that this environment variable holds, or a stand-in if none is named.

    Raises
    ------
    ProviderRefused
        If no key can have a variable of this name, or it is empty, or holds what no header can
        carry.
    """
    if not variable:
        return NO_KEY
    if not may_hold_key(variable):
        raise ProviderRefused(
            "no key",
            f"The environment variable {variable} is not read as a key. Rename it, and name it "
            f"anew with the provider, so that {WHICH_NAMES}.",
        )
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
        if "\\u" in text:
            text = _escaped(key).sub("…", text)
    return text.replace("\x00", "").encode(errors="replace").decode()


@lru_cache(maxsize=64)
def _escaped(key: str) -> re.Pattern[str]:
    """Return the key in any spelling of JSON: each character as it is, or by its number."""
    return re.compile("".join(rf"(?:\\*{re.escape(one)}|\\+u00(?i:{ord(one):02x}))" for one in key))
