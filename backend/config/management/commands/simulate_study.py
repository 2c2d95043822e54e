"""``manage.py simulate_study``: a made-up study of known truth, and what its results make of it."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from annotation.studies.models import Study
from backend.config.simulating import answering, building, recovering
from backend.config.simulating.recovering import Recovered
from backend.config.simulating.setups import DEFAULTS, Impossible, Setup
from backend.design.models import Design
from backend.design.states import WrongState

SAY_EVERY = 5.0  # seconds
SIZES = ("titles", "models", "judges", "per_poem", "machines", "drop_outs", "seed")
LEGEND = (
    "\ntruth: as put in; mean judge: the AUC of a judge of average skill and no bias; human and "
    "models: the means put in, of models on average; reported: in the results; most off: the "
    "largest distance of one model's reported mean from that put in"
)
SPREADS = ("na", "skill_sd", "bias_sd", "poem_sd")


class Command(BaseCommand):
    help = (
        "Fills this Blindverse with one simulated study, marked as such: poems and judges are made "
        "up, by a truth that is known. It is built, dealt, answered, closed and unsealed as any "
        "other study; then the truth is printed beside what the results report. Run again with the "
        "same options, it goes on with what was begun, and adds nothing to what is done. "
        "Example: manage.py simulate_study --like proftap"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--like",
            choices=list(DEFAULTS),
            default="small",
            help="proftap: 110 titles, 10 models, 13 experts, two for each poem, a probability. "
            "poemetric: 203 titles, 30 models, its survey; two machine judges rate all poems, "
            "seven experts those of ten titles, two each. small (the default): 12 titles, 3 "
            "models, 5 experts.",
        )
        parser.add_argument("--titles", type=int, help="Human poems.")
        parser.add_argument("--models", type=int, help="Each writes a poem on every title.")
        parser.add_argument("--judges", type=int, help="Experts.")
        parser.add_argument("--per-poem", type=int, help="K, the experts for each poem.")
        parser.add_argument("--machines", type=int, help="Language models that judge every poem.")
        parser.add_argument("--drop-outs", type=int, help="Experts who stop part-way.")
        parser.add_argument(
            "--seed",
            type=int,
            help="Fixes poems, judges, and what each judge would say of each poem; default 1. It "
            "does not fix who judges which poem: that rests on a secret salt of each study, so "
            "experts' figures differ between two studies of one seed.",
        )
        parser.add_argument("--na", type=float, help="Chance of N/A where it is offered.")
        parser.add_argument("--skill-sd", type=float, help="Between judges' slopes around 1.")
        parser.add_argument("--bias-sd", type=float, help="Between judges' biases, in logits.")
        parser.add_argument("--poem-sd", type=float, help="Between poems on one title, in logits.")
        parser.add_argument(
            "--effects",
            type=float,
            nargs="+",
            help="For each model, how much more human its poems are held than a human's, in "
            "logits. Default: evenly spread from 0, no difference, to -1.6, clearly worse.",
        )
        parser.add_argument("--keep-sealed", action="store_true", help="Neither close nor unseal.")
        parser.add_argument("--json", type=Path, metavar="FILE", help="Write the figures there.")
        parser.add_argument("--yes", action="store_true", help="Also in a deployed Blindverse.")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DEPLOYED and not options["yes"]:
            raise CommandError(
                "This Blindverse is deployed, and a simulated study stays in it; to make one all "
                "the same, add --yes."
            )
        self.began = self.said = time.monotonic()
        setup = _setup(options)
        _writable(options["json"])
        try:
            study = self._filled(setup, keep_sealed=options["keep_sealed"])
        except (answering.Disturbed, building.NotAllowed, WrongState) as problem:
            raise CommandError(str(problem)) from problem
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped; what was answered is kept. Run the same command again to go on."
            ) from None
        unsealed = Design.objects.filter(study=study).exclude(unblinded_at=None).exists()
        figures = recovering.compare(study, setup, reported=unsealed)
        self._tell(study, setup, figures, unsealed=unsealed)
        if options["json"]:
            options["json"].write_text(
                json.dumps(_content(study, setup, figures), indent=1) + "\n", encoding="utf-8"
            )

    def _filled(self, setup: Setup, *, keep_sealed: bool) -> Study:
        self.stdout.write(f"{setup.items} poems, {setup.judges} experts: building …")
        self.stdout.flush()
        study = building.build(setup)
        self._progress(f"Built and opened as {study.slug}; now the answers.")
        answering.fill(study, setup, tell=self._answered)
        if not keep_sealed:
            study = building.unseal(study)
            self._progress("Answered, closed and unsealed; now the results.")
        return study

    def _answered(self, done: int, whole: int) -> None:
        if time.monotonic() - self.said > SAY_EVERY:
            self._progress(f"{done} of {whole} judgments")

    def _progress(self, what: str) -> None:
        self.said = time.monotonic()
        self.stdout.write(f"[{self.said - self.began:4.0f} s] {what}")
        self.stdout.flush()

    def _tell(
        self, study: Study, setup: Setup, figures: Sequence[Recovered], *, unsealed: bool
    ) -> None:
        self._progress("Done.")
        self.stdout.write(f"study {study.slug}\naddress {_address(study, unsealed=unsealed)}")
        counts = recovering.counts(study)
        for name, number in counts.items():
            self.stdout.write(f"{name.replace('_', ' ')} {number}")
        self._explain(setup, stopped=counts["experts_who_stopped"])
        for panel in dict.fromkeys(one.panel for one in figures):
            mine = [one for one in figures if one.panel == panel]
            self._areas(panel, [one for one in mine if one.figure == "auc"])
            self._means(panel, [one for one in mine if one.figure == "mean"], setup)
        self.stdout.write(LEGEND)
        if not unsealed:
            self.stdout.write("The key is sealed: the results report nothing yet.")

    def _explain(self, setup: Setup, *, stopped: int) -> None:
        if stopped < setup.drop_outs:
            self.stdout.write(
                f"{setup.drop_outs} experts were to stop part-way, and only {stopped} did: nothing "
                "was left for the others to judge before they had done as much as they were to do"
            )
        self.stdout.write(
            f"seed {setup.seed} fixes poems, judges and what each judge would say; who judges "
            "which poem rests on a secret salt of this study, so that another study of the same "
            "seed has other figures of its experts"
        )

    def _areas(self, panel: str, found: Sequence[Recovered]) -> None:
        self.stdout.write(f"\nAUC per judgment, {panel}")
        heads = ("truth", "mean judge", "reported", "from", "to")
        self.stdout.write(f"{'model':<22}{''.join(f'{head:>11}' for head in heads)}  truth inside")
        for one in found:
            numbers = (one.truth, one.mean_judge, one.found, one.low, one.high)
            inside = {None: "no interval", True: "yes", False: "no"}[one.inside]
            shown = "".join(f"{_shown(number):>11}" for number in numbers)
            self.stdout.write(f"{one.author:<22}{shown}  {inside}")
        held = [one.inside for one in found if one.inside is not None]
        self.stdout.write(
            f"the truth is inside {sum(held)} of {len(held)} intervals; all models are held "
            "against the same human poems, so misses come together"
        )

    def _means(self, panel: str, found: Sequence[Recovered], setup: Setup) -> None:
        self.stdout.write(f"\nmean of single answers, {panel}")
        heads = ("human", "reported", "models", "reported", "most off")
        self.stdout.write(f"{'question':<22}{''.join(f'{head:>11}' for head in heads)}")
        for asked in setup.asked:
            human, *models = (one for one in found if one.question == asked.key)
            known = [one.found for one in models if one.found is not None]
            off = [abs(one.found - one.truth) for one in models if one.found is not None]
            numbers = (
                human.truth,
                human.found,
                sum(one.truth for one in models) / len(models),
                sum(known) / len(known) if known else None,
                max(off, default=None),
            )
            self.stdout.write(f"{asked.key:<22}{''.join(f'{_shown(one):>11}' for one in numbers)}")


def _setup(options: dict[str, Any]) -> Setup:
    given = {name: options[name] for name in (*SIZES, *SPREADS) if options[name] is not None}
    if options["effects"]:
        given["effects"] = tuple(options["effects"])
        given.setdefault("models", len(given["effects"]))
    try:
        return replace(DEFAULTS[options["like"]], **given)
    except Impossible as why:
        raise CommandError(str(why)) from why


def _writable(file: Path | None) -> None:
    """Refuse a file that the figures could not be written to, before an hour's work."""
    if file is None:
        return
    try:
        file.open("a", encoding="utf-8").close()
    except OSError as problem:
        raise CommandError(f"{file} cannot be written: {problem.strerror}.") from problem


def _address(study: Study, *, unsealed: bool) -> str:
    address: str = settings.ADDRESS + reverse("results" if unsealed else "study", args=[study.slug])
    # Set by nobody, it is a guess: the server may have been given a port that this was not.
    guessed = settings.ADDRESS.startswith("http://localhost:")
    return f"{address} (or at the port that Blindverse listens on)" if guessed else address


def _content(study: Study, setup: Setup, figures: Sequence[Recovered]) -> dict[str, Any]:
    return {
        "study": study.slug,
        "title": study.title,
        "setup": asdict(setup),
        "effects": setup.truth.effects,
        "counts": recovering.counts(study),
        "figures": [{**asdict(one), "inside": one.inside} for one in figures],
    }


def _shown(number: float | None) -> str:
    return "-" if number is None else f"{number:.3f}"
