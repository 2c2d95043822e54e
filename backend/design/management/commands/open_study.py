"""``manage.py open_study``: build a study and open it, without a browser."""

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.urls import reverse

from annotation.instruments.loading import published_all
from annotation.studies import links
from annotation.studies.models import Study
from backend.corpus.models import Collection
from backend.design import opening, services
from backend.design.checklist import PREVIEW, checklist
from backend.design.forms import PlanForm
from backend.design.instruments import data_of
from backend.design.planning import NothingToJudge, Plan
from backend.generation.models import LanguageModel, Run

ASKED = (
    "title", "contact", "instrument", "poems", "judges_per_item", "batch_size", "seed", "promise",
    "honorarium", "dealing", "twins", "apart", "lease_days", "late", "repeats", "unsealing_needs",
    "surface_limit", "interim_looks", "margin",
)  # fmt: skip


class Command(BaseCommand):
    help = (
        "Builds a study from a collection of human poems and runs of machine poems, makes the "
        "surface check, prints the checklist, opens the study under its fingerprint, and prints a "
        "personal link for each expert invited. Example: "
        'manage.py open_study --title "Spring study" --contact "Dr Who <who@example.org>" '
        '--instrument poemetric-survey --collection "Sample: English verse" --run "First run" '
        '--judges-per-item 2 --surface-reason "n-gram baselines" '
        '--invite "Ada Expert" --invite "Ben Expert"'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--title", required=True, help="Judges see it.")
        parser.add_argument("--contact", required=True, help="Whom judges can write to.")
        parser.add_argument(
            "--instrument",
            required=True,
            help=f"Its key: one of your own, or {', '.join(published_all())}.",
        )
        parser.add_argument("--collection", required=True, help="Human poems: a collection's name.")
        parser.add_argument(
            "--run", action="append", default=[], help="Machine poems: a run's name. Repeatable."
        )
        parser.add_argument(
            "--models",
            nargs="+",
            help="Only these language models' poems; default: all in the runs.",
        )
        parser.add_argument("--poems", type=int, help="How many human poems; default: all.")
        parser.add_argument("--judges-per-item", type=int, default=2, help="K; default 2.")
        parser.add_argument("--batch-size", type=int, default=10, help="Default 10.")
        parser.add_argument("--seed", type=int, default=1, help="Default 1.")
        parser.add_argument("--titles", action="store_true", help="Show the human poems' titles.")
        parser.add_argument(
            "--consent-file",
            type=Path,
            help="Consent text in the study's language (of a Chinese study, its English text). "
            "Default: the usual text, in English and in Chinese.",
        )
        parser.add_argument(
            "--consent-file-zh", type=Path, help="Consent text in Simplified Chinese."
        )
        parser.add_argument(
            "--promise",
            default="",
            help="What experts promise with the consent; default: to use no other help, where a "
            "probability is asked for.",
        )
        parser.add_argument(
            "--honorarium", default="", help="What experts are paid, in words; default: nothing."
        )
        parser.add_argument(
            "--debrief",
            action="store_true",
            help="Once the key is unsealed, tell experts who wrote what they judged.",
        )
        parser.add_argument(
            "--no-background",
            action="store_true",
            help="Ask experts for neither practice, years nor conflicts of interest.",
        )
        _add_rules(parser)
        parser.add_argument(
            "--invite", action="append", default=[], metavar="NAME", help="Repeatable."
        )
        parser.add_argument(
            "--base-url", default="http://localhost:8000", help="Before the printed links."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with transaction.atomic():  # what cannot be opened is not left behind as a draft
                study = self._opened(self._plan(options), options["surface_reason"])
        except (NothingToJudge, services.WrongState) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"study {study.slug}")
        self.stdout.write(f"items {study.items.count()}")
        self.stdout.write(f"fingerprint {study.fingerprint}")
        for name in options["invite"]:
            self._invite(study, name, options["base_url"])

    def _opened(self, plan: Plan, surface_reason: str) -> Study:
        study = services.build(plan)
        opening.allow_surface(study, limit=plan.surface_limit, reason=surface_reason)
        study.refresh_from_db()
        opening.checked(study, by=None)
        for one in checklist(study):
            if one.key != PREVIEW:  # nobody looks at a preview here
                self.stdout.write(f"{one.state} {one.text} {one.remedy}".rstrip())
        return services.open_study(study)

    def _invite(self, study: Study, name: str, base_url: str) -> None:
        link = links.invite(study, name=name)
        path = reverse("invitation", args=[link.secret])
        self.stdout.write(f"link {base_url.rstrip('/')}{path} {name}")

    def _plan(self, options: dict[str, Any]) -> Plan:
        _known_instrument(options["instrument"])
        runs = [_named(Run, name, "run") for name in options["run"]]
        models: list[LanguageModel] = (
            [_named(LanguageModel, name, "language model") for name in options["models"]]
            if options["models"]
            else list(LanguageModel.objects.filter(generations__run__in=runs).distinct())
        )
        # The same rules as on the page, so that one place says what a study may be.
        form = PlanForm(
            {
                **{name: options[name] for name in ASKED},
                "collection": _named(Collection, options["collection"], "collection").pk,
                "runs": [run.pk for run in runs],
                "models": [model.pk for model in models],
                "shows_titles": options["titles"],
                "consent": _text(options["consent_file"]),
                "consent_zh": _text(options["consent_file_zh"]),
                "asks_background": not options["no_background"],
                "debriefs": options["debrief"],
                "analysis_plan": _text(options["analysis_plan_file"]),
            }
        )
        if not form.is_valid():
            problems = form.errors.as_data().items()
            said = [
                f"{name}: {' '.join(e.messages[0] for e in errors)}" for name, errors in problems
            ]
            raise CommandError(" ".join(said))
        return form.plan()


def _add_rules(parser: CommandParser) -> None:
    """Add how texts are given out, and what is fixed of the analysis."""
    parser.add_argument("--dealing", choices=Study.Dealing.values, help="Default: batch.")
    parser.add_argument(
        "--twins",
        choices=Study.Twins.values,
        help="Two texts on one brief to one expert; default: never.",
    )
    parser.add_argument("--apart", type=int, help="Texts by one author apart; default 2.")
    parser.add_argument("--lease-days", type=int, help="How long texts wait; default 14.")
    parser.add_argument("--late", choices=Study.Late.values, help="Default: out.")
    parser.add_argument("--repeats", type=int, help="Hidden repeats for each expert; default 0.")
    parser.add_argument("--analysis-plan-file", type=Path, help="What is to be tested, in words.")
    parser.add_argument(
        "--margin", type=float, help="Distance from 0.5 within which an AUC is as good as chance."
    )
    parser.add_argument("--interim-looks", action="store_true", help="Allow counted looks.")
    parser.add_argument("--unsealing-needs", type=int, choices=[1, 2], help="Default 1.")
    parser.add_argument("--surface-limit", type=float, help="AUC; default 0.6.")
    parser.add_argument(
        "--surface-reason", default="", help="Why the study is opened above that limit."
    )


def _known_instrument(key: str) -> None:
    try:
        data_of(key)
    except LookupError as problem:
        raise CommandError(problem.args[0]) from problem


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{path} cannot be read as a text in UTF-8: {problem}") from problem
    if not text.strip():
        raise CommandError(f"{path} is empty; leave the option out for the usual text.")
    return text


def _named(model: Any, name: str, what: str) -> Any:
    found = model.objects.filter(name=name).first()
    if found is None:
        there = ", ".join(repr(str(each)) for each in model.objects.all()[:20]) or "none"
        raise CommandError(f"There is no {what} named {name!r}; there are: {there}.")
    return found
