"""Background work of judging: one task per hearing, and the sweep that finds what was lost."""

from datetime import datetime

from celery import shared_task
from django.utils import timezone

from backend.generation.waking import Waker
from backend.judging import services
from backend.judging.models import Hearing


@shared_task(name="judging.hear")
def hear(hearing_id: int) -> None:
    try:
        services.hear(hearing_id)
    finally:
        clerk.wake()


@shared_task(name="judging.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Send a message for every hearing that may be put now and that no message tells of."""
    if messages_lost:
        Hearing.objects.all().forget_messages()
    send_now()


def send_now() -> datetime | None:
    """Send the messages that are due. When a gate opens is left to the sweep."""
    for hearing_id in services.to_hear(timezone.now()):
        hear.delay(hearing_id)
    return None


clerk = Waker(send_now, "clerk")
