"""Background work of generation: one task per poem, and the sweep that finds what was lost."""

from celery import shared_task
from django.utils import timezone

from backend.generation import services
from backend.generation.models import Generation


@shared_task(name="generation.write_poem")
def write_poem(generation_id: int) -> None:
    services.write_poem(generation_id)


@shared_task(name="generation.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Send a message for every row that is due and that no message tells of."""
    if messages_lost:
        Generation.objects.all().forget_messages()
    for generation_id in Generation.objects.all().to_nudge(timezone.now()):
        write_poem.delay(generation_id)
