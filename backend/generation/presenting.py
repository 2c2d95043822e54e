"""What is shown of a run: how far it is, why it waits, what it cost, failures in plain words."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Min, Q, Sum
from django.utils import timezone

from backend.corpus.columns import guessed_language
from backend.corpus.models import Poem
from backend.generation.amounts import dollars, lasting
from backend.generation.briefs import IMPORTED, TEMPLATES
from backend.generation.models import Call, Generation, LanguageModel, Run
from backend.generation.waiting import Wait, all_capped, unpriced_of, waiting_of, waits_of

# By the kind of failure that providers, cleaning and work name.
PLAINLY = {
    "no key": "No key is set",
    "key": "The key was refused",
    "request": "The provider refused the request",
    "address": "Nothing is sent to that address",
    "package": "A package is not installed",
    "unreachable": "No connection to the provider",
    "timeout": "No answer in time",
    "busy": "The provider asked to wait",
    "server": "The provider failed",
    "truncated": "The reply was cut off",
    "empty": "The reply was empty",
    "refused": "The model declined",
    "recited": "It repeats a known poem",
    "lost": "The worker was lost",
    "cancelled": "The run was cancelled",
    "cap": "The run’s cap is reached",
}
# What became of poems that failed, and is counted apart.
APART = ("refused", "recited", "cancelled")
# The pace is that of so long.
LATELY = timedelta(minutes=5)
# A worker that is there begins within seconds.
LONG_WITHOUT_A_START = timedelta(minutes=1)


@dataclass(frozen=True)
class Counts:
    """How far some generations are. Each is counted in one place only."""

    total: int = 0
    done: int = 0
    failed: int = 0
    refused: int = 0
    recited: int = 0
    cancelled: int = 0
    waiting: int = 0
    running: int = 0

    @property
    def unfinished(self) -> int:
        return self.waiting + self.running

    @property
    def unwritten(self) -> int:
        """Those that ended without a poem."""
        return self.failed + self.refused + self.recited + self.cancelled


@dataclass(frozen=True)
class Money:
    """What a run cost so far, in US dollars.

    Attributes
    ----------
    spent : Decimal
        On calls whose cost is known.
    set_aside : Decimal
        For calls under way, and for those that may have been answered and paid for.
    unknown : int
        Calls of which nobody knows what they cost.
    """

    cap: Decimal | None
    spent: Decimal
    set_aside: Decimal
    unknown: int

    def __str__(self) -> str:
        said = dollars(self.spent)
        if self.cap is not None:
            said = f"{said} of {dollars(self.cap)}"
        if self.set_aside:
            said += f", {dollars(self.set_aside)} set aside"
        if not self.unknown:
            return said
        unknown = "1 call" if self.unknown == 1 else f"{self.unknown:,} calls"
        unknown += " of unknown cost"
        # That nothing is known to have been spent is no sum.
        known = self.spent or self.set_aside or self.cap is not None
        return f"{said}, and {unknown}" if known else unknown


@dataclass(frozen=True)
class Progress:
    """How far a run is, in all and by model: rows of key, name and counts.

    Attributes
    ----------
    a_minute : float or None
        Poems written, lately; None if none was.
    left : timedelta or None
        How long it will take at the pace of the last minutes.
    capped : bool
        Whether nothing is under way, and nothing that waits can be asked under the cap.
    unpriced : list of str
        The models of which nothing can be asked under the cap, since their price is not known.
    """

    overall: Counts
    by_model: list[tuple[int, str, Counts]]
    state: str = "running"
    a_minute: float | None = None
    left: timedelta | None = None
    money: Money = field(default_factory=lambda: Money(None, Decimal(0), Decimal(0), 0))
    waits: list[Wait] = field(default_factory=list)
    capped: bool = False
    unpriced: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return it for the page that follows a run."""
        return {
            "state": self.state,
            "unfinished": self.overall.unfinished,
            "rows": {
                "all": asdict(self.overall),
                **{str(key): asdict(counts) for key, _, counts in self.by_model},
            },
            "said": {**self.said(), "waits": [str(wait) for wait in self.waits]},
        }

    def said(self) -> dict[str, str]:
        """Return pace, time and money in words."""
        pace = "none lately" if self.a_minute is None else f"{self.a_minute:,.1f} a minute"
        left = lasting(self.left) if self.overall.unfinished else "none"
        return {"pace": pace, "left": left, "money": str(self.money)}


def progress(run: Run) -> Progress:
    """Count what is done of the run, and say what the rest waits for."""
    now = timezone.now()
    state, cap = Run.objects.values_list("state", "cap").get(pk=run.pk)
    by_model = _counts(run)
    overall = Counts(
        *(sum(getattr(counts, field.name) for _, _, counts in by_model) for field in fields(Counts))
    )
    ended, begun, done = _lately(run, now)
    minutes = max((now - begun).total_seconds(), 1.0) / 60 if begun else None
    money, last_call = _money(run, cap)
    waiting = waiting_of(run, now) if overall.waiting and state == Run.State.RUNNING else []
    unpriced = unpriced_of(waiting)
    capped = all_capped(waiting) and not overall.running
    is_quiet = not overall.running and _nothing_began(run, last_call, now)
    waits = waits_of(waiting, now, is_quiet=is_quiet)
    if overall.waiting and state == Run.State.PAUSED:
        waits = [Wait("waiting: the run is paused", None, overall.waiting)]
    stopped = ("price not known" if unpriced else "cap reached") if capped else ""
    return Progress(
        overall,
        by_model,
        state=_state(state, run, overall, stopped),
        a_minute=done / minutes if minutes and done else None,
        left=None
        if any(row.capped for row in waiting) or state != Run.State.RUNNING
        else _left(overall, minutes, ended, waits, now),
        money=money,
        waits=waits,
        capped=capped,
        unpriced=unpriced,
    )


def is_capped(run: Run) -> bool:
    """Whether nothing of the run is under way, and nothing that waits can be asked for its cap."""
    if run.generations.filter(status="running").exists():
        return False
    return all_capped(waiting_of(run, timezone.now()))


def _left(
    overall: Counts, minutes: float | None, ended: int, waits: Iterable[Wait], now: datetime
) -> timedelta | None:
    """Return how long the rest takes at this pace, no shorter than the longest wait."""
    if not minutes or not ended:
        return None
    at_pace = timedelta(minutes=overall.unfinished * minutes / ended)
    return max([at_pace, *(wait.until - now for wait in waits if wait.until)])


def _state(state: str, run: Run, overall: Counts, stopped: str) -> str:
    """Return in a word or two whether the run goes on."""
    if run.template == IMPORTED:
        return "imported"
    if state == Run.State.CANCELLED:
        return "cancelled"
    if not overall.unfinished:
        return "ended"
    return stopped or state


def _counts(run: Run) -> list[tuple[int, str, Counts]]:
    failed = Q(status="failed")
    rows = (
        run.generations.order_by("model__name")
        .values_list("model_id", "model__name")
        .annotate(
            total=Count("pk"),
            done=Count("pk", filter=Q(status="done")),
            failed=Count("pk", filter=failed & ~Q(error_kind__in=APART)),
            **{kind: Count("pk", filter=failed & Q(error_kind=kind)) for kind in APART},
            waiting=Count("pk", filter=Q(status="queued")),
            running=Count("pk", filter=Q(status="running")),
        )
    )
    return [(key, name, Counts(*counts)) for key, name, *counts in rows]


def _lately(run: Run, now: datetime) -> tuple[int, datetime | None, int]:
    """Return how many ended lately, when the first of these began, and how many were written."""
    since = now - LATELY
    # What is queued again keeps the time of its last end.
    ended = run.generations.filter(finished_at__gte=since, status__in=("done", "failed"))
    found = ended.exclude(error_kind="cancelled").aggregate(
        ended=Count("pk"),
        done=Count("pk", filter=Q(status="done")),
        called=Min("answer__started_at"),
        finished=Min("finished_at"),
    )
    begun = min((at for at in (found["called"], found["finished"]) if at), default=None)
    return found["ended"], begun and max(begun, since), found["done"]


def _money(run: Run, cap: Decimal | None) -> tuple[Money, datetime | None]:
    """Return what the run cost, and when its last call began."""
    may_cost = Q(state__in=(Call.State.ANSWERED, Call.State.LOST), cost=None)
    found = Call.objects.filter(generation__run=run).aggregate(
        spent=Sum("cost"),
        set_aside=Sum("reserved", filter=Q(cost=None)),
        unknown=Count("pk", filter=may_cost & (Q(state=Call.State.ANSWERED) | Q(reserved=None))),
        last=Max("started_at"),
    )
    none = Decimal(0)
    money = Money(cap, found["spent"] or none, found["set_aside"] or none, found["unknown"])
    return money, found["last"]


def _nothing_began(run: Run, last_call: datetime | None, now: datetime) -> bool:
    unseen = now - LONG_WITHOUT_A_START
    return run.started_at < unseen and not (last_call and last_call > unseen)


def to_retry(run: Run) -> int:
    """Return how many failed generations could be asked for again now."""
    if run.template == IMPORTED or run.state == Run.State.CANCELLED:
        return 0
    return run.generations.filter(status="failed").count()


def models_to_add(run: Run, writers: Iterable[LanguageModel]) -> list[LanguageModel]:
    """Return those of the models that do not write in the run yet."""
    if run.template == IMPORTED or run.state == Run.State.CANCELLED:
        return []
    known = set(run.generations.values_list("model_id", flat=True).distinct())
    return [model for model in writers if model.pk not in known]


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
