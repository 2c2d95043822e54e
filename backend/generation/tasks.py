"""Background work of generation: one task per poem, and the sweep that finds what was lost."""

from datetime import datetime

from celery import shared_task
from django.utils import timezone

from backend.generation import calling, controlling, dealing, writing
from backend.generation.models import Generation
from backend.generation.waking import Waker


@shared_task(name="generation.write_poem")
def write_poem(generation_id: int) -> None:
    # When work begins as well, so that the next messages are there when it ends.
    dealer.wake()
    try:
        writing.write_poem(generation_id)
    finally:
        dealer.wake()


@shared_task(name="generation.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Send a message for every row that may be written now and that no message tells of."""
    now = timezone.now()
    if messages_lost:
        Generation.objects.all().forget_messages()
    calling.mark_lost(now)
    calling.settle_ended(now)
    Generation.objects.all().give_up_lost(now)
    dealing.free_cancelled(now)
    controlling.end_cancelled()
    deal_now()


def deal_now() -> datetime | None:
    """Send the messages that are due, and return when to look again."""
    dealt = dealing.look(timezone.now())
    for generation_id in dealt.keys:
        write_poem.delay(generation_id)
    return dealt.again_at


dealer = Waker(deal_now, "dealer")
