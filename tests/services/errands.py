"""Tasks for the tests of the workers themselves, loaded with ``celery worker -I``."""

import os
import time
from pathlib import Path

from celery import shared_task

from backend.accounts.models import User


@shared_task(name="tests.sign")
def sign(user_id: int, last_name: str, seconds: float = 0.0) -> None:
    """Write a last name, after a while."""
    time.sleep(seconds)
    User.objects.filter(pk=user_id).update(last_name=last_name)


@shared_task(name="tests.note")
def note(path: str, seconds: float = 0.0) -> None:
    """Note in a file that work has begun, and after a while who has done it."""
    Path(path).write_text("begun")
    time.sleep(seconds)
    Path(path).write_text(f"done by {os.getpid()}")
