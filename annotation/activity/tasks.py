"""Background work of the activity log: sealing what was written since the last sweep."""

from celery import shared_task

from annotation.activity import sealing


@shared_task(name="activity.sweep")
def sweep(*, messages_lost: bool = False) -> None:
    """Seal what waits. No message is ever lost here, since none is sent."""
    sealing.seal_all()
