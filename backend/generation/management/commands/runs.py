"""``manage.py runs``: how far runs are, and what pauses, resumes, cancels and retries them."""

import json
import shlex
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from backend.generation import controlling, tasks
from backend.generation.models import Run
from backend.generation.planning import nearest
from backend.generation.presenting import Progress, progress
from backend.generation.printing import (
    failures,
    failures_as_json,
    number,
    progress_line,
    run_as_json,
    run_details,
    runs_table,
    why_capped,
)
from backend.generation.terminal import (
    CAPPED,
    FAILED,
    INTERRUPTED,
    WRONG_USE,
    Display,
    Help,
    plain,
)

LOOK_EVERY = 2.0  # seconds
ACTIONS = ("pause", "resume", "cancel", "retry_failed")

EXAMPLES = """examples:
  manage.py runs
  manage.py runs "First run" --follow
  manage.py runs --pause "First run"
  manage.py runs --cancel "First run" --yes
  manage.py runs "First run" --json

What a paused run has under way ends and is kept. A cancelled run can be resumed: what was not
asked for is then asked for after all. --follow ends when the run does, and its exit status is then
that of manage.py generate: 0 all is written, 1 something failed, 3 the cap is reached, 130
interrupted. Unknown names and wrong use: 2. With --json and --follow, each line is a document."""


class Command(BaseCommand):
    help = "Shows how far the runs of language models are, why they wait and what they cost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = Help
        parser.epilog = EXAMPLES
        parser.add_argument("name", nargs="?", help="one run, in detail (default: all, in a table)")
        parser.add_argument("--follow", action="store_true", help="show it anew until it ends")
        parser.add_argument("--json", action="store_true", help="print JSON for scripts")
        parser.add_argument("--yes", action="store_true", help="cancel without asking")
        does = parser.add_mutually_exclusive_group()
        for action, said in {
            "pause": "begin no more calls of this run",
            "resume": "let a paused or cancelled run go on",
            "cancel": "ask for nothing more of this run; what is written stays",
            "retry-failed": "ask again what failed in this run",
        }.items():
            does.add_argument(f"--{action}", nargs="?", const="", metavar="NAME", help=said)

    def handle(self, *args: Any, **options: Any) -> None:
        action = next((each for each in ACTIONS if options[each] is not None), None)
        name = (options[action] if action else None) or options["name"]
        if action and not name:
            said = action.replace("_", "-")
            raise CommandError(f'Name the run: --{said} "NAME".', returncode=WRONG_USE)
        if action and options["name"] not in (None, name):
            raise CommandError("Name one run, not two.", returncode=WRONG_USE)
        run = _find(name) if name else None
        if action and run:
            self._act(action, run, sure=options["yes"])
        try:
            self._show(run, options, asked=action is None)
        except KeyboardInterrupt:
            raise CommandError(
                "No longer followed; the run goes on.", returncode=INTERRUPTED
            ) from None

    def _act(self, action: str, run: Run, *, sure: bool) -> None:
        if action == "cancel" and not sure:
            _ask_whether_to_cancel(run)
        try:
            touched = getattr(controlling, action)(run)
        except (controlling.RunCancelled, controlling.RunImported) as problem:
            raise CommandError(str(problem), returncode=WRONG_USE) from problem
        if action in ("resume", "retry_failed"):
            transaction.on_commit(tasks.sweep.delay, robust=True)
        run.refresh_from_db()
        if action == "retry_failed":
            self.stderr.write(f"{number(touched)} that failed are asked again.")

    def _show(self, run: Run | None, options: dict[str, Any], *, asked: bool) -> None:
        if options["follow"]:
            self._follow(run, as_json=options["json"])
        elif options["json"]:
            self._put(_documents(run), indent=2)
        elif run is None:
            shown = _all()
            self.stdout.write(runs_table(shown) if shown else "There are no runs yet.")
        elif asked:
            self.stdout.write("\n".join([run_details(run, progress(run)), *_failures(run)]))
        else:
            now = progress(run)
            self.stdout.write(f"{plain(run.name)}: {now.state}; {progress_line(now)}")

    def _follow(self, run: Run | None, *, as_json: bool) -> None:
        display = Display(self.stdout)
        while True:
            shown = _all() if run is None else [(_find(run.name), progress(run))]
            if as_json:
                self._put(_documents(run, shown=shown))
            else:
                display.show(_followed(run, shown, whole=self.stdout.isatty()))
            if not any(_goes_on(now) for _, now in shown):
                break
            time.sleep(LOOK_EVERY)
        display.keep()
        if run is not None:
            self._end(*shown[0], as_json=as_json)

    def _end(self, run: Run, now: Progress, *, as_json: bool) -> None:
        if not as_json and not self.stdout.isatty():
            self.stdout.write(run_details(run, now))
        if now.capped:
            raise CommandError(f"{why_capped(now)}.", returncode=CAPPED)
        if failed := now.overall.unwritten:
            said = f"{number(failed)} of {number(now.overall.total)} failed:"
            raise CommandError("\n".join([said, *failures(run)]), returncode=FAILED)

    def _put(self, document: dict[str, Any], *, indent: int | None = None) -> None:
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=indent))
        self.stdout.flush()


def _find(name: str) -> Run:
    run = Run.objects.select_related("collection").filter(name=name).first()
    if run is None:
        names = list(Run.objects.values_list("name", flat=True))
        raise CommandError(
            f"There is no run named {name!r}.{nearest(name, names)}", returncode=WRONG_USE
        )
    return run


def _all() -> list[tuple[Run, Progress]]:
    return [(run, progress(run)) for run in Run.objects.select_related("collection")]


def _goes_on(now: Progress) -> bool:
    """Whether it is worth waiting for: something is under way or will be, unless nobody acts."""
    if now.overall.running:
        return True
    return bool(now.overall.waiting) and not now.capped and now.state != "cancelled"


def _followed(run: Run | None, shown: list[tuple[Run, Progress]], *, whole: bool) -> str:
    if not shown:
        return "There are no runs yet."
    if whole:
        return runs_table(shown) if run is None else run_details(*shown[0])
    going = [each for each in shown if _goes_on(each[1])] or shown[:1]
    return "\n".join(f"{plain(each.name)}: {progress_line(now)}" for each, now in going)


def _documents(
    run: Run | None, *, shown: list[tuple[Run, Progress]] | None = None
) -> dict[str, Any]:
    if run is None:
        return {"runs": [run_as_json(*each) for each in shown or _all()]}
    ((run, now),) = shown or [(run, progress(run))]
    return {**run_as_json(run, now), "failures": failures_as_json(run)}


def _failures(run: Run) -> list[str]:
    named = failures(run)
    retry = f"To ask them again: manage.py runs --retry-failed {shlex.quote(run.name)}"
    return ["", "Not written:", *named, retry] if named else []


def _ask_whether_to_cancel(run: Run) -> None:
    left = progress(run).overall.waiting
    if not sys.stdin.isatty():
        raise CommandError("To cancel it without being asked, add --yes.", returncode=WRONG_USE)
    said = f"Cancel the run “{plain(run.name)}”? {number(left)} poems will not be asked for. [y/N] "
    try:
        answer = input(said)
    except EOFError:  # Ctrl-D
        answer = ""
    if answer.strip().casefold() not in ("y", "yes"):
        raise CommandError("Nothing was changed.", returncode=FAILED)
