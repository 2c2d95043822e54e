"""Programs of a coordinator and of a researcher, and studies for them to ask about."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from annotation.studies import links
from annotation.studies.models import Judge, Study
from backend.design.models import Design
from backend.generation import tasks as writing
from backend.hooks import tasks as telling
from backend.panel import tasks as mailing
from tests.annotation.panel import open_study
from tests.backend.api.calling import Program, program
from tests.studies import coordinator, make_study, researcher


@pytest.fixture(autouse=True)
def nothing_counted() -> Iterator[None]:
    """Let no test be throttled for what another asked."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each time that workers are woken, in place of a broker."""
    calls: list[str] = []
    monkeypatch.setattr(mailing.sweep, "delay", lambda: calls.append("panel"))
    monkeypatch.setattr(telling.sweep, "delay", lambda: calls.append("hooks"))
    monkeypatch.setattr(writing.sweep, "delay", lambda: calls.append("generation"))
    return calls


@pytest.fixture
def kim(db: None) -> Program:
    """A coordinator's program, with all that a coordinator's token may have."""
    return program(coordinator("kim"))


@pytest.fixture
def vera(db: None) -> Program:
    """A researcher's program, with all that a researcher's token may have."""
    return program(researcher("vera"))


@pytest.fixture
def study(db: None) -> Study:
    """An open study."""
    study = open_study()
    Design.objects.create(study=study)
    return study


@pytest.fixture
def ada(study: Study) -> Judge:
    return links.invite(study, name="Ada", email="ada@reader.example").invitation.judge


@pytest.fixture
def unsealed(db: None) -> Study:
    """A closed study whose key is unsealed."""
    return make_study()
