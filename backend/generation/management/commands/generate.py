"""``manage.py generate``: has language models write to the poems of a collection."""

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
)
from django.db import transaction

from backend.corpus.models import Collection
from backend.generation import services, tasks
from backend.generation.briefs import IMPORTED, TEMPLATES
from backend.generation.foreground import work_through
from backend.generation.forms import writers
from backend.generation.models import Generation, LanguageModel, Run
from backend.generation.presenting import naming_left_out, plainly, progress

BUILT_IN = "built-in"

EXAMPLES = """examples:
  manage.py generate --list
  manage.py generate --run "First try" --collection "Sample: English verse" \\
      --template poemetric --models built-in --poems 10
  manage.py generate --run "GPT-4o, warm" --collection "English verse" \\
      --template proftap-en --models GPT-4o --temperature 1 --samples 3 --threads 8
  manage.py generate --run "GPT-4o, warm" --resume --retry-failed

Stopped (Ctrl-C) or killed, it loses nothing that was answered: --resume goes on with the rest.
The exit status is 1 if anything failed, and each failure is named. Models are added on the page
"Language models"; "built-in" stands for the two n-gram models that need neither key nor network.
"""


class _Help(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, the examples' own line breaks."""


class Command(BaseCommand):
    help = "Has language models write to the briefs of a collection's poems."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = _Help
        parser.epilog = EXAMPLES
        add = parser.add_argument
        add("--list", action="store_true", help="name collections, templates and models, and end")
        add("--run", metavar="NAME", help="name of the run; a new one, unless --resume")
        add("--collection", metavar="NAME", help="whose poems are put as briefs")
        add("--template", choices=list(TEMPLATES), help="how each poem is put as a brief")
        add("--models", nargs="+", metavar="NAME", default=[], help=f'or "{BUILT_IN}"')
        add("--poems", type=int, metavar="N", help="so many, drawn with the seed (default: all)")
        add("--samples", type=int, default=1, metavar="N", help="poems to each brief (default: 1)")
        add("--temperature", type=float, metavar="T", help="default: each model's own")
        add("--max-tokens", type=int, metavar="N", help="default: each model's own")
        add("--seed", type=int, metavar="N", help="for the draw, and sent (default: not sent)")
        add("--threads", type=int, default=4, metavar="N", help="calls at once (default: 4)")
        add("--resume", action="store_true", help="go on with what is unfinished in the run")
        add("--retry-failed", action="store_true", help="with --resume: ask again what failed")
        add("--background", action="store_true", help="only queue it; a worker writes")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["list"]:
            self._list()
            return
        if not options["run"]:
            raise CommandError('Name the run: --run "NAME"; --list shows what there is.')
        run = self._resumed(options) if options["resume"] else self._started(options)
        if options["background"]:
            transaction.on_commit(tasks.sweep.delay, robust=True)
            waiting = progress(run).overall.unfinished
            self.stdout.write(f"{waiting} poems are queued; a worker writes them.")
            return
        self._work(run, options["threads"])

    def _list(self) -> None:
        collections = [
            f"{found.name} ({found.poems.count()} poems)" for found in Collection.objects.all()
        ]
        listed = {
            "collections": collections or ["none yet: manage.py import_poems --help"],
            "templates": [f"{key}: {template.name}" for key, template in TEMPLATES.items()],
            "models": [BUILT_IN, *(model.name for model in writers())],
        }
        for title, names in listed.items():
            self.stdout.write("\n".join([f"{title}:", *(f"  {name}" for name in names)]))

    def _started(self, options: dict[str, Any]) -> Run:
        collection = _collection(options["collection"])
        if not options["template"]:
            raise CommandError(f"Choose a --template: {', '.join(TEMPLATES)}.")
        seed, number = options["seed"], options["poems"]
        _check_at_least_one(options, "poems", "samples", "max_tokens", "threads")
        try:
            started = services.start_run(
                name=options["run"],
                collection=collection,
                models=_models(options["models"]),
                template=options["template"],
                poems=services.draw_poems(collection, number, seed=seed) if number else None,
                temperature=options["temperature"],
                max_tokens=options["max_tokens"],
                samples=options["samples"],
                seed=seed,
            )
        except services.NameTaken as problem:
            raise CommandError(f"{problem} To go on with that one, add --resume.") from problem
        except services.NothingToWrite as problem:
            raise CommandError(str(problem)) from problem
        if started.left_out:
            self.stdout.write(naming_left_out(started.left_out))
        return started.run

    def _resumed(self, options: dict[str, Any]) -> Run:
        _check_at_least_one(options, "threads")
        run = Run.objects.filter(name=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run named {options['run']!r} to go on with.")
        if run.template == IMPORTED:
            raise CommandError(f"The run {run.name!r} was imported; there is nothing to ask for.")
        if options["retry_failed"]:
            self.stdout.write(f"{services.retry_failed(run)} that failed are asked again.")
        return run

    def _work(self, run: Run, threads: int) -> None:
        try:
            counts = work_through(run, threads=threads, say=self.stdout.write)
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped; what was answered is kept. To go on: --run {run.name!r} --resume"
            ) from None
        for _, name, of_model in progress(run).by_model:
            self.stdout.write(f"{name}: {of_model.done} written, {of_model.failed} failed")
        if counts.failed:
            failed = run.generations.filter(status="failed").select_related("model", "brief__poem")
            named = "\n".join(_named(row) for row in failed)
            raise CommandError(
                f"{counts.failed} of {counts.total} failed:\n{named}\n"
                f"To ask them again: --run {run.name!r} --resume --retry-failed"
            )


def _named(row: Generation) -> str:
    brief = f"“{row.brief.poem or row.brief}”"
    return f"  {row.model} to {brief}, sample {row.sample}: {plainly(row)}. {row.error}"


def _collection(name: str | None) -> Collection:
    if name is None:
        raise CommandError('Name the collection: --collection "NAME"; --list shows what there is.')
    try:
        return Collection.objects.get(name=name)
    except Collection.DoesNotExist:
        raise CommandError(
            f"There is no collection named {name!r}; --list shows what there is."
        ) from None


def _models(names: list[str]) -> list[LanguageModel]:
    offered = {model.name: model for model in writers()}
    chosen: dict[str, LanguageModel] = {}
    for name in names:
        if name == BUILT_IN:
            chosen |= {model.name: model for model in services.built_in_models()}
        elif name in offered:
            chosen[name] = offered[name]
        else:
            known = ", ".join([BUILT_IN, *offered])
            raise CommandError(f"There is no model named {name!r} to ask; there are: {known}.")
    return list(chosen.values())


def _check_at_least_one(options: dict[str, Any], *names: str) -> None:
    for name in names:
        if options[name] is not None and options[name] < 1:
            raise CommandError(f"--{name.replace('_', '-')} is {options[name]}; at least 1 it is.")
