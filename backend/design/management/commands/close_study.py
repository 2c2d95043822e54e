"""``manage.py close_study``: close a study, and unseal its key if asked to."""

from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from annotation.studies.models import Study
from backend.accounts.models import User
from backend.design import services, unsealing


class Command(BaseCommand):
    help = (
        "Closes an open study: no more poems are given out. With --unblind NAME it also unseals "
        "the key, in the name of that researcher; results and exports then show who wrote what. "
        "Example: manage.py close_study spring-study --unblind ada"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name, as open_study printed it.")
        parser.add_argument(
            "--unblind", metavar="USERNAME", help="A researcher's or admin's account."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        by = self._researcher(options["unblind"])
        try:
            if study.state != Study.State.CLOSED:
                services.close(study)
                self.stdout.write(f"closed {study.slug}")
            if by is not None:
                unsealed = unsealing.ask(study, by=by)
                said = "unsealed" if unsealed else "one more has to ask; asked"
                self.stdout.write(f"{said} in the name of {by.username}")
        except services.WrongState as problem:
            raise CommandError(str(problem)) from problem

    def _researcher(self, username: str | None) -> User | None:
        if username is None:
            return None
        user = User.objects.filter(username=username).first()
        if user is None or not user.researches:
            raise CommandError(f"{username!r} is no researcher; see manage.py add_staff.")
        return user
