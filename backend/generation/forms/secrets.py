"""Knows a key by its looks, so that none is kept or shown that was typed into the wrong field."""

import re
from typing import Any

# As vendors write them: a prefix of theirs, its separator, and what nobody can guess.
_BODY = r"[A-Za-z0-9_-]{16,}"
KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    rf"(?:sk|rk|pk|csk)[-_]{_BODY}"
    rf"|(?:gsk|hf|r8|fw|ghp|gho|tgp|rpa|glpat|github_pat)[-_]{_BODY}"
    r"|(?:pplx|xai|nvapi|dapi)-[A-Za-z0-9_]{16,}"
    r"|xox[abp]-[A-Za-z0-9-]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{30,}"
    r"|(?:AQ|ya29)\.[A-Za-z0-9_-]{16,}"
    r"|(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{16,}"
    r")"
)
# Parameters that by their names hold a key, whatever it looks like.
NAME = re.compile(r"(?:token|key|secret|password|authorization)$", re.IGNORECASE)
HARMLESS = ("prompt_cache_key", "stop_token", "eos_token", "bos_token", "pad_token")

REASON = (
    "That looks like a key, so it was not kept: what stands here is stored and shown. A key "
    "belongs into the environment variable of a provider; take this one for known to others."
)


def looks_like_key(text: str) -> bool:
    """Whether a key stands in this text."""
    return KEY.search(text) is not None


def names_key(name: str, value: Any) -> bool:
    """Whether a parameter of this name holds a key: a text, where a count or an object is none."""
    if not NAME.search(name) or name.lower() in HARMLESS:
        return False
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, str) and one for one in values)
