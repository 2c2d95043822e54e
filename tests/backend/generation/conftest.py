"""A provider over real HTTP, a collection to write to, and models that behave as named."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from backend.accounts.models import User
from backend.corpus.models import Collection, Poem
from backend.generation import providers, services, tasks, writing
from backend.generation.models import Call, Gate, Generation, LanguageModel, Run
from backend.generation.work import Work
from tests.backend.generation.fake_provider import FakeProvider
from tests.endpoint import Endpoint
from tests.language_models import model_at

AddModel = Callable[..., LanguageModel]
StartRun = Callable[..., Run]


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A provider of language models; its clients are forgotten with it."""
    providers.forget_clients()
    fake = FakeProvider()
    yield fake
    fake.stop()
    providers.forget_clients()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A provider of language models that behave as they are named."""
    providers.forget_clients()
    served = Endpoint()
    yield served
    served.stop()
    providers.forget_clients()


@pytest.fixture
def add(endpoint: Endpoint) -> AddModel:
    """Add a model of the endpoint that behaves as this name says."""

    def add_model(behaviour: str, **fields: Any) -> LanguageModel:
        return model_at(endpoint.url_of("openai"), behaviour, **fields)

    return add_model


@pytest.fixture
def collection(db: None) -> Collection:
    """Three poems with all that a template asks for."""
    return shelf("Verse", "Dawn", "Noon", "Dusk")


def shelf(name: str, *titles: str) -> Collection:
    """Return a new collection of poems with these titles."""
    made = Collection.objects.create(name=name)
    Poem.objects.bulk_create(
        Poem(
            collection=made,
            title=title,
            author=f"Author of {title}",
            form="sonnet",
            theme=title.lower(),
            text=f"{title}\nby hand",
            fingerprint=f"{number:064x}",
        )
        for number, title in enumerate(titles, start=1)
    )
    return made


@pytest.fixture
def add_model(db: None, provider: FakeProvider) -> AddModel:
    """Add a model of the provider that behaves as it is named."""

    def add(behaviour: str, *, name: str = "", **fields: str) -> LanguageModel:
        where = {"url": provider.url, "model_id": behaviour, **fields}
        return model_at(name=name or behaviour, **where)

    return add


@pytest.fixture
def start(collection: Collection, add_model: AddModel) -> StartRun:
    """Start a run of these behaviours over the collection."""

    def start_run(*behaviours: str, name: str = "Run", **options: object) -> Run:
        models = [add_model(behaviour) for behaviour in behaviours]
        asked = {"template": "poemetric", **options}
        return services.start_run(
            name=name, collection=collection, models=models, **asked
        ).run  # fmt: skip

    return start_run


@pytest.fixture
def researcher(db: None) -> Client:
    """A researcher's browser."""
    return signed_in("researcher")


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that workers are woken, in place of a broker."""
    woken: list[str] = []
    monkeypatch.setattr(tasks.sweep, "delay", lambda: woken.append("now"))
    return woken


def signed_in(role: str) -> Client:
    """Return the browser of a new user with this role."""
    client = Client()
    client.force_login(User.objects.create_user(f"{role}@example.org", role=role))
    return client


def shown_text(client: Client, address: str) -> str:
    """Return a page that opens, each run of white space as one space."""
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def write_all(run: Run) -> None:
    """Write what is due, once."""
    for row in run.generations.unfinished().order_by("pk"):
        writing.write_poem(row.pk)


def only(run: Run) -> Generation:
    """Return the first generation of the run as it is in the database."""
    return run.generations.select_related("brief", "model").earliest("pk")


def forget_pauses(run: Run) -> None:
    """Let every pause be over, and every gate be as if nothing had gone through yet."""
    run.generations.filter(status=Work.Status.QUEUED).update(not_before=None)
    Gate.objects.update(held_until=None, failures=0, holds=0, failing_since=None)


def forget_worker(run: Run) -> None:
    """Let the leases of what is under way be over, as long after a worker was killed."""
    long_ago = timezone.now() - timedelta(hours=1)
    run.generations.filter(status=Work.Status.RUNNING).update(leased_until=long_ago)
    run.generations.unfinished().update(nudged_at=long_ago)
    Call.objects.filter(state=Call.State.OPEN).update(expires_at=long_ago)
