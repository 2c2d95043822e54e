"""``manage.py judge_study``: put an open study to language models and wait for their answers."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.utils import timezone

from annotation.studies.models import Study
from annotation.studies.services import NotOpen
from backend.generation.models import LanguageModel
from backend.judging import services
from backend.judging.models import Hearing, MachineJudge

BUILT_IN = "built-in"


class Command(BaseCommand):
    help = (
        "Puts every poem of an open study to language models, which answer the experts' own "
        "questions, and works through it in this process. Run it again to go on after a stop: what "
        "was answered is not asked again. Ends with a non-zero status if a poem was not judged. "
        'Example: manage.py judge_study spring-study --models built-in "my-model"'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name, as open_study printed it.")
        parser.add_argument(
            "--models",
            nargs="+",
            required=True,
            metavar="NAME",
            help=f"Language models by name; {BUILT_IN!r} is the built-in baseline judge.",
        )
        parser.add_argument("--temperature", type=float, help="Default: not sent.")
        parser.add_argument("--threads", type=int, default=4, help="Calls at once; default 4.")
        parser.add_argument("--retry", action="store_true", help="Ask again what failed before.")
        parser.add_argument("--background", action="store_true", help="Only queue, for a worker.")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        if options["threads"] < 1:
            raise CommandError("--threads must be at least 1.")
        models = [_model(name) for name in options["models"]]
        try:
            machines = services.put_to(study, models, temperature=options["temperature"])
        except services.OtherTemperature as problem:
            raise CommandError(str(problem)) from problem
        except NotOpen as error:
            raise CommandError(f"{study.slug} is not open.") from error
        if options["retry"]:
            services.ask_again(study)
        if not options["background"]:
            try:
                self._work(machines, options["threads"])
            except KeyboardInterrupt:
                raise CommandError(
                    "Stopped; what was answered is kept. Run the same command again to go on."
                ) from None
        self._tell(machines, finished=not options["background"])

    def _work(self, machines: list[MachineJudge], threads: int) -> None:
        hearings = Hearing.objects.filter(machine__in=machines)
        with ThreadPoolExecutor(threads) as pool:
            while hearings.unfinished().exists():
                due = hearings.due(timezone.now()).values_list("pk", flat=True)
                hearings.give_up_lost(timezone.now())
                if not list(pool.map(_hear, list(due))):
                    time.sleep(0.5)  # all wait for their next attempt, or another worker has them

    def _tell(self, machines: list[MachineJudge], *, finished: bool) -> None:
        missing = asked = 0
        for machine in machines:
            hearings = Hearing.objects.filter(machine=machine)
            done = hearings.filter(status="done").count()
            asked += hearings.count()
            missing += hearings.count() - done
            self.stdout.write(f"{machine.judge.name}: {done} of {hearings.count()} judged")
            for hearing in hearings.filter(status="failed").select_related("assignment"):
                self.stderr.write(f"  poem {hearing.assignment.position}: {hearing.error}")
        if finished and missing:
            raise CommandError(f"Not judged: {missing} of {asked}; --retry asks them again.")


def _hear(hearing_id: int) -> None:
    try:
        services.hear(hearing_id)
    finally:
        connection.close()


def _model(name: str) -> LanguageModel:
    if name == BUILT_IN:
        return services.built_in_judge()
    found = LanguageModel.objects.filter(name=name).first()
    if found is None:
        there = ", ".join(repr(str(each)) for each in LanguageModel.objects.all()[:20]) or "none"
        raise CommandError(f"There is no language model named {name!r}; there are: {there}.")
    if found.reach == LanguageModel.Reach.IMPORTED:
        raise CommandError(f"{name!r} is here for its imported poems only; it cannot be asked.")
    return found
