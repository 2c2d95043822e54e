"""Whether a judge is there: what they do renews the lease on what waits for them."""

from datetime import datetime, timedelta

from django.utils import timezone

from annotation.studies.models import Judge

# A lease is renewed at most once in this share of its length, so that saving costs no more.
SHARE = 200


def renew(judge: Judge, now: datetime | None = None) -> None:
    """Note that the judge does something, which renews their lease."""
    now = now or timezone.now()
    pause = timedelta(hours=judge.study.lease_hours) / SHARE
    if judge.active_at is None or now - judge.active_at >= pause:
        Judge.objects.note_active(judge.pk, now)
        judge.active_at = now
