"""Background work of the panel: one task per letter, and the sweep that finds what was lost."""

from celery import shared_task
from django.utils import timezone

from annotation.studies import leases
from backend.panel import reminding, resending, services
from backend.panel.models import Letter


@shared_task(name="panel.send_letter")
def send_letter(letter_id: int) -> None:
    services.send(letter_id)


@shared_task(name="panel.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Send a message for every letter that none tells of, queue those that are due, end leases."""
    now = timezone.now()
    if messages_lost:
        Letter.objects.all().forget_messages()
    resending.queue_wanted(now)  # before the messages: somebody may be waiting for it
    for letter_id in Letter.objects.all().to_nudge(now):
        send_letter.delay(letter_id)
    leases.expire(now)  # before reminders: nobody is reminded of what is gone
    reminding.queue_reminders(now)  # the next sweep sends them
