"""Hooks are added, tried, stopped, started and deleted here: the same for pages and API."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from annotation.activity.services import Kind, record
from annotation.studies.models import Study
from backend.accounts.models import User
from backend.hooks import receivers
from backend.hooks.models import PING, Delivery, Event, Hook
from backend.hooks.progress import progress_of
from backend.hooks.queueing import head_of_log
from backend.hooks.receivers import BadAddress
from backend.hooks.signing import new_secret

__all__ = [
    "AlreadyTold",
    "BadAddress",
    "Made",
    "Removed",
    "UnknownEvent",
    "add",
    "again",
    "ping",
    "remove",
    "start",
    "stop",
]


class AlreadyTold(ValueError):
    """A hook of the study has this address already."""


class UnknownEvent(ValueError):
    """There is no such event, or none was chosen; the message names the events there are."""


class Removed(LookupError):
    """The hook was deleted meanwhile."""


@dataclass(frozen=True)
class Made:
    """A new hook with its secret, which is shown this once."""

    hook: Hook
    secret: str


def add(study: Study, url: str, events: Iterable[str], by: User | None) -> Made:
    """Tell an address of these events of a study from now on.

    Raises
    ------
    backend.hooks.receivers.BadAddress
        If nothing can be sent to the address; the message says what to write instead.
    UnknownEvent
        If an event is none, or there is none at all.
    AlreadyTold
        If a hook of the study has this address.
    """
    asked = set(events)
    if not asked or not asked <= set(Event.values):
        raise UnknownEvent(f"Choose one or more of these: {', '.join(Event.values)}.")
    receivers.find(receivers.read(url))
    secret = new_secret()
    try:
        with transaction.atomic():
            hook = Hook.objects.create(
                study=study,
                url=url,
                secret=secret,
                events=[event for event in Event.values if event in asked],
                cursor=head_of_log(),
                made_by=by,
            )
            _record(Kind.HOOK_ADDED, hook, by)
    except IntegrityError as error:
        raise AlreadyTold("A hook of this study has this address already.") from error
    return Made(hook, secret)


@transaction.atomic
def ping(hook: Hook) -> Delivery:
    """Queue a test message, which is sent once, whether the hook is stopped or not.

    The caller wakes the workers (`backend.hooks.tasks.sweep`), or waits for the next sweep.

    Raises
    ------
    Removed
        If the hook was deleted meanwhile.
    """
    # Holds the hook: whoever deletes it finds the message, or the message no hook.
    if not Hook.objects.filter(pk=hook.pk).update(cursor=F("cursor")):
        raise Removed("The hook was deleted meanwhile.")
    now = progress_of(hook.study)
    return Delivery.objects.create(
        hook=hook, event=PING, answered=now.answered, places=now.places
    )  # fmt: skip


@transaction.atomic
def stop(hook: Hook, *, because: str = "Stopped by hand.") -> bool:
    """Send a hook nothing any more; what waits fails. False if it was stopped before."""
    # The update holds the hook: nothing is queued for it between this and the next line.
    stopped = Hook.objects.active().filter(pk=hook.pk).update(active=False, stopped_because=because)
    if stopped:
        Delivery.objects.all().give_up_waiting(hook.pk)
    return bool(stopped)


@transaction.atomic
def start(hook: Hook) -> bool:
    """Send to a stopped hook again what happens from now on. False if it was not stopped.

    What happened meanwhile is not told; a message that failed can be tried again by itself.
    """
    stopped = Hook.objects.filter(pk=hook.pk, active=False)
    return bool(
        stopped.update(
            active=True,
            stopped_because="",
            failures=0,
            failing_since=None,
            cursor=head_of_log(),
            told_from=timezone.now(),
        )
    )


@transaction.atomic
def remove(hook: Hook, *, by: User | None = None) -> None:
    """Delete a hook with all it told."""
    # Held first: a delivery that is queued while the rows are gathered would be left behind.
    if Hook.objects.filter(pk=hook.pk).update(active=False):
        _record(Kind.HOOK_REMOVED, hook, by)
        hook.delete()


@transaction.atomic
def again(delivery: Delivery) -> bool:
    """Queue a message that failed afresh. False if it did not fail, or its hook is stopped."""
    # Holds the hook, so that it is not stopped between the look and the queueing.
    if not Hook.objects.active().filter(pk=delivery.hook_id).update(active=True):
        return False
    own = Delivery.objects.filter(pk=delivery.pk)
    if not own.requeue_failed():
        return False
    own.update(tries=0)
    return True


def _record(kind: Kind, hook: Hook, by: User | None) -> None:
    # Its host alone: what comes after it may hold somebody's secret.
    record(
        kind,
        study=hook.study.slug,
        actor=by.username if by else "",
        to=urlsplit(hook.url).hostname or "",
        events=hook.events,
    )
