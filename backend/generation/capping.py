"""The cap of a run: what is set aside under it for calls, and what waits when it is used up."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from backend.generation.gates import Shut
from backend.generation.models import Call, Generation, LanguageModel, Run

LOOKED_AT_AGAIN = timedelta(seconds=30)
MOMENT = timedelta(seconds=1)  # a call that is under way likely gives something back by then
# A call that ended has given back by then what it did not take.
SETTLING = timedelta(seconds=2)

Pair = tuple[int, int]  # of a model and a run


def set_aside(run: Run, call: Call, model: LanguageModel, *, now: datetime) -> Shut | None:
    """Set aside what the call may cost, or say why that cannot be.

    "cap" is said only while no call of the run is under way; else "cap pending", for what these do
    not take is given back. The call's own row has been written in the same transaction.
    """
    amount = call.reserved
    if amount is None:
        unknown = f"the run has a cap, and what {model} costs is not known"
        return None if run.cap is None else Shut("cap", None, unknown)
    if not amount:
        return None
    holds = Q(cap=None) | Q(cap__gte=F("committed") + amount)
    if Run.objects.filter(holds, pk=run.pk).update(committed=F("committed") + amount):
        return None
    if _may_give_back(run, now, but=call):
        return Shut("cap pending", now + MOMENT, "calls under way hold what is left of the cap")
    return Shut("cap", None, "the run's cap is reached")


@transaction.atomic
def stop(row: Generation, lease: str, *, needs: Decimal | None, said: str) -> bool:
    """Let all that is queued of the row's run and model wait, and the row itself, for the cap.

    False if the cap does not stop it after all: it was raised, or a call has ended meanwhile.
    """
    # Whoever sets money aside, settles a call or sets the cap needs this lock, too.
    run = Run.objects.select_for_update(no_key=True).get(pk=row.run_id)
    now = timezone.now()
    if run.cap is None:
        return False
    if needs is not None and (run.committed + needs <= run.cap or _may_give_back(run, now)):
        return False
    until = now + LOOKED_AT_AGAIN
    outcome = {"error_kind": "cap", "error": said}
    Generation.objects.put_back(row.pk, lease, until=until, **outcome)
    queued = Generation.objects.filter(run=run, model=row.model_id, status="queued")
    queued = queued.exclude(error_kind="cap", not_before__gt=now)
    # A pause that is longer stays as long.
    later = Greatest(Coalesce("not_before", until), until)
    queued.update(not_before=later, nudged_at=None, **outcome)
    return True


def room(busy: Mapping[Pair, int], now: datetime) -> dict[Pair, int]:
    """Return how many rows more the money suffices for, where calls that may give back are open.

    Parameters
    ----------
    busy : mapping
        How many rows are told of or under way, for each model and run.
    """
    runs = Run.objects.filter(pk__in={run_id for _, run_id in busy}).exclude(cap=None)
    left = dict(runs.values_list("pk", F("cap") - F("committed")))
    if not left:
        return {}
    found = (
        _open(now)
        .filter(generation__run__in=left)
        .order_by()
        .values_list("model_id", "generation__run_id")
        .annotate(number=Count("pk"), most=Max("reserved"))
    )
    calls = {
        (model_id, run_id): number + int(left[run_id] // most)
        for model_id, run_id, number, most in found
    }
    waited_for = {run_id for _, run_id in calls}
    # Of a model that has none open, one row finds out whether the rest suffices.
    return {
        pair: max(0, calls.get(pair, 1) - rows)
        for pair, rows in busy.items()
        if pair[1] in waited_for
    }


def _open(now: datetime) -> QuerySet[Call]:
    """Return the calls under way for which money is set aside."""
    return Call.objects.filter(state=Call.State.OPEN, expires_at__gt=now, reserved__gt=0)


def _may_give_back(run: Run, now: datetime, *, but: Call | None = None) -> bool:
    """Whether another call of the run is under way, or ended so lately that it is not settled."""
    if _open(now).filter(generation__run=run).exclude(pk=but.pk if but else 0).exists():
        return True
    ended = Call.objects.filter(generation__run=run, ended_at__gt=now - SETTLING, reserved__gt=0)
    unsettled = ended.filter(state__in=(Call.State.ANSWERED, Call.State.FAILED))
    return unsettled.exclude(cost=F("reserved")).exists()
