"""``manage.py generate``: has language models write to the poems of a collection."""

import json
import shlex
from argparse import ArgumentTypeError
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from backend.corpus.models import Collection, Poem
from backend.generation import controlling, planning, services, tasks
from backend.generation.amounts import dollars
from backend.generation.briefs import TEMPLATES
from backend.generation.estimating import (
    Estimate,
    UnknownPrice,
    estimate,
    prompts_for,
    reserve,
    tokens,
)
from backend.generation.foreground import AWAY, work_through
from backend.generation.models import Run
from backend.generation.planning import BUILT_IN, CannotPlan, NewRun, SameRun
from backend.generation.presenting import Progress, naming_left_out, progress
from backend.generation.printing import (
    counted,
    estimate_as_json,
    estimate_table,
    failures,
    failures_as_json,
    number,
    progress_line,
    run_as_json,
    why_capped,
)
from backend.generation.terminal import (
    CAPPED,
    FAILED,
    INTERRUPTED,
    WRONG_USE,
    Display,
    Help,
    interruptible,
    plain,
    visible,
)

REFUSALS = (
    services.NameTaken,
    services.NothingToWrite,
    UnknownPrice,
    controlling.RunCancelled,
    controlling.RunImported,
)
ESTIMATED = ("samples", "temperature", "max_tokens", "seed")  # what an estimate depends on
MANY, MOST_SEED = 1_000_000, 2**31 - 1
TURNS = "a recited poem is asked for anew so often (default: 5)"
THREADS = "calls at once at the most; limits are kept (default: 16)"
STOPPING = "Stopping: calls under way end first, and are kept. Ctrl-C again leaves at once."
LEFT = "Left. Calls that were under way may have been answered, and paid for, without being kept."

KEPT = "what was answered is kept. To go on:"

EXAMPLES = """examples:
  manage.py generate --list
  manage.py generate --collection "Sample: English verse" --models built-in --poems 10
  manage.py generate --collection "English verse" --models GPT-4o --samples 3 --dry-run
  manage.py generate --collection "English verse" --models GPT-4o --samples 3 --cap 20.00
  manage.py generate --run "English verse, poemetric, 3 samples" --retry-failed --cap 30.00

The same command again goes on with the same run: no answer that was kept is asked, or paid, for
twice. So does --run NAME alone. Further --models are added to the run. Ctrl-C lets the calls that
are under way end, and keeps them; Ctrl-C again leaves at once.

Models and their prices are set on the page "Language models"; "built-in" stands for the two n-gram
models that need neither key nor network. A --cap needs the prices of all models.

exit status: 0 all is written, 1 something failed (it is named), 2 wrong use, 3 the cap is reached,
130 interrupted. With --json, one document on standard output at the end; the rest goes to standard
error."""


class Command(BaseCommand):
    help = "Has language models write to the briefs of a collection's poems."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.formatter_class = Help
        parser.epilog = EXAMPLES
        add = parser.add_argument
        add("--list", action="store_true", help="name collections, templates and models, and end")
        add("--collection", metavar="NAME", help="whose poems are put as briefs")
        add("--models", nargs="+", metavar="NAME", default=[], help=f'or "{BUILT_IN}"')
        add("--template", choices=list(TEMPLATES), help="default: what suits the poems; it is said")
        add("--run", metavar="NAME", help="default: made of the collection and the settings")
        add("--samples", type=_whole(1, 100), metavar="N", help="poems to each brief (default: 1)")
        add("--poems", type=_whole(1, MANY), metavar="N", help="drawn with the seed (default: all)")
        add("--temperature", type=_temperature, metavar="T", help="default: each model's own")
        add("--max-tokens", type=_whole(1, MANY), metavar="N", help="default: each model's own")
        add("--seed", type=_whole(0, MOST_SEED), metavar="N", help="for the draw; sent, if given")
        add("--turns", type=_whole(0, 100), metavar="N", help=TURNS)
        add("--cap", type=_dollars, metavar="20.00", help="US dollars that it may cost at most")
        add("--fresh", action="store_true", help="new run: take no answer of an earlier one")
        add("--threads", type=_whole(1, 256), default=16, metavar="N", help=THREADS)
        add("--dry-run", action="store_true", help="estimate calls and cost; write nothing")
        add("--background", action="store_true", help="only queue it; a worker writes")
        add("--retry-failed", action="store_true", help="ask again what failed in the run")
        add("--json", action="store_true", help="print one JSON document at the end")

    def handle(self, *args: Any, **options: Any) -> None:
        self._human = self.stderr if options["json"] else self.stdout
        does = self._estimate if options["dry_run"] else self._write
        try:
            self._list(options) if options["list"] else does(options)
        except KeyboardInterrupt:
            raise CommandError("Interrupted.", returncode=INTERRUPTED) from None

    def _list(self, options: dict[str, Any]) -> None:
        collections = [
            f"{found.name} ({found.poems.count()} poems)" for found in Collection.objects.all()
        ]
        listed = {
            "collections": collections or ["none yet: manage.py import_poems --help"],
            "templates": [f"{key}: {template.name}" for key, template in TEMPLATES.items()],
            "models": [BUILT_IN, *(model.name for model in services.writers())],
        }
        for title, names in listed.items():
            self._say("\n".join([f"{title}:", *(f"  {plain(name)}" for name in names)]))
        if options["json"]:
            self._put(
                {
                    "collections": list(Collection.objects.values_list("name", flat=True)),
                    "templates": list(TEMPLATES),
                    "models": [model.name for model in services.writers()],
                }
            )

    def _estimate(self, options: dict[str, Any]) -> None:
        # The built-in writers are rows that are made when first named. Nothing of it stays.
        with transaction.atomic():
            plan = _plan(options)
            run = plan.run if isinstance(plan, SameRun) else None
            expected = estimate(
                poems=plan.poems,
                template=plan.template,
                models=plan.models,
                **{key: plan.settings[key] for key in ESTIMATED},
                first_sample=run.first_sample if run else 1,
                fresh=options["fresh"] and run is None,
            )
            aside = _set_aside(plan)
            transaction.set_rollback(True)
        cap = _cap(options, run)
        does = "start" if run is None else "go on with"
        self._say(*plan.notes)
        self._say(f"This would {does} the run “{plan.name}”, over {number(len(plan.poems))} poems.")
        self._say(estimate_table(expected))
        self._say(*_left_out(expected.left_out))
        self._say(*_about_the_cap(expected, cap, aside))
        self._say("This is an estimate; nothing was asked or written.")
        if options["json"]:
            told = {"run": plan.name, "is_new": run is None, "template": plan.template}
            held = {"cap": None if cap is None else str(cap), "cap_holds": _holds(expected, cap)}
            self._put({**told, **estimate_as_json(expected), **held})

    def _write(self, options: dict[str, Any]) -> None:
        plan = _plan(options)
        self._say(*plan.notes)
        try:
            run = self._run(plan, options)
        except REFUSALS as problem:
            raise CommandError(str(problem), returncode=WRONG_USE) from problem
        if options["background"]:
            transaction.on_commit(tasks.sweep.delay, robust=True)
            left = progress(run).overall.unfinished
            self._say(f"{number(left)} poems are queued; a worker writes them.")
            self._say(f"To see how far they are: manage.py runs {shlex.quote(run.name)} --follow")
            self._end(run, "queued", options)
        else:
            self._work(run, options)

    def _run(self, plan: NewRun | SameRun, options: dict[str, Any]) -> Run:
        if isinstance(plan, NewRun):
            try:
                return self._started(plan, options)
            except services.NameTaken:
                # The same command, begun at the same moment, was the first.
                plan = _plan(options)
                if isinstance(plan, NewRun):
                    raise
        return self._same(plan, options)

    def _started(self, plan: NewRun, options: dict[str, Any]) -> Run:
        started = services.start_run(
            name=plan.name,
            collection=plan.collection,
            models=plan.models,
            template=plan.template,
            poems=plan.poems,
            cap=options["cap"],
            fresh=options["fresh"],
            **plan.settings,
        )
        self._say(*_left_out(started.left_out))
        to_write = number(started.run.generations.count())
        self._say(f"Started the run “{started.run}”: {to_write} poems to write.")
        return started.run

    @transaction.atomic
    def _same(self, plan: SameRun, options: dict[str, Any]) -> Run:
        run = plan.run
        if options["cap"] is not None and options["cap"] != run.cap:
            controlling.set_cap(run, options["cap"])
            self._say(f"The cap is {dollars(options['cap'])} now.")
        if plan.added:
            controlling.add_models(run, plan.added)
        if options["retry_failed"]:
            again = controlling.retry_failed(run)
            self._say(f"{number(again)} that failed are asked again.")
        run.refresh_from_db()
        self._say(f"Going on with the run “{run}”: {counted(progress(run).overall)}.")
        return run

    def _work(self, run: Run, options: dict[str, Any]) -> None:
        display = Display(self._human)

        def say(line: str) -> None:
            display.clear()
            self._say(line)

        with interruptible(first=STOPPING, second=LEFT) as stop:
            try:
                why = work_through(
                    run,
                    threads=options["threads"],
                    tell=lambda now: display.show(progress_line(now)),
                    say=say,
                    stop=stop,
                )
                display.clear()
                models = progress(run).by_model
                self._say(*(f"{plain(name)}: {counted(of)}" for _, name, of in models))
                self._end(run, why, options)
            except AWAY as problem:
                status = INTERRUPTED if stop.is_set() else FAILED
                said = f"The database does not answer; {KEPT} --run {shlex.quote(run.name)}"
                raise CommandError(f"{said}\n{problem}", returncode=status) from problem

    def _end(self, run: Run, why: str, options: dict[str, Any]) -> None:
        run.refresh_from_db()
        now = progress(run)
        status, said = _ending(run, now, why)
        if options["json"]:
            failed = failures_as_json(run)
            ended = {"ended": why, "exit_status": status}
            self._put({**ended, **run_as_json(run, now), "failures": failed})
        if status:
            raise CommandError(said, returncode=status)

    def _say(self, *lines: str) -> None:
        for line in lines:
            self._human.write(visible(line))

    def _put(self, document: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))


def _ending(run: Run, now: Progress, why: str) -> tuple[int, str]:
    """Return the exit status, and what is to be said if it is not 0."""
    name = shlex.quote(run.name)
    failed = now.overall.unwritten
    named = "\n".join([f"{number(failed)} of {number(now.overall.total)} failed:", *failures(run)])
    if why == "stopped":
        return INTERRUPTED, f"Stopped; {KEPT} --run {name}"
    if why == "cap":
        remedy = f"say what they cost, then --run {name}"
        remedy = remedy if now.unpriced else f"--run {name} --cap with a higher sum"
        waiting = number(now.overall.unfinished)
        return CAPPED, f"{why_capped(now)}; {waiting} poems wait. To go on: {remedy}"
    if why != "queued" and failed:
        return FAILED, f"{named}\nTo ask them again: --run {name} --retry-failed"
    return 0, ""


def _plan(options: dict[str, Any]) -> NewRun | SameRun:
    try:
        return planning.plan(options)
    except CannotPlan as problem:
        raise CommandError(str(problem), returncode=WRONG_USE) from problem


def _left_out(poems: list[tuple[Poem, str]]) -> list[str]:
    return [naming_left_out(poems)] if poems else []


def _cap(options: dict[str, Any], run: Run | None) -> Decimal | None:
    """Return how much may still be spent; None: as much as it costs."""
    cap: Decimal | None = options["cap"]
    if run is None:
        return cap
    cap = run.cap if cap is None else cap
    return None if cap is None else cap - run.committed


def _holds(expected: Estimate, cap: Decimal | None) -> bool | None:
    return None if cap is None or expected.cost is None else expected.cost <= cap


def _set_aside(plan: NewRun | SameRun) -> Decimal:
    """Return what one call is taken to cost at the most until it is answered."""
    prompts, _ = prompts_for(plan.poems, plan.template)
    longest = max((text for _, text in prompts), key=tokens, default="")
    most = (reserve(model, longest, plan.settings["max_tokens"]) for model in plan.models)
    return max((each for each in most if each is not None), default=Decimal(0))


def _about_the_cap(expected: Estimate, cap: Decimal | None, aside: Decimal) -> list[str]:
    if cap is None:
        return []
    if expected.cost is None:
        names = ", ".join(plain(model.name) for model in expected.unknown)
        return [f"A cap cannot be kept without prices; none is known for: {names}."]
    spare = cap - expected.cost
    if spare < 0:
        return [
            f"The cap would not hold: {dollars(-spare)} are lacking. What is left when it is "
            "reached waits until it is raised."
        ]
    if spare < aside:
        return [
            f"The cap would hold, but hardly: until it is answered, a call sets aside up to "
            f"{dollars(aside)}, so the last poems may wait. {dollars(spare)} are to spare."
        ]
    return [f"The cap would hold, with {dollars(spare)} to spare."]


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is no whole number") from None
        if not least <= value <= most:
            raise ArgumentTypeError(f"{text} is not between {least:,} and {most:,}")
        return value

    return read


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 <= value <= 2:
        raise ArgumentTypeError(f"{text} is not between 0 and 2")
    return value


def _dollars(text: str) -> Decimal:
    try:
        value = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        raise ArgumentTypeError(f"{text!r} is no sum in US dollars, such as 20.00") from None
    if not (value.is_finite() and 0 <= value < 1_000_000):
        raise ArgumentTypeError(f"{text} is not between 0 and 1,000,000")
    return value.quantize(Decimal("0.000001"))
