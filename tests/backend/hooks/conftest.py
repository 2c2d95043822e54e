"""A study with a hook to a real receiver, and a log that is written and sealed by hand."""

import hashlib
from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils import timezone

from annotation.activity.models import Entry, Seal
from annotation.activity.services import Kind, record
from annotation.studies.models import Study
from backend.hooks import sending, services
from backend.hooks.models import Delivery, Event, Hook
from tests.annotation.panel import open_study
from tests.backend.hooks.receiving import Receiver, receiving
from tests.studies import coordinator


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture
def study(db: None) -> Study:
    return open_study(items=2, judges_per_item=1, batch=2)


@pytest.fixture
def hook(study: Study, receiver: Receiver) -> Hook:
    return services.add(study, receiver.url, Event.values, by=None).hook


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(coordinator())
    return client


def happened(study: Study, kind: Kind = Kind.JUDGMENT_SUBMITTED, **details: object) -> Entry:
    return record(kind, study=study.slug, actor="kim", key="k", about="judgment 1", **details)


def seal() -> Seal:
    """Seal what is not sealed, as far as hooks can tell."""
    number = Seal.objects.count() + 1
    block = Seal.objects.create(
        number=number,
        previous="",
        entries=Entry.objects.unsealed().count(),
        sha256=hashlib.sha256(str(number).encode()).hexdigest(),
    )
    Entry.objects.unsealed().update(seal=block)
    return block


def send_due() -> None:
    """Send what is due now, each once."""
    for key in (
        Delivery.objects.all().due(timezone.now()).order_by("pk").values_list("pk", flat=True)
    ):
        sending.send(key)


def let_pauses_pass() -> None:
    """Let what waits for later be due."""
    Delivery.objects.filter(status="queued").update(not_before=timezone.now())
