"""``manage.py import_poems``: imports a file of poems, or the sample that is shipped."""

from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
)

from backend.corpus import services
from backend.corpus.columns import KNOWN
from backend.corpus.problems import ImportRefused
from backend.corpus.readers import ENCODINGS, KINDS

EXAMPLES = f"""examples:
  manage.py import_poems poems.csv --collection "English verse"
  manage.py import_poems gedichte.csv --collection Gedichte --encoding windows-1252 \\
      --column title=Titel --column text=Gedicht --language de
  manage.py import_poems --sample

fields of a poem, and the columns known for each:
{"".join(f"  {field:9} {', '.join(names)}" + chr(10) for field, names in KNOWN.items())}
A file with a problem is not imported at all: each problem is named with its line, column and
remedy, and the exit status is 1. A poem that is in the collection already is not added again.
"""


class _Help(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, the examples' own line breaks."""


class Command(BaseCommand):
    help = f"Imports human poems into a collection, from {KINDS}."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = _Help
        parser.epilog = EXAMPLES
        parser.add_argument("file", nargs="?", type=Path, help=KINDS)
        parser.add_argument("--collection", help="where the poems go; made if it is new")
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
            help="which column feeds a field of the poem, as often as needed",
        )
        parser.add_argument(
            *("--language", "-l"),
            default="",
            help="of poems whose row names none; otherwise guessed: zh-Hant if most letters are "
            "Han characters, else en",
        )
        parser.add_argument(
            "--sample", action="store_true", help="import the poems shipped with Blindverse"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["sample"] == bool(options["file"]):
            raise CommandError("Name a file and its --collection, or --sample alone.")
        try:
            reports = services.load_sample() if options["sample"] else [_import(options)]
        except ImportRefused as refused:
            raise CommandError(_said(refused)) from refused
        for report in reports:
            self.stdout.write(str(report))


def _import(options: dict[str, Any]) -> services.Report:
    if not options["collection"]:
        raise CommandError('Say where the poems go: --collection "NAME".')
    path: Path = options["file"]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    return services.import_poems(
        content,
        file_name=path.name,
        collection=options["collection"],
        columns=_columns(options["column"]),
        encoding=options["encoding"],
        language=options["language"],
    )


def _columns(pairs: list[str]) -> dict[str, str]:
    columns = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals:
            raise CommandError(f"--column {pair} has no '='; write --column title=Titel.")
        columns[field] = column
    return columns


def _said(refused: ImportRefused) -> str:
    lines = [refused.summary, *(str(problem) for problem in refused.shown)]
    if refused.unshown:
        lines.append(f"... and {refused.unshown} more.")
    return "\n".join(lines)
