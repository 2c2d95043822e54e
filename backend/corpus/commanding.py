"""What the commands that import a file have in common: its options, its bytes, its refusal."""

from pathlib import Path

from django.core.management import CommandError, CommandParser

from backend.corpus.problems import ImportRefused
from backend.corpus.readers import ENCODINGS


def add_file_options(parser: CommandParser) -> None:
    """Add the options that say how the file is written."""
    parser.add_argument(
        *("--encoding", "-e"),
        default="utf-8",
        help=f"of a text file: {', '.join(ENCODINGS)} or any other (default: utf-8)",
    )
    parser.add_argument(
        *("--column", "-c"),
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help="which column feeds which field, as often as needed",
    )


def content(path: Path) -> bytes:
    """Return the bytes of the file, or end the command with the reason."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def columns(pairs: list[str], *, example: str) -> dict[str, str]:
    """Return the columns by field, from pairs written FIELD=COLUMN as in `example`."""
    found = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals:
            raise CommandError(f"--column {pair} has no '='; write --column {example}.")
        found[field] = column
    return found


def said(refused: ImportRefused) -> str:
    """Return every problem that is shown, a line each."""
    lines = [refused.summary, *(str(problem) for problem in refused.shown)]
    if refused.unshown:
        lines.append(f"... and {refused.unshown} more.")
    return "\n".join(lines)
