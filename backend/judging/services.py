"""Machine judges answer the study's own instrument, through the one door for answers."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.instruments.instrument import InvalidAnswers
from annotation.judgments.services import AlreadyJudged, submit
from annotation.studies import services as ledger
from annotation.studies.models import Assignment, Judge, Study
from backend.generation import calling, dealing, holding, providers, reaching
from backend.generation.calling import Unanswered
from backend.generation.dealing import FORGOTTEN
from backend.generation.models import Call, LanguageModel
from backend.generation.patience import patiently
from backend.generation.providers import ProviderRefused
from backend.generation.work import outlasting
from backend.judging.models import Hearing, MachineJudge, Reply
from backend.judging.reading import Unreadable, read

BUILT_IN_JUDGE = "baseline-judge"
ASKED_AT_MOST = 2  # the first time, and once again if the reply could not be read
AROUND = timedelta(seconds=60)  # for what is done before and after a call
SHORTLY = timedelta(seconds=2)  # until a model that can take no call now is looked at again
STORING_SECONDS = 60.0
CALLS_AT_MOST = 40  # of one hearing, however friendly it is asked to wait each time


def built_in_judge() -> LanguageModel:
    """Return the built-in baseline judge, adding it to the models if it is not there yet."""
    return LanguageModel.objects.get_or_create(
        name=f"{BUILT_IN_JUDGE} (built-in, counts words)",
        defaults={
            "reach": LanguageModel.Reach.BUILT_IN,
            "model_id": BUILT_IN_JUDGE,
            "description": "Answers from surface figures of the text; it understands nothing.",
        },
    )[0]


class OtherTemperature(ValueError):
    """The model judges this study at another temperature; the message says which."""


@transaction.atomic
def put_to(
    study: Study, models: Iterable[LanguageModel], *, temperature: float | None = None
) -> list[MachineJudge]:
    """Queue every item of an open study for each of these models. Asked twice, it adds nothing.

    Raises
    ------
    annotation.studies.services.NotOpen
        If the study is not open.
    OtherTemperature
        If one of the models judges this study at another temperature.
    """
    # Before any judge is made: two at once may name the same models in another order.
    Study.objects.hold(study.pk)
    if not Study.objects.open().filter(pk=study.pk).exists():
        raise ledger.NotOpen
    machines = []
    for model in models:
        judge, _ = Judge.objects.get_or_create(
            study=study, kind=Judge.Kind.MACHINE, name=model.name
        )
        machine, _ = MachineJudge.objects.get_or_create(
            judge=judge, defaults={"model": model, "temperature": temperature}
        )
        if machine.temperature != temperature:
            raise OtherTemperature(
                f"{model} judges this study at temperature {_said(machine.temperature)}, and one "
                "judge cannot answer at two; leave that as it is."
            )
        ledger.give_all(judge)
        unheard = Assignment.objects.of(judge).exclude(hearing__isnull=False)
        Hearing.objects.bulk_create(
            Hearing(machine=machine, assignment=assignment) for assignment in unheard
        )
        machines.append(machine)
    return machines


def to_hear(now: datetime) -> list[int]:
    """Return the hearings to send a message for: no more than their models' gates let through.

    They count as told. Each that ends sends for the next, and the sweep for what is forgotten.
    """
    hearings = Hearing.objects.all()
    hearings.give_up_lost(now)
    waiting = hearings.due(now).filter(Q(nudged_at=None) | Q(nudged_at__lt=now - FORGOTTEN))
    models = LanguageModel.objects.select_related("provider").filter(
        pk__in=waiting.values("machine__model")
    )
    keys: list[int] = []
    for model_id, (room, half) in dealing.room_of(models, now).items():
        theirs = hearings.filter(machine__model=model_id)
        told = theirs.filter(status="queued", nudged_at__gte=now - FORGOTTEN).count()
        running = theirs.filter(status="running", leased_until__gte=now).count()
        room -= told
        own = waiting.filter(machine__model=model_id).order_by("pk")
        # A few ahead, so that none has to wait for the next message; and though poems fill the
        # gate, as many as have an even chance of what opens of it.
        most = max(0, room + room // dealing.AHEAD, half - told - running)
        keys += own.values_list("pk", flat=True)[:most]
    hearings.filter(pk__in=keys).update(nudged_at=now)
    return keys


def hear(hearing_id: int, *, ask: calling.Ask = providers.ask) -> None:
    """Put one item to its machine judge: claim it, ask, read, submit. Safe to call twice."""
    hearing = (
        Hearing.objects.select_related(
            "machine__model__provider", "assignment__item", "assignment__judge__study"
        )
        .filter(pk=hearing_id)
        .first()
    )
    if hearing is None:
        return
    lease = Hearing.objects.claim(hearing.pk, lasting=holding.LEASE, attempts=hearing.attempts)
    if not lease:
        return
    hearing.attempts += 1
    if hearing.assignment.judge.study.state != Study.State.OPEN:
        closed = "The study closed before this poem was put to the judge, so nothing was asked."
        Hearing.objects.finish(
            hearing.pk, lease, status="failed", error_kind="closed", error=closed
        )
        return
    at_most = calling.lasting(hearing.machine.model) + AROUND
    with holding.kept(hearing, lease, at_most=at_most):
        _put(hearing, lease, ask)


def _put(hearing: Hearing, lease: str, ask: calling.Ask) -> None:
    model, item = hearing.machine.model, hearing.assignment.item
    instrument = hearing.assignment.judge.study.instrument
    request = reaching.request_for(
        model,
        instrument.prompt(brief=item.brief, texts=_as_shown(hearing.assignment)),
        temperature=hearing.machine.temperature,
    )
    # One more than could not be read so far: an answer that was stored, but not taken yet, is.
    number = Reply.objects.filter(hearing=hearing, error_kind="unreadable").count() + 1
    identity = providers.identity(request, sample=1, purpose=f"judge {hearing.pk} {number}")
    reply = Reply.objects.create(hearing=hearing, request=request.body)
    try:
        call = patiently(lambda: calling.make(request, model=model, identity=identity, ask=ask))
    except calling.NotNow as wait:
        reply.delete()
        until = max(wait.until or timezone.now(), timezone.now() + SHORTLY)
        Hearing.objects.put_back(hearing.pk, lease, until=until)
    except (Unanswered, ProviderRefused) as trouble:
        _no_answer(hearing, lease, reply, trouble)
    else:
        outlasting(lambda: _take(hearing, lease, reply, call), seconds=STORING_SECONDS)


def ask_again(study: Study) -> int:
    """Queue afresh what failed or could not be read. Return how many."""
    failed = Hearing.objects.filter(machine__judge__study=study)
    # Replies from before this moment count no longer.
    return failed.requeue_failed(finished_at=timezone.now())


def _as_shown(assignment: Assignment) -> list[str]:
    """Return what is judged, each text under its title, if the study shows experts one."""
    item = assignment.item
    texts = [item.text, item.second] if item.second else [item.text]
    shown = texts[::-1] if assignment.flipped else texts
    return [f"{item.title}\n\n{text}" if item.title else text for text in shown]


def _said(temperature: float | None) -> str:
    return "by its own default" if temperature is None else f"{temperature:g}"


def _no_answer(
    hearing: Hearing, lease: str, reply: Reply, trouble: Unanswered | ProviderRefused
) -> None:
    outcome = {"error_kind": trouble.kind, "error": str(trouble)}
    ended = {"ended_at": timezone.now(), "response": getattr(trouble, "body", "")}
    Reply.objects.filter(pk=reply.pk).update(**ended, **outcome)
    verdict = trouble.verdict if isinstance(trouble, Unanswered) else ""
    if not verdict or _replies(hearing).count() >= CALLS_AT_MOST:
        Hearing.objects.finish(hearing.pk, lease, status="failed", **outcome)
    elif verdict == "row":
        Hearing.objects.pause(hearing.pk, lease, attempts=hearing.attempts, **outcome)
    else:
        # Its gate is held for as long as there is to wait.
        Hearing.objects.put_back(hearing.pk, lease, until=None, **outcome)
    if verdict == "hopeless":
        _give_up(hearing.machine.model, trouble)


def _give_up(model: LanguageModel, trouble: Unanswered | ProviderRefused) -> None:
    """Let fail what waits for a judge that nobody reaches."""
    waiting = Hearing.objects.filter(machine__model=model, status="queued")
    said = f"Given up, for the endpoint was tried long enough. {trouble}"
    waiting.update(status="failed", error_kind=trouble.kind, error=said)


def _take(hearing: Hearing, lease: str, reply: Reply, answer: Call) -> None:
    kept = {"response": answer.response, "text": answer.text, "ended_at": timezone.now()}
    try:
        with transaction.atomic():
            repairs = _submit(hearing, answer)
            Reply.objects.filter(pk=reply.pk).update(repairs=repairs, **kept)
            Hearing.objects.finish(
                hearing.pk, lease, status="done", error_kind="", error="",
                finished_at=timezone.now(),
            )  # fmt: skip
    except Unreadable as problem:
        outcome = {"error_kind": "unreadable", "error": str(problem)}
        Reply.objects.filter(pk=reply.pk).update(**kept, **outcome)
        again = "queued" if _unreadable_so_far(hearing) < ASKED_AT_MOST else "failed"
        Hearing.objects.finish(hearing.pk, lease, status=again, nudged_at=None, **outcome)


def _unreadable_so_far(hearing: Hearing) -> int:
    return _replies(hearing).filter(error_kind="unreadable").count()


def _replies(hearing: Hearing) -> QuerySet[Reply]:
    """Return the replies since it was queued afresh, if it was: then it had ended."""
    replies = Reply.objects.filter(hearing=hearing)
    since = hearing.finished_at
    return replies.filter(started_at__gte=since) if since else replies


def _submit(hearing: Hearing, answer: Call) -> list[str]:
    """Submit what the reply says and return what was repaired, or raise Unreadable."""
    if answer.finish == "length":
        raise Unreadable("The reply was cut off at its length limit.")
    instrument = hearing.assignment.judge.study.instrument
    reading = read(answer.text, instrument)
    try:
        answers = instrument.by_number(reading.answers)
        submit(hearing.assignment, answers, milliseconds=answer.milliseconds)
    except InvalidAnswers as problems:
        raise Unreadable(f"The answers do not fit: {problems}") from problems
    except AlreadyJudged:
        return [*reading.repairs, "an earlier reply was submitted already"]
    return reading.repairs
