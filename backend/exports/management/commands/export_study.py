"""``manage.py export_study``: write an unblinded study's data package."""

import tempfile
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from annotation.studies.models import Study
from backend.analytics.frames import StillBlinded
from backend.exports import services
from backend.exports.package import Manifest


class Command(BaseCommand):
    help = (
        "Writes everything about an unblinded study as one zip: ratings, poems, judges by random "
        "codes, codebook, results and checksums. The same data make the same bytes. "
        "Example: manage.py export_study spring-study --to spring-study.zip"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="The study's short name, as open_study printed it.")
        parser.add_argument(
            "--to",
            metavar="FILE.zip",
            type=Path,
            required=True,
            help="Where to write it; replaced if it is there. Only you will be able to read it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        target: Path = options["to"]
        try:
            manifest = _write(study, target)
        except StillBlinded as sealed:
            raise CommandError(
                f"The key of {study.slug} is sealed; close and unblind it first: "
                f"manage.py close_study {study.slug} --unblind USERNAME"
            ) from sealed
        except OSError as error:
            raise CommandError(f"{target} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"wrote {len(manifest.members)} files to {target}")


def _write(study: Study, target: Path) -> Manifest:
    """Write the package beside `target` and put it there once it is whole."""
    with tempfile.NamedTemporaryFile(
        dir=target.parent, prefix=f".{target.name}.", delete=False
    ) as unfinished:
        whole = Path(unfinished.name)
        try:
            manifest = services.hand_out(study, unfinished)  # type: ignore[arg-type]
            unfinished.close()
            whole.replace(target)
        finally:
            whole.unlink(missing_ok=True)
    return manifest
