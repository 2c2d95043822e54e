"""``manage.py verify_log``: show that nobody changed the activity log, or the answers."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from annotation.activity import sealing
from annotation.judgments import auditing

TELL_EVERY = 100_000


class Command(BaseCommand):
    help = (
        "Seals what waits, computes the whole chain of the activity log anew, and compares all "
        "judgments with it. Ends with status 1 if anything does not fit. It prints the head of "
        "the chain: write that down elsewhere, and later pass it as --expect to find out whether "
        "all that came before was written anew. Example: manage.py verify_log --expect 3f0c…"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--expect",
            metavar="HEAD",
            default="",
            help="A head of the chain that was written down earlier.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--no-seal", action="store_true", help="Check only; write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_seal"]:
            sealing.seal_all()
        verdict = sealing.verify(expect=options["expect"], progress=self._told_of("entries"))
        audit = auditing.verify(progress=self._told_of("judgments"))
        problems = [*verdict.problems, *audit.problems]
        if options["json"]:
            found = {**asdict(verdict), **asdict(audit), "problems": problems}
            self.stdout.write(json.dumps(found, cls=DjangoJSONEncoder, ensure_ascii=False))
        else:
            self._tell(verdict, audit, problems)
        if problems:
            raise CommandError(f"Problems: {len(problems)}.")

    def _tell(self, verdict: sealing.Verdict, audit: auditing.Audit, problems: list[str]) -> None:
        for problem in problems:
            self.stdout.write(problem)
        self.stdout.write(f"seals {verdict.seals}")
        self.stdout.write(f"entries {verdict.entries}, unsealed {verdict.unsealed}")
        self.stdout.write(
            f"judgments {audit.judgments}, from before the log {audit.before_the_log}"
        )
        self.stdout.write(f"head {verdict.head or 'none: nothing is sealed yet'}")
        if not problems:
            self.stdout.write("Nothing was changed.")

    def _told_of(self, what: str) -> Callable[[int, int], None]:
        """Return what says on stderr how far it is, now and then."""
        told = 0

        def tell(done: int, total: int) -> None:
            nonlocal told
            if done // TELL_EVERY > told:
                told = done // TELL_EVERY
                self.stderr.write(f"{done} of {total} {what}")

        return tell
