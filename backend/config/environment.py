"""Settings are read from the environment here: a wrong one stops the start and names its remedy."""

import os
import secrets
from email.errors import MessageError
from email.headerregistry import Address
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

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


def names(name: str) -> list[str]:
    """Return a setting that is a list of names with commas between."""
    found = [part.strip() for part in text(name).split(",") if part.strip()]
    if not found:
        raise ImproperlyConfigured(f"{name} holds no name; write one or more, with commas between.")
    return found


def redis(name: str, default: str | None) -> str:
    """Return a setting that is the address of a Redis server, or empty."""
    value = text(name, default)
    try:
        address = urlsplit(value)
        # To read the port is to check it.
        known = address.scheme in ("redis", "rediss") and address.hostname and address.port != 0
    except ValueError:
        known = False
    if value and not known:
        raise ImproperlyConfigured(
            f"{name} is not a Redis address; write it as redis://:password@host:6379/0."
        )
    return value


def proxy(name: str) -> str:
    """Return a setting that is the address of an HTTP proxy, or empty."""
    value = text(name, "")
    try:
        address = urlsplit(value)
        known = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        known = False
    if value and not known:
        # Not shown: it may hold a password.
        raise ImproperlyConfigured(
            f"{name} is not a proxy's address; write it as http://proxy.example.org:3128, or with "
            "user:password@ before the host (in these, % and two digits for each of @ : / # ? %)."
        )
    return value


def mail(name: str, *, default: str, folder: Path) -> dict[str, Any]:
    """Return Django's settings for sending mail, none if the setting is empty.

    A password is never sent in the clear: with one, ``smtp:`` means STARTTLS.
    """
    value = text(name, default)
    if not value:
        return {}
    if value == "console:":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if value == "file:":
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": str(folder),
        }
    server, port = _mail_server(name, value)
    outright = server.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": server.hostname,
        "EMAIL_PORT": port or (465 if outright else 587 if server.password else 25),
        "EMAIL_HOST_USER": unquote(server.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(server.password or ""),
        "EMAIL_USE_SSL": outright,
        "EMAIL_USE_TLS": bool(server.password) and not outright,
    }


def _mail_server(name: str, value: str) -> tuple[SplitResult, int | None]:
    # Not shown: it may hold a password.
    remedy = (
        f"{name} is not a mail server's address; write it as smtp://user:password@host:587 or "
        "smtps://user:password@host:465 (in user and password, % and two digits for each of "
        "@ : / # ? %), or console: or file:."
    )
    try:
        server = urlsplit(value)
        port = server.port  # to read it is to check it
    except ValueError as error:
        raise ImproperlyConfigured(remedy) from error
    known = server.scheme in ("smtp", "smtps") and server.hostname and port != 0
    more = server.path.strip("/") or server.query or server.fragment
    if not known or more or bool(server.username) != bool(server.password):
        raise ImproperlyConfigured(remedy)
    return server, port


def sender(name: str, default: str | None) -> str:
    """Return a setting that is whom mail comes from: an address, perhaps with a name before it."""
    value = text(name, default)
    try:
        who, address = parseaddr(value)
        Address(display_name=who, addr_spec=address)
    except (MessageError, ValueError, IndexError):
        address = ""
    if "@" not in address.strip("@"):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; set it to an address, as in: Poem study <poems@example.org>."
        )
    return value


def site(name: str, default: str | None) -> str:
    """Return a setting that is the address of this site, without a slash at its end; or empty."""
    value = text(name, default).rstrip("/")
    try:
        address = urlsplit(value)
        known = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        known = False
    if value and (not known or address.path or address.query or address.fragment):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; set it to the address people reach the site by, "
            "as in: https://poems.example.org."
        )
    return value


def kept_secret(name: str, folder: Path) -> str:
    """Return the secret kept in `folder`, the value of `name`; made on first use."""
    path = folder / "secret-key"
    try:
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            # Whole or not at all: half a secret would stop every later start.
            made = folder / f".secret-key.{os.getpid()}"
            made.touch(mode=0o600)
            made.write_text(secrets.token_urlsafe(48))
            made.replace(path)
        return path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{name} is {str(folder)!r}, where nothing can be kept ({error.strerror}); "
            "set it to another folder."
        ) from error
