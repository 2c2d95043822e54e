"""What stands in the activity log becomes messages here, once it is sealed there."""

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.models import Q

from annotation.activity.models import Entry, Seal
from annotation.activity.services import Kind
from backend.hooks.models import Delivery, Event, Hook
from backend.hooks.progress import Progress, progress_of

# By one of these a study can become complete.
FILLING = (Kind.JUDGMENT_SUBMITTED, Kind.JUDGE_RESTORED)
# By one of these, if answers went with it, a complete study can become incomplete.
EMPTYING = (Kind.JUDGE_WITHDRAWN, Kind.EXPERT_DELETED)
TOLD = frozenset({*FILLING, Kind.STUDY_OPENED, Kind.STUDY_CLOSED, Kind.STUDY_UNSEALED})
# Seals have an order without gaps, and entries have not: of two that are written at once, the
# later one can be seen first. Some seals at a time, since each can bind thousands of entries.
SEALS_AT_ONCE = 4


def queue() -> int:
    """Queue what each active hook has to tell of since it was last looked at.

    Return how many messages were queued. Each event is queued once, however many workers call
    this at once and wherever one is killed.
    """
    head = head_of_log()
    behind = Hook.objects.active().filter(cursor__lt=head).select_related("study")
    return sum(_catch_up(hook, head) for hook in behind)


def head_of_log() -> int:
    """Return the number of the newest seal, 0 if there is none."""
    newest = Seal.objects.order_by("-number").values_list("number", flat=True).first()
    return newest or 0


def _catch_up(hook: Hook, head: int) -> int:
    queued = 0
    while hook.cursor < head:
        to = min(head, hook.cursor + SEALS_AT_ONCE)
        with transaction.atomic():
            if not Hook.objects.advance(hook, to):
                break
            told = Entry.objects.of_study(hook.study.slug).filter(
                kind__in=TOLD,
                seal__number__gt=hook.cursor,
                seal__number__lte=to,
                at__gte=hook.told_from,
            )
            in_order = told.select_related("seal").order_by("seal__number", "pk")
            queued += _write(hook, list(in_order))
        hook.cursor = to
    return queued


def _write(hook: Hook, entries: list[Entry]) -> int:
    if not entries:
        return 0
    progress = progress_of(hook.study)
    told = [
        Delivery(
            hook=hook, event=event, entry=entry, at=entry.at,
            answered=progress.answered, places=progress.places,
            emptied=_emptied(entry) if event == Event.STUDY_COMPLETE else 0,
        )
        for event, entry in _events(hook, entries, progress)
    ]  # fmt: skip
    before = hook.deliveries.count()
    Delivery.objects.bulk_create(told, batch_size=500, ignore_conflicts=True)
    return hook.deliveries.count() - before


def _emptied(before: Entry) -> int:
    """Return how often answers had been taken out of the study when this was written."""
    assert before.seal is not None  # noqa: S101  (only sealed entries are told of)
    earlier = Q(seal__number__lt=before.seal.number) | Q(seal=before.seal, pk__lt=before.pk)
    taken = Entry.objects.of_study(before.study).filter(earlier, kind__in=EMPTYING)
    return sum(
        bool(details.get("judgments")) for details in taken.values_list("details", flat=True)
    )


def _events(
    hook: Hook, entries: Iterable[Entry], progress: Progress
) -> Iterator[tuple[str, Entry]]:
    """Yield what these entries mean to a hook, in their order."""
    wanted = set(hook.events)
    filling = None
    for entry in entries:
        filling = entry if entry.kind in FILLING else filling
        if entry.kind in wanted:
            yield entry.kind, entry
        # Whether it was the last of a batch is known only where the answer is written.
        if Event.BATCH_DONE in wanted and entry.details.get("batch_done") is True:
            yield Event.BATCH_DONE, entry
    if filling is not None and Event.STUDY_COMPLETE in wanted and progress.complete:
        yield Event.STUDY_COMPLETE, filling
