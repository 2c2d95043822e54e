"""Background work of hooks: one task per message, and the sweep that finds what to tell."""

from celery import shared_task
from django.utils import timezone

from backend.hooks import queueing, sending
from backend.hooks.models import Delivery


@shared_task(name="hooks.send_delivery")
def send_delivery(delivery_id: int) -> None:
    sending.send(delivery_id)


@shared_task(name="hooks.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Queue what was sealed in the log, nudge for what no message tells of, clear what is old."""
    if messages_lost:
        Delivery.objects.all().forget_messages()
    queueing.queue()
    now = timezone.now()
    for delivery_id in Delivery.objects.all().to_nudge(now):
        send_delivery.delay(delivery_id)
    Delivery.objects.all().clear_old(now)
