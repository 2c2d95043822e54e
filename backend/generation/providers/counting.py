"""Figures and texts out of a provider's JSON, which may hold anything."""

from typing import Any

# More than a database keeps of one call; no model has ever written so much.
MOST = 2**31 - 1


def count(value: Any) -> int | None:
    """Return a number of tokens; None if this is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= MOST and value == value // 1 else None


def total(*values: int | None) -> int | None:
    """Return the sum of what is known; None if nothing is, or if it cannot be."""
    known = [value for value in values if value is not None]
    return count(sum(known)) if known else None


def group(data: Any, name: str) -> dict[str, Any]:
    """Return the object of this name; an empty one if there is none."""
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def word(value: Any) -> str:
    """Return the text; an empty one if this is none."""
    return value if isinstance(value, str) else ""
