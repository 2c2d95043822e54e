"""``manage.py import_generations``: imports machine poems that were written elsewhere."""

from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
)

from backend.corpus.commanding import add_file_options, columns, content, said
from backend.corpus.models import Collection
from backend.corpus.problems import ImportRefused
from backend.corpus.readers import KINDS
from backend.generation.briefs import TEMPLATES
from backend.generation.imports import import_generations
from backend.generation.rows import KNOWN
from backend.generation.services import NameTaken

EXAMPLES = f"""examples:
  manage.py import_generations replies.jsonl --run "Replies of March"
  manage.py import_generations poems.csv --run "Three models" --collection "English verse"
  manage.py import_generations poems.csv --run "Three models" --collection "English verse" \\
      --column model=LLM --column reply=Output --encoding windows-1252

what a row says, and the columns known for it:
{"".join(f"  {field:9} {', '.join(names)}" + chr(10) for field, names in KNOWN.items())}
Every row has a model, its raw reply, and one of poem_key, title (of a poem of --collection) or
prompt. A file with a problem is not imported at all: each problem is named with its line, column
and remedy, and the exit status is 1. A reply that is in the run already is not added again. One
that holds no poem is kept as failed, with the reason.
"""


class _Help(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, the examples' own line breaks."""


class Command(BaseCommand):
    help = f"Imports machine poems into a run, from {KINDS}."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = _Help
        parser.epilog = EXAMPLES
        parser.add_argument("file", type=Path, help=KINDS)
        parser.add_argument(
            "--run", required=True, metavar="NAME", help="new, or that of an earlier import"
        )
        parser.add_argument(
            "--collection", metavar="NAME", help="whose poems the titles or keys name"
        )
        parser.add_argument(
            "--template",
            choices=list(TEMPLATES),
            default="poemetric",
            help="how those poems were put as briefs, where a row has no prompt "
            "(default: poemetric)",
        )
        add_file_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            report = import_generations(
                content(path),
                file_name=path.name,
                run_name=options["run"],
                collection=_collection(options["collection"]),
                template=options["template"],
                columns=columns(options["column"], example="reply=Output"),
                encoding=options["encoding"],
            )
        except NameTaken as problem:
            raise CommandError(str(problem)) from problem
        except ImportRefused as refused:
            raise CommandError(said(refused)) from refused
        self.stdout.write(str(report))


def _collection(name: str | None) -> Collection | None:
    if name is None:
        return None
    found = Collection.objects.filter(name=name).first()
    if found is None:
        there = ", ".join(repr(there.name) for there in Collection.objects.all()) or "none"
        raise CommandError(f"There is no collection named {name!r}; there are: {there}.")
    return found
