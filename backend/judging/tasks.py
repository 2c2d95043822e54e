"""Background work of judging: one task per hearing, and the sweep that finds what was lost."""

from celery import shared_task
from django.utils import timezone

from backend.judging import services
from backend.judging.models import Hearing


@shared_task(name="judging.hear")
def hear(hearing_id: int) -> None:
    services.hear(hearing_id)


@shared_task(name="judging.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Send a message for every row that is due and that no message tells of."""
    if messages_lost:
        Hearing.objects.all().forget_messages()
    for hearing_id in Hearing.objects.all().to_nudge(timezone.now()):
        hear.delay(hearing_id)
