"""Which poems of a run are shown, by how they stand and by model, and which are next to one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from django.db.models import Count, Q, QuerySet

from backend.generation.models import Generation, Run
from backend.generation.presenting import PLAINLY


def to_look_at(prefix: str = "") -> Q:
    """Return which generations were flagged and no person has looked at, seen from `prefix`."""
    done = Q(**{f"{prefix}status": "done", f"{prefix}looked_at": None})
    return done & ~Q(**{f"{prefix}flags": []})


STANDINGS = {
    "done": ("done", Q(status="done")),
    "look": ("to look at", to_look_at()),
    "flagged": ("flagged", ~Q(flags=[])),
    "corrected": ("corrected by a person", Q(corrections__isnull=False)),
    "queued": ("waiting", Q(status="queued")),
    "running": ("running", Q(status="running")),
    "failed": ("failed, for any reason", Q(status="failed")),
}
FAILED_FOR = "failed:"


@dataclass(frozen=True)
class Sieve:
    """What is asked for; empty means any."""

    status: str = ""
    model: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Return what a page's query asks for. What it does not know it takes for any."""
        status, model = query.get("status", ""), query.get("model", "")
        known = status in STANDINGS or status.startswith(FAILED_FOR)
        # As long as a key of the database may be.
        is_key = model.isascii() and model.isdecimal() and len(model) < 19
        return cls(status if known else "", model if is_key else "")

    @property
    def query(self) -> str:
        """What asks for it again."""
        return urlencode({"status": self.status, "model": self.model})

    @property
    def kind(self) -> str:
        """The kind of failure that is asked for, if one is."""
        return self.status.removeprefix(FAILED_FOR) if self.status.startswith(FAILED_FOR) else ""

    @property
    def is_empty(self) -> bool:
        return not self.status and not self.model

    def of_run(self, run: Run) -> QuerySet[Generation]:
        """Return the run's generations that are asked for, in order."""
        shown = run.generations.select_related("model", "brief__poem").order_by("pk")
        if self.status in STANDINGS:
            shown = shown.filter(STANDINGS[self.status][1]).distinct()
        elif self.status:
            shown = shown.filter(status="failed", error_kind=self.kind)
        return shown.filter(model_id=int(self.model)) if self.model else shown


@dataclass(frozen=True)
class Neighbours:
    """The keys of the poems before and after one, and which of how many it is, if it is one."""

    before: int | None
    after: int | None
    is_among: bool
    place: int
    number: int


def neighbours(generation: Generation, sieve: Sieve) -> Neighbours:
    """Return what is before and after this poem among those that are asked for."""
    shown = sieve.of_run(generation.run).order_by()
    earlier, later = shown.filter(pk__lt=generation.pk), shown.filter(pk__gt=generation.pk)
    return Neighbours(
        before=earlier.order_by("-pk").values_list("pk", flat=True).first(),
        after=later.order_by("pk").values_list("pk", flat=True).first(),
        is_among=shown.filter(pk=generation.pk).exists(),
        place=earlier.count() + 1,
        number=shown.count(),
    )


def next_after(generation: Generation, sieve: Sieve) -> int | None:
    """Return the key of the next poem that is asked for, after the last one the first."""
    others = sieve.of_run(generation.run).exclude(pk=generation.pk).order_by("pk")
    keys = others.values_list("pk", flat=True)
    return keys.filter(pk__gt=generation.pk).first() or keys.first()


def standings(run: Run) -> list[tuple[str, str, int]]:
    """Return how the run's poems can stand: value, words and number, those that there are."""
    rows = run.generations.all()
    # One at a time: with a join to corrections a poem would count as often as it was corrected.
    counted = [
        (value, words, rows.filter(which).distinct().count())
        for value, (words, which) in STANDINGS.items()
    ]
    failed = rows.filter(status="failed").order_by("error_kind")
    kinds = failed.values_list("error_kind").annotate(n=Count("pk"))
    counted += [(f"{FAILED_FOR}{kind}", _failed(kind), number) for kind, number in kinds]
    return [standing for standing in counted if standing[2]]


def _failed(kind: str) -> str:
    said = PLAINLY.get(kind, kind)
    return f"failed: {said[:1].lower()}{said[1:]}"
