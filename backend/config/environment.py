"""Settings are read from the environment here: a wrong one stops the start and names its remedy."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str | None = None) -> str:
    """Return a setting, or stop the start if it is missing and has no default."""
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(
            f"{name} is not set; set it in the environment (see .env.example)."
        )
    return default


def flag(name: str, *, default: bool) -> bool:
    """Return a setting that is either True or False."""
    value = text(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to True or False.")
    return value == "True"


def number(name: str, default: int) -> int:
    """Return a setting that is a whole number above zero."""
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < 1:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to a whole number above 0.")
    return int(value)


def choice(name: str, choices: tuple[str, ...]) -> str:
    """Return a setting that is one of `choices`, the first of them if it is not set."""
    value = text(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; set it to one of: {', '.join(choices)}.")
    return value


def names(name: str, default: str | None = None) -> list[str]:
    """Return a setting that is a list of names with commas between."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def kept_secret(path: Path) -> str:
    """Return the secret kept in `path`, made on first use and readable by its owner only."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(48))
    return path.read_text().strip()
