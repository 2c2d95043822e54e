"""What a person does to a run under way: pause, resume, cancel, retry, add models, set the cap."""

from collections.abc import Iterable
from decimal import Decimal

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from backend.generation.briefs import IMPORTED
from backend.generation.estimating import priced
from backend.generation.models import Brief, Generation, LanguageModel, Run
from backend.generation.services import queue
from backend.generation.work import Work

# Failures that were answers: the very same call would only bring the same answer again.
ANSWERS = ("refused", "truncated", "empty", "recited")
CANCELLED = "cancelled"


class RunCancelled(ValueError):
    """The run was cancelled, so that nothing is asked for before it is resumed."""


class RunImported(ValueError):
    """The run's poems were imported; its models were never asked from here."""


def pause(run: Run) -> bool:
    """Let nothing more begin. What is under way ends. False if the run was not running.

    Raises
    ------
    RunImported
        If it was imported.
    """
    _asked_from_here(run)
    return _turn(run, {Run.State.RUNNING}, Run.State.PAUSED)


@transaction.atomic
def resume(run: Run) -> bool:
    """Let a run go on that was paused or cancelled. False if it was running.

    Raises
    ------
    RunImported
        If it was imported.
    """
    _asked_from_here(run)
    if not _turn(run, {Run.State.PAUSED, Run.State.CANCELLED}, Run.State.RUNNING):
        return False
    run.generations.filter(error_kind=CANCELLED).requeue_failed()
    return True


@transaction.atomic
def cancel(run: Run) -> int:
    """Ask for nothing more. What is under way ends and is kept. Return how many are not written.

    Raises
    ------
    RunImported
        If it was imported.
    """
    _asked_from_here(run)
    _turn(run, {Run.State.RUNNING, Run.State.PAUSED}, Run.State.CANCELLED)
    return end_cancelled(run)


def end_cancelled(run: Run | None = None) -> int:
    """Let fail what is queued in cancelled runs, as what was under way may be queued again."""
    queued = Generation.objects.filter(status=Work.Status.QUEUED)
    # Not by a join: PostgreSQL would not look again at a row that was claimed meanwhile.
    cancelled = Run.objects.filter(pk=OuterRef("run_id"), state=Run.State.CANCELLED)
    queued = queued.filter(run=run) if run else queued.filter(Exists(cancelled))
    return queued.update(
        status=Work.Status.FAILED,
        error_kind=CANCELLED,
        error="The run was cancelled before this was written.",
        finished_at=timezone.now(),
    )


@transaction.atomic
def retry_failed(run: Run, kinds: Iterable[str] | None = None) -> int:
    """Queue what failed afresh, or what failed for these reasons. Return how many.

    What is done is not asked again. Imported replies were not asked for here, so none of them is.

    Raises
    ------
    RunCancelled
        If the run was cancelled.
    """
    if run.template == IMPORTED:
        return 0
    if _locked(run).state == Run.State.CANCELLED:
        raise RunCancelled("The run was cancelled. Resume it first.")
    failed = run.generations.filter(status=Work.Status.FAILED)
    if kinds is not None:
        failed = failed.filter(error_kind__in=list(kinds))
    failed.filter(error_kind__in=ANSWERS).update(turn=F("turn") + 1)
    return failed.requeue_failed()


@transaction.atomic
def add_models(run: Run, models: Iterable[LanguageModel]) -> int:
    """Have these models write to the run's briefs as well. Return how many poems that asks for.

    Those that write in it already are passed over.

    Raises
    ------
    RunCancelled
        If the run was cancelled.
    RunImported
        If it was imported.
    backend.generation.estimating.UnknownPrice
        If the run has a cap, and what one of them costs is not known.
    """
    _asked_from_here(run)
    held = _locked(run)
    if held.state == Run.State.CANCELLED:
        raise RunCancelled("The run was cancelled. Resume it first.")
    known = set(run.generations.values_list("model_id", flat=True).distinct())
    new = [model for model in models if model.pk not in known]
    if held.cap is not None:
        priced(new)
    briefs = Brief.objects.filter(generations__run=run).distinct().order_by("pk")
    return queue(held, list(briefs), new)


@transaction.atomic
def set_cap(run: Run, cap: Decimal | None) -> None:
    """Say how much the run may cost at the most; None: as much as it does.

    What waits for the cap is asked for at once. A cap below what was spent lets nothing more
    begin.

    Raises
    ------
    RunImported
        If the run was imported.
    backend.generation.estimating.UnknownPrice
        If what one of its models costs is not known.
    """
    _asked_from_here(run)
    held = _locked(run)
    if cap is not None:
        priced(LanguageModel.objects.filter(generations__run=run).distinct())
    held.cap = cap
    held.save(update_fields=["cap"])
    run.cap = cap
    waiting = run.generations.filter(status=Work.Status.QUEUED, error_kind="cap")
    waiting.update(not_before=None, nudged_at=None, error_kind="", error="")


def _asked_from_here(run: Run) -> None:
    if run.template == IMPORTED:
        raise RunImported(f"“{run}” was imported; nothing of it was asked for from here.")


def _locked(run: Run) -> Run:
    return Run.objects.select_for_update(no_key=True).get(pk=run.pk)


def _turn(run: Run, states: Iterable[Run.State], into: Run.State) -> bool:
    """Change the run's state if it is one of these."""
    if not Run.objects.filter(pk=run.pk, state__in=list(states)).update(state=into):
        return False
    run.state = into
    return True
