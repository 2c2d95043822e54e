"""What the pages of a run show: counts by model, and failures in plain words."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import timedelta

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from backend.corpus.columns import guessed_language
from backend.corpus.models import Poem
from backend.generation.briefs import IMPORTED, TEMPLATES
from backend.generation.models import Generation, Run

# By the kind of failure that providers, replies and work name.
PLAINLY = {
    "no key": "No key is set",
    "key": "The key was refused",
    "request": "The provider refused the request",
    "unreachable": "No connection to the provider",
    "timeout": "No answer in time",
    "busy": "The provider asked to wait",
    "server": "The provider failed",
    "truncated": "The reply was cut off",
    "empty": "The reply was empty",
    "refused": "The model declined",
    "lost": "The worker was lost",
}
# A worker that is there begins within seconds.
LONG_WITHOUT_A_START = timedelta(minutes=1)


@dataclass(frozen=True)
class Counts:
    """How far some generations are."""

    total: int
    done: int
    failed: int
    waiting: int
    running: int

    @property
    def unfinished(self) -> int:
        return self.waiting + self.running


@dataclass(frozen=True)
class Progress:
    """How far a run is, in all and by model: rows of key, name and counts."""

    overall: Counts
    by_model: list[tuple[int, str, Counts]]

    def as_json(self) -> dict[str, object]:
        return {
            "unfinished": self.overall.unfinished,
            "rows": {
                "all": asdict(self.overall),
                **{str(key): asdict(counts) for key, _, counts in self.by_model},
            },
        }


def progress(run: Run) -> Progress:
    """Count the run's generations."""
    rows = (
        run.generations.order_by("model__name")
        .values_list("model_id", "model__name")
        .annotate(
            total=Count("pk"),
            done=Count("pk", filter=Q(status="done")),
            failed=Count("pk", filter=Q(status="failed")),
            waiting=Count("pk", filter=Q(status="queued")),
            running=Count("pk", filter=Q(status="running")),
        )
    )
    by_model = [(key, name, Counts(*counts)) for key, name, *counts in rows]
    overall = Counts(
        *(sum(getattr(counts, field.name) for _, _, counts in by_model) for field in fields(Counts))
    )
    return Progress(overall, by_model)


def generations(run: Run, *, status: str, model: str) -> QuerySet[Generation]:
    """Return the run's generations of this status and by this model; empty means any."""
    shown = run.generations.select_related("model", "brief__poem")
    if status in Generation.Status.values:
        shown = shown.filter(status=status)
    if model.isdecimal():
        shown = shown.filter(model_id=int(model))
    return shown


def to_retry(run: Run) -> int:
    """Return how many failed generations could be asked for again."""
    return 0 if run.template == IMPORTED else run.generations.filter(status="failed").count()


def seems_unattended(run: Run) -> bool:
    """Whether nothing was begun for so long that there is likely no worker."""
    if run.started_at > timezone.now() - LONG_WITHOUT_A_START:
        return False
    return (
        run.generations.unfinished().exists()
        and not run.generations.filter(attempts__gt=0).exists()
    )


def brief(run: Run) -> str:
    """Return the name of the way its human poems were put as briefs."""
    template = TEMPLATES.get(run.template)
    return template.name if template else run.template


def plainly(generation: Generation) -> str:
    """Return why it failed, or has to be tried again, in a few plain words."""
    return PLAINLY.get(generation.error_kind, generation.error_kind)


def language(generation: Generation) -> str:
    """Return the language to set the poem in."""
    poem = generation.brief.poem
    return poem.language if poem else guessed_language(generation.text)


def naming_left_out(left_out: Iterable[tuple[Poem, str]]) -> str:
    """Return one sentence that names the poems a run had to leave out, by reason."""
    by_reason: dict[str, list[str]] = {}
    for poem, reason in left_out:
        by_reason.setdefault(reason, []).append(f"“{poem}”")
    said = "; ".join(f"{', '.join(titles)}: {reason}" for reason, titles in by_reason.items())
    return f"Left out: {said}."
