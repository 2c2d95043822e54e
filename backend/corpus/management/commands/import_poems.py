"""``manage.py import_poems``: imports a file of poems, or some that are shipped."""

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
from backend.corpus.commanding import add_file_options, columns, content, said
from backend.corpus.problems import ImportRefused
from backend.corpus.readers import KINDS

EXAMPLES = f"""examples:
  manage.py import_poems poems.csv --collection "English verse"
  manage.py import_poems gedichte.csv --collection Gedichte --encoding windows-1252 \\
      --column title=Titel --column text=Gedicht --language de
  manage.py import_poems --sample
  manage.py import_poems --well-known

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
        add_file_options(parser)
        parser.add_argument(
            *("--language", "-l"),
            default="",
            help="of poems whose row names none; otherwise guessed: zh-Hant if most letters are "
            "Han characters, else en",
        )
        parser.add_argument(
            "--sample", action="store_true", help="import the poems shipped with Blindverse"
        )
        parser.add_argument(
            "--well-known",
            action="store_true",
            help="import shipped poems that language models recite, so that it is noticed",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if sum(bool(options[name]) for name in ("file", "sample", "well_known")) != 1:
            raise CommandError(
                "Name a file and its --collection, or --sample alone, or --well-known alone."
            )
        try:
            reports = _reports(options)
        except ImportRefused as refused:
            raise CommandError(said(refused)) from refused
        for report in reports:
            self.stdout.write(str(report))


def _reports(options: dict[str, Any]) -> list[services.Report]:
    if options["sample"]:
        return services.load_sample()
    if options["well_known"]:
        return [services.load_well_known()]
    return [_import(options)]


def _import(options: dict[str, Any]) -> services.Report:
    if not options["collection"]:
        raise CommandError('Say where the poems go: --collection "NAME".')
    path: Path = options["file"]
    return services.import_poems(
        content(path),
        file_name=path.name,
        collection=options["collection"],
        columns=columns(options["column"], example="title=Titel"),
        encoding=options["encoding"],
        language=options["language"],
    )
