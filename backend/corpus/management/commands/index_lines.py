"""``manage.py index_lines``: indexes lines of poems that are not yet, so that no reply waits."""

from typing import Any

from django.core.management.base import BaseCommand

from backend.corpus import lines


class Command(BaseCommand):
    help = (
        "Indexes the lines of poems that were imported before there was an index, or by another "
        "version of it. The first search would do it as well, and have to wait."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = lines.index_missing()
        self.stdout.write("1 poem indexed." if done == 1 else f"{done} poems indexed.")
