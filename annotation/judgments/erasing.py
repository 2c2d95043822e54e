"""What a deletion leaves outside its rows: local copies of letters, and bytes that SQLite freed."""

import logging
from email import message_from_bytes, policy
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection, transaction

MAIL_IN_FILES = "django.core.mail.backends.filebased.EmailBackend"
# What Django's backend writes after each letter. Letters of one second may share a file.
_END = b"\n" + b"-" * 79 + b"\n"

logger = logging.getLogger(__name__)


def erase_letters(address: str) -> int:
    """Delete local copies of letters to this address. Return from how many files.

    There are such copies where Django writes mail to files instead of sending it.

    Raises
    ------
    OSError
        If a file cannot be read or deleted.
    """
    if settings.EMAIL_BACKEND != MAIL_IN_FILES or not address:
        return 0
    folder = Path(getattr(settings, "EMAIL_FILE_PATH"))  # noqa: B009  (unset for other backends)
    return sum(_erase_in(path, address) for path in sorted(folder.glob("*")) if path.is_file())


def leave_no_bytes() -> None:
    """Once this transaction is committed, let nothing deleted by it stay in SQLite's files."""
    if connection.vendor == "sqlite":
        transaction.on_commit(_write_anew)


def _erase_in(path: Path, address: str) -> bool:
    kept: list[bytes] = []
    theirs = found = False
    for part in _read(path).split(_END):
        recipients = _recipients(part)
        # A line of hyphens within a letter ends nothing: what follows has no head of its own.
        theirs = address.casefold() in recipients if recipients else theirs
        found = found or theirs
        if not theirs:
            kept.append(part)
    if found and any(part.strip() for part in kept):
        path.write_bytes(_END.join(kept).rstrip(b"\n") + b"\n")
    elif found:
        path.unlink(missing_ok=True)
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # whoever leaves at the same moment took theirs away
        return b""


def _recipients(part: bytes) -> set[str]:
    letter = message_from_bytes(part.lstrip(), policy=policy.default)
    heads = [head for name in ("to", "cc", "bcc") for head in letter.get_all(name, [])]
    return {address.addr_spec.casefold() for head in heads for address in head.addresses}


def _write_anew() -> None:
    try:
        with connection.cursor() as cursor:
            # The pragma `secure_delete` overwrites what is deleted, but not the copies that stay
            # behind when SQLite moves rows between pages.
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy = cursor.fetchone()[0]
    except OperationalError as trouble:  # the disk is full, or another writer takes very long
        busy = str(trouble)
    if busy:
        logger.warning(
            "Deleted bytes may stay in SQLite's files until the next deletion (%s).",
            busy if isinstance(busy, str) else "somebody was reading",
        )
