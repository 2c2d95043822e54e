"""How commands print runs: how far each is, why it waits, what it costs, what failed."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.utils import timezone

from backend.generation.amounts import dollars, lasting
from backend.generation.estimating import Estimate
from backend.generation.models import Generation, Run
from backend.generation.presenting import Counts, Money, Progress, plainly
from backend.generation.terminal import cut, plain, table

NOT_KNOWN = "not known"
FAILURES_NAMED, LONGEST_FAILURE = 20, 240
NOTHING_SPENT = Money(None, Decimal(0), Decimal(0), 0)
KINDS = ("failed", "refused", "recited", "cancelled")  # of what did not become a poem


def number(value: float | None) -> str:
    """Return a whole number with its thousands apart."""
    return NOT_KNOWN if value is None else f"{value:,.0f}"


def counted(counts: Counts) -> str:
    """Return how many poems are written, and what became of the others."""
    others = {kind: getattr(counts, kind) for kind in KINDS}
    said = [f"{number(counts.done)} of {number(counts.total)} written"]
    said += [f"{number(count)} {kind}" for kind, count in others.items() if count]
    return ", ".join(said)


def progress_line(now: Progress) -> str:
    """Return how far a run is on one line: the poems, the pace, the money, why it waits."""
    said = [counted(now.overall)]
    if now.overall.running:
        said[0] += f", {number(now.overall.running)} under way"
    if now.a_minute:
        said.append(f"{number(now.a_minute)} a minute")
    if now.money != NOTHING_SPENT:
        said.append(str(now.money))
    if now.left is not None and now.overall.unfinished:
        said.append(f"{lasting(now.left)} left")
    said += [str(wait) for wait in now.waits]
    return plain(" · ".join(said))


def why_capped(now: Progress) -> str:
    """Return why nothing more of a run can be asked under its cap."""
    if now.unpriced:
        names = ", ".join(plain(name) for name in now.unpriced)
        return f"The run has a cap, and what these cost is not known: {names}"
    return f"The cap of {dollars(now.money.cap)} is reached"


def runs_table(shown: Iterable[tuple[Run, Progress]]) -> str:
    """Return the runs, one a line."""
    header = ("run", "state", "written", *KINDS[:3], "waiting", "a minute", "cost", "left", "why")
    rows = [
        (
            run.name,
            now.state,
            f"{number(now.overall.done)}/{number(now.overall.total)}",
            *(number(getattr(now.overall, kind)) for kind in KINDS[:3]),
            number(now.overall.unfinished),
            number(now.a_minute) if now.a_minute and now.overall.unfinished else "",
            "" if now.money == NOTHING_SPENT else str(now.money),
            lasting(now.left) if now.left is not None and now.overall.unfinished else "",
            "; ".join(str(wait) for wait in now.waits),
        )
        for run, now in shown
    ]
    return table(header, rows, left=(0, 1, len(header) - 1))


def run_details(run: Run, now: Progress) -> str:
    """Return all there is to say of one run, its models one a line."""
    lines = [
        f"{plain(run.name)}: {now.state}",
        f"  {_settings(run)}",
        f"  {progress_line(now)}",
    ]
    header = ("model", "written", *KINDS, "waiting", "under way")
    rows = [
        (
            name,
            f"{number(counts.done)}/{number(counts.total)}",
            *(number(getattr(counts, kind)) for kind in KINDS),
            number(counts.waiting),
            number(counts.running),
        )
        for _, name, counts in now.by_model
    ]
    return "\n".join([*lines, "", table(header, rows, left=(0,))])


def failures(run: Run) -> list[str]:
    """Return a line for each poem that was not written, of so many at most, then their number."""
    rows = _failed(run)
    named = [f"  {_named(row)}" for row in rows[:FAILURES_NAMED]]
    more = rows.count() - len(named)
    return [*named, f"  and {number(more)} more"] if more else named


def failures_as_json(run: Run) -> list[dict[str, Any]]:
    """Return each poem that was not written, and why."""
    return [
        {
            "model": row.model.name,
            "poem": str(row.brief.poem or ""),
            "sample": row.sample,
            "kind": row.error_kind,
            "reason": row.error,
        }
        for row in _failed(run)
    ]


def run_as_json(run: Run, now: Progress) -> dict[str, Any]:
    """Return what scripts want to know of a run. Sums are text, so that no digit is lost."""
    return {
        "run": run.name,
        "state": now.state,
        "collection": run.collection.name if run.collection else None,
        "template": run.template,
        "started_at": run.started_at.isoformat(),
        **_counts_as_json(now.overall),
        "poems_a_minute": now.a_minute,
        "seconds_left": None if now.left is None else round(now.left.total_seconds()),
        "money": {
            "cap": _text(run.cap),
            "spent": _text(now.money.spent),
            "set_aside": _text(now.money.set_aside),
            "calls_of_unknown_cost": now.money.unknown,
        },
        "waits": [
            {
                "why": wait.why,
                "until": wait.until.isoformat() if wait.until else None,
                "count": wait.count,
            }
            for wait in now.waits
        ],
        "models": [{"model": name, **_counts_as_json(each)} for _, name, each in now.by_model],
    }


def estimate_table(estimate: Estimate) -> str:
    """Return what a run would ask for and cost, one model a line, then all."""
    header = (
        "model",
        "calls",
        "answered before",
        "tokens in",
        "tokens out",
        "cost",
        "output guessed by",
    )
    rows = [
        (
            row.model.name,
            number(row.calls),
            number(row.answered_before),
            number(row.tokens_input),
            number(row.tokens_output),
            dollars(row.cost),
            row.basis,
        )
        for row in estimate.rows
    ]
    total = (
        "all",
        number(estimate.calls),
        number(estimate.answered_before),
        number(estimate.tokens_input),
        number(estimate.tokens_output),
        _total(estimate),
        "",
    )
    return table(header, [*rows, total], left=(0, len(header) - 1))


def estimate_as_json(estimate: Estimate) -> dict[str, Any]:
    """Return the estimate for scripts. What is not known is null."""
    return {
        "calls": estimate.calls,
        "answered_before": estimate.answered_before,
        "tokens_input": estimate.tokens_input,
        "tokens_output": estimate.tokens_output,
        "cost": _text(estimate.cost),
        "cost_of_known_prices": _text(estimate.known_cost),
        "cost_unknown_for": [model.name for model in estimate.unknown],
        "models": [
            {
                "model": row.model.name,
                "calls": row.calls,
                "answered_before": row.answered_before,
                "tokens_input": row.tokens_input,
                "tokens_output": row.tokens_output,
                "cost": _text(row.cost),
                "basis": row.basis,
            }
            for row in estimate.rows
        ],
        "left_out": [{"poem": str(poem), "reason": reason} for poem, reason in estimate.left_out],
    }


def _total(estimate: Estimate) -> str:
    if estimate.cost is None and estimate.known_cost:
        return f"{dollars(estimate.known_cost)} and more"
    return dollars(estimate.cost)


def _settings(run: Run) -> str:
    said = [str(run.collection) if run.collection else "", run.template]
    said.append(f"{run.samples} samples" if run.samples > 1 else "")
    said.append(f"temperature {run.temperature:g}" if run.temperature is not None else "")
    said.append(f"at most {number(run.max_tokens)} tokens" if run.max_tokens else "")
    said.append(f"seed {run.seed}" if run.seed is not None else "")
    said.append(f"started {timezone.localtime(run.started_at):%Y-%m-%d %H:%M}")
    return plain(", ".join(part for part in said if part))


def _failed(run: Run) -> Any:
    rows = run.generations.filter(status=Generation.Status.FAILED)
    return rows.select_related("model", "brief__poem").order_by("pk")


def _named(row: Generation) -> str:
    brief = f"“{row.brief.poem or row.brief}”"
    why = plainly(row)
    # Many errors begin with the same words.
    said = row.error if row.error.startswith(why) else f"{why}. {row.error}"
    return cut(plain(f"{row.model} to {brief}, sample {row.sample}: {said}"), LONGEST_FAILURE)


def _counts_as_json(counts: Counts) -> dict[str, int]:
    names = ("total", "done", *KINDS, "waiting", "running")
    return {name: getattr(counts, name) for name in names}


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount.normalize():f}"
