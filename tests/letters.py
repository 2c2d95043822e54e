"""Letters that were written to files instead of being sent."""

import email
from email import policy
from email.message import EmailMessage
from pathlib import Path

END = b"\n" + b"-" * 79 + b"\n"


def letters_in(folder: Path) -> list[EmailMessage]:
    """Return the letters in a folder; those of one second may share a file."""
    parts = [part for path in folder.iterdir() for part in path.read_bytes().split(END)]
    return [
        email.message_from_bytes(part.lstrip(), policy=policy.default)
        for part in parts
        if part.strip()
    ]
