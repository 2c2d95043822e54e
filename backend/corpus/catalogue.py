"""What the collections hold, counted."""

from dataclasses import dataclass

from django.db.models import Count

from backend.corpus.models import Collection, Poem


@dataclass(frozen=True)
class Holding:
    """One collection: how many poems it has of each form and in each language."""

    collection: Collection
    forms: dict[str, int]
    languages: dict[str, int]

    @property
    def poems(self) -> int:
        return sum(self.languages.values())


def holdings() -> list[Holding]:
    """Return every collection, by name."""
    forms, languages = _counted("form"), _counted("language")
    return [
        Holding(collection, forms.get(collection.pk, {}), languages.get(collection.pk, {}))
        for collection in Collection.objects.all()
    ]


def _counted(field: str) -> dict[int, dict[str, int]]:
    """Return how many poems of each collection have each value, the most frequent first."""
    counted: dict[int, dict[str, int]] = {}
    rows = Poem.objects.order_by().values_list("collection", field).annotate(poems=Count("pk"))
    for collection, value, poems in sorted(rows, key=lambda row: (-row[2], row[1])):
        counted.setdefault(collection, {})[value] = poems
    return counted
